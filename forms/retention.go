package forms

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/moment"
	"formonce/internal/postgres"
	"formonce/tenants"
)

const (
	// RetainEvery is how often Retain should run: retention is counted in days.
	RetainEvery = time.Hour
	// retainBatch bounds one transaction, and how much of an interrupted pass is done again.
	retainBatch = 1_000
)

// Eraser removes in the background what is to be there no longer. Any number of processes may run its passes at the same
// time, and a pass that was interrupted is finished by the next one.
type Eraser struct {
	db  *postgres.DB
	log *slog.Logger
}

// NewEraser returns an Eraser over db that logs how much it erased, by ids only.
func NewEraser(db *postgres.DB, log *slog.Logger) *Eraser { return &Eraser{db: db, log: log} }

const endpointsThatForget = `
SELECT tenant_id, id, retention_days FROM endpoints WHERE retention_days IS NOT NULL AND (tenant_id, id) > ($1, $2)
ORDER BY tenant_id, id LIMIT 500`

// The setting is looked at again: its owner may have just given the submissions a longer life. What another process has in
// hands is left to it.
const dueSubmissions = `
SELECT s.id FROM endpoints AS e JOIN submissions AS s ON s.tenant_id = e.tenant_id AND s.endpoint_id = e.id
WHERE e.tenant_id = $1 AND e.id = $2 AND s.tenant_id = $1 AND s.endpoint_id = $2 AND s.id < $3
    AND s.received_at < now() - make_interval(days => e.retention_days)
ORDER BY s.id LIMIT $4 FOR UPDATE OF s SKIP LOCKED`

type forgetful struct {
	TenantID      uuid.UUID
	EndpointID    string
	RetentionDays int
}

// Retain erases the submissions that are older than their endpoint keeps them, and leaves tombstones like Inbox.Erase.
func (e *Eraser) Retain(ctx context.Context) error {
	var last forgetful

	for {
		rows, err := e.db.Pool.Query(ctx, endpointsThatForget, last.TenantID, last.EndpointID)
		if err != nil {
			return postgres.Fault("look for endpoints with a retention", err)
		}

		found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[forgetful])
		if err != nil {
			return postgres.Fault("look for endpoints with a retention", err)
		}

		if len(found) == 0 {
			return nil
		}

		for _, endpoint := range found {
			if err := e.retain(ctx, endpoint); err != nil {
				return postgres.Fault("erase submissions past their retention", err)
			}
		}

		last = found[len(found)-1]
	}
}

func (e *Eraser) retain(ctx context.Context, endpoint forgetful) error {
	total := 0

	defer func() {
		e.tell(ctx, "retention", endpoint.TenantID, endpoint.EndpointID, total)
	}()

	for {
		erased, err := e.retainSome(ctx, endpoint)
		total += erased

		if err != nil || erased < retainBatch {
			return err
		}
	}
}

func (e *Eraser) retainSome(ctx context.Context, of forgetful) (int, error) {
	// Ids tell the time of this machine, the submissions that of the machine that received them.
	end := firstIDAt(moment.Now().AddDate(0, 0, -of.RetentionDays).Add(clockSlack))
	erased := 0

	err := postgres.InTx(ctx, e.db.Pool, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, dueSubmissions, of.TenantID, of.EndpointID, end, retainBatch)
		if err != nil {
			return err
		}

		due, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		if err != nil || len(due) == 0 {
			return err
		}

		gone, err := tx.Exec(ctx, eraseSubmissions, of.TenantID, due)
		if err != nil {
			return err
		}

		erased = int(gone.RowsAffected())

		return tenants.Record(ctx, tx, of.TenantID, tenants.Change{
			Action: "submissions.expired", Target: of.EndpointID,
			Details: map[string]any{"count": erased, "retention_days": of.RetentionDays},
		})
	})

	return erased, err
}

func (e *Eraser) tell(ctx context.Context, why string, tenantID uuid.UUID, endpointID string, count int) {
	if count == 0 {
		return
	}

	e.log.LogAttrs(ctx, slog.LevelInfo, "Submissions were erased.", slog.String("why", why),
		slog.String("tenant", tenants.PublicID(tenantID)), slog.String("endpoint", endpointID), slog.Int("count", count))
}
