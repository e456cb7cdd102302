package postgres_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"formonce/internal/fixture"
	"formonce/internal/pgtest"
	"formonce/internal/postgres"
)

// helperDir in the environment makes this test binary a service on that folder, which a test can kill.
const helperDir = "FORMONCE_TEST_SERVE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperDir); dir != "" {
		serveForATest(dir)
	}

	code := m.Run()

	_ = os.RemoveAll(model.folder)

	os.Exit(code)
}

// model is a DataDir that was started and stopped once; most tests begin with a copy, since making one takes longer.
var model struct {
	once   sync.Once
	folder string
	err    error
}

// used returns a DataDir with a cluster on which no server runs.
func used(t *testing.T) string {
	t.Helper()

	model.once.Do(func() {
		//nolint:usetesting // It outlives the test that makes it.
		if model.folder, model.err = os.MkdirTemp("", "formonce-model-*"); model.err != nil {
			return
		}

		var server *postgres.Embedded
		if server, model.err = postgres.StartEmbedded(context.Background(), optionsFor(model.folder)); model.err == nil {
			model.err = server.Stop(context.Background())
		}
	})

	if model.err != nil {
		t.Fatal(model.err)
	}

	dir := pgtest.Folder(t)
	if output, err := exec.CommandContext(t.Context(), "cp", "-a", model.folder+"/.", dir).CombinedOutput(); err != nil {
		t.Fatal(err, string(output))
	}

	return dir
}

func serveForATest(dir string) {
	_, err := postgres.StartEmbedded(context.Background(), optionsFor(dir))
	fmt.Println("started", err)
	select {}
}

func optionsFor(dir string) postgres.EmbeddedOptions {
	return postgres.EmbeddedOptions{DataDir: dir, BinDir: os.Getenv("PG_BIN_DIR"), Throwaway: true}
}

// parent is a process with a server of its own.
type parent struct{ command *exec.Cmd }

// launchParent returns at once; the returned function waits until the server takes connections.
func launchParent(t *testing.T, dir string) (*parent, func()) {
	t.Helper()

	command := exec.CommandContext(t.Context(), os.Args[0])
	command.Env = append(os.Environ(), helperDir+"="+dir)
	command.Stderr = os.Stderr

	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}

	if err = command.Start(); err != nil {
		t.Fatal(err)
	}

	started := &parent{command: command}
	t.Cleanup(started.kill)

	return started, func() {
		if line, err := bufio.NewReader(output).ReadString('\n'); strings.TrimSpace(line) != "started <nil>" {
			t.Fatal(line, err)
		}
	}
}

// kill leaves the parent no time for anything.
func (p *parent) kill() {
	_ = p.command.Process.Kill()
	_ = p.command.Wait()
}

// journal is a log that a server writes.
type journal struct{ fixture.Log }

func (j *journal) logger() *slog.Logger { return slog.New(slog.NewTextHandler(j, nil)) }

func start(t *testing.T, options postgres.EmbeddedOptions) *postgres.Embedded {
	t.Helper()

	server, err := postgres.StartEmbedded(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { stop(t, server) })

	return server
}

func stop(t *testing.T, server *postgres.Embedded) {
	t.Helper()

	if err := server.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

// ask runs one statement on a connection of its own and returns its one value as text.
func ask(t *testing.T, address, statement string) string {
	t.Helper()

	answer, err := tryAsk(address, statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}

	return answer
}

func tryAsk(address, statement string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()

	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return "", err
	}

	defer func() { _ = conn.Close(ctx) }()

	result := conn.PgConn().ExecParams(ctx, statement, nil, nil, nil, nil).Read()
	if result.Err != nil || len(result.Rows) == 0 {
		return "", result.Err
	}

	return string(result.Rows[0][0]), nil
}

// eventually polls for what another process brings about, and fails after 20 s.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()

	for until := time.Now().Add(20 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("not in time: %s", what)
		}
	}
}

// postmaster is the number of the server of a folder, or zero.
func postmaster(dir string) int {
	text, err := os.ReadFile(filepath.Join(dir, "postgres", "postmaster.pid"))
	if err != nil {
		return 0
	}

	line, _, _ := strings.Cut(string(text), "\n")
	pid, _ := strconv.Atoi(line)

	return pid
}

func contains(t *testing.T, err error, parts ...string) {
	t.Helper()

	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
}
