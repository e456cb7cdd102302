package tenants

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/id"
	"formonce/internal/moment"
	"formonce/internal/postgres"
)

// errAccountClosing keeps a person from beginning what would be erased with them.
var errAccountClosing = fault.New(fault.Conflict, "account_closing",
	"Your account is going to be deleted. Restore it first.")

// CreateFor makes another tenant, which a person who is known already owns. Their address must be proven. The errors are the
// Faults invalid_tenant, email_not_verified and account_closing.
func (r *Registry) CreateFor(ctx context.Context, loginID uuid.UUID, name string, client Client) (Place, error) {
	made := Place{
		Tenant: Tenant{
			ID: id.New(), Name: name, Status: Active, CreatedAt: moment.Now(), Revision: 1,
			Settings: Settings{TimeZone: "UTC", DefaultLanguage: Languages[0]},
		},
		MemberID: id.New(), Role: Owner,
	}

	if err := made.Tenant.checkSettings(); err != nil {
		return Place{}, err
	}

	err := postgres.InTx(ctx, r.db.Pool, func(tx pgx.Tx) error {
		account, err := lockedAccount(ctx, tx, loginID)
		if err == nil && account.DeleteAfter != nil {
			err = errAccountClosing
		}

		if err == nil && !account.EmailVerified {
			err = errEmailNotVerified
		}

		if err != nil {
			return err
		}

		if made.Tenant.Slug, err = addTenant(ctx, tx, made.Tenant); err != nil {
			return err
		}

		if _, err := tx.Exec(ctx, insertMember, made.Tenant.ID, made.MemberID, loginID); err != nil {
			return err
		}

		return Record(WithActor(ctx, client.actor(made.MemberID, account.Email)), tx, made.Tenant.ID,
			Change{Action: "tenant.created", Target: PublicID(made.Tenant.ID)})
	})

	return made, postgres.Fault("make another tenant", err)
}

// actor is a member who is not known to the context: they act in another tenant, or have come by a link.
func (c Client) actor(memberID uuid.UUID, email string) Actor {
	return Actor{
		Kind: ActorMember, ID: memberID, Name: email, Address: c.Address, Agent: c.Agent, RequestID: c.RequestID,
	}
}
