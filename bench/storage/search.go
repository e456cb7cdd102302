package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
)

// method is a way to search: the query, and the predicates that it matches a word or a field's value with. {term} is the
// word or the value, {field} the field's name, {before} the cursor of a later page.
type method struct {
	layout

	query string
	word  string
	field string
}

const (
	inPlace = `SELECT id, received_at, fields FROM {table} WHERE {here} AND {match} {before} ORDER BY id DESC LIMIT 50`
	// The page is found in the search table alone, and only its 50 submissions are read.
	besides = `SELECT s.id, s.received_at, s.fields FROM (SELECT id FROM {table}_found WHERE tenant_id = {tenant} AND {match} {before}
		ORDER BY id DESC LIMIT 50) AS f JOIN {table} AS s ON s.tenant_id = {tenant} AND s.id = f.id ORDER BY s.id DESC`

	hasWord  = words + ` @@ plainto_tsquery('simple', '{term}')`
	hasField = `EXISTS (SELECT FROM json_array_elements(fields) AS m WHERE m ->> '{field}' = '{term}')`
	scoped   = scopedWords + ` @@ ('''@{endpoint}'''::tsquery && plainto_tsquery('simple', '{term}'))`

	found    = "a search table, later"
	emptied  = `CREATE TABLE {table}_found (tenant_id uuid, id uuid, terms tsvector NOT NULL, PRIMARY KEY (tenant_id, id))`
	foundGIN = `CREATE INDEX {table}_found_terms ON {table}_found USING gin (terms)`
	// A field with its value is one term of its own, cut where a longer value would only fill the index.
	foundFill = `INSERT INTO {table}_found SELECT tenant_id, id, strip(` + scopedWords + `) || (
		SELECT array_to_tsvector(array_agg(left('=' || m.key || '=' || m.value, 200)))
		FROM json_array_elements(fields) AS e, json_each_text(e) AS m)
	FROM {table} WHERE (tenant_id, id) > ($1, $2) ORDER BY tenant_id, id LIMIT $3`
	foundLast = `SELECT tenant_id, id FROM {table}_found ORDER BY tenant_id DESC, id DESC LIMIT 1`
	foundPart = 2_000
)

func methods() []method {
	byWord := hasWord + " AND " + hasField

	return []method{
		{layout{"inbox", []string{inbox}}, inPlace, hasWord, hasField},
		{expressionLayouts[0], inPlace, hasWord, byWord},
		{expressionLayouts[1], inPlace, scoped, scoped + " AND " + hasField},
		{expressionLayouts[2], inPlace, hasWord, `fields::jsonb @> '[{"{field}":"{term}"}]'`},
		{
			layout{found, []string{inbox}},
			besides,
			`terms @@ ('''@{endpoint}'''::tsquery && plainto_tsquery('simple', '{term}'))`,
			`terms @@ ('''@{endpoint}'''::tsquery && '''={field}={term}'''::tsquery)`,
		},
	}
}

// searches are what a person looks for; with a field, its exact value.
var searches = []struct {
	name, field, term, before string
}{
	{"field email = a rare address", "email", "rare@person.example", ""},
	{"field topics = one of four", "topics", "sales", ""},
	{"a rare word", "", rareWord, ""},
	{"a word in three of ten", "", commonWord, ""},
	{"a word in three of ten, deep", "", commonWord, "AND id < {cursor}"},
	{"a word of the other tenants", "", elsewhereWord, ""},
}

// measureSearch asks every search of every method.
func measureSearch(ctx context.Context, out io.Writer, pool *pgxpool.Pool, where place) error {
	var answers []answer

	for _, candidate := range methods() {
		if err := prepare(ctx, out, pool, candidate); err != nil {
			return err
		}

		for _, asked := range searches {
			match := candidate.word
			if asked.field != "" {
				match = candidate.field
			}

			query := strings.NewReplacer("{match}", match, "{before}", asked.before).Replace(candidate.query)
			query = strings.NewReplacer("{term}", asked.term, "{field}", asked.field).Replace(query)

			cost, err := explain(ctx, pool, where.fill(query))
			if err != nil {
				return err
			}

			answers = append(answers, answer{asked.name, candidate.name, cost})
		}
	}

	return report(out, "SEARCH", answers)
}

// prepare builds what a method needs and prints what it takes.
func prepare(ctx context.Context, out io.Writer, pool *pgxpool.Pool, candidate method) error {
	began := time.Now()
	if err := reindex(ctx, pool, candidate.indexes); err != nil {
		return err
	}

	table := stored

	if candidate.name == found {
		table = stored + "_found"
		if err := fillFound(ctx, pool); err != nil {
			return err
		}
	}

	taken, err := sizes(ctx, pool, table)
	if err != nil {
		return err
	}

	fmt.Fprintf(out, "\n%s: built in %s; bytes a submission:", candidate.name, time.Since(began).Round(time.Second))

	for _, one := range taken {
		fmt.Fprintf(out, " %s %.0f", one.name, one.bytes)
	}

	fmt.Fprintln(out)

	return nil
}

// fillFound fills the search table as a loop in the background would: part by part, with its index in place.
func fillFound(ctx context.Context, pool *pgxpool.Pool) error {
	if err := execute(ctx, pool, stored, []string{emptied, foundGIN}); err != nil {
		return err
	}

	var tenant, last uuid.UUID

	for {
		tag, err := pool.Exec(ctx, named(foundFill, stored), tenant, last, foundPart)
		if err != nil {
			return fmt.Errorf("the search table cannot be filled: %w", err)
		}

		if tag.RowsAffected() == 0 {
			return execute(ctx, pool, stored+"_found", []string{`VACUUM ANALYZE {table}`})
		}

		if err = pool.QueryRow(ctx, named(foundLast, stored)).Scan(&tenant, &last); err != nil {
			return fmt.Errorf("the search table cannot be read: %w", err)
		}
	}
}
