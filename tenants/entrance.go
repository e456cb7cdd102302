package tenants

import (
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

	return &Entrance{
		Guard: guard, Keyring: keyring, Access: NewAccess(db, tokens), Sessions: sessions, SignIns: signIns,
	}, nil
}
