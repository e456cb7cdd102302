package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"

	"formonce/forms"
)

const (
	pageOf   = 50
	deepPage = 1_000
)

// question is a list that a person asks for.
type question struct {
	name   string
	filter forms.Filter
}

var (
	yes = true
	no  = false

	lists = []question{
		{"everything", forms.Filter{}},
		{"one endpoint", forms.Filter{EndpointID: "contact"}},
		{"accepted, one endpoint", forms.Filter{EndpointID: "contact", Status: forms.StatusAccepted}},
		{"spam (1 in 50)", forms.Filter{Status: forms.StatusSpam}},
		{"starred (1 in 1,000)", forms.Filter{Starred: &yes}},
		{"unread (1 in 2)", forms.Filter{Read: &no}},
		{"a tag (1 in 500)", forms.Filter{Tag: "vip"}},
		{"a tag (1 in 2)", forms.Filter{Tag: "common"}},
		{"a word in 3 of 10", forms.Filter{Query: "please "}},
		{"the beginning of a word in 3 of 10", forms.Filter{Query: "pleas"}},
		{"a word in 3 of 10, one endpoint", forms.Filter{Query: "please ", EndpointID: "contact"}},
		{"a word in 1 of 100", forms.Filter{Query: "invoice "}},
		{"a word in 1 of 1,000", forms.Filter{Query: "refund "}},
		{"a word in 1 of 20,000", forms.Filter{Query: "zanzibar "}},
		{"two words, 3 of 10 and 1 of 20,000", forms.Filter{Query: "please zanzibar "}},
		{"a word of another tenant only", forms.Filter{Query: "voucher "}},
		{"a field by its value", forms.Filter{Fields: []forms.FieldIs{{Name: "topic", Value: "sales"}}}},
		{"a word in 3 of 10, starred", forms.Filter{Query: "please ", Starred: &yes}},
		{"a word in 3 of 10, spam", forms.Filter{Query: "please ", Status: forms.StatusSpam}},
		{"a word in 1 of 20,000, a tag (1 in 2)", forms.Filter{Query: "zanzibar ", Tag: "common"}},
	}
)

// The other tenant has a tenth of the rows, all with a word of its own. Ids are UUIDv7 of the times.
const fillSubmissions = `
INSERT INTO submissions (tenant_id, id, received_at, schema_version, rule_version, field_count, order_ignored, endpoint_id,
    family, status, key_hash, fingerprint, fields)
SELECT t, (lpad(to_hex(ms), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid, to_timestamp(ms / 1000.0), 0, 1, 4, false,
    CASE WHEN n % 10 < 6 THEN 'contact' ELSE 'orders-' || n % 5 END, 'form', CASE WHEN n % 50 = 0 THEN 'spam' ELSE 'accepted' END,
    sha256(int8send(n)), ''::bytea, json_build_array(
        json_build_object('name', 'n' || floor(random() * 5000) || ' s' || floor(random() * 20000)),
        json_build_object('email', 'p' || n || '@person.example'),
        json_build_object('topic', (ARRAY['sales', 'support', 'press', 'jobs'])[n % 4 + 1]),
        json_build_object('message', (SELECT string_agg('w' || floor(power(random(), 3) * 20000 + word * 0), ' ')
                FROM generate_series(1, 25) AS word WHERE word + n > 0)
            || CASE WHEN n % 10 < 3 THEN ' please' ELSE '' END || CASE WHEN n % 100 = 1 THEN ' invoice' ELSE '' END
            || CASE WHEN n % 1000 = 2 THEN ' refund' ELSE '' END || CASE WHEN n % 20000 = 0 THEN ' zanzibar' ELSE '' END || $4))
FROM (SELECT $1::uuid AS t, n, extract(epoch FROM now())::bigint * 1000 - ($2 - n)::bigint * 20000 AS ms
    FROM generate_series(1, $3::bigint) AS n) AS made`

var fillMarks = []string{
	`INSERT INTO submission_marks (tenant_id, submission_id, starred, read_at)
SELECT tenant_id, id, n % 1000 = 0, CASE WHEN n % 2 = 0 THEN now() END
FROM (SELECT tenant_id, id, row_number() OVER (ORDER BY id) AS n FROM submissions WHERE tenant_id = $1) AS numbered
WHERE n % 2 = 0`,
	`INSERT INTO submission_tags (tenant_id, tag, submission_id)
SELECT tenant_id, 'common', submission_id FROM submission_marks WHERE tenant_id = $1`,
	`INSERT INTO submission_tags (tenant_id, tag, submission_id)
SELECT tenant_id, 'vip', id FROM (SELECT tenant_id, id, row_number() OVER (ORDER BY id) AS n FROM submissions WHERE tenant_id = $1)
    AS numbered WHERE n % 500 = 0`,
	`INSERT INTO replays (tenant_id, submission_id, id, replayed_at)
SELECT tenant_id, id, gen_random_uuid(), now() FROM submissions WHERE tenant_id = $1 AND status = 'spam'`,
}

// fill makes up the submissions of both tenants and makes them findable: the other one's as the service does it, and the
// many of ours with the index built afterwards, which is much faster.
func (h *house) fill(ctx context.Context, out io.Writer) error {
	began := time.Now()
	other := h.rows / 10

	if err := h.receive(ctx, uuid.Must(uuid.NewV7()), other, " voucher"); err != nil {
		return err
	}

	fmt.Fprintf(out, "the search is filled with %.0f submissions a second\n", float64(other)/time.Since(began).Seconds())

	if err := h.execute(ctx, "DROP INDEX submission_search_terms"); err != nil {
		return err
	}

	if err := h.receive(ctx, h.tenant, h.rows, ""); err != nil {
		return err
	}

	for _, statement := range fillMarks {
		if err := h.execute(ctx, statement, h.tenant); err != nil {
			return err
		}
	}

	err := h.execute(ctx, "CREATE INDEX submission_search_terms ON submission_search USING gin (terms) WITH (gin_pending_list_limit = 512)")
	if err != nil {
		return err
	}

	if err = h.execute(ctx, "VACUUM ANALYZE"); err != nil {
		return err
	}

	var perRow float64

	err = h.db.Pool.QueryRow(ctx, `SELECT pg_total_relation_size('submission_search') / count(*)::float8 FROM submission_search`).
		Scan(&perRow)

	fmt.Fprintf(out, "%d submissions, all findable, in %s; the search takes %.0f bytes of each\n", h.rows+other,
		time.Since(began).Round(time.Second), perRow)

	return err
}

func (h *house) receive(ctx context.Context, tenant uuid.UUID, rows int, word string) error {
	if err := h.execute(ctx, fillSubmissions, tenant, rows, rows, word); err != nil {
		return err
	}

	// What was received long ago would be passed over.
	if err := h.execute(ctx, "UPDATE search_progress SET through = '-infinity'"); err != nil {
		return err
	}

	return h.inbox.Index(ctx)
}

func (h *house) execute(ctx context.Context, statement string, args ...any) error {
	if _, err := h.db.Pool.Exec(ctx, statement, args...); err != nil {
		return fmt.Errorf("%.60s: %w", statement, err)
	}

	return nil
}

// deepest walks to the cursor of page 1,000, or of the last page where there are fewer.
func (h *house) deepest(ctx context.Context, asked question) (cursor string, number int, err error) {
	filter := asked.filter
	filter.Limit = 2 * pageOf

	for number = 1; number < deepPage; number += 2 {
		page, err := h.inbox.List(ctx, h.tenant, filter)
		if err != nil {
			return "", 0, err
		}

		if page.NextCursor == "" {
			break
		}

		filter.Cursor = page.NextCursor
	}

	return filter.Cursor, number, nil
}
