package postgres_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"formonce/internal/pgtest"
	"formonce/internal/postgres"
)

const planted = "planted-value"

func TestOnlyWhatARetryCanMendIsUnavailable(t *testing.T) {
	t.Parallel()

	state := func(code string) error { return fmt.Errorf("insert: %w", &pgconn.PgError{Code: code}) }

	for name, row := range map[string]struct {
		err  error
		want bool
	}{
		"nothing":                    {nil, false},
		"a caller that gave up":      {fmt.Errorf("query: %w", context.Canceled), false},
		"out of time":                {fmt.Errorf("query: %w", context.DeadlineExceeded), true},
		"the end in the middle":      {fmt.Errorf("read: %w", io.ErrUnexpectedEOF), true},
		"the end":                    {io.EOF, true},
		"a network error":            {&net.OpError{Op: "read", Err: errors.New("reset")}, true},
		"a pool's dead connection":   {sql.ErrConnDone, true},
		"connection failure":         {state("08006"), true},
		"too many connections":       {state("53300"), true},
		"disk full":                  {state("53100"), true},
		"server is being stopped":    {state("57P01"), true},
		"server crashed":             {state("57P02"), true},
		"server is starting":         {state("57P03"), true},
		"statement timeout":          {state("57014"), true},
		"lock timeout":               {state("55P03"), true},
		"no order":                   {state("40001"), true},
		"deadlock":                   {state("40P01"), true},
		"a standby":                  {state("25006"), true},
		"a constraint":               {state("23505"), false},
		"a foreign key":              {state("23503"), false},
		"a mistake in the statement": {state("42601"), false},
		"no such table":              {state("42P01"), false},
		"a value out of range":       {state("22003"), false},
		"no rights":                  {state("42501"), false},
		"any other error":            {errors.New("anything"), false},
	} {
		if got := postgres.Unavailable(row.err); got != row.want {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
}

func TestADatabaseThatCannotBeReachedIsUnavailable(t *testing.T) {
	t.Parallel()

	_, err := postgres.Open(t.Context(), postgres.Options{URL: "postgres://u:" + planted + "@127.0.0.1:1/none"})
	if !postgres.Unavailable(err) || strings.Contains(err.Error(), planted) {
		t.Fatalf("%v", err)
	}
}

func TestWhatTheDatabaseItselfRefusesIsToldApart(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)

	for statement, want := range map[string]bool{
		"SET statement_timeout = 20; SELECT pg_sleep(5)": true,
		"SELECT pg_terminate_backend(pg_backend_pid())":  true,
		"SELEC 1":            false,
		"SELECT 1/0":         false,
		"SELECT * FROM none": false,
	} {
		_, err := db.Pool.Exec(t.Context(), statement)
		if err == nil || postgres.Unavailable(err) != want {
			t.Errorf("%s: unavailable is %v for %v", statement, !want, err)
		}
	}

	db.Close()

	if _, err := db.Pool.Exec(t.Context(), "SELECT 1"); !postgres.Unavailable(err) {
		t.Errorf("a pool that was closed: %v", err)
	}
}

func TestADescriptionNamesTheConstraintAndNoValue(t *testing.T) {
	t.Parallel()

	refused := &pgconn.PgError{
		Severity: "ERROR", Code: "23505", Message: "duplicate key " + planted, Detail: "Key (k)=(" + planted + ") exists",
		Where: "row " + planted, Hint: planted, ConstraintName: "submissions_key", TableName: "submissions", Routine: "_bt_check",
	}
	_, number := strconv.Atoi(planted)

	for name, row := range map[string]struct {
		err  error
		want string
	}{
		"nothing":   {nil, ""},
		"other":     {errors.New("the disk is full"), "the disk is full"},
		"wrapped":   {fmt.Errorf("accept: %w", refused), "accept: SQLSTATE 23505, constraint submissions_key, table submissions, routine _bt_check"},
		"joined":    {errors.Join(io.EOF, refused), "EOF\nSQLSTATE 23505, constraint submissions_key, table submissions, routine _bt_check"},
		"flattened": {fmt.Errorf("%s; %w", refused.Error(), io.EOF), "SQLSTATE 23505; EOF"},
		"a part":    {fmt.Errorf("%s: %w", refused.Detail, refused), "…: SQLSTATE 23505, constraint submissions_key, table submissions, routine _bt_check"},
		"a number":  {fmt.Errorf("n: %w", number), "n: strconv.Atoi: invalid syntax"},
	} {
		if got := postgres.Describe(row.err); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

func TestNoErrorOfARealStatementShowsItsArguments(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)

	_, err := db.Pool.Exec(t.Context(), "CREATE TABLE kept (v text PRIMARY KEY, n int CHECK (n < 5))")
	if err != nil {
		t.Fatal(err)
	}

	for _, statement := range []string{
		"INSERT INTO kept VALUES ($1, 1), ($1, 2)",
		"INSERT INTO kept VALUES ($1, 9)",
		"SELECT ($1::text)::int",
		"SELECT $1::int",
	} {
		_, err = db.Pool.Exec(t.Context(), statement, planted)
		if text := postgres.Describe(err); text == "" || strings.Contains(text, planted) {
			t.Errorf("%s: %q", statement, text)
		}

		err = db.Gorm.WithContext(t.Context()).Exec(strings.ReplaceAll(statement, "$1", "?"), planted, planted).Error
		if text := postgres.Describe(err); text == "" || strings.Contains(text, planted) {
			t.Errorf("gorm, %s: %q", statement, text)
		}
	}
}
