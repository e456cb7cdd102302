package forms

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/postgres"
)

// FinishEndpointsEvery is how often FinishEndpoints should run. It is cheap when there is nothing to do.
const FinishEndpointsEvery = 10 * time.Second

// settledAfter is when nothing can be accepted any more for an endpoint that is gone: longer than it is remembered by any
// process, plus the longest a request may take from there to its commit.
const settledAfter = 2 * time.Minute

const owedErasures = `SELECT tenant_id, endpoint_id FROM endpoint_erasures ORDER BY requested_at`

const eraseSomeOfEndpoint = `
DELETE FROM submissions WHERE tenant_id = $1 AND id IN (
    SELECT id FROM submissions WHERE tenant_id = $1 AND endpoint_id = $2 ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED)`

// Who erases the rest holds the row, so that two do not finish one endpoint.
const settledErasure = `
SELECT NOT EXISTS (SELECT FROM submissions WHERE tenant_id = $1 AND endpoint_id = $2)
    AND requested_at < now() - $3::interval
FROM endpoint_erasures WHERE tenant_id = $1 AND endpoint_id = $2 FOR UPDATE`

// restOfEndpoint is what else carries an endpoint's id. Its tombstones refuse nothing any more: the address is no endpoint.
var restOfEndpoint = []string{
	"DELETE FROM tombstones WHERE tenant_id = $1 AND endpoint_id = $2",
	"DELETE FROM endpoint_erasures WHERE tenant_id = $1 AND endpoint_id = $2",
}

// FinishEndpoints erases the submissions of the endpoints that Directory.Erase removed, and then forgets about those.
func (e *Eraser) FinishEndpoints(ctx context.Context) error {
	rows, err := e.db.Pool.Query(ctx, owedErasures)
	if err != nil {
		return postgres.Fault("look for endpoints that were removed", err)
	}

	type owed struct {
		TenantID   uuid.UUID
		EndpointID string
	}

	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[owed])
	if err != nil {
		return postgres.Fault("look for endpoints that were removed", err)
	}

	for _, one := range found {
		if err := e.finish(ctx, one.TenantID, one.EndpointID); err != nil {
			return postgres.Fault("erase the submissions of a removed endpoint", err)
		}
	}

	return nil
}

func (e *Eraser) finish(ctx context.Context, tenantID uuid.UUID, endpointID string) error {
	total := 0

	defer func() { e.tell(ctx, "endpoint erased", tenantID, endpointID, total) }()

	for {
		erased, err := e.db.Pool.Exec(ctx, eraseSomeOfEndpoint, tenantID, endpointID, retainBatch)
		if err != nil {
			return err
		}

		total += int(erased.RowsAffected())

		if erased.RowsAffected() < retainBatch {
			return e.settle(ctx, tenantID, endpointID)
		}
	}
}

func (e *Eraser) settle(ctx context.Context, tenantID uuid.UUID, endpointID string) error {
	return postgres.InTx(ctx, e.db.Pool, func(tx pgx.Tx) error {
		var settled bool

		err := tx.QueryRow(ctx, settledErasure, tenantID, endpointID, settledAfter).Scan(&settled)
		if errors.Is(err, pgx.ErrNoRows) || err == nil && !settled {
			return nil
		}

		if err != nil {
			return err
		}

		for _, statement := range restOfEndpoint {
			if _, err := tx.Exec(ctx, statement, tenantID, endpointID); err != nil {
				return err
			}
		}

		return nil
	})
}
