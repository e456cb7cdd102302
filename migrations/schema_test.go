package migrations_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

var update = flag.Bool("update", false, "write schema.golden anew")

// schemaQueries describe a schema by the catalogue, a line each, because pg_dump is not on every machine and its text
// differs between versions. The names of NOT NULL constraints, which only PostgreSQL 18 and later keep, are left out: the
// columns say so already.
var schemaQueries = []string{
	`SELECT format('table %I', relname) || CASE WHEN relrowsecurity THEN ' row security' ELSE '' END
		|| CASE WHEN relforcerowsecurity THEN ' forced' ELSE '' END
		|| coalesce(' with (' || array_to_string(reloptions, ', ') || ')', '') AS line, relname AS owner, 0 AS part, 0 AS place
	FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')`,
	`SELECT format('  %-26s %s', a.attname, format_type(a.atttypid, a.atttypmod))
		|| CASE WHEN a.attnotnull THEN ' not null' ELSE '' END
		|| coalesce(CASE a.attgenerated WHEN '' THEN ' default ' ELSE ' generated ' END || pg_get_expr(d.adbin, d.adrelid), '')
		|| CASE a.attcompression WHEN '' THEN '' ELSE ' compression ' || a.attcompression::text END, c.relname, 1, a.attnum
	FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
	LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
	WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped`,
	`SELECT format('  constraint %I %s', k.conname, pg_get_constraintdef(k.oid)), c.relname, 2, 0
	FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
	WHERE k.connamespace = current_schema()::regnamespace AND k.contype <> 'n'`,
	`SELECT '  ' || regexp_replace(pg_get_indexdef(i.indexrelid), ' ON \S+ ', ' '), c.relname, 3, 0
	FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
	WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')`,
	`SELECT format('  policy %I for %s to %s using %s check %s', policyname, lower(cmd), array_to_string(roles, ', '),
		coalesce(qual, '-'), coalesce(with_check, '-')), tablename, 4, 0
	FROM pg_policies WHERE schemaname = current_schema()`,
	`SELECT format('view %I as %s', viewname, definition), viewname, 5, 0 FROM pg_views WHERE schemaname = current_schema()`,
	`SELECT format('function %s returns %s', p.oid::regprocedure, pg_get_function_result(p.oid)), p.proname, 5, 0
	FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace`,
}

func TestTheMigratedSchemaIsTheOneInTheGoldenFile(t *testing.T) {
	t.Parallel()

	_, conn := migrated(t)
	got := describe(t, conn)

	if *update {
		if err := os.WriteFile("schema.golden", []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile("schema.golden")
	if err != nil {
		t.Fatal(err)
	}

	if got != string(want) {
		t.Errorf("the schema is not that of schema.golden; `go test ./migrations -update` writes it anew and git diff "+
			"shows the change. Only here:\n%s\nOnly in the file:\n%s", lacking(got, string(want)), lacking(string(want), got))
	}
}

func describe(t *testing.T, conn *pgx.Conn) string {
	t.Helper()

	query := "SELECT line FROM (" + strings.Join(schemaQueries, " UNION ALL ") +
		`) AS lines ORDER BY owner COLLATE "C", part, place, line COLLATE "C"`

	rows, err := conn.Query(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}

	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}

	text := strings.Join(lines, "\n") + "\n"

	return strings.ReplaceAll(text, "\ntable ", "\n\ntable ")
}

// lacking returns the lines of one text that the other has not.
func lacking(text, other string) string {
	have := make(map[string]bool)
	for line := range strings.Lines(other) {
		have[line] = true
	}

	var only strings.Builder

	for line := range strings.Lines(text) {
		if !have[line] {
			only.WriteString(line)
		}
	}

	return only.String()
}
