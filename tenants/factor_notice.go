package tenants

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Notices tell a person about a change of their sign-in, so that somebody whose account was taken learns of it.
type Notices interface {
	// Notify owes the person a message, within the transaction that makes the change. The change is its action in the audit
	// log, such as "second_factor.enabled".
	Notify(ctx context.Context, tx pgx.Tx, loginID uuid.UUID, action string, client Client) error
}

// changePerson records what changed about a person's sign-in, and tells them.
func changePerson(
	ctx context.Context, tx pgx.Tx, notices Notices, loginID uuid.UUID, client Client, change Change,
) error {
	if err := recordEverywhere(ctx, tx, loginID, client, change); err != nil {
		return err
	}

	if notices == nil {
		return nil
	}

	return notices.Notify(ctx, tx, loginID, change.Action, client)
}
