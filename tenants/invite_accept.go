package tenants

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/text/unicode/norm"

	"formonce/internal/fault"
	"formonce/internal/id"
	"formonce/internal/postgres"
)

const (
	findOffer = `
SELECT i.tenant_id, i.id, t.name, t.status, i.email, i.role, l.id
FROM mail_links k
JOIN invitations i ON i.tenant_id = k.tenant_id AND i.id = k.invitation_id
JOIN tenants t ON t.id = i.tenant_id
LEFT JOIN logins l ON l.email = i.email
WHERE k.token_hash = $1 AND k.purpose = 'invitation' AND k.expires_at > now() AND i.expires_at > now()`
	// Of all that accept at the same time one removes the row, and the link with it.
	takeOffer = `
DELETE FROM invitations WHERE tenant_id = $1 AND id = $2 AND expires_at > now()
AND EXISTS (SELECT FROM mail_links WHERE token_hash = $3 AND invitation_id = $2) RETURNING role`
	insertInvited = `
INSERT INTO logins (id, email, password_hash, name, email_verified_at) VALUES ($1, $2, $3, $4, now())
ON CONFLICT (email) DO NOTHING`
	joinTenant = `
INSERT INTO members (tenant_id, id, login_id, role) VALUES ($1, $2, $3, $4) ON CONFLICT (tenant_id, login_id) DO NOTHING`
)

// The refusals when an invitation is accepted.
var (
	errOtherAddress = fault.New(fault.Forbidden, "invitation_for_another",
		"This invitation is for another e-mail address than the one that you are signed in with. Sign out, and open it again.")
	errNoNewLogins = fault.New(fault.Forbidden, "sign_up_closed",
		"Nobody gets a new login here. Ask the operator of the service for one, and open the invitation again.")
	errSignInFirst = fault.New(fault.Conflict, "sign_in_first",
		"There is a login with this address since a moment ago. Sign in with it, and accept the invitation then.")
)

// Offer is an invitation as the person sees it who has its link.
type Offer struct {
	TenantName, Email string
	Role              Role
	// HasLogin says that the address has a login already, so that its password is asked for and no new one.
	HasLogin bool

	tenantID, invitationID, loginID uuid.UUID
	status                          Status
}

// Acceptance is how a person accepts an invitation: by a session of theirs, by the password of the login that they have, or
// by the one that they choose for a new login.
type Acceptance struct {
	Token string
	// LoginID is who is signed in; zero for nobody.
	LoginID uuid.UUID
	// Name and Password are of the new login; the password of the one that there is.
	Name, Password string
	Client         Client
}

// Preview says what an invitation is to. The errors are the Faults link_ended and rate_limit_exceeded.
func (i *Invitations) Preview(ctx context.Context, token string, client Client) (Offer, error) {
	offer, err := i.offer(ctx, token)

	return offer, i.entrance.Guard.miss(ctx, err, client)
}

func (i *Invitations) offer(ctx context.Context, token string) (Offer, error) {
	var (
		found   Offer
		loginID *uuid.UUID
	)

	err := i.db.Pool.QueryRow(ctx, findOffer, hashKey(token)).Scan(&found.tenantID, &found.invitationID, &found.TenantName,
		&found.status, &found.Email, &found.Role, &loginID)
	if errors.Is(err, pgx.ErrNoRows) {
		return Offer{}, ErrLinkEnded
	}

	if loginID != nil {
		found.HasLogin, found.loginID = true, *loginID
	}

	return found, postgres.Fault("read an invitation", err)
}

// Accept makes the invited person a member, once, and begins a session in the tenant. The link has proven the address. The
// errors are the Faults link_ended, those of signing in for who has a login (second_factor_required too: finish that, and
// accept with the session), invalid_acceptance and invitation_for_another.
func (i *Invitations) Accept(ctx context.Context, how Acceptance) (Grant, error) {
	offer, err := i.offer(ctx, how.Token)
	if err != nil {
		return Grant{}, i.entrance.Guard.miss(ctx, err, how.Client)
	}

	if offer.status != Active {
		return Grant{}, errTenantSuspended
	}

	loginID, hash, err := i.arrive(ctx, offer, how)
	if err != nil {
		return Grant{}, err
	}

	err = postgres.InTx(ctx, i.db.Pool, func(tx pgx.Tx) error { return i.join(ctx, tx, offer, loginID, hash, how) })
	if err != nil {
		return Grant{}, postgres.Fault("accept an invitation", err)
	}

	return i.entrance.Sessions.Start(ctx, Arrival{
		LoginID: loginID, TenantID: offer.tenantID, Method: ByInvitation, Client: how.Client,
	})
}

// arrive finds out who accepts. A login that is still to be made comes with the hash of its password.
func (i *Invitations) arrive(ctx context.Context, offer Offer, how Acceptance) (loginID uuid.UUID, hash string, err error) {
	switch {
	case how.LoginID != uuid.UUID{} && how.LoginID != offer.loginID:
		return uuid.UUID{}, "", errOtherAddress
	case how.LoginID != uuid.UUID{}:
		return how.LoginID, "", nil
	case offer.HasLogin:
		loginID, err = i.entrance.SignIns.admit(ctx, offer.Email, how.Password, how.Client)
		return loginID, "", err
	}

	if i.Closed {
		return uuid.UUID{}, "", errNoNewLogins
	}

	if err := how.check(); err != nil {
		return uuid.UUID{}, "", err
	}

	hash, err = hashPassword(ctx, how.Password)

	return id.New(), hash, err
}

func (how *Acceptance) check() error {
	how.Name = norm.NFC.String(strings.TrimSpace(how.Name))
	failed := fault.New(fault.Unprocessable, "invalid_acceptance", "A login cannot be made from this.")

	if how.Name != "" && !validName(how.Name) {
		failed.Issues = append(failed.Issues, fault.Issue{
			Field: "name", Rule: "invalid", Message: "A name has up to 120 characters, without line breaks.",
		})
	}

	if !validPassword(how.Password) {
		failed.Issues = append(failed.Issues, fault.Issue{Field: "password", Rule: "invalid", Message: fmt.Sprintf(
			"A password has %d to %d characters; a sentence is easy to remember.", passwordMinChars, passwordMaxChars)})
	}

	if len(failed.Issues) > 0 {
		return failed
	}

	return nil
}

func (i *Invitations) join(
	ctx context.Context, tx pgx.Tx, offer Offer, loginID uuid.UUID, hash string, how Acceptance,
) error {
	var role Role

	err := tx.QueryRow(ctx, takeOffer, offer.tenantID, offer.invitationID, hashKey(how.Token)).Scan(&role)
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrLinkEnded
	}

	if err != nil {
		return err
	}

	if hash != "" {
		added, err := tx.Exec(ctx, insertInvited, loginID, offer.Email, hash, strings.TrimSpace(how.Name))
		if err == nil && added.RowsAffected() == 0 {
			err = errSignInFirst
		}

		if err != nil {
			return err
		}
	}

	account, err := lockedAccount(ctx, tx, loginID)
	if err != nil {
		return err
	}

	if account.DeleteAfter != nil {
		return errAccountClosing
	}

	if _, err := tx.Exec(ctx, verifyEmail, loginID, offer.Email); err != nil {
		return err
	}

	memberID := id.New()

	joined, err := tx.Exec(ctx, joinTenant, offer.tenantID, memberID, loginID, role)
	if err != nil || joined.RowsAffected() == 0 {
		return err
	}

	return Record(WithActor(ctx, how.Client.actor(memberID, offer.Email)), tx, offer.tenantID, Change{
		Action: "member.joined", Target: PublicMemberID(memberID), Details: map[string]any{"role": string(role)},
	})
}
