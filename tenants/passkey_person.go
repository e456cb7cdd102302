package tenants

import (
	"context"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/postgres"
)

const (
	findHolder      = `SELECT email, name FROM logins WHERE id = $1`
	listCredentials = `
SELECT credential_id, public_key, aaguid, sign_count, transports, backup_eligible, backup_state
FROM passkeys WHERE login_id = $1 ORDER BY id`
)

// holder is a person as the protocol sees them, with all their credentials.
type holder struct {
	loginID     uuid.UUID
	email, name string
	credentials webauthn.Credentials
}

var _ webauthn.User = (*holder)(nil)

// WebAuthnID is the handle that a device keeps: the login's id, which says nothing about the person.
func (h *holder) WebAuthnID() []byte { return h.loginID[:] }

// WebAuthnName is shown where a person chooses among their keys.
func (h *holder) WebAuthnName() string { return h.email }

// WebAuthnDisplayName is the person's name, and the address of somebody who gave none.
func (h *holder) WebAuthnDisplayName() string {
	if h.name == "" {
		return h.email
	}

	return h.name
}

// WebAuthnCredentials are those by which the person may answer.
func (h *holder) WebAuthnCredentials() []webauthn.Credential { return h.credentials }

// holder reads a person with their credentials; nil for a login that does not exist.
func (p *Passkeys) holder(ctx context.Context, loginID uuid.UUID) (*holder, error) {
	found := &holder{loginID: loginID}

	if err := p.db.Pool.QueryRow(ctx, findHolder, loginID).Scan(&found.email, &found.name); err != nil {
		return nil, err
	}

	rows, err := p.db.Pool.Query(ctx, listCredentials, loginID)
	if err != nil {
		return nil, postgres.Fault("read passkeys", err)
	}

	found.credentials, err = pgx.CollectRows(rows, scanCredential)

	return found, postgres.Fault("read passkeys", err)
}

func scanCredential(row pgx.CollectableRow) (webauthn.Credential, error) {
	var (
		credential webauthn.Credential
		transports []string
	)

	err := row.Scan(&credential.ID, &credential.PublicKey, &credential.Authenticator.AAGUID, &credential.Authenticator.SignCount,
		&transports, &credential.Flags.BackupEligible, &credential.Flags.BackupState)

	for _, name := range transports {
		credential.Transport = append(credential.Transport, protocol.AuthenticatorTransport(name))
	}

	return credential, err
}
