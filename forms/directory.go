package forms

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"formonce/internal/fault"
	"formonce/internal/moment"
	"formonce/internal/postgres"
	"formonce/tenants"
)

// Directory is where a tenant's endpoints are made and changed.
type Directory struct {
	db *postgres.DB
}

// NewDirectory returns the directory of the endpoints in db.
func NewDirectory(db *postgres.DB) *Directory { return &Directory{db: db} }

// endpointRow is an Endpoint as the table endpoints has it.
type endpointRow struct {
	TenantID                uuid.UUID `gorm:"primaryKey"`
	ID                      string    `gorm:"primaryKey"`
	Name                    string
	AllowedOrigins          []string `gorm:"serializer:json"`
	RedirectURL             string
	Closed                  bool
	Honeypot                string
	RefuseSpam              bool
	KeepClientHash          bool
	IdempotencyRequired     bool
	IdempotencyFormat       KeyFormat
	IdempotencyOrder        Order
	IdempotencyReplayStatus int
	TombstoneDays           int
	RetentionDays           *int
	Revision                int64
	SchemaVersion           int
	CreatedAt               time.Time
	UpdatedAt               time.Time
}

func (endpointRow) TableName() string { return "endpoints" }

func rowOf(e *Endpoint) *endpointRow {
	origins := e.AllowedOrigins
	if origins == nil {
		origins = []string{}
	}

	row := &endpointRow{
		TenantID: e.TenantID, ID: e.ID, Name: e.Name, AllowedOrigins: origins, RedirectURL: e.RedirectURL,
		Closed: e.Closed, Honeypot: e.Honeypot, RefuseSpam: e.RefuseSpam, KeepClientHash: e.KeepClientHash,
		IdempotencyRequired: e.Idempotency.Required, IdempotencyFormat: e.Idempotency.Format,
		IdempotencyOrder: e.Idempotency.Order, IdempotencyReplayStatus: e.Idempotency.ReplayStatus,
		TombstoneDays: e.Idempotency.TombstoneDays, Revision: e.Revision, SchemaVersion: e.SchemaVersion,
		CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt,
	}

	if e.RetentionDays > 0 {
		row.RetentionDays = &e.RetentionDays
	}

	return row
}

func (r *endpointRow) endpoint() Endpoint {
	var retentionDays int
	if r.RetentionDays != nil {
		retentionDays = *r.RetentionDays
	}

	return Endpoint{
		TenantID: r.TenantID, ID: r.ID, Name: r.Name, AllowedOrigins: r.AllowedOrigins, RedirectURL: r.RedirectURL,
		Closed: r.Closed, Honeypot: r.Honeypot, RefuseSpam: r.RefuseSpam, KeepClientHash: r.KeepClientHash,
		Idempotency: Idempotency{
			Required: r.IdempotencyRequired, Format: r.IdempotencyFormat, Order: r.IdempotencyOrder,
			ReplayStatus: r.IdempotencyReplayStatus, TombstoneDays: r.TombstoneDays,
		},
		RetentionDays: retentionDays, Revision: r.Revision, SchemaVersion: r.SchemaVersion,
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
	}
}

var errEndpointNotFound = fault.New(fault.NotFound, "endpoint_not_found",
	"There is no form at this address. Check the endpoint id in the form's action.")

// Create makes an endpoint. An empty id is made up by the service; a taken one is the Fault endpoint_id_taken.
func (d *Directory) Create(ctx context.Context, tenantID uuid.UUID, endpoint Endpoint) (Endpoint, error) {
	endpoint.TenantID, endpoint.SchemaVersion = tenantID, noSchema
	if endpoint.ID == "" {
		endpoint.ID = randomEndpointID()
	}

	if err := endpoint.Check(); err != nil {
		return Endpoint{}, err
	}

	now := moment.Now()
	endpoint.CreatedAt, endpoint.UpdatedAt, endpoint.Revision = now, now, 1

	err := d.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		_, err := s.Tx.Exec(ctx, "INSERT INTO endpoint_directory (endpoint_id, tenant_id) VALUES ($1, $2)", endpoint.ID, tenantID)
		if err != nil {
			return refuseTaken(err)
		}

		if err := s.Gorm.Create(rowOf(&endpoint)).Error; err != nil {
			return err
		}

		return tenants.Record(ctx, s.Tx, tenantID, tenants.Change{Action: "endpoint.created", Target: endpoint.ID})
	})

	return endpoint, postgres.Fault("create an endpoint", err)
}

func refuseTaken(err error) error {
	if postgres.ForeignKeyViolation(err) {
		return tenants.ErrNotFound
	}

	if postgres.UniqueViolation(err) {
		return fault.New(fault.Conflict, "endpoint_id_taken",
			"This endpoint id is taken. Choose another one, or leave it out to get a random one.")
	}

	return err
}

// Get returns one endpoint of the tenant.
func (d *Directory) Get(ctx context.Context, tenantID uuid.UUID, endpointID string) (Endpoint, error) {
	var found Endpoint

	err := d.db.InScope(ctx, tenantID, func(_ context.Context, s *postgres.Scope) (err error) {
		found, err = get(s.Gorm, tenantID, endpointID)
		return err
	})

	return found, postgres.Fault("read an endpoint", err)
}

func get(tx *gorm.DB, tenantID uuid.UUID, endpointID string) (Endpoint, error) {
	var row endpointRow

	err := tx.Where("tenant_id = ? AND id = ?", tenantID, endpointID).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return Endpoint{}, errEndpointNotFound
	}

	return row.endpoint(), postgres.Fault("read an endpoint", err)
}

// List returns the tenant's endpoints by id.
func (d *Directory) List(ctx context.Context, tenantID uuid.UUID) ([]Endpoint, error) {
	var rows []endpointRow

	err := d.db.InScope(ctx, tenantID, func(_ context.Context, s *postgres.Scope) error {
		return s.Gorm.Where("tenant_id = ?", tenantID).Order("id").Find(&rows).Error
	})
	if err != nil {
		return nil, postgres.Fault("list endpoints", err)
	}

	endpoints := make([]Endpoint, len(rows))
	for i := range rows {
		endpoints[i] = rows[i].endpoint()
	}

	return endpoints, nil
}

// errChanged is the answer to a change that was made up from an older state.
var errChanged = fault.New(fault.PreconditionFailed, "precondition_failed",
	"Somebody else has changed this in the meantime. Read it again, and apply your change to what it is now.")

// Update applies change to the endpoint while its row is locked, so that no update is lost. The id and the tenant stay
// what they were whatever change does. With a revision other than 0 it changes nothing but that one; see Endpoint.Revision.
func (d *Directory) Update(
	ctx context.Context, tenantID uuid.UUID, endpointID string, revision int64, change func(*Endpoint),
) (Endpoint, error) {
	var changed Endpoint

	err := d.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		current, err := get(s.Gorm.Clauses(clause.Locking{Strength: "UPDATE"}), tenantID, endpointID)
		if err != nil {
			return err
		}

		if revision != 0 && revision != current.Revision {
			return errChanged
		}

		changed = current
		change(&changed)
		changed.TenantID, changed.ID, changed.CreatedAt = current.TenantID, current.ID, current.CreatedAt
		changed.SchemaVersion = current.SchemaVersion

		return d.save(ctx, s, &current, &changed)
	})

	return changed, postgres.Fault("update an endpoint", err)
}

func (d *Directory) save(ctx context.Context, s *postgres.Scope, current, changed *Endpoint) error {
	if err := changed.Check(); err != nil {
		return err
	}

	changed.UpdatedAt, changed.Revision = moment.Now(), current.Revision+1
	if err := s.Gorm.Save(rowOf(changed)).Error; err != nil {
		return err
	}

	_, err := s.Tx.Exec(ctx, "UPDATE endpoint_directory SET changed_at = clock_timestamp() WHERE endpoint_id = $1", changed.ID)
	if err != nil {
		return err
	}

	return tenants.Record(ctx, s.Tx, changed.TenantID, tenants.Change{
		Action: "endpoint.updated", Target: changed.ID, Details: differences(current, changed),
	})
}

// differences are the settings that are not what they were, by their wire names, with what they are now.
func differences(before, after *Endpoint) map[string]any {
	then, now := settingsOf(before), settingsOf(after)
	maps.DeleteFunc(now, func(name string, value any) bool { return reflect.DeepEqual(value, then[name]) })

	return now
}

func settingsOf(e *Endpoint) map[string]any {
	return map[string]any{
		"name": e.Name, "allowed_origins": e.AllowedOrigins, "redirect_url": e.RedirectURL, "closed": e.Closed,
		"spam.honeypot": e.Honeypot, "spam.refuse": e.RefuseSpam, "keep_client_hash": e.KeepClientHash,
		"retention_days": e.RetentionDays, "idempotency.required": e.Idempotency.Required,
		"idempotency.format": e.Idempotency.Format, "idempotency.order": e.Idempotency.Order,
		"idempotency.replay_status": e.Idempotency.ReplayStatus, "idempotency.tombstone_days": e.Idempotency.TombstoneDays,
	}
}

// Touch makes every replica forget what it knows of the tenant's endpoints, within a second. Call it after the tenant
// itself changed.
func (d *Directory) Touch(ctx context.Context, tenantID uuid.UUID) error {
	err := d.db.Gorm.WithContext(ctx).
		Exec("UPDATE endpoint_directory SET changed_at = clock_timestamp() WHERE tenant_id = ?", tenantID).Error

	return postgres.Fault("announce a changed tenant", err)
}
