package mail_test

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
)

// mailServer answers as a mail server does (RFC 5321), without TLS, and keeps what it was given.
type mailServer struct {
	*testing.T

	listener net.Listener

	mu    sync.Mutex
	conns []net.Conn
	// answers replace the usual one to a verb; "" ends the connection instead.
	answers map[string]string
	mails   []string
	signed  int
}

func newMailServer(t *testing.T, answers map[string]string) *mailServer {
	t.Helper()

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	s := &mailServer{T: t, listener: listener, answers: answers}

	var open sync.WaitGroup

	open.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}

			s.mu.Lock()
			s.conns = append(s.conns, conn)
			s.mu.Unlock()

			open.Go(func() { s.talk(conn) })
		}
	})

	t.Cleanup(func() {
		_ = listener.Close()
		s.hangUp() // Whoever was refused may not say goodbye.
		open.Wait()
	})

	return s
}

func (s *mailServer) url(user string) string { return "smtp://" + user + s.listener.Addr().String() }

func (s *mailServer) hangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()

	for _, conn := range s.conns {
		_ = conn.Close()
	}
}

// talk goes on until the client quits or an answer ends it.
func (s *mailServer) talk(conn net.Conn) {
	defer conn.Close()

	in := bufio.NewReader(conn)
	_, _ = fmt.Fprint(conn, "220 mail.example.com ESMTP\r\n")

	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}

		verb := strings.ToUpper(strings.Fields(line + " .")[0])

		answer, changed := s.answers[verb]
		if changed && answer == "" {
			return
		}

		if !changed {
			answer = s.usual(verb)
		}

		_, _ = fmt.Fprint(conn, answer+"\r\n")

		if verb == "DATA" && strings.HasPrefix(answer, "354") && !s.take(conn, in) || verb == "QUIT" {
			return
		}
	}
}

func (s *mailServer) usual(verb string) string {
	switch verb {
	case "EHLO":
		return "250-mail.example.com\r\n250-8BITMIME\r\n250 AUTH PLAIN"
	case "AUTH":
		s.mu.Lock()
		s.signed++
		s.mu.Unlock()

		return "235 2.7.0 ok"
	case "DATA":
		return "354 go on"
	case "QUIT":
		return "221 bye"
	default:
		return "250 ok"
	}
}

// take reads the mail up to the line that is a single dot; the verb "." is what it is answered with.
func (s *mailServer) take(conn net.Conn, in *bufio.Reader) bool {
	var mail strings.Builder

	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return false
		}

		if line == ".\r\n" {
			break
		}

		mail.WriteString(line)
	}

	answer, changed := s.answers["."]
	if changed && answer == "" {
		return false
	}

	if !changed {
		answer = "250 kept"

		s.mu.Lock()
		s.mails = append(s.mails, mail.String())
		s.mu.Unlock()
	}

	_, _ = fmt.Fprint(conn, answer+"\r\n")

	return true
}

func (s *mailServer) received() []string {
	s.mu.Lock()
	defer s.mu.Unlock()

	return append([]string(nil), s.mails...)
}
