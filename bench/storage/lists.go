package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/jackc/pgx/v5/pgxpool"
)

// question is something a person asks of the inbox. The marks {tenant}, {endpoint} and so on are those of place.
type question struct {
	name string
	sql  string
}

const (
	read = `SELECT id, received_at, fields FROM {table} WHERE `

	pageOf   = 50
	deepPage = 1_000
)

var lists = []question{
	{"tenant, newest 50", read + `tenant_id = {tenant} ORDER BY id DESC LIMIT 50`},
	{"endpoint, newest 50", read + `{here} ORDER BY id DESC LIMIT 50`},
	{"endpoint with nothing yet", read + `{new} ORDER BY id DESC LIMIT 50`},
	{"endpoint, page 1,000 by keyset", read + `{here} AND id < {cursor} ORDER BY id DESC LIMIT 50`},
	{"endpoint, page 1,000 by offset", read + `{here} ORDER BY id DESC LIMIT 50 OFFSET 49950`},
	{"endpoint, newest 50 accepted", read + `{here} AND status = 'accepted' ORDER BY id DESC LIMIT 50`},
	{"endpoint without spam, its spam", read + `{here} AND status = 'spam' ORDER BY id DESC LIMIT 50`},
	{"tenant, newest 50 of the spam", read + `tenant_id = {tenant} AND status = 'spam' ORDER BY id DESC LIMIT 50`},
	{"export, 10,000 in order", read + `{here} AND id > {cursor} ORDER BY id LIMIT 10000`},
}

// place fills in where a question is asked: in the first tenant's busiest endpoint, at a cursor 1,000 pages deep.
type place map[string]string

// newPlace finds the cursor. With fewer submissions than 1,000 pages it is as deep as they go.
func newPlace(ctx context.Context, pool *pgxpool.Pool, c *corpus) (place, error) {
	tenant := c.tenants[0].String()
	p := place{
		"{endpoint}": endpointID(0, 0),
		"{tenant}":   "'" + tenant + "'",
		"{here}":     fmt.Sprintf("tenant_id = '%s' AND endpoint_id = '%s'", tenant, endpointID(0, 0)),
		"{new}":      fmt.Sprintf("tenant_id = '%s' AND endpoint_id = '%s'", tenant, endpointID(0, endpointsOfATenant)),
	}

	var cursor string

	query := p.fill(`SELECT id::text FROM (SELECT id FROM {table} WHERE {here} ORDER BY id DESC LIMIT $1) AS newest ORDER BY id LIMIT 1`)
	if err := pool.QueryRow(ctx, query, pageOf*(deepPage-1)).Scan(&cursor); err != nil {
		return nil, fmt.Errorf("the busiest endpoint has no page: %w", err)
	}

	p["{cursor}"] = "'" + cursor + "'"

	return p, nil
}

func (p place) fill(sql string) string {
	pairs := append(make([]string, 0, 2+2*len(p)), "{table}", stored)
	for mark, text := range p {
		pairs = append(pairs, mark, text)
	}

	return strings.NewReplacer(pairs...).Replace(sql)
}

// measureLists asks the lists of each candidate for their indexes.
func measureLists(ctx context.Context, out io.Writer, pool *pgxpool.Pool, where place) error {
	var answers []answer

	for _, candidate := range listLayouts {
		if err := reindex(ctx, pool, candidate.indexes); err != nil {
			return err
		}

		for _, asked := range lists {
			found, err := explain(ctx, pool, where.fill(asked.sql))
			if err != nil {
				return err
			}

			answers = append(answers, answer{asked.name, candidate.name, found})
		}
	}

	return report(out, "LISTS AND EXPORT", answers)
}

// answer is what a question cost with a candidate's indexes.
type answer struct {
	question, candidate string
	cost                explained
}

// report prints the candidates' answers to each question below one another.
func report(out io.Writer, title string, answers []answer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "\n%s\tindexes\tms\tpages\trows\tplan\n", title)

	var asked []string

	for _, a := range answers {
		if slices.Contains(asked, a.question) {
			continue
		}

		asked = append(asked, a.question)

		for _, b := range answers {
			if b.question == a.question {
				plan := b.cost.Plan
				fmt.Fprintf(table, "%s\t%s\t%.2f\t%d\t%.0f\t%s\n", b.question, b.candidate, b.cost.Milliseconds,
					plan.Hit+plan.Read, plan.Rows, plan.summary())
			}
		}
	}

	return table.Flush()
}
