package tenants

import (
	"context"
	"fmt"

	"github.com/alexedwards/argon2id"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/id"
	"formonce/internal/moment"
	"formonce/internal/postgres"
)

// NewTenant is what a tenant is made from: its name, and the sign-in of the person who will own it.
type NewTenant struct {
	Name string
	// Slug is made from the name when it is empty; one that is given and taken is the Fault slug_taken.
	Slug     string
	Email    string
	Password string
}

// Created is a tenant with its first member, who owns it, and its first key.
type Created struct {
	Tenant   Tenant
	MemberID uuid.UUID
	// APIKey may do everything that a key can. It cannot be read again: only its hash is stored.
	APIKey string
}

const (
	insertTenant = `
INSERT INTO tenants (id, slug, name, status, created_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (slug) DO NOTHING`
	// The assignment changes nothing: it makes the statement return, and lock, a login that was there before.
	insertLogin = `
INSERT INTO logins (id, email, password_hash) VALUES ($1, $2, $3)
ON CONFLICT (email) DO UPDATE SET email = excluded.email RETURNING id, COALESCE(password_hash, '')`
	insertMember  = `INSERT INTO members (tenant_id, id, login_id, role) VALUES ($1, $2, $3, 'owner')`
	insertKey     = `INSERT INTO api_keys (tenant_id, id, name, prefix, scopes) VALUES ($1, $2, $3, $4, $5)`
	insertKeyHash = `INSERT INTO api_key_hashes (key_hash, tenant_id, key_id) VALUES ($1, $2, $3)`

	firstKeyName = "first key"
	slugTries    = 8
)

// hashing costs 19 MiB and some 30 ms, the lower of the settings that OWASP recommends, so that many people who sign in at
// once do not take the machine's memory.
var hashing = &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// Create makes a tenant, all of it or nothing. Input that cannot be used is the Fault invalid_tenant with an issue for each
// field. A person who has a login already joins with it by giving its password; with another one it is email_taken.
func (r *Registry) Create(ctx context.Context, wanted NewTenant) (Created, error) {
	wanted, err := wanted.checked()
	if err != nil {
		return Created{}, err
	}

	// Hashing is slow on purpose, so no transaction waits for it.
	hash, err := argon2id.CreateHash(wanted.Password, hashing)
	if err != nil {
		return Created{}, fmt.Errorf("hash a password: %w", err)
	}

	key, prefix := newKey()
	made := Created{
		Tenant: Tenant{
			ID: id.New(), Slug: wanted.Slug, Name: wanted.Name, Status: Active,
			CreatedAt: moment.Now(),
		},
		MemberID: id.New(), APIKey: key,
	}

	err = postgres.InTx(ctx, r.db.Pool, func(tx pgx.Tx) error {
		slug, err := addTenant(ctx, tx, made.Tenant)
		if err != nil {
			return err
		}

		made.Tenant.Slug = slug

		loginID, err := addLogin(ctx, tx, wanted, hash)
		if err != nil {
			return err
		}

		if _, err := tx.Exec(ctx, insertMember, made.Tenant.ID, made.MemberID, loginID); err != nil {
			return err
		}

		return addKey(ctx, tx, made.Tenant.ID, key, prefix)
	})
	if err != nil {
		return Created{}, postgres.Fault("create a tenant", err)
	}

	return made, nil
}

// addTenant returns the slug that the tenant got. A slug that somebody asked for is theirs or nobody's.
func addTenant(ctx context.Context, tx pgx.Tx, tenant Tenant) (string, error) {
	slug := tenant.Slug
	if slug == "" {
		slug = slugFrom(tenant.Name)
	}

	candidate := slug

	for range slugTries {
		added, err := tx.Exec(ctx, insertTenant, tenant.ID, candidate, tenant.Name, tenant.Status, tenant.CreatedAt)
		if err != nil || added.RowsAffected() == 1 {
			return candidate, err
		}

		if tenant.Slug != "" {
			break
		}

		candidate = withSuffix(slug)
	}

	return "", errSlugTaken
}

// addLogin returns the login's id. One that is there already is shared with whoever knows its password.
func addLogin(ctx context.Context, tx pgx.Tx, wanted NewTenant, hash string) (uuid.UUID, error) {
	var (
		loginID uuid.UUID
		kept    string
	)

	err := tx.QueryRow(ctx, insertLogin, id.New(), wanted.Email, hash).Scan(&loginID, &kept)
	if err != nil || kept == hash {
		return loginID, err
	}

	if kept == "" {
		return uuid.UUID{}, errEmailTaken
	}

	fits, err := argon2id.ComparePasswordAndHash(wanted.Password, kept)
	if err != nil {
		return uuid.UUID{}, fmt.Errorf("compare a password with its hash: %w", err)
	}

	if !fits {
		return uuid.UUID{}, errEmailTaken
	}

	return loginID, nil
}

func addKey(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, key, prefix string) error {
	keyID := id.New()

	if _, err := tx.Exec(ctx, insertKey, tenantID, keyID, firstKeyName, prefix, Scopes); err != nil {
		return err
	}

	_, err := tx.Exec(ctx, insertKeyHash, hashKey(key), tenantID, keyID)

	return err
}
