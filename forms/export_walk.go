package forms

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/postgres"
)

const (
	// walkBytes is how much of the fields one stride should hold.
	walkBytes = 1 << 20
	walkRows  = 2_000
	firstRows = 200
	leastRows = 16
)

// exportWalk goes over submissions in the order of their arrival, in many short transactions: a stride reads on behind the
// last submission of the one before. Whoever it calls may be as slow as it likes.
type exportWalk struct {
	db     *postgres.DB
	wanted *selection
	// began is the time of the request: the walk does not run after what comes in meanwhile.
	began time.Time
}

// statement reads some columns of what comes next. $2 is the first id that counts, $3 how many it takes.
func (w *exportWalk) statement(columns string) (sql string, args []any) {
	args = []any{w.wanted.tenantID, uuid.UUID{}, 0, w.end()}

	var text strings.Builder

	text.WriteString("SELECT " + columns + " FROM submissions AS s WHERE s.tenant_id = $1 AND s.id >= $2 AND s.id < $4")

	for _, condition := range w.conditions() {
		if condition.value == nil {
			text.WriteString(" AND " + condition.text)
			continue
		}

		args = append(args, condition.value)
		fmt.Fprintf(&text, " AND "+condition.text, len(args))
	}

	text.WriteString(" ORDER BY s.id LIMIT $3")

	return text.String(), args
}

// condition is one that a submission s must meet; %d stands for the place of its value.
type condition struct {
	text  string
	value any
}

const (
	hasTag = `EXISTS (SELECT FROM submission_tags AS t
    WHERE t.tenant_id = $1 AND t.submission_id = s.id AND t.tag = $%d)`
	isStarred = `$%d = EXISTS (SELECT FROM submission_marks AS m
    WHERE m.tenant_id = $1 AND m.submission_id = s.id AND m.starred)`
	isRead = `$%d = EXISTS (SELECT FROM submission_marks AS m
    WHERE m.tenant_id = $1 AND m.submission_id = s.id AND m.read_at IS NOT NULL)`
	hasTerms = `EXISTS (SELECT FROM submission_search AS f
    WHERE f.tenant_id = $1 AND f.id = s.id AND f.terms @@ $%d::tsquery)`
)

func (w *exportWalk) conditions() []condition {
	var all []condition

	f, query := w.wanted.filter, w.wanted.search.query
	narrow := func(asked bool, text string, value any) {
		if asked {
			all = append(all, condition{text, value})
		}
	}

	narrow(f.EndpointID != "", "s.endpoint_id = $%d", f.EndpointID)
	narrow(f.Status != "", "s.status = $%d", f.Status)
	narrow(f.Status != "" && f.Status != StatusAccepted, "s.status <> 'accepted'", nil) // for the partial indexes
	narrow(!f.Since.IsZero(), "s.received_at >= $%d", f.Since)
	narrow(!f.Until.IsZero(), "s.received_at < $%d", f.Until)
	narrow(f.Tag != "", hasTag, f.Tag)
	narrow(f.Starred != nil, isStarred, f.Starred)
	narrow(f.Read != nil, isRead, f.Read)
	narrow(query != "", hasTerms, query)
	narrow(w.wanted.nothing, "false", nil)

	return all
}

func (w *exportWalk) end() uuid.UUID {
	return earlier(w.wanted.before, firstIDAt(w.began.Add(clockSlack)))
}

// strides reads until nothing is left. One scans its rows, is done with the database, and then visits them.
func (w *exportWalk) strides(
	ctx context.Context, columns string, read func(rows pgx.Rows) (stride, error),
) error {
	sql, args := w.statement(columns)
	next, limit := w.wanted.since, firstRows

	for {
		var taken stride

		args[1], args[2] = next, limit

		err := w.db.InScope(ctx, w.wanted.tenantID, func(ctx context.Context, s *postgres.Scope) error {
			rows, err := s.Tx.Query(ctx, sql, args...)
			if err != nil {
				return err
			}

			taken, err = read(rows)

			return err
		})
		if err != nil {
			return err
		}

		if err := taken.visit(); err != nil || taken.rows < limit {
			return err
		}

		next, limit = after(taken.last), max(leastRows, min(walkRows, taken.rows*walkBytes/max(taken.bytes, 1)))
	}
}

// stride is what one transaction of a walk has read.
type stride struct {
	rows, bytes int
	last        uuid.UUID
	visit       func() error
}

// fields calls visit with the fields of every submission.
func (w *exportWalk) fields(ctx context.Context, visit func(Fields)) error {
	return w.strides(ctx, "s.id, s.fields", func(rows pgx.Rows) (stride, error) {
		var (
			taken  stride
			stored []byte
		)

		_, err := pgx.ForEachRow(rows, []any{&taken.last, &stored}, func() error {
			taken.rows++
			taken.bytes += len(stored)

			fields, err := DecodeFields(stored)
			if err == nil {
				visit(fields)
			}

			return err
		})
		taken.visit = func() error { return nil }

		return taken, err
	})
}

// The subqueries run once for each row; a join that groups would look at the whole tables.
const walkColumns = `s.id, s.endpoint_id, s.received_at, s.status, s.schema_version, s.fields,
    coalesce(s.reply_to, ''), coalesce(s.subject, ''), coalesce(s.language, ''),
    EXISTS (SELECT FROM submission_marks AS m WHERE m.tenant_id = s.tenant_id AND m.submission_id = s.id AND m.starred),
    (SELECT count(*) FROM replays AS r WHERE r.tenant_id = s.tenant_id AND r.submission_id = s.id),
    ARRAY(SELECT t.tag FROM submission_tags AS t WHERE t.tenant_id = s.tenant_id AND t.submission_id = s.id ORDER BY t.tag)`

// each calls visit with every submission, and with what other tables know of it.
func (w *exportWalk) each(ctx context.Context, visit func(*Submission) error) error {
	return w.strides(ctx, walkColumns, func(rows pgx.Rows) (stride, error) {
		var taken stride

		found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (read Submission, err error) {
			var stored []byte

			err = row.Scan(&read.ID, &read.EndpointID, &read.ReceivedAt, &read.Status, &read.Rules.Schema, &stored,
				&read.ReplyTo, &read.Subject, &read.Language, &read.Starred, &read.ReplayCount, &read.Tags)
			if err != nil {
				return read, err
			}

			taken.rows, taken.bytes, taken.last = taken.rows+1, taken.bytes+len(stored), read.ID
			read.Fields, err = DecodeFields(stored)

			return read, err
		})
		if err != nil {
			return stride{}, err
		}

		taken.visit = func() error {
			for i := range found {
				if err := visit(&found[i]); err != nil {
					return err
				}
			}

			return nil
		}

		return taken, nil
	})
}
