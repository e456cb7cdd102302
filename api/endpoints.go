package api

import (
	"net/http"

	"formonce/forms"
	"formonce/internal/moment"
	"formonce/tenants"
)

var endpointRoutes = []route{
	{
		method: http.MethodGet, path: "/endpoints", role: tenants.Viewer, scope: tenants.ReadEndpoints,
		handle: (*API).listEndpoints,
	},
	{
		method: http.MethodPost, path: "/endpoints", role: tenants.Editor, scope: tenants.WriteEndpoints, once: true,
		handle: (*API).createEndpoint,
	},
	{
		method: http.MethodGet, path: "/endpoints/:endpoint", role: tenants.Viewer, scope: tenants.ReadEndpoints,
		handle: (*API).getEndpoint,
	},
	{
		method: http.MethodPatch, path: "/endpoints/:endpoint", role: tenants.Editor, scope: tenants.WriteEndpoints,
		handle: (*API).updateEndpoint,
	},
}

// endpointSettings are the members of an endpoint that its owner decides.
type endpointSettings struct {
	Name           string              `json:"name"`
	AllowedOrigins []string            `json:"allowed_origins"`
	RedirectURL    string              `json:"redirect_url"`
	Closed         bool                `json:"closed"`
	RetentionDays  *int                `json:"retention_days"`
	KeepClientHash bool                `json:"keep_client_hash"`
	Idempotency    idempotencySettings `json:"idempotency"`
	Spam           spamSettings        `json:"spam"`
}

type idempotencySettings struct {
	Required      bool            `json:"required"`
	Format        forms.KeyFormat `json:"format"`
	Order         forms.Order     `json:"order"`
	ReplayStatus  int             `json:"replay_status"`
	TombstoneDays int             `json:"tombstone_days"`
}

type spamSettings struct {
	Honeypot string `json:"honeypot"`
	Refuse   bool   `json:"refuse"`
}

// endpoint is an endpoint as programs see it.
type endpoint struct {
	ID        string `json:"id"`
	SubmitURL string `json:"submit_url"`
	endpointSettings
	SchemaVersion int    `json:"schema_version"`
	CreatedAt     string `json:"created_at"`
	UpdatedAt     string `json:"updated_at"`
}

func settingsOf(e *forms.Endpoint) endpointSettings {
	settings := endpointSettings{
		Name: e.Name, AllowedOrigins: e.AllowedOrigins, RedirectURL: e.RedirectURL, Closed: e.Closed,
		KeepClientHash: e.KeepClientHash,
		Idempotency: idempotencySettings{
			Required: e.Idempotency.Required, Format: e.Idempotency.Format, Order: e.Idempotency.Order,
			ReplayStatus: e.Idempotency.ReplayStatus, TombstoneDays: e.Idempotency.TombstoneDays,
		},
		Spam: spamSettings{Honeypot: e.Honeypot, Refuse: e.RefuseSpam},
	}

	if e.RetentionDays > 0 {
		settings.RetentionDays = &e.RetentionDays
	}

	return settings
}

func (s endpointSettings) applyTo(e *forms.Endpoint) {
	e.Name, e.AllowedOrigins, e.RedirectURL, e.Closed = s.Name, s.AllowedOrigins, s.RedirectURL, s.Closed
	e.KeepClientHash, e.Honeypot, e.RefuseSpam = s.KeepClientHash, s.Spam.Honeypot, s.Spam.Refuse
	e.Idempotency = forms.Idempotency{
		Required: s.Idempotency.Required, Format: s.Idempotency.Format, Order: s.Idempotency.Order,
		ReplayStatus: s.Idempotency.ReplayStatus, TombstoneDays: s.Idempotency.TombstoneDays,
	}

	e.RetentionDays = 0
	if s.RetentionDays != nil {
		e.RetentionDays = *s.RetentionDays
	}
}

func (a *API) wireEndpoint(e forms.Endpoint) endpoint {
	return endpoint{
		ID: e.ID, SubmitURL: a.submitURL(e.ID), endpointSettings: settingsOf(&e), SchemaVersion: e.SchemaVersion,
		CreatedAt: moment.Write(e.CreatedAt), UpdatedAt: moment.Write(e.UpdatedAt),
	}
}

func (a *API) listEndpoints(r *request) (reply, error) {
	found, err := a.Directory.List(r.ctx(), r.caller.TenantID)
	if err != nil {
		return reply{}, err
	}

	data := make([]endpoint, len(found))
	for i := range found {
		data[i] = a.wireEndpoint(found[i])
	}

	return ok(listOf(data, "")), nil
}

func (a *API) createEndpoint(r *request) (reply, error) {
	made := forms.NewEndpoint("")
	wanted := struct {
		endpointSettings

		ID string `json:"id"`
	}{endpointSettings: settingsOf(&made)}

	if err := r.decode(&wanted); err != nil {
		return reply{}, err
	}

	wanted.applyTo(&made)
	made.ID = wanted.ID

	made, err := a.Directory.Create(r.ctx(), r.caller.TenantID, made)
	if err != nil {
		return reply{}, err
	}

	return created(a.wireEndpoint(made)).at(made.Revision), nil
}

func (a *API) getEndpoint(r *request) (reply, error) {
	found, err := a.Directory.Get(r.ctx(), r.caller.TenantID, r.param("endpoint"))
	if err != nil {
		return reply{}, err
	}

	return ok(a.wireEndpoint(found)).at(found.Revision), nil
}

func (a *API) updateEndpoint(r *request) (reply, error) {
	revision, err := r.revision()
	if err != nil {
		return reply{}, err
	}

	// The body is judged before anything is locked for it, and again over what is there.
	if err := r.decode(&endpointSettings{}); err != nil {
		return reply{}, err
	}

	changed, err := a.Directory.Update(r.ctx(), r.caller.TenantID, r.param("endpoint"), revision, func(e *forms.Endpoint) {
		settings := settingsOf(e)
		_ = r.decode(&settings) // It was read once already.
		settings.applyTo(e)
	})
	if err != nil {
		return reply{}, err
	}

	return ok(a.wireEndpoint(changed)).at(changed.Revision), nil
}
