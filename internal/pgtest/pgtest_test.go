package pgtest_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"formonce/internal/pgtest"
	"formonce/internal/postgres"
)

func TestEachTestHasADatabaseOfItsOwn(t *testing.T) {
	t.Parallel()

	pgtest.New(t)

	before := time.Now()
	one, other := pgtest.New(t), pgtest.New(t)
	t.Log("two databases took", time.Since(before))

	if _, err := one.Pool.Exec(t.Context(), "CREATE TABLE mine (n int)"); err != nil {
		t.Fatal(err)
	}

	if _, err := other.Pool.Exec(t.Context(), "SELECT n FROM mine"); err == nil {
		t.Fatal("a table of one test is seen by another")
	}
}

func TestADatabaseIsMigratedUnlessItIsToBeEmpty(t *testing.T) {
	t.Parallel()

	for name, address := range map[string]string{"tenants": pgtest.URL(t), "": pgtest.Empty(t)} {
		if found := tenantsTable(t, address); found != name {
			t.Errorf("the table is %q, want %q", found, name)
		}
	}
}

func TestAServerOfTheTestsOwnComesBackWithWhatWasCommitted(t *testing.T) {
	t.Parallel()

	server := pgtest.Server(t, true)
	address := server.URL()
	exec(t, address, "CREATE TABLE kept AS SELECT 1 AS n")

	if err := server.Stop(postgres.Immediate); err != nil {
		t.Fatal(err)
	}

	if err := server.Start(); err != nil {
		t.Fatal(err)
	}

	exec(t, address, "SELECT n FROM kept")
}

func exec(t *testing.T, address, statement string) {
	t.Helper()

	if _, err := connect(t, address).Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

func tenantsTable(t *testing.T, address string) string {
	t.Helper()

	var name string
	if err := connect(t, address).QueryRow(t.Context(), "SELECT coalesce(to_regclass('tenants')::text, '')").Scan(&name); err != nil {
		t.Fatal(err)
	}

	return name
}

func connect(t *testing.T, address string) *pgx.Conn {
	t.Helper()

	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = conn.Close(context.Background()) }) // The server may be down on purpose.

	return conn
}
