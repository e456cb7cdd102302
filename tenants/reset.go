package tenants

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/postgres"
)

const (
	setPassword = `UPDATE logins SET password_hash = $2 WHERE id = $1`
	// Whoever followed the link owns the address. What somebody else has set up who never did is theirs no more.
	resetPassword = `
UPDATE logins AS l SET password_hash = $3, email_verified_at = COALESCE(l.email_verified_at, now())
FROM (SELECT id, email_verified_at IS NOT NULL AS proven FROM logins WHERE id = $1 AND email = $2 FOR UPDATE) AS was
WHERE l.id = was.id RETURNING was.proven`
)

// strangersMeans are the ways to sign in that whoever signed up with an address of somebody else may have left.
var strangersMeans = []string{
	`DELETE FROM passkeys WHERE login_id = $1`,
	`DELETE FROM identities WHERE login_id = $1`,
	`DELETE FROM totp_secrets WHERE login_id = $1`,
	`DELETE FROM recovery_codes WHERE login_id = $1`,
}

// Forgotten sends the person with this address a link by which they choose a new password. It does the same, and in the
// same time, for an address that belongs to nobody: who it is for is found out when the mail is sent.
func (a *Accounts) Forgotten(ctx context.Context, email string, client Client) error {
	email = plainEmail(email)
	if !validEmail(email) {
		return fault.New(fault.Unprocessable, "invalid_email", "Give an e-mail address such as name@example.com.").In("email")
	}

	if err := a.entrance.Guard.Spend(ctx, ActReset, email, client.Network); err != nil {
		return err
	}

	err := postgres.InTx(ctx, a.db.Pool, func(tx pgx.Tx) error {
		return a.mailbox.post(ctx, tx, order{kind: kindReset}, letter{To: email})
	})

	return postgres.Fault("take a forgotten password down", err)
}

// Reset gives the person behind the link's token a new password. All their sessions end, and all links that were sent to
// them. The errors are the Faults link_ended, invalid_password and rate_limit_exceeded.
func (a *Accounts) Reset(ctx context.Context, token, password string, client Client) error {
	if err := checkPassword("password", password); err != nil {
		return err
	}

	if err := a.entrance.Guard.Spend(ctx, ActReset, "", client.Network); err != nil {
		return err
	}

	hash, err := hashPassword(ctx, password)
	if err != nil {
		return err
	}

	var address string

	err = postgres.InTx(ctx, a.db.Pool, func(tx pgx.Tx) error {
		loginID, email, err := followLink(ctx, tx, toReset, token)
		if err != nil {
			return err
		}

		address = email

		return a.replacePassword(ctx, tx, loginID, email, hash, client)
	})
	if err != nil {
		return postgres.Fault("reset a password", err)
	}

	// Whoever has locked the sign-in by trying gets no say in whether the person comes in.
	return a.entrance.Guard.Reset(ctx, ActSignIn, address)
}

func (a *Accounts) replacePassword(
	ctx context.Context, tx pgx.Tx, loginID uuid.UUID, email, hash string, client Client,
) error {
	var proven bool

	err := tx.QueryRow(ctx, resetPassword, loginID, email, hash).Scan(&proven)
	if errors.Is(err, pgx.ErrNoRows) {
		return ErrLinkEnded
	}

	if err != nil {
		return err
	}

	if !proven {
		for _, statement := range strangersMeans {
			if _, err := tx.Exec(ctx, statement, loginID); err != nil {
				return err
			}
		}
	}

	return a.passwordChanged(ctx, tx, loginID, uuid.UUID{}, client, "reset")
}

// ChangePassword gives the caller a new password, who has to know the one before. Their other sessions end. The errors are
// the Faults confirmation_failed, invalid_password and rate_limit_exceeded.
func (a *Accounts) ChangePassword(ctx context.Context, caller Caller, current, wanted string, client Client) error {
	if err := checkPassword("new_password", wanted); err != nil {
		return err
	}

	account, err := a.Get(ctx, caller.LoginID)
	if err != nil {
		return err
	}

	if !account.HasPassword {
		return fault.New(fault.Conflict, "no_password",
			`You have no password yet. Ask for one by "forgotten password", so that a mail shows that it is you.`)
	}

	if err := a.entrance.Factors.prove(ctx, caller.LoginID, Proof{Password: current}, client); err != nil {
		return err
	}

	hash, err := hashPassword(ctx, wanted)
	if err != nil {
		return err
	}

	err = postgres.InTx(ctx, a.db.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, setPassword, caller.LoginID, hash); err != nil {
			return err
		}

		return a.passwordChanged(ctx, tx, caller.LoginID, caller.SessionID, client, "changed")
	})

	return postgres.Fault("change a password", err)
}

// passwordChanged ends all that the old password may have let in, but for one session, and says so.
func (a *Accounts) passwordChanged(
	ctx context.Context, tx pgx.Tx, loginID, keep uuid.UUID, client Client, how string,
) error {
	if _, err := tx.Exec(ctx, dropLinks, loginID); err != nil {
		return err
	}

	if _, err := endSessions(ctx, tx, loginID, uuid.UUID{}, keep); err != nil {
		return err
	}

	return changePerson(ctx, tx, a.mailbox, loginID, client, Change{
		Action: "password.changed", Target: publicLoginID(loginID), Details: map[string]any{"how": how},
	})
}

func checkPassword(field, password string) error {
	if validPassword(password) {
		return nil
	}

	return fault.New(fault.Unprocessable, "invalid_password", fmt.Sprintf(
		"A password has %d to %d characters; a sentence is easy to remember.", passwordMinChars, passwordMaxChars)).In(field)
}
