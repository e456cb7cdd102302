package forms

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/moment"
	"formonce/internal/postgres"
	"formonce/tenants"
)

// Schemas is where a tenant's schemas are drafted and published.
type Schemas struct {
	db *postgres.DB
}

// NewSchemas returns the schemas of the endpoints in db.
func NewSchemas(db *postgres.DB) *Schemas { return &Schemas{db: db} }

// Draft is what is being worked on. Where nothing was saved yet, it is what is published, or a schema without fields.
type Draft struct {
	Schema *Schema
	// Revision is 1 at first and grows with every save.
	Revision int64
	// UpdatedAt is zero where nothing was saved yet.
	UpdatedAt time.Time
	// Published is the version that new submissions are accepted by; 0 for none. Differs says whether the draft asks for
	// something else.
	Published int
	Differs   bool
}

// The endpoint's row is locked by whoever changes its schema, so that they take turns.
const (
	publishedVersion       = `SELECT schema_version FROM endpoints WHERE tenant_id = $1 AND id = $2`
	publishedVersionLocked = publishedVersion + ` FOR UPDATE`

	findDraft = `SELECT schema, revision, updated_at FROM endpoint_drafts WHERE tenant_id = $1 AND endpoint_id = $2`

	saveDraft = `
INSERT INTO endpoint_drafts (tenant_id, endpoint_id, revision, schema, updated_at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (tenant_id, endpoint_id) DO UPDATE SET revision = $3, schema = $4, updated_at = $5`
)

// Draft returns the draft of an endpoint's schema.
func (s *Schemas) Draft(ctx context.Context, tenantID uuid.UUID, endpointID string) (Draft, error) {
	var found Draft

	err := s.db.InScope(ctx, tenantID, func(ctx context.Context, scope *postgres.Scope) (err error) {
		desk, err := openDesk(ctx, scope.Tx, tenantID, endpointID, publishedVersion)
		found = desk.draft

		return err
	})

	return found, postgres.Fault("read the draft of a schema", err)
}

// Save replaces the draft. With a revision other than 0 it replaces nothing but that one. The errors are the Faults
// invalid_schema with every issue, endpoint_not_found and precondition_failed.
func (s *Schemas) Save(
	ctx context.Context, tenantID uuid.UUID, endpointID string, revision int64, schema *Schema,
) (Draft, error) {
	if err := schema.Check(); err != nil {
		return Draft{}, err
	}

	var saved Draft

	err := s.db.InScope(ctx, tenantID, func(ctx context.Context, scope *postgres.Scope) error {
		desk, err := openDesk(ctx, scope.Tx, tenantID, endpointID, publishedVersionLocked)
		if err != nil {
			return err
		}

		if revision != 0 && revision != desk.draft.Revision {
			return errChanged
		}

		saved, err = desk.save(ctx, schema)

		return err
	})

	return saved, postgres.Fault("save the draft of a schema", err)
}

// desk is an endpoint's schema within one transaction: what is published of it, and the draft.
type desk struct {
	tx         pgx.Tx
	tenantID   uuid.UUID
	endpointID string

	// published has no fields and the version 0 where nothing was published yet.
	published *Schema
	draft     Draft
}

// openDesk reads both; version is the statement that asks for the published version.
func openDesk(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, endpointID, version string) (*desk, error) {
	d := &desk{tx: tx, tenantID: tenantID, endpointID: endpointID, published: &Schema{Unknown: UnknownKeep}}

	var number int

	err := tx.QueryRow(ctx, version, tenantID, endpointID).Scan(&number)
	if errors.Is(err, pgx.ErrNoRows) {
		return d, errEndpointNotFound
	}

	if err == nil && number != noSchema {
		var found Version

		found, err = findVersion(ctx, tx, tenantID, endpointID, number)
		d.published = found.Schema
	}

	if err != nil {
		return d, err
	}

	err = d.readDraft(ctx)

	return d, err
}

func (d *desk) readDraft(ctx context.Context) error {
	var stored []byte

	d.draft = Draft{Schema: d.published, Revision: 1, Published: d.published.Version}

	err := d.tx.QueryRow(ctx, findDraft, d.tenantID, d.endpointID).Scan(&stored, &d.draft.Revision, &d.draft.UpdatedAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}

	if err != nil {
		return err
	}

	if d.draft.Schema, err = decodeSchema(stored, 0); err != nil {
		return err
	}

	d.draft.UpdatedAt = d.draft.UpdatedAt.UTC()

	return d.compare()
}

// compare sets whether the draft differs from what is published. A draft without fields differs from nothing published
// only by the rule for other fields.
func (d *desk) compare() error {
	same, err := sameSchema(d.draft.Schema, d.published)
	d.draft.Differs = !same

	return err
}

func (d *desk) save(ctx context.Context, schema *Schema) (Draft, error) {
	stored, err := encodeSchema(schema)
	if err != nil {
		return Draft{}, err
	}

	d.draft.Schema, d.draft.UpdatedAt = schema, moment.Now()
	d.draft.Revision++

	_, err = d.tx.Exec(ctx, saveDraft, d.tenantID, d.endpointID, d.draft.Revision, stored, d.draft.UpdatedAt)
	if err != nil {
		return Draft{}, err
	}

	if err := d.compare(); err != nil {
		return Draft{}, err
	}

	return d.draft, tenants.Record(ctx, d.tx, d.tenantID, tenants.Change{
		Action: "schema.drafted", Target: d.endpointID, Details: map[string]any{"fields": len(schema.Fields)},
	})
}

var errNothingToPublish = fault.New(fault.Conflict, "nothing_to_publish",
	"There is no draft of this endpoint's schema yet. Save one first, then publish it.")
