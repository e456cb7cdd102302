package tenants

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/postgres"
)

const (
	// The order keeps two people who leave the same tenants from waiting for each other.
	lockOwnTenants = `
SELECT t.id FROM tenants t WHERE t.id IN (SELECT tenant_id FROM members WHERE login_id = $1) ORDER BY t.id FOR NO KEY UPDATE`
	// Where the person is the only owner who stays: with others beside them, or alone.
	listOwned = `
SELECT t.id, t.name, EXISTS (SELECT FROM members o WHERE o.tenant_id = m.tenant_id AND o.login_id <> m.login_id)
FROM members m JOIN tenants t ON t.id = m.tenant_id
WHERE m.login_id = $1 AND m.role = 'owner' AND NOT EXISTS (
    SELECT FROM members o JOIN logins l ON l.id = o.login_id
    WHERE o.tenant_id = m.tenant_id AND o.login_id <> m.login_id AND o.role = 'owner' AND l.delete_after IS NULL)
ORDER BY t.id`
	closeAccount = `UPDATE logins SET delete_after = now() + $2::interval WHERE id = $1 AND delete_after IS NULL RETURNING delete_after`
	closeWithIt  = `UPDATE tenants SET delete_after = $2,
    status = CASE status WHEN 'active' THEN 'closing' ELSE status END WHERE id = ANY ($1) AND delete_after IS NULL RETURNING id`
	reopenAccount = `
UPDATE logins SET delete_after = NULL FROM (SELECT id, delete_after AS was FROM logins WHERE id = $1 FOR UPDATE) AS before
WHERE logins.id = before.id AND was > now() RETURNING was`
	// What was closed in the same moment was closed along with the account.
	reopenWithIt = `
UPDATE tenants SET delete_after = NULL, status = CASE status WHEN 'closing' THEN 'active' ELSE status END
WHERE delete_after = $2 AND id IN (SELECT tenant_id FROM members WHERE login_id = $1 AND role = 'owner') RETURNING id`
)

var (
	errAccountIsClosing  = fault.New(fault.Conflict, "account_closing", "Your account is going to be deleted already.")
	errAccountNotClosing = fault.New(fault.Conflict, "account_not_closing", "Your account is not going to be deleted.")
)

// Closed is what a person's account takes with it.
type Closed struct {
	DeleteAfter time.Time
	// Tenants are those in which the person is alone: they receive nothing any more, and are erased with the account. Caches
	// that know their endpoints have to be told.
	Tenants []uuid.UUID
}

// Close lets a person's account be deleted after Grace, and ends all their sessions. It is refused with the Fault last_owner,
// whose details list the tenants, where others would be left without an owner.
func (a *Accounts) Close(ctx context.Context, loginID uuid.UUID, proof Proof, client Client) (Closed, error) {
	if err := a.confirm(ctx, loginID, proof, client); err != nil {
		return Closed{}, err
	}

	var closed Closed

	err := postgres.InTx(ctx, a.db.Pool, func(tx pgx.Tx) error {
		if _, err := lockedAccount(ctx, tx, loginID); err != nil {
			return err
		}

		alone, err := leavable(ctx, tx, loginID)
		if err != nil {
			return err
		}

		err = tx.QueryRow(ctx, closeAccount, loginID, Grace).Scan(&closed.DeleteAfter)
		if errors.Is(err, pgx.ErrNoRows) {
			return errAccountIsClosing
		}

		if err != nil {
			return err
		}

		if closed.Tenants, err = collectIDs(ctx, tx, closeWithIt, alone, closed.DeleteAfter); err != nil {
			return err
		}

		if err := a.farewell(ctx, tx, loginID, closed.DeleteAfter, client); err != nil {
			return err
		}

		_, err = endSessions(ctx, tx, loginID, uuid.UUID{}, uuid.UUID{})

		return err
	})

	return closed, postgres.Fault("close an account", err)
}

// leavable returns the tenants in which the person is alone, and refuses while there is one that would have no owner. Nobody
// can become or cease to be an owner of any of them until the transaction ends.
func leavable(ctx context.Context, tx pgx.Tx, loginID uuid.UUID) ([]uuid.UUID, error) {
	if _, err := collectIDs(ctx, tx, lockOwnTenants, loginID); err != nil {
		return nil, err
	}

	type owned struct {
		ID     uuid.UUID
		Name   string
		Others bool
	}

	rows, err := tx.Query(ctx, listOwned, loginID)
	if err != nil {
		return nil, err
	}

	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[owned])
	if err != nil {
		return nil, err
	}

	var (
		alone  []uuid.UUID
		needed []map[string]string
	)

	for _, tenant := range found {
		if tenant.Others {
			needed = append(needed, map[string]string{"id": PublicID(tenant.ID), "name": tenant.Name})
		} else {
			alone = append(alone, tenant.ID)
		}
	}

	if len(needed) > 0 {
		return nil, fault.New(fault.Conflict, errLastOwner.Code,
			"Others are left without an owner. Make somebody else an owner of each of these tenants first, or delete them.").
			With("tenants", needed)
	}

	return alone, nil
}

func collectIDs(ctx context.Context, tx pgx.Tx, sql string, args ...any) ([]uuid.UUID, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}

	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}

func (a *Accounts) farewell(
	ctx context.Context, tx pgx.Tx, loginID uuid.UUID, when time.Time, client Client,
) error {
	var email, name string
	if err := tx.QueryRow(ctx, findRecipient, loginID).Scan(&email, &name); err != nil {
		return err
	}

	err := a.mailbox.enqueue(ctx, tx, order{
		kind: "account.closing", to: email, loginID: loginID, words: words{"when": writeDay(when)},
	})
	if err != nil {
		return err
	}

	return recordEverywhere(ctx, tx, loginID, client, Change{Action: "account.closing", Target: publicLoginID(loginID)})
}

// Restore undoes Close, together with what was closed along with the account.
func (a *Accounts) Restore(ctx context.Context, loginID uuid.UUID, client Client) (reopened []uuid.UUID, err error) {
	err = postgres.InTx(ctx, a.db.Pool, func(tx pgx.Tx) error {
		var was time.Time

		err := tx.QueryRow(ctx, reopenAccount, loginID).Scan(&was)
		if errors.Is(err, pgx.ErrNoRows) {
			return errAccountNotClosing
		}

		if err != nil {
			return err
		}

		if reopened, err = collectIDs(ctx, tx, reopenWithIt, loginID, was); err != nil {
			return err
		}

		return recordEverywhere(ctx, tx, loginID, client, Change{Action: "account.restored", Target: publicLoginID(loginID)})
	})

	return reopened, postgres.Fault("restore an account", err)
}
