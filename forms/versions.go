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

// Version is a schema that was published. It never changes: submissions name the version that accepted them, and a retry
// is judged by it.
type Version struct {
	// Number counts the versions of an endpoint from 1, without a gap.
	Number      int
	Schema      *Schema
	PublishedAt time.Time
	// PublishedBy is the name of the member or the key; empty for the service itself and its operators.
	PublishedBy string
}

const (
	versionColumns = `SELECT version, schema, published_at, published_by FROM endpoint_versions
WHERE tenant_id = $1 AND endpoint_id = $2`

	oneVersion   = versionColumns + ` AND version = $3`
	someVersions = versionColumns + ` AND version < $3 ORDER BY version DESC LIMIT $4`

	insertVersion = `INSERT INTO endpoint_versions (tenant_id, endpoint_id, version, schema, published_at, published_by)
VALUES ($1, $2, $3, $4, $5, $6)`

	pointToVersion = `UPDATE endpoints SET schema_version = $3 WHERE tenant_id = $1 AND id = $2`
	announceChange = `UPDATE endpoint_directory SET changed_at = clock_timestamp() WHERE endpoint_id = $1 AND tenant_id = $2`
)

var errVersionNotFound = fault.New(fault.NotFound, "version_not_found",
	"The schema of this endpoint has no such version. List its versions to see which there are.")

// Publish makes the draft the version that new submissions are accepted by, within a second everywhere. A draft that asks
// for nothing else than what is published makes no new version: that one is returned. With a revision other than 0 it
// publishes nothing but that state of the draft. The errors are the Faults field_type_changed with an issue for each key
// that would change its meaning, nothing_to_publish, invalid_schema, endpoint_not_found and precondition_failed.
func (s *Schemas) Publish(ctx context.Context, tenantID uuid.UUID, endpointID string, revision int64) (Version, error) {
	var published Version

	err := s.db.InScope(ctx, tenantID, func(ctx context.Context, scope *postgres.Scope) error {
		desk, err := openDesk(ctx, scope.Tx, tenantID, endpointID, publishedVersionLocked)
		if err != nil {
			return err
		}

		if revision != 0 && revision != desk.draft.Revision {
			return errChanged
		}

		published, err = desk.publish(ctx)

		return err
	})

	return published, postgres.Fault("publish a schema", err)
}

func (d *desk) publish(ctx context.Context) (Version, error) {
	switch {
	case d.draft.Published == noSchema && d.draft.UpdatedAt.IsZero():
		return Version{}, errNothingToPublish
	case d.draft.Published != noSchema && !d.draft.Differs:
		return findVersion(ctx, d.tx, d.tenantID, d.endpointID, d.draft.Published)
	}

	// It was checked when it was saved, maybe by an older release.
	if err := d.draft.Schema.Check(); err != nil {
		return Version{}, err
	}

	wanted := d.draft.Schema
	made := Version{
		Number: d.draft.Published + 1, PublishedAt: moment.Now(), PublishedBy: tenants.ActorOf(ctx).Name,
		Schema: &Schema{Version: d.draft.Published + 1, Fields: wanted.Fields, Unknown: wanted.Unknown, Region: wanted.Region},
	}

	if err := d.claimKeys(ctx, made.Number); err != nil {
		return Version{}, err
	}

	return made, d.store(ctx, made)
}

// store is where the constraint decides: there is one version of each number.
func (d *desk) store(ctx context.Context, made Version) error {
	stored, err := encodeSchema(made.Schema)
	if err != nil {
		return err
	}

	_, err = d.tx.Exec(ctx, insertVersion, d.tenantID, d.endpointID, made.Number, stored, made.PublishedAt, made.PublishedBy)
	if err != nil {
		return err
	}

	if _, err := d.tx.Exec(ctx, pointToVersion, d.tenantID, d.endpointID, made.Number); err != nil {
		return err
	}

	if _, err := d.tx.Exec(ctx, announceChange, d.endpointID, d.tenantID); err != nil {
		return err
	}

	return tenants.Record(ctx, d.tx, d.tenantID, tenants.Change{
		Action: "schema.published", Target: d.endpointID, Details: map[string]any{"version": made.Number},
	})
}

// Version returns one published version. The errors are the Faults endpoint_not_found and version_not_found.
func (s *Schemas) Version(ctx context.Context, tenantID uuid.UUID, endpointID string, number int) (Version, error) {
	var found Version

	err := s.db.InScope(ctx, tenantID, func(ctx context.Context, scope *postgres.Scope) error {
		if _, err := get(scope.Gorm, tenantID, endpointID); err != nil {
			return err
		}

		var err error
		found, err = findVersion(ctx, scope.Tx, tenantID, endpointID, number)

		return err
	})

	return found, postgres.Fault("read a version of a schema", err)
}

// Versions returns the published versions before a number, the newest first, most of them at most; a number below 1 asks
// for the newest of all.
func (s *Schemas) Versions(ctx context.Context, tenantID uuid.UUID, endpointID string, before, most int) ([]Version, error) {
	const beyondAll = 1<<31 - 1

	if before < 1 {
		before = beyondAll
	}

	var found []Version

	err := s.db.InScope(ctx, tenantID, func(ctx context.Context, scope *postgres.Scope) error {
		if _, err := get(scope.Gorm, tenantID, endpointID); err != nil {
			return err
		}

		rows, err := scope.Tx.Query(ctx, someVersions, tenantID, endpointID, before, most)
		if err != nil {
			return err
		}

		found, err = pgx.CollectRows(rows, scanVersion)

		return err
	})

	return found, postgres.Fault("list the versions of a schema", err)
}

type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

func findVersion(ctx context.Context, db querier, tenantID uuid.UUID, endpointID string, number int) (Version, error) {
	rows, err := db.Query(ctx, oneVersion, tenantID, endpointID, number)
	if err != nil {
		return Version{}, err
	}

	found, err := pgx.CollectExactlyOneRow(rows, scanVersion)
	if errors.Is(err, pgx.ErrNoRows) {
		return Version{}, errVersionNotFound
	}

	return found, err
}

func scanVersion(row pgx.CollectableRow) (Version, error) {
	var (
		found  Version
		stored []byte
	)

	err := row.Scan(&found.Number, &stored, &found.PublishedAt, &found.PublishedBy)
	if err != nil {
		return Version{}, err
	}

	found.PublishedAt = found.PublishedAt.UTC()
	found.Schema, err = decodeSchema(stored, found.Number)

	return found, err
}
