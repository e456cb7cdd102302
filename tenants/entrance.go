package tenants

import (
	"context"
	"errors"
	"net/url"

	"formonce/internal/postgres"
)

// Entrance is all that stands between a credential and a caller.
type Entrance struct {
	Guard    *Guard
	Keyring  *Keyring
	Access   *Access
	Sessions *Sessions
	SignIns  *SignIns
	Passkeys *Passkeys
	Factors  *Factors
	// Provider is one that is not configured, unless somebody puts another one here.
	Provider *Provider
}

// NewEntrance joins its parts over db. The secret is the service's, from which every key of the parts is derived; public is
// the origin under which the service is reached, and the issuer of its tokens.
func NewEntrance(db *postgres.DB, secret []byte, public *url.URL) (*Entrance, error) {
	guard, err := NewGuard(db, secret)
	if err != nil {
		return nil, err
	}

	keyring, err := NewKeyring(db, secret)
	if err != nil {
		return nil, err
	}

	tokens := NewTokens(keyring, public)

	sessions, err := NewSessions(db, tokens, secret)
	if err != nil {
		return nil, err
	}

	signIns, err := NewSignIns(db, guard, sessions, secret)
	if err != nil {
		return nil, err
	}

	passkeys, err := NewPasskeys(db, guard, sessions, public)
	if err != nil {
		return nil, err
	}

	factors, err := NewFactors(db, guard, signIns, passkeys, secret, public)
	if err != nil {
		return nil, err
	}

	provider, err := NewProvider(db, guard, signIns, secret, ProviderOptions{})
	if err != nil {
		return nil, err
	}

	return &Entrance{
		Guard: guard, Keyring: keyring, Access: NewAccess(db, tokens), Sessions: sessions, SignIns: signIns,
		Passkeys: passkeys, Factors: factors, Provider: provider,
	}, nil
}

// Sweep removes what has expired: sessions, ceremonies, and the counters of tries. It is out of force before that.
func (e *Entrance) Sweep(ctx context.Context) error {
	return errors.Join(e.Sessions.Sweep(ctx), e.Passkeys.Sweep(ctx), e.Guard.Sweep(ctx))
}

// NotifyBy lets people learn of changes of their sign-in. Until it is called they find them in the audit log only.
func (e *Entrance) NotifyBy(notices Notices) {
	e.Passkeys.notices, e.Factors.notices, e.Provider.notices = notices, notices, notices
}
