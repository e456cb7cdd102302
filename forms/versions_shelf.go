package forms

import (
	"context"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"formonce/internal/fault"
	"formonce/internal/postgres"
)

// shelfSize is how many versions are kept in memory, ready for use.
const shelfSize = 2_000

// versionShelf holds published schemas in memory. They never change, so what it holds is never out of date.
type versionShelf struct {
	db   *postgres.DB
	read *lru.Cache[versionKey, *Schema]
}

type versionKey struct {
	tenantID   uuid.UUID
	endpointID string
	version    int
}

func newVersionShelf(db *postgres.DB) *versionShelf {
	read, _ := lru.New[versionKey, *Schema](shelfSize) // fails only for a size below one

	return &versionShelf{db: db, read: read}
}

// get returns the schema, nil for noSchema. A version goes only together with its endpoint, so one that is missing is the
// Fault endpoint_not_found.
func (s *versionShelf) get(ctx context.Context, tenantID uuid.UUID, endpointID string, version int) (*Schema, error) {
	if version == noSchema {
		return nil, nil
	}

	key := versionKey{tenantID, endpointID, version}
	if known, ok := s.read.Get(key); ok {
		return known, nil
	}

	found, err := findVersion(ctx, s.db.Pool, tenantID, endpointID, version)
	if fault.Has(err, errVersionNotFound.Code) {
		return nil, errEndpointNotFound
	}

	if err != nil {
		return nil, postgres.Fault("read a version of a schema", err)
	}

	s.read.Add(key, found.Schema)

	return found.Schema, nil
}
