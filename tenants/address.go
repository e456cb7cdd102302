package tenants

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/postgres"
)

const moveAddress = `UPDATE logins SET email = $2, email_verified_at = now() WHERE id = $1`

// RequestAddress sends a link to a new address, and a notice to the one that the person has. Nothing changes before the link
// is followed. Whether the new address belongs to somebody is not said here: only who reads its mails learns it.
func (a *Accounts) RequestAddress(ctx context.Context, loginID uuid.UUID, email string, proof Proof, client Client) error {
	email = plainEmail(email)
	if !validEmail(email) {
		return fault.New(fault.Unprocessable, "invalid_email", "Give an e-mail address such as name@example.com.").In("email")
	}

	if err := a.confirm(ctx, loginID, proof, client); err != nil {
		return err
	}

	if err := a.entrance.Guard.Spend(ctx, ActMail, email, client.Network); err != nil {
		return err
	}

	err := postgres.InTx(ctx, a.db.Pool, func(tx pgx.Tx) error {
		token, err := addLink(ctx, tx, toMove, loginID, email)
		if err != nil {
			return err
		}

		if err := a.mailbox.enqueue(ctx, tx, order{kind: kindMove, to: email, loginID: loginID, token: token}); err != nil {
			return err
		}

		return changePerson(ctx, tx, a.mailbox, loginID, client, Change{
			Action: "email.change_requested", Target: publicLoginID(loginID),
		})
	})

	return postgres.Fault("ask a new address", err)
}

// ConfirmAddress takes the token of the link that went to the new address, and makes it the person's. The one before gets a
// notice, and all other links to it end. The errors are the Faults link_ended, rate_limit_exceeded, and email_taken for an
// address that has a login of its own.
func (a *Accounts) ConfirmAddress(ctx context.Context, token string, client Client) error {
	err := postgres.InTx(ctx, a.db.Pool, func(tx pgx.Tx) error {
		loginID, email, err := followLink(ctx, tx, toMove, token)
		if err != nil {
			return err
		}

		// The notice goes to the address that the person still has.
		if err := a.mailbox.Notify(ctx, tx, loginID, "email.changed", client); err != nil {
			return err
		}

		if err := recordEverywhere(ctx, tx, loginID, client, Change{
			Action: "email.changed", Target: publicLoginID(loginID),
		}); err != nil {
			return err
		}

		if _, err := tx.Exec(ctx, moveAddress, loginID, email); postgres.UniqueViolation(err) {
			return errEmailHasLogin
		} else if err != nil {
			return err
		}

		_, err = tx.Exec(ctx, dropLinks, loginID)

		return err
	})

	return a.entrance.Guard.miss(ctx, postgres.Fault("change an address", err), client)
}
