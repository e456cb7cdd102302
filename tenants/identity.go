package tenants

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/id"
	"formonce/internal/moment"
	"formonce/internal/postgres"
)

const (
	useIdentity = `
UPDATE identities SET last_used_at = now() WHERE issuer = $1 AND subject = $2 RETURNING login_id`
	// Two browsers of a person who is new may come at the same time: one of them makes the login, and both find it.
	insertVerifiedLogin = `
INSERT INTO logins (id, email, name, email_verified_at) VALUES ($1, $2, $3, now()) ON CONFLICT (email) DO NOTHING`
	lockVerified   = `SELECT id, email_verified_at IS NOT NULL FROM logins WHERE email = $1 FOR UPDATE`
	insertIdentity = `
INSERT INTO identities (issuer, subject, login_id) VALUES ($1, $2, $3) ON CONFLICT (issuer, subject) DO NOTHING`
	findInvited = `SELECT EXISTS (SELECT FROM invitations WHERE email = $1 AND expires_at > now())`
)

// The refusals of somebody whom the provider knows.
var (
	errEmailUnverified = fault.New(fault.Forbidden, "oidc_email_not_verified",
		"The provider has not made sure of your e-mail address. Verify it there, or sign in by another means.")
	errLoginUnverified = fault.New(fault.Forbidden, "oidc_login_not_verified",
		"There is a login with your address, and nobody has verified it yet. Sign in with its password and verify the address, "+
			"then use the provider.")
	errNotInvited = fault.New(fault.Forbidden, "oidc_not_invited",
		"Nobody with your address is known here. Ask for an invitation.")
)

// recognise finds the login of somebody at the provider. Who comes for the first time is known by their address, if both
// sides have made sure of it: an address alone would let in whoever can write it into a profile. Who is new here gets a login,
// and a tenant where strangers may have one.
func (p *Provider) recognise(ctx context.Context, who persona, client Client) (uuid.UUID, error) {
	var loginID uuid.UUID

	err := postgres.InTx(ctx, p.db.Pool, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, useIdentity, who.issuer, who.subject).Scan(&loginID)
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}

		if !who.verified || !validEmail(who.email) {
			return errEmailUnverified
		}

		loginID, err = p.introduce(ctx, tx, who, client)

		return err
	})

	return loginID, postgres.Fault("recognise a person", err)
}

// introduce ties an identity to the login of its address.
func (p *Provider) introduce(ctx context.Context, tx pgx.Tx, who persona, client Client) (uuid.UUID, error) {
	var invited bool
	if err := tx.QueryRow(ctx, findInvited, who.email).Scan(&invited); err != nil {
		return uuid.UUID{}, err
	}

	made := false

	if p.options.OpenSignUp || invited && !p.options.Closed {
		added, err := tx.Exec(ctx, insertVerifiedLogin, id.New(), who.email, who.displayName())
		if err != nil {
			return uuid.UUID{}, err
		}

		made = added.RowsAffected() == 1
	}

	loginID, err := verifiedLogin(ctx, tx, who.email)
	if err != nil {
		return uuid.UUID{}, err
	}

	tied, err := tx.Exec(ctx, insertIdentity, who.issuer, who.subject, loginID)
	if err != nil {
		return uuid.UUID{}, err
	}

	if tied.RowsAffected() == 0 { // Another browser of the person has done it in the meantime.
		err := tx.QueryRow(ctx, useIdentity, who.issuer, who.subject).Scan(&loginID)

		return loginID, err
	}

	if made && !invited {
		if err := p.settle(ctx, tx, loginID, who, client); err != nil {
			return uuid.UUID{}, err
		}
	}

	return loginID, changePerson(ctx, tx, p.notices, loginID, client, Change{
		Action: "identity.linked", Target: id.Write(loginIDPrefix, loginID), Details: map[string]any{"provider": p.Name()},
	})
}

func verifiedLogin(ctx context.Context, tx pgx.Tx, email string) (uuid.UUID, error) {
	var (
		loginID  uuid.UUID
		verified bool
	)

	err := tx.QueryRow(ctx, lockVerified, email).Scan(&loginID, &verified)

	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return uuid.UUID{}, errNotInvited
	case err == nil && !verified:
		return uuid.UUID{}, errLoginUnverified
	}

	return loginID, err
}

// settle makes the tenant of somebody who is new and whom nobody has invited.
func (*Provider) settle(ctx context.Context, tx pgx.Tx, loginID uuid.UUID, who persona, client Client) error {
	tenant := Tenant{ID: id.New(), Name: who.displayName(), Status: Active, CreatedAt: moment.Now()}
	if tenant.Name == "" {
		tenant.Name, _, _ = strings.Cut(who.email, "@")
	}

	if _, err := addTenant(ctx, tx, tenant); err != nil {
		return err
	}

	memberID := id.New()
	if _, err := tx.Exec(ctx, insertMember, tenant.ID, memberID, loginID); err != nil {
		return err
	}

	return recordEverywhere(ctx, tx, loginID, client, Change{Action: "tenant.created", Target: PublicID(tenant.ID)})
}

// displayName is the person's name where it is one that can be kept.
func (w persona) displayName() string {
	name := plainName(w.name)
	if !validName(name) {
		return ""
	}

	return name
}
