package tenants

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/postgres"
)

// Access finds out who a request of the management side is made by.
type Access struct {
	db *postgres.DB
}

// NewAccess returns an Access over the people and keys in db.
func NewAccess(db *postgres.DB) *Access { return &Access{db: db} }

// ErrUnauthenticated is the one answer to every credential that does not count, so that nobody learns from it.
var ErrUnauthenticated = fault.New(fault.Unauthenticated, "unauthenticated",
	"This needs a valid access token or API key in the header Authorization, as Bearer. Sign in again or make a new key.")

var errTenantSuspended = fault.New(fault.Forbidden, "tenant_suspended",
	"This tenant is suspended. Ask the operator of the service.")

const findKey = `
SELECT k.tenant_id, k.id, k.name, k.scopes, t.status
FROM api_key_hashes h JOIN api_keys k ON k.tenant_id = h.tenant_id AND k.id = h.key_id JOIN tenants t ON t.id = h.tenant_id
WHERE h.key_hash = $1`

// Authenticate returns who stands behind a bearer credential: an API key (fo_live_…) or an access token. The errors are
// the Faults unauthenticated and tenant_suspended.
func (a *Access) Authenticate(ctx context.Context, bearer string) (Caller, error) {
	if !strings.HasPrefix(bearer, keyMark) {
		return Caller{}, ErrUnauthenticated
	}

	var (
		caller Caller
		status Status
	)

	err := a.db.Pool.QueryRow(ctx, findKey, hashKey(bearer)).
		Scan(&caller.TenantID, &caller.KeyID, &caller.Name, &caller.Scopes, &status)
	if errors.Is(err, pgx.ErrNoRows) {
		return Caller{}, ErrUnauthenticated
	}

	if err != nil {
		return Caller{}, postgres.Fault("look an API key up", err)
	}

	if status == Suspended {
		return Caller{}, errTenantSuspended
	}

	return caller, nil
}
