package postgres_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"formonce/internal/pgtest"
	"formonce/internal/postgres"
)

func TestADatabaseOfAnotherVersionIsRefusedAndLeftAlone(t *testing.T) {
	t.Parallel()

	dir := used(t)
	version := filepath.Join(dir, "postgres", "PG_VERSION")

	made, err := os.ReadFile(version)
	if err != nil {
		t.Fatal(err)
	}

	if err = os.WriteFile(version, []byte("13\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	_, err = postgres.StartEmbedded(t.Context(), optionsFor(dir))
	contains(t, err, dir, "PostgreSQL 13", "of "+strings.TrimSpace(string(made)), "PG_BIN_DIR", "dump", "another DATA_DIR")

	if err = os.WriteFile(version, made, 0o600); err != nil {
		t.Fatal(err)
	}

	ask(t, start(t, optionsFor(dir)).URL(), "SELECT 1")
}

func TestAmongSeveralVersionsTheClustersOwnIsTaken(t *testing.T) {
	t.Parallel()

	options := optionsFor(used(t))
	options.BinDir, options.SearchIn = "", []string{newerPrograms(t), realPrograms(t)}
	ask(t, start(t, options).URL(), "SELECT 1")
}

// newerPrograms is a folder with what claims to be the PostgreSQL of a later time.
func newerPrograms(t *testing.T) string {
	t.Helper()

	folder := pgtest.Folder(t)

	for _, name := range []string{"initdb", "postgres"} {
		script := "#!/bin/sh\necho 'postgres (PostgreSQL) 99.1'\n"
		if err := os.WriteFile(filepath.Join(folder, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}

	return folder
}

func TestTheProgramsThatRanADatabaseBeforeAreFoundAgain(t *testing.T) {
	t.Parallel()

	dir, empty, newer := pgtest.Folder(t), pgtest.Folder(t), newerPrograms(t)
	options := optionsFor(dir)
	options.BinDir = realPrograms(t)
	stop(t, start(t, options))

	for _, row := range []struct {
		binDir   string
		searchIn []string
	}{
		{"", []string{empty}},
		{"", []string{newer}},
		{newer, nil},
	} {
		options.BinDir, options.SearchIn = row.binDir, row.searchIn

		server := start(t, options)
		ask(t, server.URL(), "SELECT 1")
		stop(t, server)
	}

	options.BinDir = empty
	_, err := postgres.StartEmbedded(t.Context(), options)
	contains(t, err, "PG_BIN_DIR "+empty, "initdb")
}

func TestWithoutProgramsOneErrorSaysHowToGetThem(t *testing.T) {
	t.Parallel()

	empty := pgtest.Folder(t)
	options := optionsFor(filepath.Join(pgtest.Folder(t), "data"))
	options.BinDir, options.SearchIn = "", []string{empty, empty + "/*/bin"}

	_, err := postgres.StartEmbedded(t.Context(), options)
	contains(t, err, "install", "PG_BIN_DIR", "DATABASE_URL", "docker compose up")

	options.BinDir = empty
	_, err = postgres.JoinOrStart(t.Context(), options)
	contains(t, err, "PG_BIN_DIR "+empty, "initdb")

	options.BinDir = os.Getenv("PG_BIN_DIR")
	options.SearchIn = nil
	ask(t, start(t, options).URL(), "SELECT 1")
}

// realPrograms is a folder with initdb and postgres, as the launcher would find one.
func realPrograms(t *testing.T) string {
	t.Helper()

	if dir := os.Getenv("PG_BIN_DIR"); dir != "" {
		return dir
	}

	if path, err := exec.LookPath("postgres"); err == nil {
		path, err = filepath.EvalSymlinks(path)
		if err == nil {
			return filepath.Dir(path)
		}
	}

	found, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(found) == 0 {
		t.Fatal("PostgreSQL is not found: set PG_BIN_DIR")
	}

	return found[len(found)-1]
}

func TestProgramsThatTheAccountCannotReachAreCopiedToWhereItCan(t *testing.T) {
	t.Parallel()

	root := filepath.Join(hidden(t), "installation")
	for _, part := range []string{"bin", "lib", "share"} {
		copyPart(t, filepath.Join(filepath.Dir(realPrograms(t)), part), filepath.Join(root, part))
	}

	// Packages of Linux keep share/ elsewhere; what is looked for in it shows that this is an installation.
	marker := filepath.Join(root, "share", "postgresql", "postgres.bki")
	if err := os.MkdirAll(filepath.Dir(marker), 0o755); err != nil {
		t.Fatal(err)
	}

	if _, err := os.Stat(marker); err != nil {
		if err = os.WriteFile(marker, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}

	options := optionsFor(used(t))
	options.SystemDir, options.BinDir = filepath.Join(pgtest.Folder(t), "system"), filepath.Join(root, "bin")
	ask(t, start(t, options).URL(), "SELECT 1")

	copies, err := filepath.Glob(filepath.Join(options.SystemDir, "programs*"))
	if want := map[bool]int{true: 1}[os.Geteuid() == 0]; err != nil || len(copies) != want {
		t.Fatalf("%v are made (%v)", copies, err)
	}
}

func TestAFolderWithMuchElseInItIsNotCopied(t *testing.T) {
	t.Parallel()

	root := hidden(t)
	copyPart(t, realPrograms(t), filepath.Join(root, "bin"))
	copyPart(t, filepath.Join(filepath.Dir(realPrograms(t)), "lib"), filepath.Join(root, "lib"))

	options := optionsFor(used(t))
	options.SystemDir, options.BinDir = filepath.Join(pgtest.Folder(t), "system"), filepath.Join(root, "bin")

	server, err := postgres.StartEmbedded(t.Context(), options)
	if os.Geteuid() == 0 {
		contains(t, err, options.BinDir, "chmod", "PG_BIN_DIR")
	} else if server != nil {
		stop(t, server)
	}

	if _, err = os.Stat(options.SystemDir); err == nil {
		t.Fatal("something was copied")
	}
}

// copyPart copies a part of an installation; one that the packages of the system keep elsewhere becomes an empty folder.
func copyPart(t *testing.T, from, to string) {
	t.Helper()

	if err := os.MkdirAll(to, 0o755); err != nil {
		t.Fatal(err)
	}

	if _, err := os.Stat(from); err != nil {
		return
	}

	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}
