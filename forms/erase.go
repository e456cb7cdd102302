package forms

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/postgres"
	"formonce/tenants"
)

const eraseSubmission = `
DELETE FROM submissions WHERE tenant_id = $1 AND id = $2 RETURNING endpoint_id, key_hash`

// An older tombstone of the same key may still stand; the one that lasts longer wins.
const leaveTombstone = `
INSERT INTO tombstones (tenant_id, endpoint_id, key_hash, expires_at)
SELECT $1, $2, $3, now() + make_interval(days => tombstone_days)
FROM endpoints WHERE tenant_id = $1 AND id = $2 AND tombstone_days > 0 AND $3::bytea IS NOT NULL
ON CONFLICT (tenant_id, endpoint_id, key_hash) DO UPDATE
SET expires_at = greatest(tombstones.expires_at, excluded.expires_at)`

// Erase removes a submission and all that hangs on it. Of its key a hash stays for the endpoint's tombstone days, so
// that a late retry is refused instead of being accepted as new.
func (in *Inbox) Erase(ctx context.Context, tenantID, submissionID uuid.UUID) error {
	err := in.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		var (
			endpointID string
			keyHash    []byte
		)

		err := s.Tx.QueryRow(ctx, eraseSubmission, tenantID, submissionID).Scan(&endpointID, &keyHash)
		if errors.Is(err, pgx.ErrNoRows) {
			return errSubmissionNotFound
		}

		if err != nil {
			return err
		}

		if _, err = s.Tx.Exec(ctx, leaveTombstone, tenantID, endpointID, keyHash); err != nil {
			return err
		}

		return tenants.Record(ctx, s.Tx, tenantID, tenants.Change{
			Action: "submission.erased", Target: PublicID(submissionID), Details: map[string]any{"endpoint_id": endpointID},
		})
	})

	return postgres.Fault("erase a submission", err)
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
