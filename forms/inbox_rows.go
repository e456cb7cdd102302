package forms

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// The subqueries run once for each row of a page; a join that groups would look at the whole tables.
const findSubmissions = `
SELECT s.tenant_id, s.id, s.endpoint_id, s.received_at, s.status, s.rule_version, s.schema_version, s.family,
    s.order_ignored, COALESCE(s.honeypot, ''), s.fields, COALESCE(s.reply_to, ''), COALESCE(s.subject, ''),
    COALESCE(s.language, ''), COALESCE(m.starred, false), m.read_at,
    (SELECT count(*) FROM replays AS r WHERE r.tenant_id = s.tenant_id AND r.submission_id = s.id),
    ARRAY(SELECT t.tag FROM submission_tags AS t WHERE t.tenant_id = s.tenant_id AND t.submission_id = s.id ORDER BY t.tag)
FROM submissions AS s LEFT JOIN submission_marks AS m ON m.tenant_id = s.tenant_id AND m.submission_id = s.id
WHERE s.tenant_id = $1 AND s.id = ANY($2) ORDER BY s.id DESC`

// submissionsByID reads the submissions that are still there, with what other tables know about them, the newest first.
func submissionsByID(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, ids []uuid.UUID) ([]Submission, error) {
	if len(ids) == 0 {
		return nil, nil
	}

	rows, err := tx.Query(ctx, findSubmissions, tenantID, ids)
	if err != nil {
		return nil, err
	}

	return pgx.CollectRows(rows, scanSubmission)
}

func scanSubmission(row pgx.CollectableRow) (Submission, error) {
	var (
		s      Submission
		fields []byte
		readAt *time.Time
	)

	err := row.Scan(&s.TenantID, &s.ID, &s.EndpointID, &s.ReceivedAt, &s.Status, &s.Rules.Version, &s.Rules.Schema,
		&s.Rules.Family, &s.Rules.OrderIgnored, &s.Rules.Honeypot, &fields, &s.ReplyTo, &s.Subject, &s.Language,
		&s.Starred, &readAt, &s.ReplayCount, &s.Tags)
	if err != nil {
		return s, err
	}

	s.ReceivedAt, s.Read = s.ReceivedAt.UTC(), readAt != nil
	s.Fields, err = DecodeFields(fields)

	return s, err
}
