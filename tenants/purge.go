package tenants

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/postgres"
)

const (
	dueAccounts = `
SELECT id FROM logins WHERE delete_after <= now() ORDER BY delete_after LIMIT 100`
	lockDueAccount = `SELECT id FROM logins WHERE id = $1 AND delete_after <= now() FOR UPDATE`
	// A tenant that a person has made since they left, and in which nobody else is, ends with them.
	closeLeft = `
UPDATE tenants SET delete_after = COALESCE(delete_after, now()), status = CASE status WHEN 'active' THEN 'closing' ELSE status END
WHERE id = ANY ($1)`
	deleteOwnKeys = `
DELETE FROM api_keys k USING members m WHERE m.login_id = $1 AND k.tenant_id = m.tenant_id AND k.created_by = m.id`
	deleteOwnInvitations = `DELETE FROM invitations i USING logins l WHERE l.id = $1 AND i.email = l.email`
	deleteMemberships    = `DELETE FROM members WHERE login_id = $1`
	deleteLogin          = `DELETE FROM logins WHERE id = $1`
)

// PurgeAccounts erases the accounts whose time has come, with everything of them: memberships, sessions, factors, links,
// mails, and the API keys that they have made. One that still owns a tenant in which they are alone waits until that is
// erased; see Due. It may be called at any time, by several processes, and again after it was interrupted.
func (r *Registry) PurgeAccounts(ctx context.Context) error {
	rows, err := r.db.Pool.Query(ctx, dueAccounts)
	if err != nil {
		return postgres.Fault("list accounts to erase", err)
	}

	due, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return postgres.Fault("list accounts to erase", err)
	}

	var faults []error
	for _, loginID := range due {
		faults = append(faults, r.purge(ctx, loginID))
	}

	return errors.Join(faults...)
}

func (r *Registry) purge(ctx context.Context, loginID uuid.UUID) error {
	err := postgres.InTx(ctx, r.db.Pool, func(tx pgx.Tx) error {
		found, err := collectIDs(ctx, tx, lockDueAccount, loginID)
		if err != nil || len(found) == 0 {
			return err
		}

		alone, err := leavable(ctx, tx, loginID)
		if err != nil {
			return err
		}

		if len(alone) > 0 {
			_, err := tx.Exec(ctx, closeLeft, alone)
			return err
		}

		gone := Client{}
		if err := recordEverywhere(ctx, tx, loginID, gone, Change{
			Action: "member.erased", Target: publicLoginID(loginID),
		}); err != nil {
			return err
		}

		for _, statement := range []string{deleteOwnKeys, deleteOwnInvitations, deleteMemberships, deleteLogin} {
			if _, err := tx.Exec(ctx, statement, loginID); err != nil {
				return err
			}
		}

		return nil
	})

	return postgres.Fault("erase an account", err)
}
