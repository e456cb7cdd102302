package tenants

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // A machine without a database of time zones must know the same names.

	"github.com/google/uuid"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"formonce/internal/fault"
	"formonce/internal/postgres"
)

// errTenantChanged is the answer to a change that was made up from an older state.
var errTenantChanged = fault.New(fault.PreconditionFailed, "precondition_failed",
	"Somebody else has changed this in the meantime. Read it again, and apply your change to what it is now.")

// Own returns the tenant to one of its members or keys.
func (r *Registry) Own(ctx context.Context, tenantID uuid.UUID) (Tenant, error) {
	var found Tenant

	err := r.db.InScope(ctx, tenantID, func(_ context.Context, s *postgres.Scope) (err error) {
		found, err = ownRow(s.Gorm, tenantID)
		return err
	})

	return found, postgres.Fault("read a tenant", err)
}

// Update applies change to the name and the settings while the tenant's row is locked; all else stays what it was. With a
// revision other than 0 it changes nothing but that one. The errors are the Faults invalid_tenant and precondition_failed.
func (r *Registry) Update(
	ctx context.Context, tenantID uuid.UUID, revision int64, change func(*Tenant),
) (Tenant, error) {
	var changed Tenant

	err := r.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		current, err := ownRow(s.Gorm.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}), tenantID)
		if err != nil {
			return err
		}

		if revision != 0 && revision != current.Revision {
			return errTenantChanged
		}

		wanted := current
		change(&wanted)

		if err := wanted.checkSettings(); err != nil {
			return err
		}

		changed = current
		changed.Name, changed.Settings, changed.Revision = wanted.Name, wanted.Settings, current.Revision+1

		if err := saveTenant(s.Gorm, &changed); err != nil {
			return err
		}

		return Record(ctx, s.Tx, tenantID, Change{
			Action: "tenant.updated", Target: PublicID(tenantID), Details: tenantDifferences(&current, &changed),
		})
	})

	return changed, postgres.Fault("change a tenant", err)
}

func ownRow(tx *gorm.DB, tenantID uuid.UUID) (Tenant, error) {
	var row tenantRow

	err := tx.Where("id = ?", tenantID).Take(&row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return Tenant{}, ErrNotFound
	}

	return row.tenant(), err
}

func saveTenant(tx *gorm.DB, changed *Tenant) error {
	return tx.Model(&tenantRow{}).Where("id = ?", changed.ID).Updates(map[string]any{
		"name": changed.Name, "time_zone": changed.TimeZone, "default_language": changed.DefaultLanguage,
		"default_region": changed.DefaultRegion, "revision": changed.Revision,
	}).Error
}

// tenantDifferences are what is not what it was, by its wire name.
func tenantDifferences(before, after *Tenant) map[string]any {
	changed := map[string]any{}

	for _, one := range []struct{ name, then, now string }{
		{"name", before.Name, after.Name},
		{"time_zone", before.TimeZone, after.TimeZone},
		{"default_language", before.DefaultLanguage, after.DefaultLanguage},
		{"default_region", before.DefaultRegion, after.DefaultRegion},
	} {
		if one.then != one.now {
			changed[one.name] = one.now
		}
	}

	return changed
}

// checkSettings brings the name into the form in which it is kept, or returns one Fault with everything that is wrong.
func (t *Tenant) checkSettings() error {
	t.Name = norm.NFC.String(strings.TrimSpace(t.Name))

	failed := fault.New(fault.Unprocessable, "invalid_tenant", "The tenant cannot be changed to this.")

	for _, rule := range []struct {
		field   string
		fine    bool
		message string
	}{
		{"name", validName(t.Name), "Give the tenant a name of 1 to 120 characters."},
		{"time_zone", validTimeZone(t.TimeZone), "Give a time zone by its name, such as Europe/Berlin or UTC."},
		{
			"default_language", slices.Contains(Languages, t.DefaultLanguage),
			"Choose one of " + strings.Join(Languages, ", ") + ".",
		},
		{"default_region", validRegion(t.DefaultRegion), "Give a country by its two letters, such as DE, or none."},
	} {
		if !rule.fine {
			failed.Issues = append(failed.Issues, fault.Issue{Field: rule.field, Rule: "invalid", Message: rule.message})
		}
	}

	if len(failed.Issues) > 0 {
		return failed
	}

	return nil
}

// validTimeZone leaves Local out, which means something else on each machine.
func validTimeZone(name string) bool {
	_, err := time.LoadLocation(name)

	return err == nil && name != "" && name != "Local"
}

func validRegion(code string) bool {
	if code == "" {
		return true
	}

	region, err := language.ParseRegion(code)

	return err == nil && region.IsCountry() && region.String() == code && len(code) == 2
}
