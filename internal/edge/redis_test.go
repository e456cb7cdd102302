package edge_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// server is a real redis-server on a unix socket, which a test may stop and start again.
type server struct {
	socket  string
	running *exec.Cmd
}

func newServer(t *testing.T) *server {
	t.Helper()

	// A socket's path may have some 100 characters, fewer than the folder of a test with a long name.
	dir, err := os.MkdirTemp("", "redis") //nolint:usetesting // See above.
	if err != nil {
		t.Fatal(err)
	}

	s := &server{socket: filepath.Join(dir, "s")}

	t.Cleanup(func() {
		s.kill()
		_ = os.RemoveAll(dir)
	})

	return s
}

func (s *server) url() string { return "unix://" + s.socket }

// start returns when the server has said that it takes connections.
func (s *server) start(t *testing.T) {
	t.Helper()

	path, err := exec.LookPath("redis-server")
	if err != nil {
		t.Fatal("redis-server is not on the PATH; install it, on Debian with: apt-get install redis-server")
	}

	s.running = exec.Command(path,
		"--port", "0", "--unixsocket", s.socket, "--save", "", "--appendonly", "no", "--dir", filepath.Dir(s.socket))

	said, err := s.running.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}

	if err := s.running.Start(); err != nil {
		t.Fatal(err)
	}

	var all strings.Builder

	for lines := bufio.NewScanner(said); lines.Scan(); {
		all.WriteString(lines.Text() + "\n")

		// Older servers say "The server is now ready to accept connections", newer ones "Ready to accept connections".
		if strings.Contains(strings.ToLower(lines.Text()), "ready to accept connections") {
			go func() { _, _ = io.Copy(io.Discard, said) }()

			return
		}
	}

	t.Fatalf("redis-server did not start:\n%s", all.String())
}

func (s *server) kill() {
	if s.running != nil {
		_ = s.running.Process.Kill()
		_ = s.running.Wait()
		s.running = nil
	}
}

func (s *server) signal(t *testing.T, sig syscall.Signal) {
	t.Helper()

	if err := s.running.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
}
