package tenants

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/postgres"
)

const (
	// The hashes of the keys go with them.
	deleteKeys    = `DELETE FROM api_keys WHERE tenant_id = $1`
	deleteMembers = `DELETE FROM members WHERE tenant_id = $1 RETURNING login_id`
	deleteLog     = `DELETE FROM audit_log WHERE tenant_id = $1`
	deleteAnswers = `DELETE FROM answered_requests WHERE tenant_id = $1`
	deleteInvites = `DELETE FROM invitations WHERE tenant_id = $1`
	deleteTenant  = `DELETE FROM tenants WHERE id = $1`
	deleteLogins  = `
DELETE FROM logins WHERE id = ANY ($1)
AND NOT EXISTS (SELECT FROM members WHERE members.login_id = logins.id)`
)

// Delete removes a tenant with its members and keys, and the logins that belong to nobody then. It refuses with the Fault
// tenant_has_endpoints while the tenant has endpoints, and with tenant_not_found where there is no such tenant.
func (r *Registry) Delete(ctx context.Context, tenantID uuid.UUID) error {
	err := postgres.InTx(ctx, r.db.Pool, func(tx pgx.Tx) error {
		for _, statement := range []string{deleteKeys, deleteLog, deleteAnswers, deleteInvites} {
			if _, err := tx.Exec(ctx, statement, tenantID); err != nil {
				return err
			}
		}

		people, err := removeMembers(ctx, tx, tenantID)
		if err != nil {
			return err
		}

		if err := removeTenant(ctx, tx, tenantID); err != nil {
			return err
		}

		return removeLogins(ctx, tx, people)
	})

	return postgres.Fault("delete a tenant", err)
}

func removeMembers(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID) ([]uuid.UUID, error) {
	rows, err := tx.Query(ctx, deleteMembers, tenantID)
	if err != nil {
		return nil, err
	}

	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}

func removeTenant(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID) error {
	removed, err := tx.Exec(ctx, deleteTenant, tenantID)
	if postgres.ForeignKeyViolation(err) {
		return errHasEndpoints
	}

	if err == nil && removed.RowsAffected() == 0 {
		return ErrNotFound
	}

	return err
}

// removeLogins can meet a person who joins another tenant at this very moment; the same deletion works a moment later.
func removeLogins(ctx context.Context, tx pgx.Tx, people []uuid.UUID) error {
	_, err := tx.Exec(ctx, deleteLogins, people)
	if postgres.ForeignKeyViolation(err) {
		return postgres.ErrUnavailable.Because(err)
	}

	return err
}
