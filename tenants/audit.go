package tenants

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/id"
	"formonce/internal/moment"
)

const insertAudit = `
INSERT INTO audit_log (tenant_id, id, at, actor_kind, actor_id, actor_name, action, target, changes, address, agent, request_id)
VALUES ($1, $2, $3, $4, NULLIF($5, '00000000-0000-0000-0000-000000000000'::uuid), $6, $7, $8, $9, $10, $11, $12)`

// Change is one thing that happened to a tenant's things, for its audit log.
type Change struct {
	// Action is a thing and what was done to it, such as "endpoint.updated".
	Action string
	// Target is the public id of what was changed.
	Target string
	// Details say what changed, by the wire names of settings. They never hold a secret or a submitted value.
	Details map[string]any
}

// Record adds to the tenant's audit log, within the transaction that makes the change: none is without the other. Who it
// was is taken from the context; see WithActor.
func Record(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, change Change) error {
	details := []byte("{}")

	if len(change.Details) > 0 {
		var err error
		if details, err = json.Marshal(change.Details); err != nil {
			return fmt.Errorf("write the details of %s: %w", change.Action, err)
		}
	}

	actor := ActorOf(ctx)
	_, err := tx.Exec(ctx, insertAudit, tenantID, id.New(), moment.Now(), actor.Kind, actor.ID, actor.Name,
		change.Action, change.Target, details, actor.Address, actor.Agent, actor.RequestID)

	return err
}
