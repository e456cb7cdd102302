package migrations_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"formonce/internal/pgtest"
	"formonce/migrations"

	"github.com/jackc/pgx/v5"
)

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()

	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = conn.Close(context.Background()) })

	return conn
}

func execute(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()

	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func migrated(t *testing.T) (string, *pgx.Conn) {
	t.Helper()

	url := pgtest.Empty(t)
	if err := migrations.Apply(t.Context(), url); err != nil {
		t.Fatal(err)
	}

	return url, connect(t, url)
}

func ledgerOf(t *testing.T, conn *pgx.Conn) string {
	t.Helper()

	var text string

	err := conn.QueryRow(t.Context(), `SELECT coalesce(string_agg(m::text, E'\n' ORDER BY version), '')
		FROM schema_migrations m`).Scan(&text)
	if err != nil {
		t.Fatal(err)
	}

	return text
}

func TestApplyingTwiceChangesNothing(t *testing.T) {
	t.Parallel()

	url, conn := migrated(t)
	first := ledgerOf(t, conn)

	if err := migrations.Apply(t.Context(), url); err != nil {
		t.Fatal(err)
	}

	if second := ledgerOf(t, conn); second != first {
		t.Errorf("the record changed from\n%s\nto\n%s", first, second)
	}

	if err := migrations.Check(t.Context(), conn); err != nil {
		t.Error(err)
	}
}

func TestRunnersAtOnceAllSucceedAndApplyEachFileOnce(t *testing.T) {
	t.Parallel()

	url := pgtest.Empty(t)
	failures := make([]error, 8)

	var group sync.WaitGroup
	for i := range failures {
		group.Go(func() { failures[i] = migrations.Apply(t.Context(), url) })
	}

	group.Wait()

	if err := errors.Join(failures...); err != nil {
		t.Fatal(err)
	}

	if err := migrations.Check(t.Context(), connect(t, url)); err != nil {
		t.Error(err)
	}
}

func TestAFailingFileLeavesNothingAndCanBeRunAgain(t *testing.T) {
	t.Parallel()

	url := pgtest.Empty(t)
	conn := connect(t, url)
	// The third file makes this table after others, so it fails in the middle.
	execute(t, conn, "CREATE TABLE tombstones ()")

	err := migrations.Apply(t.Context(), url)
	if err == nil || !strings.Contains(err.Error(), "0003_submissions.sql") {
		t.Fatalf("the error has to name the file: %v", err)
	}

	var left bool
	if err = conn.QueryRow(t.Context(), "SELECT to_regclass('submissions') IS NOT NULL").Scan(&left); err != nil || left {
		t.Errorf("left %v of the failed file, %v", left, err)
	}

	if record := ledgerOf(t, conn); !strings.Contains(record, "0002_") || strings.Contains(record, "0003_") {
		t.Errorf("what was applied before stays and the failed file is not noted, got\n%s", record)
	}

	execute(t, conn, "DROP TABLE tombstones")

	if err = migrations.Apply(t.Context(), url); err != nil {
		t.Errorf("the way out is to repair and run again: %v", err)
	}
}

func TestADatabaseThatIsNotCurrentIsToldApart(t *testing.T) {
	t.Parallel()

	const last = "(SELECT max(version) FROM schema_migrations)"

	for name, row := range map[string]struct {
		change      string
		want        error
		says        string
		applyRefuse bool
	}{
		"never migrated": {"DROP TABLE schema_migrations", migrations.ErrBehind, "never migrated", false},
		"one behind": {
			"DELETE FROM schema_migrations WHERE version = " + last, migrations.ErrBehind,
			"1 migration: run `formonce migrate`", false,
		},
		"two behind": {
			"DELETE FROM schema_migrations WHERE version > " + last + " - 2", migrations.ErrBehind,
			"2 migrations: run `formonce migrate`", false,
		},
		"ahead": {
			"INSERT INTO schema_migrations VALUES (9001, '9001_later', '')", migrations.ErrAhead, "9001_later", true,
		},
		"changed": {
			"UPDATE schema_migrations SET checksum = 'x' WHERE version = 2", migrations.ErrChanged,
			"0002_endpoints.sql", true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			url, conn := migrated(t)
			execute(t, conn, row.change)

			err := migrations.Check(t.Context(), conn)
			if !errors.Is(err, row.want) || !strings.Contains(err.Error(), row.says) {
				t.Errorf("want %q with %q, got %v", row.want, row.says, err)
			}

			if !row.applyRefuse {
				return
			}

			before := ledgerOf(t, conn)
			if err = migrations.Apply(t.Context(), url); !errors.Is(err, row.want) || ledgerOf(t, conn) != before {
				t.Errorf("applying has to be refused and to change nothing, got %v", err)
			}
		})
	}
}

func TestAPlanListsWhatIsAppliedWhatIsNotAndWhatOnlyTheDatabaseKnows(t *testing.T) {
	t.Parallel()

	url, conn := migrated(t)
	execute(t, conn, `DELETE FROM schema_migrations WHERE version = 3;
		INSERT INTO schema_migrations VALUES (9001, '9001_later', 'c0ffee')`)

	plan, err := migrations.Plan(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}

	first, third, last := plan[0], plan[2], plan[len(plan)-1]
	if first.Name != "0001_tenants" || first.AppliedAt == nil || !strings.Contains(first.SQL, "CREATE TABLE tenants") {
		t.Errorf("applied: %+v", first)
	}

	if third.Version != 3 || third.AppliedAt != nil || third.SQL == "" || len(third.Checksum) != 64 {
		t.Errorf("not applied: %+v", third)
	}

	if last.Name != "9001_later" || last.AppliedAt == nil || last.SQL != "" || last.Checksum != "c0ffee" {
		t.Errorf("unknown here: %+v", last)
	}
}

func TestAPlanOfANewDatabaseChangesNothing(t *testing.T) {
	t.Parallel()

	url := pgtest.Empty(t)

	plan, err := migrations.Plan(t.Context(), url)
	if err != nil || len(plan) == 0 || plan[0].AppliedAt != nil {
		t.Fatalf("%+v, %v", plan, err)
	}

	if err = migrations.Check(t.Context(), connect(t, url)); !errors.Is(err, migrations.ErrBehind) {
		t.Error(err)
	}
}

func TestErrorsDoNotShowThePassword(t *testing.T) {
	t.Parallel()

	for _, url := range []string{
		"postgres://someone:hunter2@127.0.0.1:1/none", "postgres://someone:hunter2@127.0.0.1:none/none",
	} {
		_, planned := migrations.Plan(t.Context(), url)
		for _, err := range []error{planned, migrations.Apply(t.Context(), url)} {
			if err == nil || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%v", err)
			}
		}
	}
}

func TestFilesAreNumberedWithoutAGapAndOnlyGoForward(t *testing.T) {
	t.Parallel()

	names, err := fs.Glob(os.DirFS("."), "*.sql")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}

	shape := regexp.MustCompile(`^\d{4}_[a-z_]+\.sql$`)
	forbidden := regexp.MustCompile(`(?i)\+goose\s+(down|no transaction)`)

	plan, err := migrations.Plan(t.Context(), pgtest.Empty(t))
	if err != nil {
		t.Fatal(err)
	}

	for i, step := range plan {
		if step.Version != int64(i+1) || !shape.MatchString(names[i]) {
			t.Errorf("%s is number %d of the files", names[i], i+1)
		}

		if found := forbidden.FindString(step.SQL); found != "" {
			t.Errorf("%s: %q; a file runs in one transaction and has no way back", step.Name, found)
		}
	}
}

// An @ in a password that was not percent-encoded makes the rest of it look like a host.
func TestAURLThatCannotBeReadIsRefusedWithoutItsPassword(t *testing.T) {
	t.Parallel()

	const address = "postgres://formonce:secret@planted@host/db?sslmode=sometimes"

	_, planned := migrations.Plan(t.Context(), address)

	for _, err := range []error{planned, migrations.Apply(t.Context(), address)} {
		if err == nil || strings.Contains(err.Error(), "planted") || !strings.Contains(err.Error(), "percent-encoded") {
			t.Errorf("got %v", err)
		}
	}
}
