package tenants

import (
	"context"
	"encoding/base64"
	"errors"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/postgres"
)

// A counter that does not grow tells of a second copy of the key; one that is always 0 tells nothing (Web Authentication
// Level 3, section 7.2, step 22). Of two uses with the same counter at the same time one changes the row.
const usePasskey = `
UPDATE passkeys SET sign_count = $3, backup_state = $4, last_used_at = now()
WHERE login_id = $1 AND credential_id = $2 AND (sign_count < $3 OR sign_count = 0 AND $3 = 0)`

const findPasskeyID = `SELECT id FROM passkeys WHERE login_id = $1 AND credential_id = $2`

var errNoPasskeyYet = fault.New(fault.Conflict, "no_passkey",
	"This login has no passkey. Answer with a code or a recovery code.")

// BeginSignIn returns what a browser needs to ask for any passkey of this service. It says nothing about anybody.
func (p *Passkeys) BeginSignIn(ctx context.Context, client Client) (Ceremony, error) {
	if p.relying == nil {
		return Ceremony{}, errNoPasskeys
	}

	if err := p.guard.Spend(ctx, ActPasskey, "", client.Network); err != nil {
		return Ceremony{}, err
	}

	options, session, err := p.relying.BeginDiscoverableLogin(webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return Ceremony{}, err
	}

	return p.begin(ctx, forSignIn, uuid.UUID{}, options.Response, session)
}

// SignIn begins a session for the person whose passkey has answered, the JSON of an AuthenticationResponseJSON. The device
// has checked that it is them, so nothing more is asked for. The errors are the Faults ceremony_ended, passkey_refused,
// passkey_cloned and rate_limit_exceeded.
func (p *Passkeys) SignIn(ctx context.Context, ceremonyID uuid.UUID, credential []byte, client Client) (Grant, error) {
	answer, err := p.parse(ctx, credential, client)
	if err != nil {
		return Grant{}, err
	}

	session, err := p.take(ctx, forSignIn, uuid.UUID{}, ceremonyID)
	if err != nil {
		return Grant{}, err
	}

	var failed error

	find := func(_, handle []byte) (webauthn.User, error) {
		loginID, err := uuid.FromBytes(handle)
		if err != nil {
			return nil, err
		}

		person, err := p.holder(ctx, loginID)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			failed = err
		}

		return person, err
	}

	user, used, err := p.relying.ValidatePasskeyLogin(find, session, answer)
	if failed != nil {
		return Grant{}, postgres.Fault("read passkeys", failed)
	}

	if err != nil {
		return Grant{}, ErrPasskeyRefused.Because(err)
	}

	loginID := uuid.UUID(user.WebAuthnID())
	if err := p.used(ctx, loginID, used, client); err != nil {
		return Grant{}, err
	}

	if err := p.guard.Reset(ctx, ActPasskey, accountOf(answer)); err != nil {
		return Grant{}, err
	}

	return p.sessions.Start(ctx, Arrival{LoginID: loginID, Method: ByPasskey, Client: client})
}

// parse reads a device's answer and counts it as a try, before anything is looked up for it.
func (p *Passkeys) parse(
	ctx context.Context, credential []byte, client Client,
) (*protocol.ParsedCredentialAssertionData, error) {
	if p.relying == nil {
		return nil, errNoPasskeys
	}

	if err := p.guard.Spend(ctx, ActPasskey, "", client.Network); err != nil {
		return nil, err
	}

	answer, err := protocol.ParseCredentialRequestResponseBytes(credential)
	if err != nil {
		return nil, ErrPasskeyRefused.Because(err)
	}

	return answer, p.guard.Spend(ctx, ActPasskey, accountOf(answer), "")
}

// accountOf is the account as far as it is known before the answer is checked.
func accountOf(answer *protocol.ParsedCredentialAssertionData) string {
	return base64.RawURLEncoding.EncodeToString(answer.RawID)
}

// beginAnswer asks for one of the passkeys of a person whose password was right. Whether the device knows its person does
// not matter beside that.
func (p *Passkeys) beginAnswer(ctx context.Context, loginID uuid.UUID) (Ceremony, error) {
	if p.relying == nil {
		return Ceremony{}, errNoPasskeys
	}

	person, err := p.holder(ctx, loginID)
	if err != nil {
		return Ceremony{}, postgres.Fault("read a login", err)
	}

	if len(person.credentials) == 0 {
		return Ceremony{}, errNoPasskeyYet
	}

	options, session, err := p.relying.BeginLogin(person, webauthn.WithUserVerification(protocol.VerificationPreferred))
	if err != nil {
		return Ceremony{}, err
	}

	return p.begin(ctx, forSecondFactor, loginID, options.Response, session)
}

// answer checks a device's answer to beginAnswer.
func (p *Passkeys) answer(ctx context.Context, loginID, ceremonyID uuid.UUID, credential []byte, client Client) error {
	answer, err := p.parse(ctx, credential, client)
	if err != nil {
		return err
	}

	session, err := p.take(ctx, forSecondFactor, loginID, ceremonyID)
	if err != nil {
		return err
	}

	person, err := p.holder(ctx, loginID)
	if err != nil {
		return postgres.Fault("read a login", err)
	}

	used, err := p.relying.ValidateLogin(person, session, answer)
	if err != nil {
		return ErrPasskeyRefused.Because(err)
	}

	return p.used(ctx, loginID, used, client)
}

// used remembers the use of a passkey. One whose counter went back is refused, and its person is told.
func (p *Passkeys) used(ctx context.Context, loginID uuid.UUID, credential *webauthn.Credential, client Client) error {
	cloned := credential.Authenticator.CloneWarning

	err := postgres.InTx(ctx, p.db.Pool, func(tx pgx.Tx) error {
		if !cloned {
			counted, err := tx.Exec(ctx, usePasskey, loginID, credential.ID, int64(credential.Authenticator.SignCount),
				credential.Flags.BackupState)
			if err != nil || counted.RowsAffected() == 1 {
				return err
			}

			cloned = true
		}

		var passkeyID uuid.UUID

		err := tx.QueryRow(ctx, findPasskeyID, loginID, credential.ID).Scan(&passkeyID)
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrPasskeyRefused // It was removed a moment ago.
		}

		if err != nil {
			return err
		}

		return changePerson(ctx, tx, p.notices, loginID, client, Change{
			Action: "passkey.refused", Target: PublicPasskeyID(passkeyID), Details: map[string]any{"reason": "cloned"},
		})
	})
	if err == nil && cloned {
		err = errPasskeyCloned
	}

	return postgres.Fault("use a passkey", err)
}
