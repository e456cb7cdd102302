package api_test

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"formonce/api"
	"formonce/internal/postgres"
)

// TestNothingOfAnotherTenantIsFoundOrChanged walks every row of the table with the ids of Acme's things and the key of
// another tenant: each that names a thing answers 404, and Acme's rows are what they were.
func TestNothingOfAnotherTenantIsFoundOrChanged(t *testing.T) {
	t.Parallel()

	w := openWorld(t)
	stranger := w.tenant("Beta")
	before := w.rowsOf(w.acme.Tenant.ID)

	for _, row := range api.Rows() {
		if row.Open {
			continue
		}

		got := w.send(row.Method, w.path(row), w.body(row), "Authorization", "Bearer "+w.credential(stranger, row))

		if strings.Contains(row.Path, ":") && got.status != http.StatusNotFound {
			t.Errorf("%s %s answered %d to another tenant, want 404: %s", row.Method, row.Path, got.status, got.body)
		}

		if strings.Contains(string(got.body), mark) && got.status < http.StatusBadRequest && row.Method == http.MethodGet {
			t.Errorf("%s %s shows another tenant: %s", row.Method, row.Path, got.body)
		}
	}

	if after := w.rowsOf(w.acme.Tenant.ID); after != before {
		t.Errorf("another tenant's requests changed rows, from\n%s\nto\n%s", before, after)
	}
}

// tenantFilter is how the queries say whose rows they mean.
var tenantFilter = regexp.MustCompile(`(?i)"?\b(?:\w+"?\."?)?tenant_id"?\s*=\s*(\$\d+)`)

// TestTheDatabaseAloneRefusesAnotherTenant sends the statements of every row again as another tenant, with the filter by
// tenant taken out: none may see or change a row of Acme's.
func TestTheDatabaseAloneRefusesAnotherTenant(t *testing.T) {
	t.Parallel()

	w := openWorld(t)
	stranger := w.tenant("Beta")
	stripped := 0

	for _, row := range api.Rows() {
		if row.Open {
			continue
		}

		w.statements.take()
		w.send(row.Method, w.path(row), w.body(row), "Authorization", "Bearer "+w.credential(w.acme, row))

		for _, said := range w.statements.take() {
			open := tenantFilter.ReplaceAllString(said.sql, "($1::uuid IS NOT NULL)")
			if open != said.sql {
				stripped++
			}

			w.harmless(stranger.Tenant.ID, row, open, said.args)
		}
	}

	if stripped == 0 {
		t.Error("no statement had a filter to take out, so nothing was shown")
	}
}

// harmless runs a statement as another tenant and undoes it.
func (w *world) harmless(as uuid.UUID, row api.Row, sql string, args []any) {
	w.Helper()

	undo := errors.New("undo")

	err := w.db.InScope(w.Context(), as, func(ctx context.Context, s *postgres.Scope) error {
		rows, err := s.Tx.Query(ctx, sql, args...)
		if err != nil {
			return err
		}

		_, err = pgx.CollectRows(rows, func(found pgx.CollectableRow) (string, error) {
			for _, raw := range found.RawValues() {
				if text := string(raw); strings.Contains(text, mark) || strings.Contains(text, string(w.acme.Tenant.ID[:])) {
					w.Errorf("%s %s: without its filter this shows another tenant's rows:\n%s", row.Method, row.Path, sql)
				}
			}

			return "", nil
		})
		if err != nil {
			return err
		}

		if changed := rows.CommandTag(); changed.RowsAffected() > 0 && !changed.Select() && !w.own(ctx, s.Tx) {
			w.Errorf("%s %s: without its filter this changes another tenant's rows:\n%s", row.Method, row.Path, sql)
		}

		return undo
	})

	refused, isRefused := errors.AsType[*pgconn.PgError](err)
	if !errors.Is(err, undo) && (!isRefused || !legitimate[refused.Code]) {
		w.Errorf("%s %s: %v in\n%s", row.Method, row.Path, err, sql)
	}
}

// legitimate are the refusals of a statement that names another tenant's rows: by the policy, by a constraint that the
// repeated statement breaks, or because its transaction is not the one that it was made for.
var legitimate = map[string]bool{"42501": true, "23505": true, "23503": true, "23514": true}

// own says whether all of Acme's rows are still there and the same, within the stranger's transaction but seen by the owner
// of the tables.
func (w *world) own(ctx context.Context, tx pgx.Tx) bool {
	w.Helper()

	if _, err := tx.Exec(ctx, "RESET ROLE"); err != nil {
		w.Fatal(err)
	}

	return w.dump(ctx, tx, w.acme.Tenant.ID) == w.rowsOf(w.acme.Tenant.ID)
}

// rowsOf are all rows that carry the tenant, in every table, as text.
func (w *world) rowsOf(tenantID uuid.UUID) string {
	w.Helper()

	return w.dump(w.Context(), w.db.Pool, tenantID)
}

type asker interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

func (w *world) dump(ctx context.Context, db asker, tenantID uuid.UUID) string {
	w.Helper()

	tables := w.lines(ctx, db, `SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
		WHERE c.relkind = 'r' AND a.attname = 'tenant_id' AND c.relnamespace = 'public'::regnamespace ORDER BY 1`)

	var all strings.Builder

	for _, table := range tables {
		for _, line := range w.lines(ctx, db, "SELECT t::text FROM "+pgx.Identifier{table}.Sanitize()+
			" AS t WHERE tenant_id = $1 ORDER BY 1", tenantID) {
			all.WriteString(table + " " + line + "\n")
		}
	}

	return all.String()
}

func (w *world) lines(ctx context.Context, db asker, sql string, args ...any) []string {
	w.Helper()

	rows, err := db.Query(ctx, sql, args...)
	if err != nil {
		w.Fatal(err)
	}

	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		w.Fatal(err)
	}

	return found
}
