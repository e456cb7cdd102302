package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// layout is a candidate: what stands beside the rows. {table} is the table that it is built on, and begins the name of
// each index.
type layout struct {
	name    string
	indexes []string
}

const (
	words = `json_to_tsvector('simple', fields, '["string","numeric"]')`
	// A scope is a word that all rows of a tenant or an endpoint share, so that one GIN index answers "this word, here"
	// without an extension.
	scope       = `array_to_tsvector(ARRAY['@' || tenant_id, '@' || endpoint_id])`
	scopedWords = `(` + scope + ` || ` + words + `)`

	inbox      = `CREATE INDEX {table}_inbox ON {table} (tenant_id, endpoint_id, id)`
	aside      = `CREATE INDEX {table}_aside ON {table} (tenant_id, id) WHERE status <> 'accepted'`
	asideInbox = `CREATE INDEX {table}_aside_inbox ON {table} (tenant_id, endpoint_id, id) WHERE status <> 'accepted'`
)

// keys are what correctness needs: the primary key and the constraint that decides who was first.
var keys = []string{
	`ALTER TABLE {table} ADD PRIMARY KEY (tenant_id, id)`,
	`CREATE UNIQUE INDEX {table}_key ON {table} (tenant_id, endpoint_id, key_hash) WHERE key_hash IS NOT NULL`,
}

var listLayouts = []layout{
	{"keys only", nil},
	{"inbox", []string{inbox}},
	{"inbox, set aside (partial)", []string{inbox, aside, asideInbox}},
	{"inbox, status (whole)", []string{
		inbox,
		`CREATE INDEX {table}_status ON {table} (tenant_id, status, id)`,
		`CREATE INDEX {table}_status_inbox ON {table} (tenant_id, endpoint_id, status, id)`,
	}},
}

// timeLayouts help what runs over all tenants, such as a loop that looks for what came in since its last pass.
var timeLayouts = []layout{
	{"inbox, set aside, time (BRIN)", []string{
		inbox, aside, asideInbox, `CREATE INDEX {table}_time ON {table} USING brin (received_at)`,
	}},
}

// expressionLayouts index what stands inside the fields, in the transaction of the acceptance.
var expressionLayouts = []layout{
	{"inbox, words", []string{inbox, `CREATE INDEX {table}_words ON {table} USING gin (` + words + `)`}},
	{"inbox, words with scope", []string{inbox, `CREATE INDEX {table}_scoped ON {table} USING gin (` + scopedWords + `)`}},
	{"inbox, json paths", []string{
		inbox, `CREATE INDEX {table}_paths ON {table} USING gin ((fields::jsonb) jsonb_path_ops)`,
	}},
}

// build makes a table of submissions with the keys that correctness needs, filled from another one before the indexes.
func build(ctx context.Context, pool *pgxpool.Pool, table string, rows int, indexes []string) error {
	statements := []string{
		`CREATE TABLE {table} (LIKE submissions INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`,
		fmt.Sprintf(`INSERT INTO {table} TABLE %s ORDER BY id LIMIT %d`, stored, rows),
	}

	return execute(ctx, pool, table, slices.Concat(statements, keys, indexes, []string{`VACUUM ANALYZE {table}`}))
}

// reindex gives the stored submissions these indexes beside their keys, and no other.
func reindex(ctx context.Context, pool *pgxpool.Pool, indexes []string) error {
	rows, err := pool.Query(ctx, `SELECT format('DROP INDEX %s', indexrelid::regclass) FROM pg_index
		WHERE indrelid = $1::text::regclass AND NOT indisunique`, stored)
	if err != nil {
		return fmt.Errorf("the indexes cannot be listed: %w", err)
	}

	statements, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("the indexes cannot be listed: %w", err)
	}

	return execute(ctx, pool, stored, slices.Concat(statements, indexes, []string{`VACUUM ANALYZE {table}`}))
}

// named puts a table's name into a statement.
func named(statement, table string) string { return strings.ReplaceAll(statement, "{table}", table) }

func execute(ctx context.Context, pool *pgxpool.Pool, table string, statements []string) error {
	for _, statement := range statements {
		statement = named(statement, table)
		if _, err := pool.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}

	return nil
}

// size is what one relation takes for each row.
type size struct {
	name  string
	bytes float64
}

// sizes lists the heap of a table, with what it keeps out of line, and then its indexes.
func sizes(ctx context.Context, pool *pgxpool.Pool, table string) ([]size, error) {
	if err := execute(ctx, pool, table, []string{`ANALYZE {table}`}); err != nil {
		return nil, err
	}

	rows, err := pool.Query(ctx, `
SELECT 'rows', pg_table_size($1::text::regclass)::float8 / greatest((SELECT reltuples FROM pg_class WHERE oid = $1::text::regclass), 1)
UNION ALL
SELECT i.relname, pg_relation_size(i.oid)::float8 / greatest(t.reltuples, 1)
FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
WHERE x.indrelid = $1::text::regclass`, table)
	if err != nil {
		return nil, fmt.Errorf("the sizes cannot be read: %w", err)
	}

	defer rows.Close()

	var found []size

	for rows.Next() {
		var one size
		if err = rows.Scan(&one.name, &one.bytes); err != nil {
			return nil, fmt.Errorf("the sizes cannot be read: %w", err)
		}

		one.name = strings.TrimPrefix(one.name, table+"_")
		found = append(found, one)
	}

	return found, rows.Err()
}
