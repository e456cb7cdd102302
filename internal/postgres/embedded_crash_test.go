package postgres_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"formonce/internal/pgtest"
)

func TestTheServerEndsWithAKilledParent(t *testing.T) {
	t.Parallel()

	dir := used(t)
	service, ready := launchParent(t, dir)
	ready()

	pid := postmaster(dir)
	if pid == 0 {
		t.Fatal("there is no server")
	}

	service.kill()
	eventually(t, "the end of the server", func() bool { return syscall.Kill(pid, 0) != nil && postmaster(dir) == 0 })
}

func TestAStartWaitsForTheServerOfAKilledParent(t *testing.T) {
	t.Parallel()

	dir := used(t)

	for round := range 3 {
		service, ready := launchParent(t, dir)
		ready()

		pid := postmaster(dir)
		service.kill()

		server := start(t, optionsFor(dir))
		ask(t, server.URL(), "CREATE TABLE kept"+strconv.Itoa(round)+" (n int)")

		if postmaster(dir) == pid {
			t.Fatal("the server of the killed parent is still in its place")
		}

		stop(t, server)
	}

	server := start(t, optionsFor(dir))
	if got := ask(t, server.URL(), "SELECT count(*)::text FROM pg_tables WHERE tablename LIKE 'kept%'"); got != "3" {
		t.Fatalf("%s of 3 tables are left", got)
	}
}

func TestAStartEndsAServerThatNobodyOwns(t *testing.T) {
	t.Parallel()

	dir := used(t)
	service, ready := launchParent(t, dir)
	ready()

	// A stopped server cannot follow its parent: it is what other systems than Linux can leave.
	orphan := postmaster(dir)
	if err := syscall.Kill(orphan, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}

	service.kill()

	if err := syscall.Kill(orphan, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}

	server := start(t, optionsFor(dir))
	ask(t, server.URL(), "SELECT 1")

	eventually(t, "the end of the orphan", func() bool { return syscall.Kill(orphan, 0) != nil })
}

func TestAServerThatIsKilledIsStartedAgainOnItsURL(t *testing.T) {
	t.Parallel()

	dir := used(t)
	log := &journal{}
	options := optionsFor(dir)
	options.Log = log.logger()
	server := start(t, options)
	ask(t, server.URL(), "CREATE TABLE kept AS SELECT 'here' AS v")

	for _, how := range []syscall.Signal{syscall.SIGKILL, syscall.SIGQUIT} {
		killed := postmaster(dir)
		if err := syscall.Kill(killed, how); err != nil {
			t.Fatal(err)
		}

		eventually(t, "the server's return", func() bool {
			answer, err := tryAsk(server.URL(), "SELECT v FROM kept")

			return err == nil && answer == "here" && postmaster(dir) != killed
		})
	}

	if !strings.Contains(log.String(), "ended by itself") {
		t.Errorf("the log does not tell: %s", log)
	}
}

func TestAStopInTheMiddleOfARestartEndsEverything(t *testing.T) {
	t.Parallel()

	dir := used(t)

	for range 3 {
		server := start(t, optionsFor(dir))
		if err := syscall.Kill(postmaster(dir), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}

		stop(t, server)
	}

	server := start(t, optionsFor(dir))
	ask(t, server.URL(), "SELECT 1")
}

func TestAStartRecoversAServerThatWasKilledWithItsParent(t *testing.T) {
	t.Parallel()

	dir := used(t)
	service, ready := launchParent(t, dir)
	ready()

	pid := postmaster(dir)
	if err := syscall.Kill(service.command.Process.Pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}

	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}

	service.kill()

	if postmaster(dir) != pid {
		t.Fatal("the killed server has not left its file")
	}

	server := start(t, optionsFor(dir))
	ask(t, server.URL(), "SELECT 1")
}

func TestAStaleFileThatNamesAnotherProcessIsNoServer(t *testing.T) {
	t.Parallel()

	dir := used(t)
	server := start(t, optionsFor(dir))
	left := map[string][]byte{}

	for _, name := range []string{"postmaster.pid", ".s.PGSQL.5432.lock"} {
		text, err := os.ReadFile(filepath.Join(dir, "postgres", name))
		if err != nil {
			t.Fatal(err)
		}

		left[name] = text
	}

	stop(t, server)

	stranger := exec.CommandContext(t.Context(), "sleep", "600")
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = stranger.Process.Kill(); _ = stranger.Wait() })

	for name, text := range left {
		_, rest, _ := strings.Cut(string(text), "\n")
		text = []byte(strconv.Itoa(stranger.Process.Pid) + "\n" + rest)

		if err := os.WriteFile(filepath.Join(dir, "postgres", name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}

	again := start(t, optionsFor(dir))
	ask(t, again.URL(), "SELECT 1")

	if err := stranger.Process.Signal(syscall.Signal(0)); err != nil {
		t.Fatal("the stranger was ended: ", err)
	}
}

func TestAFirstStartThatIsKilledLeavesNothingHalfMade(t *testing.T) {
	t.Parallel()

	dir := pgtest.Folder(t)
	service, _ := launchParent(t, dir)
	half := filepath.Join(dir, "postgres.new-*")

	eventually(t, "the beginning of a cluster", func() bool {
		found, err := filepath.Glob(filepath.Join(half, "data", "PG_VERSION"))

		return err == nil && len(found) == 1
	})
	service.kill()

	if _, err := os.Stat(filepath.Join(dir, "postgres")); err == nil {
		t.Fatal("half a cluster is in its place")
	}

	server := start(t, optionsFor(dir))
	ask(t, server.URL(), "SELECT 1")

	if found, err := filepath.Glob(half); err != nil || len(found) != 0 {
		t.Fatalf("%v is left (%v)", found, err)
	}
}

func TestAStartThatWasKilledBeforeItsDatabaseMakesIt(t *testing.T) {
	t.Parallel()

	dir := used(t)
	server := start(t, optionsFor(dir))
	ask(t, strings.Replace(server.URL(), "/formonce?", "/postgres?", 1), "DROP DATABASE formonce")
	stop(t, server)

	again := start(t, optionsFor(dir))
	ask(t, again.URL(), "SELECT 1")
}
