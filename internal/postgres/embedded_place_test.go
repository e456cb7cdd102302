package postgres_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"formonce/internal/pgtest"
	"formonce/internal/postgres"
)

// hidden makes a folder that only root, or its owner, can reach.
func hidden(t *testing.T) string {
	t.Helper()

	dir := filepath.Join(pgtest.Folder(t), "hidden")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}

	return dir
}

func TestADataDirThatTheAccountCannotReachIsLinkedToOneThatItCan(t *testing.T) {
	t.Parallel()

	dir := filepath.Join(hidden(t), "data")
	log := &journal{}
	options := optionsFor(dir)
	options.SystemDir, options.Log = filepath.Join(pgtest.Folder(t), "system"), log.logger()
	server := start(t, options)
	ask(t, server.URL(), "CREATE TABLE kept AS SELECT 'here' AS v")

	joined, err := postgres.JoinOrStart(t.Context(), options)
	if err != nil || joined.URL() != server.URL() {
		t.Fatalf("a command does not find it: %v", err)
	}

	stop(t, server)

	if got := ask(t, start(t, options).URL(), "SELECT v FROM kept"); got != "here" {
		t.Fatalf("%q", got)
	}

	target, err := os.Readlink(filepath.Join(dir, "postgres"))
	if asRoot := os.Geteuid() == 0; asRoot != strings.HasPrefix(target, options.SystemDir) ||
		asRoot != strings.Contains(log.String(), options.SystemDir) {
		t.Fatalf("the database is in %q (%v), the log says %s", target, err, log)
	}
}

func TestARemovedDataDirBeginsAnewAndKeepsWhatWasOutsideIt(t *testing.T) {
	t.Parallel()

	dir := filepath.Join(hidden(t), "data")
	options := optionsFor(dir)
	options.SystemDir = filepath.Join(pgtest.Folder(t), "system")

	server := start(t, options)
	ask(t, server.URL(), "CREATE TABLE kept (n int)")
	stop(t, server)

	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}

	if got := ask(t, start(t, options).URL(), "SELECT coalesce(to_regclass('kept')::text, 'none')"); got != "none" {
		t.Fatalf("the new database has the table %s", got)
	}

	asides, err := filepath.Glob(filepath.Join(options.SystemDir, "*", "postgres-*", "PG_VERSION"))
	if want := map[bool]int{true: 1}[os.Geteuid() == 0]; err != nil || len(asides) != want {
		t.Fatalf("%v is kept (%v)", asides, err)
	}
}

func TestALinkToADatabaseThatIsGoneIsRefused(t *testing.T) {
	t.Parallel()

	dir := pgtest.Folder(t)
	if err := os.Symlink(filepath.Join(dir, "gone"), filepath.Join(dir, "postgres")); err != nil {
		t.Fatal(err)
	}

	_, err := postgres.StartEmbedded(t.Context(), optionsFor(dir))
	contains(t, err, filepath.Join(dir, "postgres"), "remove the link")
}

func TestAFolderThatHoldsNoDatabaseIsRefusedAndAnEmptyOneIsUsed(t *testing.T) {
	t.Parallel()

	dir := pgtest.Folder(t)
	path := filepath.Join(dir, "postgres", "notes.txt")

	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}

	_, err := postgres.StartEmbedded(t.Context(), optionsFor(dir))
	contains(t, err, "no PostgreSQL database")

	if err = os.Remove(path); err != nil {
		t.Fatal(err)
	}

	ask(t, start(t, optionsFor(dir)).URL(), "SELECT 1")
}

func TestAClusterThatRootBroughtBackFromABackupIsTakenOver(t *testing.T) {
	t.Parallel()

	dir := used(t)
	stop(t, start(t, optionsFor(dir)))

	err := filepath.WalkDir(filepath.Join(dir, "postgres"), func(path string, _ fs.DirEntry, _ error) error {
		return os.Lchown(path, os.Geteuid(), os.Getegid())
	})
	if err != nil {
		t.Fatal(err)
	}

	ask(t, start(t, optionsFor(dir)).URL(), "SELECT 1")
}

func TestALongPathHasItsSocketElsewhereAndTakesItAway(t *testing.T) {
	t.Parallel()

	dir := filepath.Join(pgtest.Folder(t), strings.Repeat("long", 30))
	server := start(t, optionsFor(dir))
	ask(t, server.URL(), "SELECT 1")

	socket := ask(t, server.URL(), "SHOW unix_socket_directories")
	if info, err := os.Stat(socket); err != nil || info.Mode().Perm() != 0o700 {
		t.Fatal(info, err)
	}

	joined, err := postgres.JoinOrStart(t.Context(), optionsFor(dir))
	if err != nil || joined.URL() != server.URL() {
		t.Fatalf("a command does not find it: %v", err)
	}

	stop(t, server)

	if _, err = os.Stat(socket); err == nil {
		t.Fatal("the socket's folder is left in ", socket)
	}
}

func TestWhereSocketsAreImpossibleALoopbackPortServes(t *testing.T) {
	long := filepath.Join(pgtest.Folder(t), strings.Repeat("long", 30))
	if err := os.Mkdir(long, 0o755); err != nil {
		t.Fatal(err)
	}

	dir := filepath.Join(pgtest.Folder(t), strings.Repeat("long", 30))
	t.Setenv("TMPDIR", long)

	server := start(t, optionsFor(dir))
	if !strings.Contains(server.URL(), "@127.0.0.1:") {
		t.Fatal("the server is not on a port of this machine")
	}

	if got := ask(t, server.URL(), "SHOW listen_addresses"); got != "127.0.0.1" {
		t.Fatalf("the server listens on %q", got)
	}

	joined, err := postgres.JoinOrStart(t.Context(), optionsFor(dir))
	if err != nil || joined.URL() != server.URL() {
		t.Fatalf("a command does not find it: %v", err)
	}
}
