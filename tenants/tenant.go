package tenants

import (
	"time"

	"github.com/google/uuid"

	"formonce/internal/fault"
	"formonce/internal/id"
)

// The prefixes of ids as people and programs see them; see internal/id.
const (
	idPrefix       = "ten_"
	memberIDPrefix = "mem_"
)

// PublicID shows a tenant's id to people and programs.
func PublicID(tenantID uuid.UUID) string { return id.Write(idPrefix, tenantID) }

// PublicMemberID shows a member's id to people and programs.
func PublicMemberID(memberID uuid.UUID) string { return id.Write(memberIDPrefix, memberID) }

// Status says whether a tenant's endpoints take submissions.
type Status string

// The statuses of a tenant. A suspended tenant keeps all it has and receives nothing. One that is closing receives nothing
// either, and everything of it is erased after a while, unless its owner restores it.
const (
	Active    Status = "active"
	Suspended Status = "suspended"
	Closing   Status = "closing"
)

// Tenant is a customer, the owner of everything else.
type Tenant struct {
	Settings

	ID uuid.UUID
	// Slug is the tenant's name in addresses: 3 to 64 characters of a-z, 0-9 and -, unique and never changed.
	Slug      string
	Name      string
	Status    Status
	CreatedAt time.Time

	// DeleteAfter is when everything of a closing tenant is erased; nil for one that stays.
	DeleteAfter *time.Time
	// Revision tells two versions of the name and the settings apart; it grows with each change.
	Revision int64
}

// Settings are what a tenant's things are shown in, unless one of them says otherwise.
type Settings struct {
	// TimeZone is a name of the IANA database, such as Europe/Berlin.
	TimeZone string
	// DefaultLanguage is one of Languages, DefaultRegion a country of ISO 3166-1 in two capitals, or empty: it says what a
	// telephone number without its country means.
	DefaultLanguage, DefaultRegion string
}

// tenantRow is a Tenant as the table tenants has it.
type tenantRow struct {
	ID        uuid.UUID `gorm:"primaryKey"`
	Slug      string
	Name      string
	Status    Status
	CreatedAt time.Time

	TimeZone, DefaultLanguage, DefaultRegion string

	DeleteAfter *time.Time
	Revision    int64
}

func (tenantRow) TableName() string { return "tenants" }

func (r *tenantRow) tenant() Tenant {
	return Tenant{
		ID: r.ID, Slug: r.Slug, Name: r.Name, Status: r.Status, CreatedAt: r.CreatedAt.UTC(),
		Settings:    Settings{TimeZone: r.TimeZone, DefaultLanguage: r.DefaultLanguage, DefaultRegion: r.DefaultRegion},
		DeleteAfter: r.DeleteAfter, Revision: r.Revision,
	}
}

// The refusals that callers may want to tell apart by their codes.
var (
	// ErrNotFound is the Fault tenant_not_found.
	ErrNotFound = fault.New(fault.NotFound, "tenant_not_found",
		"There is no such tenant. Name it by its id (ten_…) or by its slug.")
	errEmailTaken = fault.New(fault.Conflict, "email_taken",
		"This e-mail address has a login already, with another password. Use that password, or another address.")
	errEmailHasLogin = fault.New(fault.Conflict, "email_taken",
		"This e-mail address has a login already. Sign in with it, and make the new tenant there.")
	errSlugTaken = fault.New(fault.Conflict, "slug_taken",
		"This slug is taken. Choose another one, or leave it out to get one made from the name.")
	errHasEndpoints = fault.New(fault.Conflict, "tenant_has_endpoints",
		"This tenant still has endpoints. Erase them first, then delete the tenant.")
)

// ParseID is the inverse of PublicID; a text that is none is the Fault tenant_not_found.
func ParseID(text string) (uuid.UUID, error) { return parseID(idPrefix, text, ErrNotFound) }

// parseID reads an id of ours. What is no such id names nothing that there could be.
func parseID(prefix, text string, unknown error) (uuid.UUID, error) {
	found, err := id.Parse(prefix, text)
	if err != nil {
		return uuid.UUID{}, unknown
	}

	return found, nil
}
