package forms

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const findSubmissions = `
SELECT tenant_id, id, endpoint_id, received_at, status, rule_version, schema_version, family, order_ignored,
    COALESCE(honeypot, ''), fields, COALESCE(reply_to, ''), COALESCE(subject, ''), COALESCE(language, '')
FROM submissions WHERE tenant_id = $1 AND id = ANY($2) ORDER BY id DESC`

// What other tables know about submissions, asked about all of them at once: as subqueries these would be asked, and checked
// by row-level security, once for each row.
const (
	countReplays = `
SELECT submission_id, count(*) FROM replays WHERE tenant_id = $1 AND submission_id = ANY($2) GROUP BY submission_id`

	findMarks = `
SELECT submission_id, ARRAY[starred, read_at IS NOT NULL] FROM submission_marks
WHERE tenant_id = $1 AND submission_id = ANY($2)`

	findTags = `
SELECT submission_id, array_agg(tag ORDER BY tag) FROM submission_tags
WHERE tenant_id = $1 AND submission_id = ANY($2) GROUP BY submission_id`
)

// submissionsByID reads the submissions that are still there, with all that is known about them, the newest first.
func submissionsByID(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, ids []uuid.UUID) ([]Submission, error) {
	if len(ids) == 0 {
		return nil, nil
	}

	var found []Submission

	byID := map[uuid.UUID]*Submission{}
	batch := &pgx.Batch{}

	batch.Queue(findSubmissions, tenantID, ids).Query(func(rows pgx.Rows) (err error) {
		found, err = pgx.CollectRows(rows, scanSubmission)
		for i := range found {
			byID[found[i].ID] = &found[i]
		}

		return err
	})

	args := []any{tenantID, ids}
	ask(batch, byID, countReplays, args, func(s *Submission, count int) { s.ReplayCount = count })
	ask(batch, byID, findMarks, args, func(s *Submission, marks []bool) { s.Starred, s.Read = marks[0], marks[1] })
	ask(batch, byID, findTags, args, func(s *Submission, tags []string) { s.Tags = tags })

	err := tx.SendBatch(ctx, batch).Close()

	return found, err
}

func scanSubmission(row pgx.CollectableRow) (Submission, error) {
	var (
		s      Submission
		fields []byte
	)

	err := row.Scan(&s.TenantID, &s.ID, &s.EndpointID, &s.ReceivedAt, &s.Status, &s.Rules.Version, &s.Rules.Schema,
		&s.Rules.Family, &s.Rules.OrderIgnored, &s.Rules.Honeypot, &fields, &s.ReplyTo, &s.Subject, &s.Language)
	if err != nil {
		return s, err
	}

	s.ReceivedAt = s.ReceivedAt.UTC()
	s.Fields, err = DecodeFields(fields)

	return s, err
}

// ask adds a question whose rows have a submission's id and what is known about it. There is none for a submission that
// was erased since the first question.
func ask[T any](about *pgx.Batch, byID map[uuid.UUID]*Submission, question string, args []any, set func(s *Submission, known T)) {
	about.Queue(question, args...).Query(func(rows pgx.Rows) error {
		var (
			submissionID uuid.UUID
			known        T
		)

		_, err := pgx.ForEachRow(rows, []any{&submissionID, &known}, func() error {
			if s, found := byID[submissionID]; found {
				set(s, known)
			}

			return nil
		})

		return err
	})
}
