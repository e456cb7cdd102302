// Package pgtest gives a test a real PostgreSQL database of its own. For tests only.
//
// One server runs for each test process, started by the first test that asks, without fsync and in a temporary folder; it
// dies with the process. Databases are cloned from a template that is migrated once.
package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"formonce/internal/postgres"
	"formonce/migrations"
)

const (
	folderPrefix = "formonce-pgtest-"
	template     = "migrated"
	patience     = time.Minute
)

// shared is the server of this process and a pool for making databases on it.
type shared struct {
	admin *pgxpool.Pool
	url   string
}

var (
	start = sync.OnceValues(startShared)
	made  atomic.Int64
)

// New returns an open, migrated database that no other test sees. It is closed and dropped when the test ends.
func New(tb testing.TB) *postgres.DB {
	tb.Helper()

	db, err := postgres.Open(context.Background(), postgres.Options{URL: URL(tb), ApplicationName: "pgtest"})
	if err != nil {
		tb.Fatal(err)
	}

	tb.Cleanup(db.Close)

	return db
}

// URL returns how to connect to a migrated database that no other test sees, for tests that start the program. It is
// dropped when the test ends, whoever is still connected.
func URL(tb testing.TB) string {
	tb.Helper()

	return database(tb, template)
}

// Empty is URL without the migrations.
func Empty(tb testing.TB) string {
	tb.Helper()

	return database(tb, "template1")
}

// Clone returns how to connect to a copy of the database at url, for tests that begin where another one has got to. Nobody
// may be connected to that one.
func Clone(tb testing.TB, original string) string {
	tb.Helper()

	parsed, err := url.Parse(original)
	if err != nil {
		tb.Fatal("the URL of the database cannot be read")
	}

	return database(tb, strings.TrimPrefix(parsed.Path, "/"))
}

func database(tb testing.TB, from string) string {
	tb.Helper()

	server, err := start()
	if err != nil {
		tb.Fatal(err)
	}

	name := "test_" + strconv.FormatInt(made.Add(1), 10)
	if err = server.run("CREATE DATABASE " + name + " TEMPLATE " + from); err != nil {
		tb.Fatal(err)
	}

	tb.Cleanup(func() {
		if err := server.run("DROP DATABASE " + name + " WITH (FORCE)"); err != nil {
			tb.Error(err)
		}
	})

	return named(server.url, name)
}

func (s *shared) run(statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()

	if _, err := s.admin.Exec(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}

	return nil
}

func startShared() (*shared, error) {
	removeForgotten()

	folder, err := os.MkdirTemp("", folderPrefix+strconv.Itoa(os.Getpid())+"-*")
	if err != nil {
		return nil, fmt.Errorf("there is no temporary folder for the test's database: %w", err)
	}

	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()

	server, err := postgres.StartEmbedded(ctx, optionsOf(folder, true))
	if err != nil {
		return nil, err
	}

	admin, err := pgxpool.New(context.Background(), named(server.URL(), "postgres"))
	if err != nil {
		return nil, fmt.Errorf("the test's server cannot be reached: %w", err)
	}

	made := &shared{admin: admin, url: server.URL()}
	if err = made.run("CREATE DATABASE " + template); err != nil {
		return nil, err
	}

	if err = migrations.Apply(ctx, named(made.url, template)); err != nil {
		return nil, fmt.Errorf("the template of the test databases cannot be migrated: %w", err)
	}

	return made, nil
}

// removeForgotten takes away the folders of test processes that have ended, which could not do it themselves.
func removeForgotten() {
	folders, err := filepath.Glob(filepath.Join(os.TempDir(), folderPrefix+"*"))
	if err != nil {
		return
	}

	for _, folder := range folders {
		number, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(folder), folderPrefix), "-")

		owner, err := strconv.Atoi(number)
		if err != nil || lives(owner) {
			continue
		}

		_ = os.RemoveAll(folder) // What is still in use goes at the next run.
	}
}

// lives counts a process of another account as alive: its folder is not ours to remove.
func lives(pid int) bool {
	found, err := os.FindProcess(pid)
	if err != nil {
		return false
	}

	err = found.Signal(syscall.Signal(0))

	return err == nil || errors.Is(err, os.ErrPermission)
}

func optionsOf(folder string, throwaway bool) postgres.EmbeddedOptions {
	return postgres.EmbeddedOptions{
		DataDir:   folder,
		BinDir:    os.Getenv("PG_BIN_DIR"), // Tests have no configuration that could read it for them.
		Throwaway: throwaway,
	}
}

func named(address, database string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return strings.Replace(address, "/formonce", "/"+database, 1)
	}

	parsed.Path = "/" + database

	return parsed.String()
}
