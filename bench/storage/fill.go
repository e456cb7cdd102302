package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// stored holds the submissions that the lists and the search run over, and that the tables for insertion begin with.
const stored = "stored"

// describe says where the figures come from.
func describe(ctx context.Context, out io.Writer, pool *pgxpool.Pool, o options) error {
	var version, durable string

	err := pool.QueryRow(ctx, `SELECT current_setting('server_version'), format('fsync=%s synchronous_commit=%s shared_buffers=%s',
		current_setting('fsync'), current_setting('synchronous_commit'), current_setting('shared_buffers'))`).Scan(&version, &durable)
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}

	_, err = fmt.Fprintf(out, "PostgreSQL %s, %s; %d submissions of %d tenants\n", version, durable, o.rows, o.tenants)

	return err
}

// fill makes the table of submissions, spread over the year before now.
func fill(ctx context.Context, out io.Writer, pool *pgxpool.Pool, c *corpus, rows int) error {
	err := execute(ctx, pool, stored, []string{`CREATE TABLE {table} (LIKE submissions INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`})
	if err != nil {
		return err
	}

	began, at := time.Now(), time.Now().AddDate(-1, 0, 0).UTC()
	step := time.Since(at) / time.Duration(rows)

	columns := []string{
		"tenant_id", "id", "received_at", "schema_version", "rule_version", "field_count", "order_ignored",
		"endpoint_id", "family", "status", "key_hash", "fingerprint", "fields",
	}

	_, err = pool.CopyFrom(ctx, pgx.Identifier{stored}, columns, pgx.CopyFromSlice(rows, func(int) ([]any, error) {
		at = at.Add(step)
		s := c.next(at)

		return []any{
			s.tenant, s.id, s.received, 0, 1, 9, false, s.endpoint, "form", s.status, s.keyHash, s.fingerprint, s.fields,
		}, nil
	}))
	if err != nil {
		return fmt.Errorf("the submissions cannot be loaded: %w", err)
	}

	if err = execute(ctx, pool, stored, keys); err != nil {
		return err
	}

	_, err = fmt.Fprintf(out, "loaded in %s\n", time.Since(began).Round(time.Second))

	return err
}
