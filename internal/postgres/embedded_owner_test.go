package postgres_test

import (
	"os"
	"strconv"
	"sync"
	"testing"

	"formonce/internal/pgtest"
	"formonce/internal/postgres"
)

func TestASecondServeIsRefusedAndToldWhoServes(t *testing.T) {
	t.Parallel()

	dir := used(t)
	server := start(t, optionsFor(dir))

	_, err := postgres.StartEmbedded(t.Context(), optionsFor(dir))
	contains(t, err, dir, strconv.Itoa(os.Getpid()), "already runs")
	ask(t, server.URL(), "SELECT 1")
}

func TestACommandJoinsTheServiceAndLeavesItRunning(t *testing.T) {
	t.Parallel()

	dir := used(t)
	server := start(t, optionsFor(dir))

	joined, err := postgres.JoinOrStart(t.Context(), optionsFor(dir))
	if err != nil {
		t.Fatal(err)
	}

	if joined.URL() != server.URL() {
		t.Fatalf("the command uses %q and the service %q", joined.URL(), server.URL())
	}

	stop(t, joined)
	ask(t, server.URL(), "SELECT 1")
}

func TestCommandsWithoutAServiceTakeTurnsAndLeaveNothingRunning(t *testing.T) {
	t.Parallel()

	dir := pgtest.Folder(t)

	var group sync.WaitGroup

	for range 4 {
		group.Go(func() {
			command, err := postgres.JoinOrStart(t.Context(), optionsFor(dir))
			if err != nil {
				t.Error(err)

				return
			}

			if _, err = tryAsk(command.URL(), "CREATE TABLE IF NOT EXISTS kept (n int)"); err != nil {
				t.Error(err)
			}

			stop(t, command)
		})
	}

	group.Wait()

	if pid := postmaster(dir); pid != 0 {
		t.Fatalf("the server %d is left", pid)
	}
}

func TestAServiceWaitsForACommandThatPassesBy(t *testing.T) {
	t.Parallel()

	dir := used(t)

	command, err := postgres.JoinOrStart(t.Context(), optionsFor(dir))
	if err != nil {
		t.Fatal(err)
	}

	served := make(chan *postgres.Embedded)

	go func() {
		server, err := postgres.StartEmbedded(t.Context(), optionsFor(dir))
		if err != nil {
			t.Error(err)
		}

		served <- server
	}()

	ask(t, command.URL(), "SELECT 1")
	stop(t, command)

	if server := <-served; server != nil {
		ask(t, server.URL(), "SELECT 1")
		stop(t, server)
	}
}
