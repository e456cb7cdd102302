package tenants

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/text/unicode/norm"

	"formonce/internal/fault"
	"formonce/internal/id"
	"formonce/internal/postgres"
)

// Languages are those in which the service speaks to people, as BCP 47 tags.
var Languages = []string{"en", "de", "fr", "es", "pt", "ja", "zh"}

const (
	selectAccount = `
SELECT id, email, name, language, email_verified_at IS NOT NULL, password_hash IS NOT NULL, created_at, delete_after
FROM logins WHERE id = $1`
	lockAccount   = selectAccount + ` FOR UPDATE`
	changeAccount = `UPDATE logins SET name = $2, language = $3 WHERE id = $1`
)

// Account is a person's own: it is theirs whatever tenants they are in.
type Account struct {
	LoginID uuid.UUID
	Email   string
	// Name is for people, up to 120 characters, and may be empty; Language is one of Languages.
	Name, Language string
	// EmailVerified says that a link to the address was followed; HasPassword is false for who only signs in by other means.
	EmailVerified, HasPassword bool
	CreatedAt                  time.Time
	// DeleteAfter is when the account is erased; nil for one that stays.
	DeleteAfter *time.Time
}

// Accounts are the accounts of people.
type Accounts struct {
	db       *postgres.DB
	entrance *Entrance
	mailbox  *Mailbox
}

// Get returns a person's account.
func (a *Accounts) Get(ctx context.Context, loginID uuid.UUID) (Account, error) {
	rows, err := a.db.Pool.Query(ctx, selectAccount, loginID)
	if err != nil {
		return Account{}, postgres.Fault("read an account", err)
	}

	return oneAccount(rows)
}

// Update applies change to the name and the language, while nobody else can.
func (a *Accounts) Update(ctx context.Context, loginID uuid.UUID, client Client, change func(*Account)) (Account, error) {
	var changed Account

	err := postgres.InTx(ctx, a.db.Pool, func(tx pgx.Tx) error {
		current, err := lockedAccount(ctx, tx, loginID)
		if err != nil {
			return err
		}

		changed = current
		change(&changed)

		if err := changed.check(); err != nil {
			return err
		}

		if _, err := tx.Exec(ctx, changeAccount, loginID, changed.Name, changed.Language); err != nil {
			return err
		}

		return recordEverywhere(ctx, tx, loginID, client, Change{
			Action: "account.updated", Target: publicLoginID(loginID),
			Details: map[string]any{"name": changed.Name, "language": changed.Language},
		})
	})

	return changed, postgres.Fault("change an account", err)
}

func (a *Account) check() error {
	a.Name = norm.NFC.String(strings.TrimSpace(a.Name))

	failed := fault.New(fault.Unprocessable, "invalid_account", "The account cannot be changed to this.")

	if a.Name != "" && !validName(a.Name) {
		failed.Issues = append(failed.Issues, fault.Issue{
			Field: "name", Rule: "invalid", Message: "A name has up to 120 characters, without line breaks.",
		})
	}

	if !slices.Contains(Languages, a.Language) {
		failed.Issues = append(failed.Issues, fault.Issue{
			Field: "language", Rule: "invalid", Message: "Choose one of " + strings.Join(Languages, ", ") + ".",
		})
	}

	if len(failed.Issues) > 0 {
		return failed
	}

	return nil
}

func lockedAccount(ctx context.Context, tx pgx.Tx, loginID uuid.UUID) (Account, error) {
	rows, err := tx.Query(ctx, lockAccount, loginID)
	if err != nil {
		return Account{}, err
	}

	return oneAccount(rows)
}

func oneAccount(rows pgx.Rows) (Account, error) {
	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Account])
	if errors.Is(err, pgx.ErrNoRows) {
		return Account{}, ErrUnauthenticated
	}

	return found, postgres.Fault("read an account", err)
}

// publicLoginID shows whose sign-in it is that something was done to.
func publicLoginID(loginID uuid.UUID) string { return id.Write(loginIDPrefix, loginID) }

// confirm asks for a proof that it is the person. Somebody who has no password and no second factor has shown all that they
// can by being signed in.
func (a *Accounts) confirm(ctx context.Context, loginID uuid.UUID, proof Proof, client Client) error {
	account, err := a.Get(ctx, loginID)
	if err != nil {
		return err
	}

	if !account.HasPassword {
		if methods, err := a.entrance.SignIns.Methods(ctx, loginID); err != nil || len(methods) == 0 {
			return err
		}
	}

	return a.entrance.Factors.prove(ctx, loginID, proof, client)
}
