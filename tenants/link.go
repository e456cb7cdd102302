package tenants

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/postgres"
)

// linkPurpose is what a link in a mail is for.
type linkPurpose string

const (
	toVerify linkPurpose = "verify"
	toReset  linkPurpose = "reset"
	toMove   linkPurpose = "email" // to another address
	toJoin   linkPurpose = "invitation"
)

// A link is good for as long as a person may take to find the mail, and for less where it lets somebody in.
var (
	linkFor = map[linkPurpose]time.Duration{
		toVerify: 3 * 24 * time.Hour, toReset: time.Hour, toMove: 24 * time.Hour, toJoin: 7 * 24 * time.Hour,
	}
	// linkPages are where the links lead to, below the public origin.
	linkPages = map[linkPurpose]string{
		toVerify: "/dashboard/verify", toReset: "/dashboard/reset", toMove: "/dashboard/email", toJoin: "/dashboard/invitation",
	}
)

const (
	insertLink = `
INSERT INTO mail_links (token_hash, purpose, login_id, email, expires_at) VALUES ($1, $2, $3, $4, now() + $5::interval)`
	insertInvitationLink = `
INSERT INTO mail_links (token_hash, purpose, tenant_id, invitation_id, expires_at)
VALUES ($1, 'invitation', $2, $3, now() + $4::interval)`
	// Of all that follow a link at the same time one removes the row.
	useLink = `
DELETE FROM mail_links WHERE token_hash = $1 AND purpose = $2 AND expires_at > now() RETURNING login_id, email`
	dropLinks           = `DELETE FROM mail_links WHERE login_id = $1`
	dropInvitationLinks = `DELETE FROM mail_links WHERE tenant_id = $1 AND invitation_id = $2`
	sweepLinks          = `DELETE FROM mail_links WHERE expires_at <= now()`
)

// ErrLinkEnded is the one answer to every link that does not count.
var ErrLinkEnded = fault.New(fault.Gone, "link_ended",
	"This link has been used, or is too old, or is not whole. Ask for a new one.")

// newLinkToken is a secret of 256 bits, of which only the hash is stored.
func newLinkToken() string {
	var random [32]byte

	_, _ = rand.Read(random[:]) // crypto/rand.Read never returns an error.

	return base64.RawURLEncoding.EncodeToString(random[:])
}

// addLink makes a link for a person that also says which address it was sent to.
func addLink(ctx context.Context, tx pgx.Tx, why linkPurpose, loginID uuid.UUID, email string) (string, error) {
	token := newLinkToken()
	_, err := tx.Exec(ctx, insertLink, hashKey(token), string(why), loginID, email, linkFor[why])

	return token, err
}

// addInvitationLink replaces the links that were sent before.
func addInvitationLink(ctx context.Context, tx pgx.Tx, tenantID, invitationID uuid.UUID) (string, error) {
	if _, err := tx.Exec(ctx, dropInvitationLinks, tenantID, invitationID); err != nil {
		return "", err
	}

	token := newLinkToken()
	_, err := tx.Exec(ctx, insertInvitationLink, hashKey(token), tenantID, invitationID, linkFor[toJoin])

	return token, err
}

// followLink uses a link up, and returns the person and the address that it was made for.
func followLink(ctx context.Context, tx pgx.Tx, why linkPurpose, token string) (loginID uuid.UUID, email string, err error) {
	err = tx.QueryRow(ctx, useLink, hashKey(token), string(why)).Scan(&loginID, &email)
	if errors.Is(err, pgx.ErrNoRows) {
		err = ErrLinkEnded
	}

	return loginID, email, err
}

// miss counts a link that did not count, so that nobody can try links without end.
func (g *Guard) miss(ctx context.Context, err error, client Client) error {
	if !fault.Has(err, ErrLinkEnded.Code) {
		return err
	}

	if limited := g.Spend(ctx, ActCredential, "", client.Network); limited != nil {
		return limited
	}

	return err
}

// Sweep removes the links that nobody can follow any more, and mails of long ago.
func (m *Mailbox) Sweep(ctx context.Context) error {
	if _, err := m.db.Pool.Exec(ctx, sweepLinks); err != nil {
		return postgres.Fault("remove links of mails", err)
	}

	_, err := m.db.Pool.Exec(ctx, sweepMails, mailsKept)

	return postgres.Fault("remove old mails", err)
}
