package main

import (
	"strconv"
	"strings"

	"formonce/forms"
	"formonce/internal/config"
	"formonce/internal/moment"
	"formonce/tenants"
)

// wireEndpoint is an endpoint as programs see it.
type wireEndpoint struct {
	ID             string          `json:"id"`
	TenantID       string          `json:"tenant_id"`
	Name           string          `json:"name"`
	SubmitURL      string          `json:"submit_url"`
	AllowedOrigins []string        `json:"allowed_origins"`
	RedirectURL    string          `json:"redirect_url"`
	Closed         bool            `json:"closed"`
	RetentionDays  *int            `json:"retention_days"`
	Idempotency    wireIdempotency `json:"idempotency"`
	Spam           wireSpam        `json:"spam"`
	KeepClientHash bool            `json:"keep_client_hash"`
	CreatedAt      string          `json:"created_at"`
	UpdatedAt      string          `json:"updated_at"`
}

type wireIdempotency struct {
	Required      bool   `json:"required"`
	Format        string `json:"format"`
	Order         string `json:"order"`
	ReplayStatus  int    `json:"replay_status"`
	TombstoneDays int    `json:"tombstone_days"`
}

type wireSpam struct {
	Honeypot string `json:"honeypot"`
	Refuse   bool   `json:"refuse"`
}

func submitURL(settings *config.Config, endpointID string) string {
	return settings.PublicURL + "/f/" + endpointID
}

func endpointJSON(settings *config.Config, e forms.Endpoint) wireEndpoint {
	shown := wireEndpoint{
		ID: e.ID, TenantID: tenants.PublicID(e.TenantID), Name: e.Name, SubmitURL: submitURL(settings, e.ID),
		AllowedOrigins: append([]string{}, e.AllowedOrigins...), RedirectURL: e.RedirectURL, Closed: e.Closed,
		Idempotency: wireIdempotency{
			Required: e.Idempotency.Required, Format: string(e.Idempotency.Format), Order: string(e.Idempotency.Order),
			ReplayStatus: e.Idempotency.ReplayStatus, TombstoneDays: e.Idempotency.TombstoneDays,
		},
		Spam:           wireSpam{Honeypot: e.Honeypot, Refuse: e.RefuseSpam},
		KeepClientHash: e.KeepClientHash, CreatedAt: moment.Write(e.CreatedAt), UpdatedAt: moment.Write(e.UpdatedAt),
	}

	if e.RetentionDays > 0 {
		shown.RetentionDays = &e.RetentionDays
	}

	return shown
}

// printEndpoint shows the settings under the names of the flags that change them.
func (c *console) printEndpoint(e wireEndpoint) error {
	return c.printTable([]string{"SETTING", "VALUE"}, [][]string{
		{"id", e.ID},
		{"tenant", e.TenantID},
		{"name", e.Name},
		{"submit url", e.SubmitURL},
		{"state", openOrClosed(e.Closed)},
		{"allowed-origin", orElse(strings.Join(e.AllowedOrigins, ", "), "every origin")},
		{"redirect-url", orElse(e.RedirectURL, "the thank-you page of the service")},
		{"honeypot", orElse(e.Spam.Honeypot, "the well-known names only")},
		{"refuse-spam", strconv.FormatBool(e.Spam.Refuse)},
		{"keep-client-hash", strconv.FormatBool(e.KeepClientHash)},
		{"require-key", strconv.FormatBool(e.Idempotency.Required)},
		{"key-format", e.Idempotency.Format},
		{"field-order", e.Idempotency.Order},
		{"replay-status", strconv.Itoa(e.Idempotency.ReplayStatus)},
		{"tombstone-days", strconv.Itoa(e.Idempotency.TombstoneDays)},
		{"retention-days", retention(e.RetentionDays)},
		{"created", e.CreatedAt},
		{"updated", e.UpdatedAt},
	})
}

func retention(days *int) string {
	if days == nil {
		return "kept until somebody erases them"
	}

	return strconv.Itoa(*days)
}

func openOrClosed(closed bool) string {
	if closed {
		return "closed"
	}

	return "open"
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}

	return text
}
