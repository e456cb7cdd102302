package forms

import (
	"crypto/rand"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"formonce/internal/fault"
	"formonce/tenants"
)

// Endpoint is a public address that takes submissions, with the settings of its owner.
type Endpoint struct {
	TenantID uuid.UUID
	// ID is the last part of the public address: 3 to 64 characters, unique in the whole installation, never changed.
	ID   string
	Name string
	// AllowedOrigins are the pages that may post here, as exact origins or https://*.example.com; none means all.
	AllowedOrigins []string
	// RedirectURL is where a browser goes after success when the form does not say; empty means our thank-you page.
	RedirectURL string
	// Closed refuses submissions and keeps what was received.
	Closed bool
	// Honeypot is one more field name that only a program fills in; empty means only the well-known names.
	Honeypot string
	// RefuseSpam answers spam with 403 instead of keeping it under the status spam.
	RefuseSpam bool
	// KeepClientHash stores a keyed hash of the client's address with each submission.
	KeepClientHash bool
	Idempotency    Idempotency
	// RetentionDays is after how many days a submission is erased; 0 keeps it until somebody erases it.
	RetentionDays int
	// Revision is 1 at first and grows with every change of the settings.
	Revision int64
	// SchemaVersion is the published version of the schema, 0 without one. Only Schemas.Publish changes it.
	SchemaVersion int
	CreatedAt     time.Time
	UpdatedAt     time.Time

	// schema is the published version, nil without one, and language that of messages to visitors who wish for none. Only
	// a Lookup sets them.
	schema   *Schema
	language string
}

// Idempotency is what an endpoint asks of idempotency keys and how it answers a replay.
type Idempotency struct {
	Required bool
	Format   KeyFormat
	Order    Order
	// ReplayStatus is the HTTP status of a replay: 202 or 200.
	ReplayStatus int
	// TombstoneDays is how long a late retry of an erased submission is refused; 0 forgets the key with the submission.
	TombstoneDays int
}

// Order says whether the order of a form body's fields is part of its content.
type Order string

// The two rules for order. They apply to form bodies only: the order of a JSON object's members never counts.
const (
	OrderSignificant Order = "significant"
	OrderIgnored     Order = "ignored"
)

const (
	maxNameChars     = 120
	maxOrigins       = 50
	maxTombstoneDays = 3650
	maxRetentionDays = 3650
)

// OwnerID is the tenant's id as people and programs see it.
func (e *Endpoint) OwnerID() string { return tenants.PublicID(e.TenantID) }

// NewEndpoint returns an endpoint with the defaults of the service; its id is made when it is created.
func NewEndpoint(name string) Endpoint {
	return Endpoint{
		Name: name,
		Idempotency: Idempotency{
			Format: KeyFormatAny, Order: OrderSignificant, ReplayStatus: 202, TombstoneDays: 7,
		},
	}
}

// Check reports everything that is wrong with the settings at once, as one Fault invalid_endpoint with an issue for each,
// and brings the origins into the spelling in which they are compared.
func (e *Endpoint) Check() error {
	var issues []fault.Issue

	refuse := func(field, format string, args ...any) {
		issues = append(issues, fault.Issue{Field: field, Rule: "setting", Message: fmt.Sprintf(format, args...)})
	}

	if !ValidEndpointID(e.ID) {
		refuse("id", "An endpoint id has 3 to 64 characters of a-z, 0-9, - and _, with a letter or digit at both ends.")
	}

	e.Name = strings.TrimSpace(e.Name)
	if n := utf8.RuneCountInString(e.Name); n == 0 || n > maxNameChars || strings.ContainsRune(e.Name, 0) {
		refuse("name", "Give the endpoint a name of 1 to %d characters.", maxNameChars)
	}

	if len(e.AllowedOrigins) > maxOrigins {
		refuse("allowed_origins", "An endpoint takes %d allowed origins at most.", maxOrigins)
	}

	for i, origin := range e.AllowedOrigins {
		normal, err := ParseOrigin(origin)
		if err != nil {
			refuse("allowed_origins", "%s", err.Error())
			continue
		}

		e.AllowedOrigins[i] = normal
	}

	normal, ok := normalRedirect(e.RedirectURL)
	if !ok {
		refuse("redirect_url", "A redirect URL begins with https:// or http://, names a host and has no user-info.")
	}

	e.RedirectURL = normal

	if e.RetentionDays < 0 || e.RetentionDays > maxRetentionDays {
		refuse("retention_days", "Submissions are kept for 1 to %d days, or 0 for good.", maxRetentionDays)
	}

	e.checkIdempotency(refuse)

	if len(issues) == 0 {
		return nil
	}

	failed := fault.New(fault.Unprocessable, "invalid_endpoint", "Some settings of the endpoint cannot be used.")
	failed.Issues = issues

	return failed
}

func (e *Endpoint) checkIdempotency(refuse func(field, format string, args ...any)) {
	if e.Honeypot != "" && (utf8.RuneCountInString(e.Honeypot) > maxNameChars || strings.ContainsRune(e.Honeypot, 0)) {
		refuse("spam.honeypot", "A honeypot's name has %d characters at most.", maxNameChars)
	}

	rules := e.Idempotency
	if rules.Format != KeyFormatAny && rules.Format != KeyFormatUUID {
		refuse("idempotency.format", "The format of keys is any or uuid.")
	}

	if rules.Order != OrderSignificant && rules.Order != OrderIgnored {
		refuse("idempotency.order", "The order of fields is significant or ignored.")
	}

	if rules.ReplayStatus != 202 && rules.ReplayStatus != 200 {
		refuse("idempotency.replay_status", "A replay is answered with 202 or 200.")
	}

	if rules.TombstoneDays < 0 || rules.TombstoneDays > maxTombstoneDays {
		refuse("idempotency.tombstone_days", "Tombstones are kept for 0 to %d days.", maxTombstoneDays)
	}
}

// normalRedirect returns the owner's redirect URL as it goes into a header: by the rule for the targets that a form may
// ask for, with an international host in ASCII.
func normalRedirect(raw string) (string, bool) {
	if raw == "" {
		return "", true
	}

	target, err := url.Parse(raw)
	if err != nil || target.User != nil {
		return "", false
	}

	origin, err := ParseOrigin(target.Scheme + "://" + target.Host)
	if err != nil {
		return "", false
	}

	_, target.Host, _ = strings.Cut(origin, "://")

	return Targets{Own: []string{origin}}.Check(target.String(), nil)
}

// randomEndpointID returns 10 characters of a-z and 0-9: 51 bits, so that an address cannot be guessed.
func randomEndpointID() string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"

	made := make([]byte, 0, 10)
	for len(made) < cap(made) {
		var drawn [16]byte

		_, _ = rand.Read(drawn[:]) // crypto/rand.Read never returns an error

		for _, b := range drawn {
			// 252 is the largest multiple of 36 below 256: a byte above it would favour the first letters.
			if b < 252 && len(made) < cap(made) {
				made = append(made, letters[int(b)%len(letters)])
			}
		}
	}

	return string(made)
}
