package pgtest

import (
	"context"
	"os"
	"strconv"
	"testing"

	"formonce/internal/postgres"
	"formonce/migrations"
)

// Postmaster is a server of the test's own, for tests that crash it.
type Postmaster struct {
	options postgres.EmbeddedOptions
	running *postgres.Embedded
	url     string
}

// Folder returns a folder that is removed when the test ends and that a server's account can reach: t.TempDir lies in one
// that it cannot, and the server of a test that runs as root would keep its data in a folder of the system's.
func Folder(tb testing.TB) string {
	tb.Helper()

	//nolint:usetesting // The reason is in the sentence above.
	folder, err := os.MkdirTemp("", folderPrefix+strconv.Itoa(os.Getpid())+"-*")
	if err == nil {
		err = os.Chmod(folder, 0o711) //nolint:gosec // What is secret in it is 0600.
	}

	if err != nil {
		tb.Fatal(err)
	}

	tb.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			tb.Error(err)
		}
	})

	return folder
}

// Server starts a server of its own with a migrated database, and stops it when the test ends. A durable one writes like
// a server in production; the other one does without fsync.
func Server(tb testing.TB, durable bool) *Postmaster {
	tb.Helper()

	server := &Postmaster{options: optionsOf(Folder(tb), !durable)}

	if err := server.Start(); err != nil {
		tb.Fatal(err)
	}

	tb.Cleanup(func() {
		if err := server.Stop(postgres.Fast); err != nil {
			tb.Error(err)
		}
	})

	server.url = server.running.URL()

	if err := migrations.Apply(context.Background(), server.url); err != nil {
		tb.Fatal(err)
	}

	return server
}

// URL is how to connect; it stays the same when the server is stopped and started.
func (s *Postmaster) URL() string { return s.url }

// Start starts the server again after Stop, on the same data.
func (s *Postmaster) Start() error {
	running, err := postgres.StartEmbedded(context.Background(), s.options)
	if err != nil {
		return err
	}

	s.running = running

	return nil
}

// Stop ends the server as pg_ctl would: postgres.Immediate is a crash. A stopped server may be stopped again.
func (s *Postmaster) Stop(how postgres.Shutdown) error {
	return s.running.StopBy(context.Background(), how)
}
