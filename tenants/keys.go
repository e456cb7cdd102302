package tenants

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/id"
	"formonce/internal/moment"
	"formonce/internal/postgres"
)

const (
	selectKeys = `
SELECT id, name, prefix, scopes, created_by, created_at, expires_at, last_used_at FROM api_keys WHERE tenant_id = $1`
	// One page, the newest first: ids are made in the order of time.
	pageOfKeys = selectKeys + ` AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`
	oneKey     = selectKeys + ` AND id = $2`
	lockKey    = oneKey + ` FOR UPDATE`
	addKey     = `
INSERT INTO api_keys (tenant_id, id, name, prefix, scopes, created_by, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`
	addHash   = `INSERT INTO api_key_hashes (key_hash, tenant_id, key_id, secret_id) VALUES ($1, $2, $3, $4)`
	changeKey = `UPDATE api_keys SET name = $3, scopes = $4, expires_at = $5 WHERE tenant_id = $1 AND id = $2`
	renameKey = `UPDATE api_keys SET prefix = $3 WHERE tenant_id = $1 AND id = $2`
	// A secret that was to end sooner already still does.
	endHashes = `
UPDATE api_key_hashes SET expires_at = LEAST(expires_at, now() + $3::interval) WHERE tenant_id = $1 AND key_id = $2`
	dropHashes = `DELETE FROM api_key_hashes WHERE tenant_id = $1 AND key_id = $2 AND expires_at <= now()`
	dropKey    = `DELETE FROM api_keys WHERE tenant_id = $1 AND id = $2 RETURNING name, prefix`
)

const (
	keysOnAPage = 50
	// LongestGrace is how long the old secret of a key may stay beside the new one.
	LongestGrace = 7 * 24 * time.Hour
)

// Key is an API key, without its secret.
type Key struct {
	ID uuid.UUID
	// Name is 1 to 120 characters; it is for people.
	Name string
	// Prefix is how the secret begins, for recognition.
	Prefix string
	Scopes []Scope
	// CreatedBy is the member who made it; nil for the first key of a tenant.
	CreatedBy *uuid.UUID
	CreatedAt time.Time
	// ExpiresAt is nil for a key that stays until it is deleted.
	ExpiresAt *time.Time
	// LastUsedAt is exact to a minute; nil for a key that was never used.
	LastUsedAt *time.Time
}

// Keys are the API keys of tenants.
type Keys struct {
	db *postgres.DB
}

// NewKeys returns the keys in db.
func NewKeys(db *postgres.DB) *Keys { return &Keys{db: db} }

// List returns a page of the tenant's keys, the newest first, and the cursor of the next page; empty on the last. A limit of
// 0 stands for 50.
func (k *Keys) List(ctx context.Context, tenantID uuid.UUID, limit int, cursor string) ([]Key, string, error) {
	if limit == 0 {
		limit = keysOnAPage
	}

	var after *uuid.UUID

	if cursor != "" {
		read, err := id.Parse(keyIDPrefix, cursor)
		if err != nil {
			return nil, "", fault.New(fault.Invalid, "invalid_cursor",
				"The parameter cursor is none of ours. Send the next_cursor of the page before, or leave it out.")
		}

		after = &read
	}

	var found []Key

	err := k.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		rows, err := s.Tx.Query(ctx, pageOfKeys, tenantID, after, limit+1)
		if err != nil {
			return err
		}

		found, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Key])

		return err
	})
	if err != nil || len(found) <= limit {
		return found, "", postgres.Fault("list the API keys", err)
	}

	return found[:limit], PublicKeyID(found[limit-1].ID), nil
}

// Get returns one key, or the Fault api_key_not_found.
func (k *Keys) Get(ctx context.Context, tenantID, keyID uuid.UUID) (Key, error) {
	var found Key

	err := k.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		var err error
		found, err = readKey(ctx, s.Tx, oneKey, tenantID, keyID)

		return err
	})

	return found, postgres.Fault("read an API key", err)
}

// Create makes a key for a member, and returns it with its secret, which cannot be read again. What cannot be made is the
// Fault invalid_api_key, with an issue for each member at fault; a scope that the member's role does not cover is
// scope_not_yours.
func (k *Keys) Create(ctx context.Context, maker Caller, wanted Key) (Key, string, error) {
	if err := wanted.check(maker.Role, nil); err != nil {
		return Key{}, "", err
	}

	secret, prefix := newKey()
	wanted.ID, wanted.Prefix, wanted.CreatedBy, wanted.CreatedAt = id.New(), prefix, &maker.MemberID, moment.Now()

	err := k.db.InScope(ctx, maker.TenantID, func(ctx context.Context, s *postgres.Scope) error {
		_, err := s.Tx.Exec(ctx, addKey, maker.TenantID, wanted.ID, wanted.Name, prefix, wanted.Scopes, wanted.CreatedBy,
			wanted.CreatedAt, wanted.ExpiresAt)
		if err != nil {
			return err
		}

		if _, err := s.Tx.Exec(ctx, addHash, hashKey(secret), maker.TenantID, wanted.ID, uuid.New()); err != nil {
			return err
		}

		return Record(ctx, s.Tx, maker.TenantID, wanted.changed("api_key.created"))
	})

	return wanted, secret, postgres.Fault("make an API key", err)
}

// Update changes a key's name, scopes and expiry, as change makes them from what is there. Requests that are made with the
// key from then on have the new scopes.
func (k *Keys) Update(ctx context.Context, maker Caller, keyID uuid.UUID, change func(*Key)) (Key, error) {
	var found Key

	err := k.db.InScope(ctx, maker.TenantID, func(ctx context.Context, s *postgres.Scope) error {
		var err error
		if found, err = readKey(ctx, s.Tx, lockKey, maker.TenantID, keyID); err != nil {
			return err
		}

		had := slices.Clone(found.Scopes)
		change(&found)

		if err := found.check(maker.Role, had); err != nil {
			return err
		}

		_, err = s.Tx.Exec(ctx, changeKey, maker.TenantID, keyID, found.Name, found.Scopes, found.ExpiresAt)
		if err != nil {
			return err
		}

		return Record(ctx, s.Tx, maker.TenantID, found.changed("api_key.updated"))
	})

	return found, postgres.Fault("change an API key", err)
}

// Rotate gives a key a new secret and returns it. Those it had work for the grace, of 0 to LongestGrace, and no longer.
func (k *Keys) Rotate(ctx context.Context, tenantID, keyID uuid.UUID, grace time.Duration) (Key, string, error) {
	if grace < 0 || grace > LongestGrace {
		return Key{}, "", errGrace
	}

	var found Key

	secret, prefix := newKey()

	err := k.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		var err error
		if found, err = readKey(ctx, s.Tx, lockKey, tenantID, keyID); err != nil {
			return err
		}

		found.Prefix = prefix

		for _, step := range []struct {
			sql  string
			args []any
		}{
			{endHashes, []any{tenantID, keyID, grace}},
			{dropHashes, []any{tenantID, keyID}},
			{renameKey, []any{tenantID, keyID, prefix}},
			{addHash, []any{hashKey(secret), tenantID, keyID, uuid.New()}},
		} {
			if _, err := s.Tx.Exec(ctx, step.sql, step.args...); err != nil {
				return err
			}
		}

		rotated := found.changed("api_key.rotated")
		rotated.Details["grace_seconds"] = int(grace.Seconds())

		return Record(ctx, s.Tx, tenantID, rotated)
	})

	return found, secret, postgres.Fault("rotate an API key", err)
}

// Delete ends a key at once, with every access token that it was exchanged for.
func (k *Keys) Delete(ctx context.Context, tenantID, keyID uuid.UUID) error {
	err := k.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		gone := Key{ID: keyID}

		err := s.Tx.QueryRow(ctx, dropKey, tenantID, keyID).Scan(&gone.Name, &gone.Prefix)
		if errors.Is(err, pgx.ErrNoRows) {
			return errKeyNotFound
		}

		if err != nil {
			return err
		}

		return Record(ctx, s.Tx, tenantID, gone.changed("api_key.deleted"))
	})

	return postgres.Fault("delete an API key", err)
}

func readKey(ctx context.Context, tx pgx.Tx, sql string, tenantID, keyID uuid.UUID) (Key, error) {
	rows, err := tx.Query(ctx, sql, tenantID, keyID)
	if err != nil {
		return Key{}, err
	}

	found, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Key])
	if errors.Is(err, pgx.ErrNoRows) {
		return Key{}, errKeyNotFound
	}

	return found, err
}

func (k *Key) changed(action string) Change {
	details := map[string]any{"name": k.Name, "prefix": k.Prefix}
	if k.Scopes != nil {
		details["scopes"] = joinScopes(k.Scopes)
	}

	return Change{Action: action, Target: PublicKeyID(k.ID), Details: details}
}

// PublicKeyID shows a key's id to people and programs. The key itself is something else.
func PublicKeyID(keyID uuid.UUID) string { return id.Write(keyIDPrefix, keyID) }

// ParseKeyID is the inverse of PublicKeyID; a text that is none is the Fault api_key_not_found.
func ParseKeyID(text string) (uuid.UUID, error) { return parseID(keyIDPrefix, text, errKeyNotFound) }

func joinScopes(scopes []Scope) string {
	names := make([]string, len(scopes))
	for i, scope := range scopes {
		names[i] = string(scope)
	}

	return strings.Join(names, " ")
}
