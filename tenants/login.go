package tenants

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/postgres"
)

const (
	findPassword = `SELECT password_hash FROM logins WHERE email = $1 AND password_hash IS NOT NULL`
	findMember   = `
SELECT EXISTS (SELECT FROM members JOIN logins ON logins.id = login_id WHERE tenant_id = $1 AND email = $2)`
)

// PasswordFits says whether the address has a login with this password.
func (r *Registry) PasswordFits(ctx context.Context, email, password string) (bool, error) {
	var kept string

	err := r.db.Pool.QueryRow(ctx, findPassword, strings.ToLower(email)).Scan(&kept)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}

	if err != nil {
		return false, postgres.Fault("read a login", err)
	}

	return passwordFits(ctx, password, kept)
}

// HasMember says whether the person with this address is a member of the tenant.
func (r *Registry) HasMember(ctx context.Context, tenantID uuid.UUID, email string) (bool, error) {
	var found bool

	err := r.db.Pool.QueryRow(ctx, findMember, tenantID, strings.ToLower(email)).Scan(&found)

	return found, postgres.Fault("read a member", err)
}
