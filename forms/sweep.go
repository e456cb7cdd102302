package forms

import (
	"context"

	"formonce/internal/postgres"
)

const sweepBatch = 5_000

// The rows are locked and looked at again, since an erasure may just be giving a tombstone a longer life.
const sweepTombstones = `
DELETE FROM tombstones USING (
    SELECT tenant_id, endpoint_id, key_hash FROM tombstones WHERE expires_at <= now()
    ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED
) AS expired
WHERE tombstones.tenant_id = expired.tenant_id AND tombstones.endpoint_id = expired.endpoint_id
    AND tombstones.key_hash = expired.key_hash`

// Sweep removes the tombstones that have expired, oldest first and in bounded batches. Any number of processes may sweep
// at the same time.
func (in *Inbox) Sweep(ctx context.Context) error {
	for {
		swept, err := in.db.Pool.Exec(ctx, sweepTombstones, sweepBatch)
		if err != nil {
			return postgres.Fault("sweep tombstones", err)
		}

		if swept.RowsAffected() < sweepBatch {
			return nil
		}
	}
}
