package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// sendWithin bounds each step of the talk with a mail server.
const sendWithin = 20 * time.Second

// usualPorts are those of message submission (RFC 6409, RFC 8314).
var usualPorts = map[string]int{"smtp": 587, "smtps": 465}

// SMTP sends by one mail server (RFC 5321). It is safe for use by several goroutines.
type SMTP struct {
	host    string
	from    *mail.Address
	options []gomail.Option
}

// NewSMTP returns the sender behind an address such as smtp://user:password@mail.example.com:587, which begins in the clear
// and has to switch to TLS before anything is said, or smtps://…:465, which is TLS from the start. A server on this machine
// may do without TLS. The sender's address is written "Name <name@example.com>" or bare. Its errors quote neither.
func NewSMTP(address, from string) (*SMTP, error) {
	server, port, err := parseServer(address)
	if err != nil {
		return nil, err
	}

	sender, err := parseSender(from)
	if err != nil {
		return nil, err
	}

	return &SMTP{host: server.Hostname(), from: sender, options: optionsOf(server, port, hostOf(sender.Address))}, nil
}

// CheckServer returns the address of a mail server as it is when NewSMTP takes it. Its error continues a sentence that
// begins with what the address is for, and does not quote it.
func CheckServer(address string) (string, error) {
	_, _, err := parseServer(address)

	return address, err
}

// CheckSender is CheckServer for the address of a sender.
func CheckSender(from string) (string, error) {
	_, err := parseSender(from)

	return from, err
}

func parseServer(address string) (*url.URL, int, error) {
	parsed, err := url.Parse(address)
	if err != nil || usualPorts[parsed.Scheme] == 0 || parsed.Hostname() == "" {
		return nil, 0, errors.New("must be a mail server's address such as smtp://user:password@mail.example.com:587, " +
			"or smtps://…:465, with reserved characters of the password percent-encoded")
	}

	port := usualPorts[parsed.Scheme]
	if text := parsed.Port(); text != "" {
		if port, err = strconv.Atoi(text); err != nil || port < 1 || port > 65535 {
			return nil, 0, errors.New("must have a port from 1 to 65535")
		}
	}

	return parsed, port, nil
}

func parseSender(from string) (*mail.Address, error) {
	sender, err := mail.ParseAddress(from)
	if err != nil {
		return nil, errors.New("must be an e-mail address such as Forms <forms@example.com>")
	}

	return sender, nil
}

func optionsOf(server *url.URL, port int, domain string) []gomail.Option {
	options := []gomail.Option{
		gomail.WithPort(port), gomail.WithTimeout(sendWithin), gomail.WithHELO(domain),
		gomail.WithTLSConfig(&tls.Config{ServerName: server.Hostname(), MinVersion: tls.VersionTLS12}),
	}

	switch {
	case server.Scheme == "smtps":
		options = append(options, gomail.WithSSL())
	case onThisMachine(server.Hostname()):
		options = append(options, gomail.WithTLSPolicy(gomail.TLSOpportunistic))
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}

	if name := server.User.Username(); name != "" {
		password, _ := server.User.Password()
		how := gomail.SMTPAuthAutoDiscover

		if onThisMachine(server.Hostname()) {
			how = gomail.SMTPAuthPlain // Without TLS nothing would be discovered.
		}

		options = append(options, gomail.WithUsername(name), gomail.WithPassword(password), gomail.WithSMTPAuth(how))
	}

	return options
}

func onThisMachine(host string) bool {
	ip := net.ParseIP(host)

	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Send hands one message to the server. Refused tells an error that another try would meet again from one that will pass.
func (s *SMTP) Send(ctx context.Context, message Message) error {
	written, err := s.write(message)
	if err != nil {
		return refused{err}
	}

	client, err := gomail.NewClient(s.host, s.options...)
	if err != nil {
		return fmt.Errorf("the mail server's settings cannot be used: %w", err)
	}

	err = client.DialAndSendWithContext(ctx, written)
	if err == nil || written.IsDelivered() { // The server has taken it, whatever went wrong in saying goodbye.
		return nil
	}

	return judge(err)
}

// Delivers is true: what was sent is somebody's.
func (*SMTP) Delivers() bool { return true }

// Check connects and signs in without sending anything.
func (s *SMTP) Check(ctx context.Context) error {
	client, err := gomail.NewClient(s.host, s.options...)
	if err != nil {
		return err
	}

	if err := client.DialWithContext(ctx); err != nil {
		return err
	}

	return client.Close()
}

func (s *SMTP) write(message Message) (*gomail.Msg, error) {
	written := gomail.NewMsg()
	written.Subject(message.Subject)
	written.SetMessageIDWithValue(message.ID + "@" + hostOf(s.from.Address))
	written.SetDate()
	// Vacation notices stay away from what a program has written (RFC 3834, section 5).
	written.SetGenHeader("Auto-Submitted", "auto-generated")
	written.SetBodyString(gomail.TypeTextPlain, message.Text)

	if message.HTML != "" {
		written.AddAlternativeString(gomail.TypeTextHTML, message.HTML)
	}

	if err := written.FromFormat(s.from.Name, s.from.Address); err != nil {
		return nil, fmt.Errorf("the sender's address cannot be used: %w", err)
	}

	if err := written.To(message.To); err != nil {
		return nil, errors.New("the recipient's address cannot be used")
	}

	return written, nil
}

// SMTPError is a mail server's refusal, without its text: that repeats addresses.
type SMTPError struct {
	// Code is the reply's, such as 550 (RFC 5321, section 4.2).
	Code int
}

// Error says the code only.
func (e *SMTPError) Error() string { return fmt.Sprintf("the mail server answered %d", e.Code) }

// judge keeps the server's words out of the error. A refusal of the recipient or of the content is final; a refusal of the
// sender or of the sign-in is about the settings, which somebody can mend.
func judge(err error) error {
	said, is := errors.AsType[*gomail.SendError](err)
	if !is || said.ErrorCode() == 0 {
		return errors.New("the mail server cannot be reached, or ended the talk")
	}

	known := &SMTPError{Code: said.ErrorCode()}
	aboutMessage := said.Reason == gomail.ErrSMTPRcptTo || said.Reason == gomail.ErrSMTPData || said.Reason == gomail.ErrSMTPDataClose

	if known.Code >= 500 && aboutMessage {
		return refused{known}
	}

	return known
}
