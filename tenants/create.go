package tenants

import (
	"context"

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
	LoginID  uuid.UUID
	// APIKey may do everything that a key can. It cannot be read again: only its hash is stored. After SignUp there is none.
	APIKey string
}

const (
	insertTenant = `
INSERT INTO tenants (id, slug, name, status, created_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (slug) DO NOTHING`
	// Whoever works for the operator vouches for the address. The assignment changes nothing: it makes the statement return,
	// and lock, a login that was there before.
	insertLogin = `
INSERT INTO logins (id, email, password_hash, email_verified_at) VALUES ($1, $2, $3, CASE WHEN $4 THEN NULL ELSE now() END)
ON CONFLICT (email) DO UPDATE SET email = excluded.email RETURNING id, COALESCE(password_hash, '')`
	insertMember  = `INSERT INTO members (tenant_id, id, login_id, role) VALUES ($1, $2, $3, 'owner')`
	insertKey     = `INSERT INTO api_keys (tenant_id, id, name, prefix, scopes) VALUES ($1, $2, $3, $4, $5)`
	insertKeyHash = `INSERT INTO api_key_hashes (key_hash, tenant_id, key_id) VALUES ($1, $2, $3)`

	firstKeyName = "first key"
	slugTries    = 8
)

// Create makes a tenant, all of it or nothing. Input that cannot be used is the Fault invalid_tenant with an issue for each
// field. A person who has a login already joins with it by giving its password; with another one it is email_taken.
func (r *Registry) Create(ctx context.Context, wanted NewTenant) (Created, error) {
	return r.create(ctx, wanted, false)
}

// SignUp is Create for a stranger. An address that has a login is the Fault email_taken whatever the password, so that
// nobody gets past that login's second factor or the limits of signing in; and there is no key that nobody asked for.
func (r *Registry) SignUp(ctx context.Context, wanted NewTenant) (Created, error) {
	return r.create(ctx, wanted, true)
}

func (r *Registry) create(ctx context.Context, wanted NewTenant, stranger bool) (Created, error) {
	wanted, err := wanted.checked()
	if err != nil {
		return Created{}, err
	}

	hash, err := hashPassword(ctx, wanted.Password)
	if err != nil {
		return Created{}, err
	}

	made := Created{
		Tenant: Tenant{
			ID: id.New(), Slug: wanted.Slug, Name: wanted.Name, Status: Active, CreatedAt: moment.Now(), Revision: 1,
			Settings: Settings{TimeZone: "UTC", DefaultLanguage: Languages[0]},
		},
		MemberID: id.New(),
	}

	err = postgres.InTx(ctx, r.db.Pool, func(tx pgx.Tx) error {
		var err error
		if made.Tenant.Slug, err = addTenant(ctx, tx, made.Tenant); err != nil {
			return err
		}

		if made.LoginID, err = addLogin(ctx, tx, wanted, hash, stranger); err != nil {
			return err
		}

		if _, err := tx.Exec(ctx, insertMember, made.Tenant.ID, made.MemberID, made.LoginID); err != nil {
			return err
		}

		if err := r.welcome(ctx, tx, &made, wanted.Email, stranger); err != nil {
			return err
		}

		return Record(ctx, tx, made.Tenant.ID, Change{Action: "tenant.created", Target: PublicID(made.Tenant.ID)})
	})
	if err != nil {
		return Created{}, postgres.Fault("create a tenant", err)
	}

	return made, nil
}

// welcome gives the tenant of a stranger a link to prove the address by, and that of an operator its first key.
func (r *Registry) welcome(ctx context.Context, tx pgx.Tx, made *Created, email string, stranger bool) (err error) {
	switch {
	case !stranger:
		made.APIKey, err = addFirstKey(ctx, tx, made.Tenant.ID)
	case r.Mailbox != nil:
		err = r.Mailbox.verification(ctx, tx, made.LoginID, email)
	}

	return err
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

// addLogin returns the login's id. One that is there already is shared with whoever knows its password, unless a stranger
// asks.
func addLogin(ctx context.Context, tx pgx.Tx, wanted NewTenant, hash string, stranger bool) (uuid.UUID, error) {
	var (
		loginID uuid.UUID
		kept    string
	)

	err := tx.QueryRow(ctx, insertLogin, id.New(), wanted.Email, hash, stranger).Scan(&loginID, &kept)
	if err != nil || kept == hash {
		return loginID, err
	}

	if stranger {
		return uuid.UUID{}, errEmailHasLogin
	}

	fits, err := passwordFits(ctx, wanted.Password, kept)
	if err == nil && !fits {
		err = errEmailTaken
	}

	return loginID, err
}

func addFirstKey(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID) (string, error) {
	key, prefix := newKey()
	keyID := id.New()

	if _, err := tx.Exec(ctx, insertKey, tenantID, keyID, firstKeyName, prefix, Scopes); err != nil {
		return "", err
	}

	_, err := tx.Exec(ctx, insertKeyHash, hashKey(key), tenantID, keyID)

	return key, err
}
