package forms

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/postgres"
	"formonce/tenants"
)

// An older tombstone of the same key may still stand; the one that lasts longer wins. Everything else that hangs on a
// submission goes with it by its foreign keys.
const eraseSubmissions = `
WITH erased AS (
    DELETE FROM submissions WHERE tenant_id = $1 AND id = ANY($2) RETURNING id, endpoint_id, key_hash
), remembered AS (
    INSERT INTO tombstones (tenant_id, endpoint_id, key_hash, expires_at)
    SELECT $1, e.endpoint_id, e.key_hash, now() + make_interval(days => p.tombstone_days)
    FROM erased AS e JOIN endpoints AS p ON p.tenant_id = $1 AND p.id = e.endpoint_id
    WHERE e.key_hash IS NOT NULL AND p.tombstone_days > 0
    ON CONFLICT (tenant_id, endpoint_id, key_hash) DO UPDATE
    SET expires_at = greatest(tombstones.expires_at, excluded.expires_at)
)
SELECT id, endpoint_id FROM erased ORDER BY id`

// Erase removes a submission and all that hangs on it. Of its key a hash stays for the endpoint's tombstone days, so
// that a late retry is refused instead of being accepted as new.
func (in *Inbox) Erase(ctx context.Context, tenantID, submissionID uuid.UUID) error {
	err := in.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		erased, err := eraseIn(ctx, s.Tx, tenantID, []uuid.UUID{submissionID})
		if err == nil && len(erased) == 0 {
			return errSubmissionNotFound
		}

		return err
	})

	return postgres.Fault("erase a submission", err)
}

// eraseIn erases those of the submissions that are there and returns their ids. The audit log gets a line for each, since
// nothing else will tell that it was there.
func eraseIn(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, ids []uuid.UUID) ([]uuid.UUID, error) {
	type gone struct {
		ID         uuid.UUID
		EndpointID string
	}

	rows, err := tx.Query(ctx, eraseSubmissions, tenantID, ids)
	if err != nil {
		return nil, err
	}

	erased, err := pgx.CollectRows(rows, pgx.RowToStructByPos[gone])
	if err != nil {
		return nil, err
	}

	found := make([]uuid.UUID, len(erased))

	for i, one := range erased {
		found[i] = one.ID

		err := tenants.Record(ctx, tx, tenantID, tenants.Change{
			Action: "submission.erased", Target: PublicID(one.ID), Details: map[string]any{"endpoint_id": one.EndpointID},
		})
		if err != nil {
			return nil, err
		}
	}

	return found, nil
}

const (
	eraseBatch = 5_000

	eraseSomeSubmissions = `
DELETE FROM submissions WHERE tenant_id = $1 AND id IN (
    SELECT id FROM submissions WHERE tenant_id = $1 ORDER BY id LIMIT $2)`

	anySubmissionLeft = `SELECT EXISTS (SELECT FROM submissions WHERE tenant_id = $1)`
)

// EraseTenant removes everything that the tenant has here: its endpoints, whose addresses nobody gets again, its
// submissions and its tombstones. It may be called again when it was interrupted. The tenant must be suspended: nothing
// may be accepted behind the eraser's back.
func (d *Directory) EraseTenant(ctx context.Context, tenantID uuid.UUID) error {
	for _, statement := range []string{
		"DELETE FROM endpoints WHERE tenant_id = $1",
		"UPDATE endpoint_directory SET tenant_id = NULL, changed_at = clock_timestamp() WHERE tenant_id = $1",
	} {
		if _, err := d.db.Pool.Exec(ctx, statement, tenantID); err != nil {
			return postgres.Fault("erase a tenant's endpoints", err)
		}
	}

	for left := true; left; {
		if _, err := d.db.Pool.Exec(ctx, eraseSomeSubmissions, tenantID, eraseBatch); err != nil {
			return postgres.Fault("erase a tenant's submissions", err)
		}

		// A batch that was not full is not the last one: others may have erased some of it at the same time.
		if err := d.db.Pool.QueryRow(ctx, anySubmissionLeft, tenantID).Scan(&left); err != nil {
			return postgres.Fault("erase a tenant's submissions", err)
		}
	}

	_, err := d.db.Pool.Exec(ctx, "DELETE FROM tombstones WHERE tenant_id = $1", tenantID)

	return postgres.Fault("erase a tenant's tombstones", err)
}
