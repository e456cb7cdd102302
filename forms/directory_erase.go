package forms

import (
	"context"

	"github.com/google/uuid"
	"gorm.io/gorm/clause"

	"formonce/internal/postgres"
	"formonce/tenants"
)

const (
	removeEndpoint = `DELETE FROM endpoints WHERE tenant_id = $1 AND id = $2`
	giveUpAddress  = `SELECT give_up_address($1)`
	oweErasure     = `INSERT INTO endpoint_erasures (tenant_id, endpoint_id) VALUES ($1, $2)`
)

// Erase removes an endpoint. Its address is given up at once and for good, so that every retry is a 404 within a second and
// nobody else ever gets what is still posted there; from then on nobody sees its submissions. They are erased in the
// background, see Eraser.FinishEndpoints. With a revision other than 0 it removes nothing but that one; see
// Endpoint.Revision. The errors are the Faults endpoint_not_found and precondition_failed.
func (d *Directory) Erase(ctx context.Context, tenantID uuid.UUID, endpointID string, revision int64) error {
	err := d.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		current, err := get(s.Gorm.Clauses(clause.Locking{Strength: "UPDATE"}), tenantID, endpointID)
		if err != nil {
			return err
		}

		if revision != 0 && revision != current.Revision {
			return errChanged
		}

		if _, err := s.Tx.Exec(ctx, removeEndpoint, tenantID, endpointID); err != nil {
			return err
		}

		if _, err := s.Tx.Exec(ctx, giveUpAddress, endpointID); err != nil {
			return err
		}

		if _, err := s.Tx.Exec(ctx, oweErasure, tenantID, endpointID); err != nil {
			return err
		}

		return tenants.Record(ctx, s.Tx, tenantID, tenants.Change{
			Action: "endpoint.erased", Target: endpointID, Details: map[string]any{"name": current.Name},
		})
	})

	return postgres.Fault("erase an endpoint", err)
}
