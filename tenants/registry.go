package tenants

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"formonce/internal/id"
	"formonce/internal/postgres"
)

// Registry is where tenants are made, found, suspended and removed.
type Registry struct {
	// Mailbox takes the mails that a tenant's life causes; without it nobody gets any. Set it before the first use.
	Mailbox *Mailbox

	db *postgres.DB
}

// NewRegistry returns the registry of the tenants in db.
func NewRegistry(db *postgres.DB) *Registry { return &Registry{db: db} }

// Get returns the tenant, or the Fault tenant_not_found.
func (r *Registry) Get(ctx context.Context, tenantID uuid.UUID) (Tenant, error) {
	return r.take(ctx, "id = ?", tenantID)
}

// Find returns the tenant that a person means by ref, an id (ten_…) or a slug, or the Fault tenant_not_found. The two
// cannot be confused, since no slug holds an underscore.
func (r *Registry) Find(ctx context.Context, ref string) (Tenant, error) {
	tenantID, err := id.Parse(idPrefix, ref)
	if err == nil {
		return r.Get(ctx, tenantID)
	}

	if !validSlug(ref) {
		return Tenant{}, ErrNotFound
	}

	return r.take(ctx, "slug = ?", ref)
}

func (r *Registry) take(ctx context.Context, where string, key any) (Tenant, error) {
	var row tenantRow

	err := r.db.Gorm.WithContext(ctx).Where(where, key).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return Tenant{}, ErrNotFound
	}

	return row.tenant(), postgres.Fault("read a tenant", err)
}

// List returns every tenant, the oldest first.
func (r *Registry) List(ctx context.Context) ([]Tenant, error) {
	var rows []tenantRow

	if err := r.db.Gorm.WithContext(ctx).Order("created_at, id").Find(&rows).Error; err != nil {
		return nil, postgres.Fault("list tenants", err)
	}

	found := make([]Tenant, len(rows))
	for i := range rows {
		found[i] = rows[i].tenant()
	}

	return found, nil
}

// A tenant that is to be deleted is closing again when its suspension ends, and not active.
const (
	suspendTenant = `UPDATE tenants SET status = 'suspended' WHERE id = $1`
	resumeTenant  = `
UPDATE tenants SET status = CASE WHEN delete_after IS NULL THEN 'active' ELSE 'closing' END WHERE id = $1`
)

// Suspend stops a tenant's endpoints from taking submissions. Caches that know the endpoints have to be told as well.
func (r *Registry) Suspend(ctx context.Context, tenantID uuid.UUID) error {
	return r.setStatus(ctx, tenantID, suspendTenant, "tenant.suspended")
}

// Resume undoes Suspend.
func (r *Registry) Resume(ctx context.Context, tenantID uuid.UUID) error {
	return r.setStatus(ctx, tenantID, resumeTenant, "tenant.resumed")
}

func (r *Registry) setStatus(ctx context.Context, tenantID uuid.UUID, statement, action string) error {
	err := r.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		changed, err := s.Tx.Exec(ctx, statement, tenantID)
		if err != nil {
			return err
		}

		if changed.RowsAffected() == 0 {
			return ErrNotFound
		}

		return Record(ctx, s.Tx, tenantID, Change{Action: action, Target: PublicID(tenantID)})
	})

	return postgres.Fault("change a tenant's status", err)
}
