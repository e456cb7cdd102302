package tenants

import (
	"context"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/id"
	"formonce/internal/moment"
	"formonce/internal/postgres"
)

const (
	insertPasskey = `
INSERT INTO passkeys (id, login_id, credential_id, public_key, aaguid, sign_count, transports, backup_eligible, backup_state,
    name, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
ON CONFLICT (credential_id) DO NOTHING`
)

// NewPasskey is what a device has answered to a ceremony of registration.
type NewPasskey struct {
	CeremonyID uuid.UUID
	// Name tells the person which device it is.
	Name string
	// Credential is the JSON of a RegistrationResponseJSON (Web Authentication Level 3, section 5.1).
	Credential []byte
}

// BeginRegistration returns what a browser needs to make a passkey on a device that the person has none on yet.
func (p *Passkeys) BeginRegistration(ctx context.Context, loginID uuid.UUID) (Ceremony, error) {
	if p.relying == nil {
		return Ceremony{}, errNoPasskeys
	}

	person, err := p.holder(ctx, loginID)
	if err != nil {
		return Ceremony{}, postgres.Fault("read a login", err)
	}

	options, session, err := p.relying.BeginRegistration(person,
		webauthn.WithExclusions(person.credentials.CredentialDescriptors()))
	if err != nil {
		return Ceremony{}, err
	}

	return p.begin(ctx, forRegistration, loginID, options.Response, session)
}

// Register adds the passkey. The errors are the Faults ceremony_ended, passkey_refused, passkey_known, passkeys_full and
// invalid_passkey_name.
func (p *Passkeys) Register(ctx context.Context, loginID uuid.UUID, wanted NewPasskey, client Client) (Passkey, error) {
	if p.relying == nil {
		return Passkey{}, errNoPasskeys
	}

	wanted.Name = plainName(wanted.Name)
	if !validName(wanted.Name) {
		return Passkey{}, errPasskeyName
	}

	session, err := p.take(ctx, forRegistration, loginID, wanted.CeremonyID)
	if err != nil {
		return Passkey{}, err
	}

	person, err := p.holder(ctx, loginID)
	if err != nil {
		return Passkey{}, postgres.Fault("read a login", err)
	}

	answer, err := protocol.ParseCredentialCreationResponseBytes(wanted.Credential)
	if err != nil {
		return Passkey{}, errNotRegistered.Because(err)
	}

	credential, err := p.relying.CreateCredential(person, session, answer)
	if err != nil {
		return Passkey{}, errNotRegistered.Because(err)
	}

	made := Passkey{ID: id.New(), Name: wanted.Name, CreatedAt: moment.Now(), Synced: credential.Flags.BackupState}

	err = postgres.InTx(ctx, p.db.Pool, func(tx pgx.Tx) error {
		if err := addPasskey(ctx, tx, loginID, made, credential); err != nil {
			return err
		}

		return changePerson(ctx, tx, p.notices, loginID, client, Change{
			Action: "passkey.added", Target: PublicPasskeyID(made.ID),
		})
	})

	return made, postgres.Fault("add a passkey", err)
}

func addPasskey(ctx context.Context, tx pgx.Tx, loginID uuid.UUID, made Passkey, credential *webauthn.Credential) error {
	var hasPassword bool
	if err := tx.QueryRow(ctx, lockLogin, loginID).Scan(&hasPassword); err != nil {
		return err
	}

	var there int
	if err := tx.QueryRow(ctx, countKeys, loginID).Scan(&there); err != nil {
		return err
	}

	if there >= maxPasskeys {
		return errPasskeysFull
	}

	transports := make([]string, len(credential.Transport))
	for i, transport := range credential.Transport {
		transports[i] = string(transport)
	}

	added, err := tx.Exec(ctx, insertPasskey, made.ID, loginID, credential.ID, credential.PublicKey,
		credential.Authenticator.AAGUID, credential.Authenticator.SignCount, transports,
		credential.Flags.BackupEligible, credential.Flags.BackupState, made.Name, made.CreatedAt)
	if err == nil && added.RowsAffected() == 0 {
		err = errPasskeyKnown
	}

	return err
}
