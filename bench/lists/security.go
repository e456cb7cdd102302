package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/jackc/pgx/v5"

	"formonce/internal/postgres"
)

// sent remembers the statements of a list, so that they can be sent again in a transaction of another kind.
type sent struct {
	sync.Mutex

	on         bool
	statements []statement
}

type statement struct {
	sql  string
	args []any
	// batched ones share a round trip.
	batched bool
}

// TraceQueryStart is called by pgx before each statement that is sent alone.
func (s *sent) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	s.add(statement{data.SQL, data.Args, false})

	return ctx
}

// TraceQueryEnd is called by pgx after each statement.
func (*sent) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart is called by pgx before a batch.
func (*sent) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

// TraceBatchQuery is called by pgx for each statement of a batch.
func (s *sent) TraceBatchQuery(_ context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	s.add(statement{data.SQL, data.Args, true})
}

// TraceBatchEnd is called by pgx after a batch.
func (*sent) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

func (s *sent) add(said statement) {
	s.Lock()
	defer s.Unlock()

	if s.on && strings.Contains(said.sql, "SELECT") {
		s.statements = append(s.statements, said)
	}
}

func (s *sent) remember(on bool) []statement {
	s.Lock()
	defer s.Unlock()

	kept := s.statements
	s.on, s.statements = on, nil

	return kept
}

// security compares the statements of a list in a transaction of the management role, whose every row is checked, with the
// same ones in a plain transaction, in turns. The difference is set against a whole call of Inbox.List, without HTTP.
func (h *house) security(ctx context.Context, out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\nrow-level security\tstatements without, ms\twith, ms\ta whole call with, ms\tcall with/without\t")

	for _, asked := range lists[:8] {
		h.sent.remember(true)

		if err := h.list(ctx, asked.filter); err != nil {
			return err
		}

		statements := h.sent.remember(false)

		plain, secured, err := h.compare(
			func() error {
				return postgres.InTx(ctx, h.plain.Pool, func(tx pgx.Tx) error { return send(ctx, tx, statements) })
			},
			func() error {
				return h.db.InScope(ctx, h.tenant, func(ctx context.Context, s *postgres.Scope) error {
					return send(ctx, s.Tx, statements)
				})
			},
		)
		if err != nil {
			return fmt.Errorf("%s: %w", asked.name, err)
		}

		whole, _, err := h.compare(
			func() error { return h.list(ctx, asked.filter) },
			func() error { return nil },
		)
		if err != nil {
			return fmt.Errorf("%s: %w", asked.name, err)
		}

		fmt.Fprintf(table, "%s\t%.2f\t%.2f\t%.2f\t%.2f\t\n", asked.name, plain, secured, whole, whole/(whole-secured+plain))
	}

	return table.Flush()
}

func send(ctx context.Context, tx pgx.Tx, statements []statement) error {
	batch := &pgx.Batch{}

	for _, said := range statements {
		if said.batched {
			batch.Queue(said.sql, said.args...).Query(readThrough)
			continue
		}

		rows, err := tx.Query(ctx, said.sql, said.args...)
		if err != nil {
			return err
		}

		if err = readThrough(rows); err != nil {
			return err
		}
	}

	return tx.SendBatch(ctx, batch).Close()
}

func readThrough(rows pgx.Rows) error {
	for rows.Next() {
		rows.RawValues()
	}

	return rows.Err()
}
