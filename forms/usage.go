package forms

import (
	"context"
	"time"

	"github.com/google/uuid"

	"formonce/internal/moment"
	"formonce/internal/postgres"
)

// Usage is what an endpoint has taken.
type Usage struct {
	// Month is the current one in UTC, as 2006-01.
	Month     string
	ThisMonth Counts
	// Total are all that are stored.
	Total Counts
	// LastReceivedAt is zero when nothing is stored.
	LastReceivedAt time.Time
}

const usageOf = `
SELECT
    (SELECT count(*) FROM submissions WHERE tenant_id = $1 AND endpoint_id = $2),
    (SELECT count(*) FROM submissions WHERE tenant_id = $1 AND endpoint_id = $2 AND id >= $3),
    (SELECT count(*) FROM submissions WHERE tenant_id = $1 AND endpoint_id = $2
        AND status <> 'accepted' AND status = 'spam'),
    (SELECT count(*) FROM submissions WHERE tenant_id = $1 AND endpoint_id = $2 AND id >= $3
        AND status <> 'accepted' AND status = 'spam'),
    replayed.total, replayed.this_month,
    (SELECT received_at FROM submissions WHERE tenant_id = $1 AND endpoint_id = $2 ORDER BY id DESC LIMIT 1)
FROM (
    SELECT count(*) AS total, count(*) FILTER (WHERE s.id >= $3) AS this_month
    FROM replays AS r JOIN submissions AS s ON s.tenant_id = r.tenant_id AND s.id = r.submission_id
    WHERE r.tenant_id = $1 AND s.endpoint_id = $2
) AS replayed`

// Usage counts what the endpoint has taken, in this month and in all. The error is the Fault endpoint_not_found.
func (r *Reports) Usage(ctx context.Context, tenantID uuid.UUID, endpointID string) (Usage, error) {
	now := moment.Now()
	month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	usage := Usage{Month: month.Format("2006-01")}

	err := r.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		if _, err := get(s.Gorm, tenantID, endpointID); err != nil {
			return err
		}

		var last *time.Time

		err := s.Tx.QueryRow(ctx, usageOf, tenantID, endpointID, firstIDAt(month)).Scan(
			&usage.Total.Received, &usage.ThisMonth.Received, &usage.Total.Spam, &usage.ThisMonth.Spam,
			&usage.Total.ReplaysPrevented, &usage.ThisMonth.ReplaysPrevented, &last)
		if last != nil {
			usage.LastReceivedAt = last.UTC()
		}

		return err
	})

	return usage, postgres.Fault("count an endpoint's submissions", err)
}
