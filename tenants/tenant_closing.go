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

// Grace is how long the deletion of a tenant or an account can be undone.
const Grace = 14 * 24 * time.Hour

const (
	closeTenant = `
UPDATE tenants SET status = 'closing', delete_after = now() + $2::interval
WHERE id = $1 AND status = 'active' RETURNING delete_after`
	// Whoever restores and whoever erases ask the same clock, so that only one of them can go on.
	restoreTenant = `
UPDATE tenants SET status = CASE status WHEN 'closing' THEN 'active' ELSE status END, delete_after = NULL
WHERE id = $1 AND delete_after > now()`
	listOwners = `
SELECT l.id, l.email FROM members m JOIN logins l ON l.id = m.login_id WHERE m.tenant_id = $1 AND m.role = 'owner' ORDER BY m.id`
	dueTenants = `SELECT id FROM tenants WHERE delete_after <= now() ORDER BY delete_after LIMIT 100`
)

var (
	errConfirmSlug = fault.New(fault.Unprocessable, "confirmation_needed",
		"Nothing was deleted. Repeat the tenant's slug in the member confirm.").In("confirm")
	errNotClosing = fault.New(fault.Conflict, "tenant_not_closing", "This tenant is not going to be deleted.")
	errIsClosing  = fault.New(fault.Forbidden, "tenant_closing",
		"This tenant is going to be deleted. An owner can restore it until then.")
)

// Close lets a tenant be deleted after Grace: from now on it receives nothing, and its members may only look. The slug has to
// be repeated. Every owner gets a mail. Caches that know the endpoints have to be told as well.
func (r *Registry) Close(ctx context.Context, tenantID uuid.UUID, confirm string) (Tenant, error) {
	var closed Tenant

	err := r.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		current, err := ownRow(s.Gorm, tenantID)
		if err != nil {
			return err
		}

		if confirm != current.Slug {
			return errConfirmSlug
		}

		var when time.Time

		err = s.Tx.QueryRow(ctx, closeTenant, tenantID, Grace).Scan(&when)
		if errors.Is(err, pgx.ErrNoRows) {
			return errIsClosing
		}

		if err != nil {
			return err
		}

		closed = current
		closed.Status, closed.DeleteAfter = Closing, &when

		if err := r.tellOwners(ctx, s.Tx, &closed); err != nil {
			return err
		}

		return Record(ctx, s.Tx, tenantID, Change{Action: "tenant.closing", Target: PublicID(tenantID)})
	})

	return closed, postgres.Fault("close a tenant", err)
}

func (r *Registry) tellOwners(ctx context.Context, tx pgx.Tx, closed *Tenant) error {
	if r.Mailbox == nil {
		return nil
	}

	type owner struct {
		LoginID uuid.UUID
		Email   string
	}

	rows, err := tx.Query(ctx, listOwners, closed.ID)
	if err != nil {
		return err
	}

	owners, err := pgx.CollectRows(rows, pgx.RowToStructByPos[owner])
	if err != nil {
		return err
	}

	for _, one := range owners {
		err := r.Mailbox.enqueue(ctx, tx, order{
			kind: kindTenantClosing, to: one.Email, tenantID: closed.ID, loginID: one.LoginID,
			words: words{"tenant": closed.Name, "who": ActorOf(ctx).Name, "when": writeDay(*closed.DeleteAfter)},
		})
		if err != nil {
			return err
		}
	}

	return nil
}

// writeDay is a time for people all over the world.
func writeDay(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 UTC") }

// Restore undoes Close, as long as nothing was erased.
func (r *Registry) Restore(ctx context.Context, tenantID uuid.UUID) (Tenant, error) {
	var restored Tenant

	err := r.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		changed, err := s.Tx.Exec(ctx, restoreTenant, tenantID)
		if err == nil && changed.RowsAffected() == 0 {
			err = errNotClosing
		}

		if err != nil {
			return err
		}

		if restored, err = ownRow(s.Gorm, tenantID); err != nil {
			return err
		}

		return Record(ctx, s.Tx, tenantID, Change{Action: "tenant.restored", Target: PublicID(tenantID)})
	})

	return restored, postgres.Fault("restore a tenant", err)
}

// Due lists tenants whose time has come: they can be restored no more, and everything of them is to be erased.
func (r *Registry) Due(ctx context.Context) ([]uuid.UUID, error) {
	rows, err := r.db.Pool.Query(ctx, dueTenants)
	if err != nil {
		return nil, postgres.Fault("list tenants to erase", err)
	}

	found, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])

	return found, postgres.Fault("list tenants to erase", err)
}
