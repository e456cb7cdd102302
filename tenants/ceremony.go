package tenants

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/id"
	"formonce/internal/postgres"
)

const (
	ceremonyIDPrefix = "cer_"
	// ceremonyFor is how long a person may take at their device.
	ceremonyFor = 5 * time.Minute
)

// occasion is what a ceremony is for; one for another purpose is none.
type occasion string

const (
	forRegistration occasion = "registration"
	forSignIn       occasion = "sign_in"
	forSecondFactor occasion = "second_factor"
	forProvider     occasion = "provider"
)

const (
	insertCeremony = `
INSERT INTO ceremonies (id, login_id, purpose, state, expires_at) VALUES ($1, $2, $3, $4, now() + $5::interval)`
	// Of all who come with one ceremony at the same time, one takes it.
	takeCeremony = `
DELETE FROM ceremonies WHERE id = $1 AND purpose = $2 AND login_id IS NOT DISTINCT FROM $3 AND expires_at > now()
RETURNING state`
	sweepCeremonies = `DELETE FROM ceremonies WHERE expires_at <= now()`
)

var errCeremonyEnded = fault.New(fault.Conflict, "ceremony_ended",
	"This took too long or was answered already. Begin again.")

// Ceremony is what a browser needs to ask a device for a passkey.
type Ceremony struct {
	ID uuid.UUID
	// Options is the JSON of PublicKeyCredentialCreationOptionsJSON or PublicKeyCredentialRequestOptionsJSON (Web
	// Authentication Level 3, sections 5.1.8 and 5.1.9).
	Options []byte
}

// PublicCeremonyID shows a ceremony's id to programs.
func PublicCeremonyID(ceremonyID uuid.UUID) string { return id.Write(ceremonyIDPrefix, ceremonyID) }

// ParseCeremonyID reads what PublicCeremonyID wrote. Anything else is the Fault ceremony_ended.
func ParseCeremonyID(text string) (uuid.UUID, error) {
	parsed, err := id.Parse(ceremonyIDPrefix, text)
	if err != nil {
		return uuid.UUID{}, errCeremonyEnded
	}

	return parsed, nil
}

// begin keeps what the service has to know when the device answers. The login is zero where nobody is known yet.
func (p *Passkeys) begin(
	ctx context.Context, why occasion, loginID uuid.UUID, options any, session *webauthn.SessionData,
) (Ceremony, error) {
	written, err := json.Marshal(options)
	if err != nil {
		return Ceremony{}, fmt.Errorf("write the options of a ceremony: %w", err)
	}

	state, err := json.Marshal(session)
	if err != nil {
		return Ceremony{}, fmt.Errorf("write the state of a ceremony: %w", err)
	}

	made := Ceremony{ID: id.New(), Options: written}
	_, err = p.db.Pool.Exec(ctx, insertCeremony, made.ID, optional(loginID), why, state, ceremonyFor)

	return made, postgres.Fault("begin a ceremony", err)
}

// take returns the state of a ceremony once.
func (p *Passkeys) take(
	ctx context.Context, why occasion, loginID, ceremonyID uuid.UUID,
) (webauthn.SessionData, error) {
	var (
		state   []byte
		session webauthn.SessionData
	)

	err := p.db.Pool.QueryRow(ctx, takeCeremony, ceremonyID, why, optional(loginID)).Scan(&state)
	if errors.Is(err, pgx.ErrNoRows) {
		return session, errCeremonyEnded
	}

	if err != nil {
		return session, postgres.Fault("take a ceremony", err)
	}

	if err := json.Unmarshal(state, &session); err != nil {
		return session, fmt.Errorf("read the state of a ceremony: %w", err)
	}

	return session, nil
}

// Sweep removes the ceremonies that nobody came back from.
func (p *Passkeys) Sweep(ctx context.Context) error {
	_, err := p.db.Pool.Exec(ctx, sweepCeremonies)

	return postgres.Fault("remove ceremonies", err)
}
