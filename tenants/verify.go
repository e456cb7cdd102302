package tenants

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/postgres"
)

const (
	// A link proves the address that it was sent to, and no other that the person may have by now.
	verifyEmail = `UPDATE logins SET email_verified_at = COALESCE(email_verified_at, now()) WHERE id = $1 AND email = $2`
	isVerified  = `SELECT email_verified_at IS NOT NULL FROM logins WHERE id = $1`
)

// errEmailNotVerified keeps a person who may not own their address from using it towards others.
var errEmailNotVerified = fault.New(fault.Forbidden, "email_not_verified",
	"Confirm your e-mail address first: follow the link that we sent you, or ask for another one.")

// SendVerification sends the link that proves the address again. It does nothing for an address that is proven.
func (a *Accounts) SendVerification(ctx context.Context, loginID uuid.UUID, client Client) error {
	account, err := a.Get(ctx, loginID)
	if err != nil || account.EmailVerified {
		return err
	}

	if err := a.entrance.Guard.Spend(ctx, ActMail, account.Email, client.Network); err != nil {
		return err
	}

	err = postgres.InTx(ctx, a.db.Pool, func(tx pgx.Tx) error {
		return a.mailbox.verification(ctx, tx, loginID, account.Email)
	})

	return postgres.Fault("send a link to an address", err)
}

// Verify takes the token of the link that proves an address. The errors are the Faults link_ended and, for who tries too many,
// rate_limit_exceeded.
func (a *Accounts) Verify(ctx context.Context, token string, client Client) error {
	err := postgres.InTx(ctx, a.db.Pool, func(tx pgx.Tx) error {
		loginID, email, err := followLink(ctx, tx, toVerify, token)
		if err != nil {
			return err
		}

		verified, err := tx.Exec(ctx, verifyEmail, loginID, email)
		if err == nil && verified.RowsAffected() == 0 {
			err = ErrLinkEnded
		}

		if err != nil {
			return err
		}

		return recordEverywhere(ctx, tx, loginID, client, Change{Action: "email.verified", Target: publicLoginID(loginID)})
	})

	return a.entrance.Guard.miss(ctx, postgres.Fault("prove an address", err), client)
}

// needVerified refuses a person whose address is not proven.
func needVerified(ctx context.Context, tx pgx.Tx, loginID uuid.UUID) error {
	var verified bool

	err := tx.QueryRow(ctx, isVerified, loginID).Scan(&verified)
	if err == nil && !verified || errors.Is(err, pgx.ErrNoRows) {
		return errEmailNotVerified
	}

	return err
}
