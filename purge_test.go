package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/forms"
	"formonce/internal/pgtest"
	"formonce/internal/postgres"
	"formonce/tenants"
)

// interrupter ends the context of a pass at one of its statements, as a kill would.
type interrupter struct {
	left atomic.Int64
	cut  context.CancelFunc
}

// TraceQueryStart is called by pgx before each statement.
func (i *interrupter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	if i.cut != nil && i.left.Add(-1) == 0 {
		i.cut()
	}

	return ctx
}

// TraceQueryEnd is called by pgx after each statement.
func (*interrupter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TestAPurgeLeavesNothingWhereverItIsInterrupted cuts a pass off at its first statement, the next at its second, and so on,
// until one comes through. After it no table has a row of the tenant or of its person.
func TestAPurgeLeavesNothingWhereverItIsInterrupted(t *testing.T) {
	t.Parallel()

	cutter := &interrupter{}

	db, err := postgres.Open(t.Context(), postgres.Options{URL: pgtest.URL(t), Tracer: cutter})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(db.Close)

	registry, directory := tenants.NewRegistry(db), forms.NewDirectory(db)
	made := furnished(t, db, registry, directory)

	purge := purger{tenants: registry, directory: directory}

	for statements := int64(1); ; statements++ {
		ctx, cancel := context.WithCancel(t.Context())
		cutter.left.Store(statements)
		cutter.cut = cancel

		err := purge.pass(ctx)
		cut := ctx.Err() != nil
		cancel()

		if !cut && err == nil {
			break
		}

		if !cut || statements > 200 {
			t.Fatalf("after %d statements: %v", statements, err)
		}
	}

	cutter.cut = nil

	wantNothingOf(t, db, "tenant_id", made.Tenant.ID)
	wantNothingOf(t, db, "login_id", made.LoginID)

	if _, err := registry.Get(t.Context(), made.Tenant.ID); !errors.Is(err, tenants.ErrNotFound) {
		t.Errorf("the tenant is left: %v", err)
	}
}

// furnished makes a tenant with an endpoint, somebody who is invited, a mail and a session, whose person and
// which itself are due.
func furnished(t *testing.T, db *postgres.DB, registry *tenants.Registry, directory *forms.Directory) tenants.Created {
	t.Helper()

	made, err := registry.Create(t.Context(), tenants.NewTenant{Name: "Acme", Email: "ada@acme.example", Password: "correct horse battery"})
	if err != nil {
		t.Fatal(err)
	}

	if _, err := directory.Create(t.Context(), made.Tenant.ID, forms.NewEndpoint("acme-form")); err != nil {
		t.Fatal(err)
	}

	for _, statement := range []string{
		`INSERT INTO invitations (tenant_id, id, email, role, expires_at) VALUES ($1, $2, 'x@example.net', 'viewer', now())`,
		`INSERT INTO mails (id, tenant_id, kind, letter, expires_at) SELECT $2, $1, 'invitation', '\x01', now()`,
		`INSERT INTO sessions (id, login_id, tenant_id, method, expires_at)
			SELECT $2, login_id, tenant_id, 'password', now() FROM members WHERE tenant_id = $1`,
		`INSERT INTO mail_links (token_hash, purpose, login_id, email, expires_at)
			SELECT uuid_send($2), 'reset', login_id, 'ada@acme.example', now() FROM members WHERE tenant_id = $1`,
		`UPDATE logins SET delete_after = now() WHERE id = (SELECT login_id FROM members WHERE tenant_id = $1) AND $2::uuid IS NOT NULL`,
	} {
		if _, err := db.Pool.Exec(t.Context(), statement, made.Tenant.ID, uuid.New()); err != nil {
			t.Fatalf("%v in %s", err, statement)
		}
	}

	return made
}

// wantNothingOf looks into every table that has the column.
func wantNothingOf(t *testing.T, db *postgres.DB, column string, owner uuid.UUID) {
	t.Helper()

	rows, err := db.Pool.Query(t.Context(),
		`SELECT table_name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = $1`, column)
	if err != nil {
		t.Fatal(err)
	}

	named, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(named) < 5 {
		t.Fatalf("%d tables have %s: %v", len(named), column, err)
	}

	for _, table := range named {
		var left int

		query := fmt.Sprintf("SELECT count(*) FROM %s WHERE %s = $1", pgx.Identifier{table}.Sanitize(), column)
		if err := db.Pool.QueryRow(t.Context(), query, owner).Scan(&left); err != nil {
			t.Fatal(err)
		}

		if left > 0 {
			t.Errorf("%s has %d rows left", table, left)
		}
	}
}
