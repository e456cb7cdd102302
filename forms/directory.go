package forms

import (
	"context"
	"errors"
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
	CreatedAt               time.Time
	UpdatedAt               time.Time
}

func (endpointRow) TableName() string { return "endpoints" }

func rowOf(e *Endpoint) *endpointRow {
	origins := e.AllowedOrigins
	if origins == nil {
		origins = []string{}
	}

	return &endpointRow{
		TenantID: e.TenantID, ID: e.ID, Name: e.Name, AllowedOrigins: origins, RedirectURL: e.RedirectURL,
		Closed: e.Closed, Honeypot: e.Honeypot, RefuseSpam: e.RefuseSpam, KeepClientHash: e.KeepClientHash,
		IdempotencyRequired: e.Idempotency.Required, IdempotencyFormat: e.Idempotency.Format,
		IdempotencyOrder: e.Idempotency.Order, IdempotencyReplayStatus: e.Idempotency.ReplayStatus,
		TombstoneDays: e.Idempotency.TombstoneDays, CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt,
	}
}

func (r *endpointRow) endpoint() Endpoint {
	return Endpoint{
		TenantID: r.TenantID, ID: r.ID, Name: r.Name, AllowedOrigins: r.AllowedOrigins, RedirectURL: r.RedirectURL,
		Closed: r.Closed, Honeypot: r.Honeypot, RefuseSpam: r.RefuseSpam, KeepClientHash: r.KeepClientHash,
		Idempotency: Idempotency{
			Required: r.IdempotencyRequired, Format: r.IdempotencyFormat, Order: r.IdempotencyOrder,
			ReplayStatus: r.IdempotencyReplayStatus, TombstoneDays: r.TombstoneDays,
		},
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
	}
}

var errEndpointNotFound = fault.New(fault.NotFound, "endpoint_not_found",
	"There is no form at this address. Check the endpoint id in the form's action.")

// Create makes an endpoint. An empty id is made up by the service; a taken one is the Fault endpoint_id_taken.
func (d *Directory) Create(ctx context.Context, tenantID uuid.UUID, endpoint Endpoint) (Endpoint, error) {
	endpoint.TenantID = tenantID
	if endpoint.ID == "" {
		endpoint.ID = randomEndpointID()
	}

	if err := endpoint.check(); err != nil {
		return Endpoint{}, err
	}

	now := moment.Now()
	endpoint.CreatedAt, endpoint.UpdatedAt = now, now

	err := d.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		err := tx.Exec("INSERT INTO endpoint_directory (endpoint_id, tenant_id) VALUES (?, ?)", endpoint.ID, tenantID).Error
		if err != nil {
			return refuseTaken(err)
		}

		return tx.Create(rowOf(&endpoint)).Error
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
	return get(d.db.Gorm.WithContext(ctx), tenantID, endpointID)
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

	err := d.db.Gorm.WithContext(ctx).Where("tenant_id = ?", tenantID).Order("id").Find(&rows).Error
	if err != nil {
		return nil, postgres.Fault("list endpoints", err)
	}

	endpoints := make([]Endpoint, len(rows))
	for i := range rows {
		endpoints[i] = rows[i].endpoint()
	}

	return endpoints, nil
}

// Update applies change to the endpoint while its row is locked, so that no update is lost. The id and the tenant stay
// what they were whatever change does.
func (d *Directory) Update(
	ctx context.Context, tenantID uuid.UUID, endpointID string, change func(*Endpoint),
) (Endpoint, error) {
	var changed Endpoint

	err := d.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		current, err := get(tx.Clauses(clause.Locking{Strength: "UPDATE"}), tenantID, endpointID)
		if err != nil {
			return err
		}

		changed = current
		change(&changed)
		changed.TenantID, changed.ID, changed.CreatedAt = current.TenantID, current.ID, current.CreatedAt

		if err := changed.check(); err != nil {
			return err
		}

		changed.UpdatedAt = moment.Now()
		if err := tx.Save(rowOf(&changed)).Error; err != nil {
			return err
		}

		return tx.Exec("UPDATE endpoint_directory SET changed_at = clock_timestamp() WHERE endpoint_id = ?",
			endpointID).Error
	})

	return changed, postgres.Fault("update an endpoint", err)
}

// Touch makes every replica forget what it knows of the tenant's endpoints, within a second. Call it after the tenant
// itself changed.
func (d *Directory) Touch(ctx context.Context, tenantID uuid.UUID) error {
	err := d.db.Gorm.WithContext(ctx).
		Exec("UPDATE endpoint_directory SET changed_at = clock_timestamp() WHERE tenant_id = ?", tenantID).Error

	return postgres.Fault("announce a changed tenant", err)
}
