package tenants

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/id"
	"formonce/internal/postgres"
)

// Access finds out who a request of the management side is made by. It asks the database each time, so that a session or key
// that has ended, a role that was changed and a tenant that was suspended count for the very next request.
type Access struct {
	db     *postgres.DB
	tokens *Tokens
}

// NewAccess returns an Access over the people and keys in db.
func NewAccess(db *postgres.DB, tokens *Tokens) *Access { return &Access{db: db, tokens: tokens} }

// ErrUnauthenticated is the one answer to every credential that does not count, so that nobody learns from it.
var ErrUnauthenticated = fault.New(fault.Unauthenticated, "unauthenticated",
	"This needs a valid access token or API key in the header Authorization, as Bearer. Sign in again or make a new key.")

const (
	keyColumns = `
SELECT k.tenant_id, t.status, k.id, k.name, k.scopes, COALESCE(k.last_used_at < now() - $1::interval, true), h.secret_id
FROM api_key_hashes h JOIN api_keys k ON k.tenant_id = h.tenant_id AND k.id = h.key_id JOIN tenants t ON t.id = h.tenant_id
WHERE (h.expires_at IS NULL OR h.expires_at > now()) AND (k.expires_at IS NULL OR k.expires_at > now())`
	findKey          = keyColumns + ` AND h.key_hash = $2`
	findExchangedKey = keyColumns + `
AND k.tenant_id = $2 AND k.id = $3 AND h.secret_id = $4
AND EXISTS (SELECT FROM signing_keys WHERE kid = $5 AND revoked_at IS NULL)`
	// Of two requests at the same time one writes.
	useKey = `
UPDATE api_keys SET last_used_at = now()
WHERE tenant_id = $1 AND id = $2 AND COALESCE(last_used_at < now() - $3::interval, true)`
	// A person who was removed from the tenant that the token names finds no member there.
	findSessionCaller = `
SELECT l.email, m.id, COALESCE(m.role, ''), COALESCE(t.status, '')
FROM sessions s JOIN logins l ON l.id = s.login_id
LEFT JOIN members m ON m.tenant_id = $3 AND m.login_id = s.login_id LEFT JOIN tenants t ON t.id = m.tenant_id
WHERE s.id = $1 AND s.login_id = $2 AND s.expires_at > now()
AND EXISTS (SELECT FROM signing_keys WHERE kid = $4 AND revoked_at IS NULL)`
)

// keyUseKept is how exactly the last use of a key is known, so that a busy program does not write all the time.
const keyUseKept = time.Minute

// IsKey says whether a bearer credential is written like an API key.
func IsKey(bearer string) bool { return strings.HasPrefix(bearer, keyMark) }

// Authenticate returns who stands behind a bearer credential: an API key (fo_live_…) or an access token. Whatever does not
// count is the Fault unauthenticated. Whether the caller may do anything is asked with Refuse.
func (a *Access) Authenticate(ctx context.Context, bearer string) (Caller, error) {
	if IsKey(bearer) {
		return a.program(ctx, findKey, hashKey(bearer))
	}

	if bearer == "" {
		return Caller{}, ErrUnauthenticated
	}

	read, err := a.tokens.read(ctx, bearer)
	if err != nil {
		return Caller{}, err
	}

	if read.sessionID != (uuid.UUID{}) {
		return a.member(ctx, read)
	}

	caller, err := a.program(ctx, findExchangedKey, read.tenantID, read.keyID, read.secretID, read.kid)

	// The token has what the key had when it was exchanged, as far as the key has it still.
	caller.Scopes = slices.DeleteFunc(caller.Scopes, func(s Scope) bool { return !slices.Contains(read.scopes, s) })

	return caller, err
}

func (a *Access) member(ctx context.Context, read bearing) (Caller, error) {
	caller := Caller{TenantID: read.tenantID, LoginID: read.loginID, SessionID: read.sessionID}

	var memberID *uuid.UUID

	err := a.db.Pool.QueryRow(ctx, findSessionCaller, read.sessionID, read.loginID, read.tenantID, read.kid).
		Scan(&caller.Name, &memberID, &caller.Role, &caller.Status)
	if errors.Is(err, pgx.ErrNoRows) {
		return Caller{}, ErrUnauthenticated
	}

	if err != nil {
		return Caller{}, postgres.Fault("look a session up", err)
	}

	if memberID != nil {
		caller.MemberID = *memberID
	} else if read.tenantID != (uuid.UUID{}) {
		return Caller{}, ErrUnauthenticated
	}

	return caller, nil
}

func (a *Access) program(ctx context.Context, find string, args ...any) (Caller, error) {
	var (
		caller Caller
		unseen bool
	)

	err := a.db.Pool.QueryRow(ctx, find, append([]any{keyUseKept}, args...)...).
		Scan(&caller.TenantID, &caller.Status, &caller.KeyID, &caller.Name, &caller.Scopes, &unseen, &caller.secretID)
	if errors.Is(err, pgx.ErrNoRows) {
		return Caller{}, ErrUnauthenticated
	}

	if err == nil && unseen {
		_, err = a.db.Pool.Exec(ctx, useKey, caller.TenantID, caller.KeyID, keyUseKept)
	}

	if err != nil {
		return Caller{}, postgres.Fault("look an API key up", err)
	}

	return caller, nil
}

// Exchange returns an access token with the scopes of the API key, which ends with the key, or with its secret when the key
// is rotated. Anything that is no key is the Fault unauthenticated; a key of a suspended tenant is refused.
func (a *Access) Exchange(ctx context.Context, key string) (Token, []Scope, error) {
	if !IsKey(key) {
		return Token{}, nil, ErrUnauthenticated
	}

	caller, err := a.program(ctx, findKey, hashKey(key))
	if err != nil {
		return Token{}, nil, err
	}

	if caller.Status == Suspended {
		return Token{}, nil, errTenantSuspended
	}

	token, err := a.tokens.sign(ctx, jwt.MapClaims{
		"sub": PublicKeyID(caller.KeyID), claimSecret: id.Write(secretIDPrefix, caller.secretID),
		claimTenant: PublicID(caller.TenantID), claimScope: joinScopes(caller.Scopes),
	})

	return token, caller.Scopes, err
}
