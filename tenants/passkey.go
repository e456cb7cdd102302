package tenants

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/text/unicode/norm"

	"formonce/internal/fault"
	"formonce/internal/id"
	"formonce/internal/postgres"
)

const (
	passkeyIDPrefix = "psk_"
	// maxPasskeys is more than a person has devices.
	maxPasskeys = 20
)

const (
	listPasskeys = `
SELECT id, name, created_at, last_used_at, backup_state FROM passkeys WHERE login_id = $1 ORDER BY id`
	renamePasskey = `
UPDATE passkeys SET name = $3 WHERE login_id = $1 AND id = $2 RETURNING id, name, created_at, last_used_at, backup_state`
	removePasskey = `DELETE FROM passkeys WHERE login_id = $1 AND id = $2`
	// The login's row puts in order what is added to and taken from the means of one person.
	lockLogin = `SELECT password_hash IS NOT NULL FROM logins WHERE id = $1 FOR UPDATE`
	countKeys = `SELECT count(*) FROM passkeys WHERE login_id = $1`
	hasMeans  = `
SELECT EXISTS (SELECT FROM passkeys WHERE login_id = $1) OR EXISTS (SELECT FROM identities WHERE login_id = $1)`
)

// The refusals around passkeys.
var (
	errNoPasskeys = fault.New(fault.Conflict, "passkeys_unavailable",
		"Passkeys need a host name, and this service is reached by a bare address. Ask its operator to set PUBLIC_URL.")
	errPasskeyNotFound = fault.New(fault.NotFound, "passkey_not_found",
		"You have no such passkey. List your passkeys to see their ids.")
	errPasskeyName = fault.New(fault.Unprocessable, "invalid_passkey_name",
		"Give the passkey a name of 1 to 120 characters, such as that of its device.").In("name")
	errPasskeyKnown = fault.New(fault.Conflict, "passkey_known", "This passkey is registered already. Use another device.")
	errPasskeysFull = fault.New(fault.Conflict, "passkeys_full",
		"You have as many passkeys as one person can have. Remove one that you do not use first.")
	errLastMeans = fault.New(fault.Conflict, "last_sign_in_means",
		"This is your only way to sign in. Set a password or add another passkey first.")
	errNotRegistered = fault.New(fault.Unprocessable, "passkey_refused",
		"The device's answer cannot be used. Begin again, and let the device check that it is you.")
	// ErrPasskeyRefused is the one answer to a passkey that does not count.
	ErrPasskeyRefused = fault.New(fault.Unauthenticated, "passkey_refused",
		"This passkey was not accepted. Try again, or sign in by another means.")
	errPasskeyCloned = fault.New(fault.Unauthenticated, "passkey_cloned",
		"This passkey was not accepted, since there seem to be two copies of it. "+
			"Sign in by another means, and replace the passkey.")
)

// Passkey is a key on a device of a person.
type Passkey struct {
	ID        uuid.UUID
	Name      string
	CreatedAt time.Time
	// LastUsedAt is nil before the first use.
	LastUsedAt *time.Time
	// Synced says that the key is on more than one device of its person.
	Synced bool
}

// PublicPasskeyID shows a passkey's id to people and programs.
func PublicPasskeyID(passkeyID uuid.UUID) string { return id.Write(passkeyIDPrefix, passkeyID) }

// ParsePasskeyID reads what PublicPasskeyID wrote. Anything else is the Fault passkey_not_found.
func ParsePasskeyID(text string) (uuid.UUID, error) {
	parsed, err := id.Parse(passkeyIDPrefix, text)
	if err != nil {
		return uuid.UUID{}, errPasskeyNotFound
	}

	return parsed, nil
}

// Passkeys are the keys by which people sign in without a password (Web Authentication Level 3).
type Passkeys struct {
	db       *postgres.DB
	guard    *Guard
	sessions *Sessions
	notices  Notices
	// relying is nil where browsers refuse passkeys.
	relying *webauthn.WebAuthn
}

// NewPasskeys returns the passkeys in db. They are bound to the host of the public URL; under one without a name there are
// none, since browsers ask for a domain.
func NewPasskeys(db *postgres.DB, guard *Guard, sessions *Sessions, public *url.URL) (*Passkeys, error) {
	passkeys := &Passkeys{db: db, guard: guard, sessions: sessions}

	if _, err := netip.ParseAddr(public.Hostname()); err == nil {
		return passkeys, nil
	}

	patience := webauthn.TimeoutConfig{Enforce: true, Timeout: ceremonyFor, TimeoutUVD: ceremonyFor}

	var err error
	passkeys.relying, err = webauthn.New(&webauthn.Config{
		RPID: public.Hostname(), RPDisplayName: "Formonce", RPOrigins: []string{strings.TrimSuffix(public.String(), "/")},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, UserVerification: protocol.VerificationRequired,
		},
		Timeouts: webauthn.TimeoutsConfig{Login: patience, Registration: patience},
	})

	return passkeys, err
}

// Available says whether browsers can use passkeys under the public URL.
func (p *Passkeys) Available() bool { return p.relying != nil }

// List returns the passkeys of the person, the oldest first.
func (p *Passkeys) List(ctx context.Context, loginID uuid.UUID) ([]Passkey, error) {
	rows, err := p.db.Pool.Query(ctx, listPasskeys, loginID)
	if err != nil {
		return nil, postgres.Fault("list passkeys", err)
	}

	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Passkey])

	return found, postgres.Fault("list passkeys", err)
}

// Rename gives a passkey of the person another name. The errors are the Faults passkey_not_found and invalid_passkey_name.
func (p *Passkeys) Rename(
	ctx context.Context, loginID, passkeyID uuid.UUID, name string, client Client,
) (Passkey, error) {
	name = plainName(name)
	if !validName(name) {
		return Passkey{}, errPasskeyName
	}

	var renamed Passkey

	err := postgres.InTx(ctx, p.db.Pool, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, renamePasskey, loginID, passkeyID, name)
		if err != nil {
			return err
		}

		renamed, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Passkey])
		if errors.Is(err, pgx.ErrNoRows) {
			return errPasskeyNotFound
		}

		if err != nil {
			return err
		}

		return recordEverywhere(ctx, tx, loginID, client, Change{
			Action: "passkey.renamed", Target: PublicPasskeyID(passkeyID),
		})
	})

	return renamed, postgres.Fault("rename a passkey", err)
}

// Remove takes a passkey away from the person. The errors are the Faults passkey_not_found and last_sign_in_means: somebody
// without a password keeps one way in.
func (p *Passkeys) Remove(ctx context.Context, loginID, passkeyID uuid.UUID, client Client) error {
	err := postgres.InTx(ctx, p.db.Pool, func(tx pgx.Tx) error {
		var means bool
		if err := tx.QueryRow(ctx, lockLogin, loginID).Scan(&means); err != nil {
			return err
		}

		removed, err := tx.Exec(ctx, removePasskey, loginID, passkeyID)
		if err != nil {
			return err
		}

		if removed.RowsAffected() == 0 {
			return errPasskeyNotFound
		}

		if !means {
			if err := tx.QueryRow(ctx, hasMeans, loginID).Scan(&means); err != nil {
				return err
			}
		}

		if !means {
			return errLastMeans
		}

		return changePerson(ctx, tx, p.notices, loginID, client, Change{
			Action: "passkey.removed", Target: PublicPasskeyID(passkeyID),
		})
	})

	return postgres.Fault("remove a passkey", err)
}

func plainName(name string) string { return norm.NFC.String(strings.TrimSpace(name)) }
