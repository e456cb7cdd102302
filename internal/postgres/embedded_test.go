package postgres_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"formonce/internal/pgtest"
)

func TestAServerKeepsItsDataFromOneStartToTheNext(t *testing.T) {
	t.Parallel()

	options := optionsFor(filepath.Join(pgtest.Folder(t), "data"))
	options.Throwaway = false

	before := time.Now()
	server := start(t, options)
	t.Log("the first start took", time.Since(before))

	address := server.URL()
	ask(t, address, "CREATE TABLE kept AS SELECT 'here' AS v")

	before = time.Now()
	stop(t, server)
	t.Log("the stop took", time.Since(before))

	before = time.Now()
	again := start(t, options)
	t.Log("a later start took", time.Since(before))

	if got := ask(t, again.URL(), "SELECT v FROM kept"); got != "here" || again.URL() != address {
		t.Fatalf("%q at %q, was at %q", got, again.URL(), address)
	}
}

func TestAClusterIsDurableCheckedAndSpeaksUTF8(t *testing.T) {
	t.Parallel()

	options := optionsFor(pgtest.Folder(t))
	options.Throwaway = false
	server := start(t, options)

	for name, want := range map[string]string{
		"data_checksums":      "on",
		"fsync":               "on",
		"full_page_writes":    "on",
		"synchronous_commit":  "on",
		"server_encoding":     "UTF8",
		"password_encryption": "scram-sha-256",
		"listen_addresses":    "",
		"max_connections":     "100",
	} {
		if got := ask(t, server.URL(), "SHOW "+name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}

	if got := ask(t, server.URL(), "SELECT lower('ÄÉ')"); got != "äé" {
		t.Errorf("letters beyond ASCII are lowered to %q", got)
	}

	if got := ask(t, server.URL(), "SELECT count(*)::text FROM pg_hba_file_rules WHERE auth_method <> 'scram-sha-256'"); got != "0" {
		t.Errorf("%s ways in need no password", got)
	}
}

func TestOnlyThePasswordOpensTheDatabase(t *testing.T) {
	t.Parallel()

	dir := pgtest.Folder(t)
	server := start(t, optionsFor(dir))
	path := filepath.Join(dir, "postgres.password")

	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatal(info, err)
	}

	password, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	wrong := strings.Replace(server.URL(), strings.TrimSpace(string(password)), "wrong", 1)
	if _, err = tryAsk(wrong, "SELECT 1"); err == nil || wrong == server.URL() {
		t.Fatal("a wrong password opens the database")
	}

	if address := start(t, optionsFor(pgtest.Folder(t))).URL(); strings.Contains(address, strings.TrimSpace(string(password))) {
		t.Fatal("two clusters have the same password")
	}
}

func TestTheServerRunsWithoutRootAndWithoutTheServicesSecrets(t *testing.T) {
	t.Setenv("SECRET_KEY", planted)

	dir := pgtest.Folder(t)
	start(t, optionsFor(dir))

	proc := "/proc/" + strconv.Itoa(postmaster(dir))

	info, err := os.Stat(proc)
	if errors.Is(err, fs.ErrNotExist) {
		info, err = os.Stat(filepath.Join(dir, "postgres")) // PostgreSQL insists on owning it.
	}

	if err != nil || info.Sys().(*syscall.Stat_t).Uid == 0 {
		t.Fatalf("the server runs as root (%v)", err)
	}

	environment, err := os.ReadFile(proc + "/environ")
	if strings.Contains(string(environment), planted) || (err == nil && len(environment) == 0) {
		t.Fatalf("the server's environment has %d bytes and the service's secrets", len(environment))
	}
}

func TestCtrlCReachesTheServiceAndNotItsDatabase(t *testing.T) {
	t.Parallel()

	dir := used(t)
	start(t, optionsFor(dir))

	group, err := syscall.Getpgid(postmaster(dir))
	if err != nil || group == syscall.Getpgrp() {
		t.Fatalf("the server is in the group of the service (%v)", err)
	}
}

func TestNoSubmittedValueReachesTheServersLog(t *testing.T) {
	t.Parallel()

	dir := used(t)
	server := start(t, optionsFor(dir))
	ask(t, server.URL(), "CREATE TABLE kept (v text PRIMARY KEY, n int CHECK (n < 5))")

	for _, statement := range []string{
		"INSERT INTO kept SELECT '" + planted + "', 1 FROM generate_series(1, 2)",
		"INSERT INTO kept VALUES ('" + planted + "', 9)",
		"SELECT '" + planted + "'::int",
		"SELEC '" + planted + "'",
		"SELECT '" + planted + "', pg_terminate_backend(pg_backend_pid())",
		"DO $$BEGIN RAISE WARNING '" + planted + "'; RAISE LOG 'heard'; END$$",
	} {
		_, _ = tryAsk(server.URL(), statement)
	}

	stop(t, server)

	log, err := os.ReadFile(filepath.Join(dir, "postgres.log"))
	if err != nil || !strings.Contains(string(log), "heard") || strings.Contains(string(log), planted) {
		t.Fatalf("%v, %s", err, log)
	}
}

func TestTheServersLogIsBoundedByStarts(t *testing.T) {
	t.Parallel()

	dir := used(t)
	log := filepath.Join(dir, "postgres.log")

	for range 3 {
		server := start(t, optionsFor(dir))
		stop(t, server)

		file, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}

		if _, err = file.WriteString(strings.Repeat(".", 1<<20)); err != nil || file.Close() != nil {
			t.Fatal(err)
		}
	}

	logs, err := filepath.Glob(log + "*")
	if info, errStat := os.Stat(log); err != nil || errStat != nil || len(logs) != 2 || info.Size() > 2<<20 {
		t.Fatal(logs, info, err, errStat)
	}
}

func TestAStopDoesNotWaitForOpenSessions(t *testing.T) {
	t.Parallel()

	server := start(t, optionsFor(used(t)))

	conn, err := pgx.Connect(t.Context(), server.URL())
	if err != nil {
		t.Fatal(err)
	}

	if _, err = conn.Exec(t.Context(), "BEGIN; CREATE TABLE half (n int)"); err != nil {
		t.Fatal(err)
	}

	before := time.Now()
	stop(t, server)

	if took := time.Since(before); took > 5*time.Second {
		t.Fatalf("the stop took %v", took)
	}
}
