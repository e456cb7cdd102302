package tenants

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/id"
	"formonce/internal/moment"
	"formonce/internal/postgres"
)

const (
	invitationIDPrefix = "inv_"
	// invitationsAtOnce bound how many a tenant may have open, so that it is no means to write to everybody.
	invitationsAtOnce = 100
)

const (
	selectInvitations = `
SELECT id, email, role, invited_by, created_at, expires_at FROM invitations WHERE tenant_id = $1`
	pageOfInvitations = selectInvitations + ` AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`
	lockInvitation    = selectInvitations + ` AND id = $2 FOR UPDATE`
	// One that nobody has followed in time makes room for a new one to the same address.
	dropEndedInvitation = `DELETE FROM invitations WHERE tenant_id = $1 AND email = $2 AND expires_at <= now()`
	insertInvitation    = `
INSERT INTO invitations (tenant_id, id, email, role, invited_by, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (tenant_id, email) DO NOTHING`
	countInvitations = `SELECT count(*) FROM invitations WHERE tenant_id = $1 AND expires_at > now()`
	renewInvitation  = `UPDATE invitations SET expires_at = $3 WHERE tenant_id = $1 AND id = $2`
	dropInvitation   = `DELETE FROM invitations WHERE tenant_id = $1 AND id = $2 RETURNING email`
	findMemberByMail = `
SELECT EXISTS (SELECT FROM members m JOIN logins l ON l.id = m.login_id WHERE m.tenant_id = $1 AND l.email = $2)`
	findTenantName = `SELECT name FROM tenants WHERE id = $1`
)

// The refusals around invitations.
var (
	errInvitationNotFound = fault.New(fault.NotFound, "invitation_not_found",
		"There is no such invitation in this tenant. List the invitations to see those that are open.")
	errAlreadyInvited = fault.New(fault.Conflict, "already_invited",
		"This address has an open invitation already. Send that one again, or take it back first.")
	errAlreadyMember = fault.New(fault.Conflict, "already_member",
		"The person with this address is a member of this tenant already.")
	errTooManyInvitations = fault.New(fault.Conflict, "too_many_invitations",
		"A tenant has at most 100 open invitations. Take some back, or wait until they have been accepted.")
)

// Invitation asks an address to join a tenant.
type Invitation struct {
	ID    uuid.UUID
	Email string
	Role  Role
	// InvitedBy is the member who asked, who may be gone.
	InvitedBy            *uuid.UUID
	CreatedAt, ExpiresAt time.Time
}

// Invitations are the open invitations of tenants.
type Invitations struct {
	// Closed keeps people out who have no login yet. Set it before the first use.
	Closed bool

	db       *postgres.DB
	entrance *Entrance
	mailbox  *Mailbox
}

// PublicInvitationID shows an invitation's id to people and programs.
func PublicInvitationID(invitationID uuid.UUID) string {
	return id.Write(invitationIDPrefix, invitationID)
}

// ParseInvitationID is the inverse of PublicInvitationID; a text that is none is the Fault invitation_not_found.
func ParseInvitationID(text string) (uuid.UUID, error) {
	return parseID(invitationIDPrefix, text, errInvitationNotFound)
}

// List returns a page of the tenant's invitations, the newest first, and the cursor of the next page; empty on the last. A
// limit of 0 stands for 50.
func (i *Invitations) List(
	ctx context.Context, tenantID uuid.UUID, limit int, cursor string,
) ([]Invitation, string, error) {
	var before *uuid.UUID

	if cursor != "" {
		read, err := id.Parse(invitationIDPrefix, cursor)
		if err != nil {
			return nil, "", errCursor
		}

		before = &read
	}

	if limit == 0 {
		limit = pageSize
	}

	var found []Invitation

	err := i.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		rows, err := s.Tx.Query(ctx, pageOfInvitations, tenantID, before, limit+1)
		if err != nil {
			return err
		}

		found, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Invitation])

		return err
	})
	if err != nil || len(found) <= limit {
		return found, "", postgres.Fault("list invitations", err)
	}

	return found[:limit], PublicInvitationID(found[limit-1].ID), nil
}

// Allow counts a mail to the address against those who cause too many. Ask it before Create: it must not wait within a
// transaction.
func (i *Invitations) Allow(ctx context.Context, email string, client Client) error {
	return i.entrance.Guard.Spend(ctx, ActMail, plainEmail(email), client.Network)
}

// Create invites an address. The caller's own address must be proven, and the role not above theirs. The Faults beside those
// are already_invited and already_member.
func (i *Invitations) Create(ctx context.Context, caller Caller, email string, role Role) (Invitation, error) {
	now := moment.Now()
	made := Invitation{
		ID: id.New(), Email: plainEmail(email), Role: role, InvitedBy: &caller.MemberID,
		CreatedAt: now, ExpiresAt: now.Add(linkFor[toJoin]),
	}

	if !validEmail(made.Email) {
		return Invitation{}, fault.New(fault.Unprocessable, "invalid_email",
			"Give an e-mail address such as name@example.com.").In("email")
	}

	if !slices.Contains(Roles, role) {
		return Invitation{}, errUnknownRole
	}

	err := i.db.InScope(ctx, caller.TenantID, func(ctx context.Context, s *postgres.Scope) error {
		if err := mayInvite(ctx, s.Tx, caller, role); err != nil {
			return err
		}

		if err := addInvitation(ctx, s.Tx, caller.TenantID, &made); err != nil {
			return err
		}

		if err := i.send(ctx, s.Tx, caller, &made); err != nil {
			return err
		}

		return Record(ctx, s.Tx, caller.TenantID, made.changed("invitation.created"))
	})
	if err != nil {
		return Invitation{}, postgres.Fault("invite somebody", err)
	}

	return made, nil
}

func mayInvite(ctx context.Context, tx pgx.Tx, caller Caller, role Role) error {
	if err := needVerified(ctx, tx, caller.LoginID); err != nil {
		return err
	}

	if !caller.Role.Covers(role) {
		return errRoleTooHigh
	}

	return nil
}

func addInvitation(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, made *Invitation) error {
	var (
		member bool
		open   int
	)

	if err := tx.QueryRow(ctx, findMemberByMail, tenantID, made.Email).Scan(&member); err != nil {
		return err
	}

	if err := tx.QueryRow(ctx, countInvitations, tenantID).Scan(&open); err != nil {
		return err
	}

	switch {
	case member:
		return errAlreadyMember
	case open >= invitationsAtOnce:
		return errTooManyInvitations
	}

	if _, err := tx.Exec(ctx, dropEndedInvitation, tenantID, made.Email); err != nil {
		return err
	}

	added, err := tx.Exec(ctx, insertInvitation, tenantID, made.ID, made.Email, made.Role, made.InvitedBy, made.CreatedAt,
		made.ExpiresAt)
	if err == nil && added.RowsAffected() == 0 {
		err = errAlreadyInvited
	}

	return err
}

func (i *Invitations) send(ctx context.Context, tx pgx.Tx, caller Caller, made *Invitation) error {
	token, err := addInvitationLink(ctx, tx, caller.TenantID, made.ID)
	if err != nil {
		return err
	}

	var name string
	if err := tx.QueryRow(ctx, findTenantName, caller.TenantID).Scan(&name); err != nil {
		return err
	}

	return i.mailbox.enqueue(ctx, tx, order{
		kind: kindInvitation, to: made.Email, tenantID: caller.TenantID, token: token,
		words: words{"tenant": name, "who": caller.Name, "role": string(made.Role)},
	})
}

func (v *Invitation) changed(action string) Change {
	return Change{
		Action: action, Target: PublicInvitationID(v.ID), Details: map[string]any{"email": v.Email, "role": string(v.Role)},
	}
}

// Resend sends an invitation again, with a link that works for seven days from now; the one before works no more.
func (i *Invitations) Resend(ctx context.Context, caller Caller, invitationID uuid.UUID, client Client) (Invitation, error) {
	found, err := i.get(ctx, caller.TenantID, invitationID)
	if err != nil {
		return Invitation{}, err
	}

	if err := i.Allow(ctx, found.Email, client); err != nil {
		return Invitation{}, err
	}

	err = i.db.InScope(ctx, caller.TenantID, func(ctx context.Context, s *postgres.Scope) error {
		if found, err = lockedInvitation(ctx, s.Tx, caller.TenantID, invitationID); err != nil {
			return err
		}

		if err := mayInvite(ctx, s.Tx, caller, found.Role); err != nil {
			return err
		}

		found.ExpiresAt = moment.Now().Add(linkFor[toJoin])
		if _, err := s.Tx.Exec(ctx, renewInvitation, caller.TenantID, invitationID, found.ExpiresAt); err != nil {
			return err
		}

		if err := i.send(ctx, s.Tx, caller, &found); err != nil {
			return err
		}

		return Record(ctx, s.Tx, caller.TenantID, found.changed("invitation.resent"))
	})

	return found, postgres.Fault("send an invitation again", err)
}

func (i *Invitations) get(ctx context.Context, tenantID, invitationID uuid.UUID) (Invitation, error) {
	var found Invitation

	err := i.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) (err error) {
		found, err = lockedInvitation(ctx, s.Tx, tenantID, invitationID)
		return err
	})

	return found, postgres.Fault("read an invitation", err)
}

func lockedInvitation(ctx context.Context, tx pgx.Tx, tenantID, invitationID uuid.UUID) (Invitation, error) {
	rows, err := tx.Query(ctx, lockInvitation, tenantID, invitationID)
	if err != nil {
		return Invitation{}, err
	}

	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Invitation])
	if errors.Is(err, pgx.ErrNoRows) {
		return Invitation{}, errInvitationNotFound
	}

	return found, err
}

// Revoke takes an invitation back; its link works no more.
func (i *Invitations) Revoke(ctx context.Context, tenantID, invitationID uuid.UUID) error {
	err := i.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		var email string

		err := s.Tx.QueryRow(ctx, dropInvitation, tenantID, invitationID).Scan(&email)
		if errors.Is(err, pgx.ErrNoRows) {
			return errInvitationNotFound
		}

		if err != nil {
			return err
		}

		return Record(ctx, s.Tx, tenantID, Change{
			Action: "invitation.revoked", Target: PublicInvitationID(invitationID), Details: map[string]any{"email": email},
		})
	})

	return postgres.Fault("take an invitation back", err)
}
