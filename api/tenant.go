package api

import (
	"net/http"

	"formonce/internal/moment"
	"formonce/tenants"
)

var tenantRoutes = []route{
	{method: http.MethodGet, path: "/tenant", role: tenants.Viewer, handle: (*API).getTenant},
	{method: http.MethodPatch, path: "/tenant", role: tenants.Admin, handle: (*API).updateTenant},
	{method: http.MethodPost, path: "/tenant/restore", role: tenants.Owner, closing: true, handle: (*API).restoreTenant},
	{method: http.MethodGet, path: "/tenants", role: tenants.Viewer, self: true, handle: (*API).listTenants},
	// It has no tenant yet whose transaction could keep the answer.
	{method: http.MethodPost, path: "/tenants", role: tenants.Viewer, self: true, handle: (*API).createTenant},
}

// farewellRoutes end a tenant or an account. They stand last in the table, for whoever walks through it as one person.
var farewellRoutes = []route{
	{method: http.MethodDelete, path: "/tenant", role: tenants.Owner, handle: (*API).closeTenant},
	{method: http.MethodDelete, path: "/account", role: tenants.Viewer, self: true, handle: (*API).closeAccount},
}

// tenantSettings are the members of a tenant that its admins decide.
type tenantSettings struct {
	Name            string `json:"name"`
	TimeZone        string `json:"time_zone"`
	DefaultLanguage string `json:"default_language"`
	DefaultRegion   string `json:"default_region"`
}

type tenant struct {
	ID   string `json:"id"`
	Slug string `json:"slug"`
	tenantSettings
	Status      tenants.Status `json:"status"`
	CreatedAt   string         `json:"created_at"`
	DeleteAfter *string        `json:"delete_after"`
}

// ownPlace is a tenant of the person who asks, and who they are there.
type ownPlace struct {
	place

	MemberID  string `json:"member_id"`
	CreatedAt string `json:"created_at"`
}

func tenantSettingsOf(t *tenants.Tenant) tenantSettings {
	return tenantSettings{t.Name, t.TimeZone, t.DefaultLanguage, t.DefaultRegion}
}

func wireTenant(t tenants.Tenant) tenant {
	return tenant{
		ID: tenants.PublicID(t.ID), Slug: t.Slug, tenantSettings: tenantSettingsOf(&t), Status: t.Status,
		CreatedAt: moment.Write(t.CreatedAt), DeleteAfter: wireTime(t.DeleteAfter),
	}
}

func wirePlace(p tenants.Place) ownPlace {
	return ownPlace{
		place: place{
			ID: tenants.PublicID(p.Tenant.ID), Slug: p.Tenant.Slug, Name: p.Tenant.Name, Status: p.Tenant.Status, Role: p.Role,
		},
		MemberID: tenants.PublicMemberID(p.MemberID), CreatedAt: moment.Write(p.Tenant.CreatedAt),
	}
}

func (a *API) getTenant(r *request) (reply, error) {
	found, err := a.Registry.Own(r.ctx(), r.caller.TenantID)
	if err != nil {
		return reply{}, err
	}

	return ok(wireTenant(found)).at(found.Revision), nil
}

func (a *API) updateTenant(r *request) (reply, error) {
	revision, err := r.revision()
	if err != nil {
		return reply{}, err
	}

	// The body is judged before anything is locked for it, and again over what is there.
	if err := r.decode(&tenantSettings{}); err != nil {
		return reply{}, err
	}

	changed, err := a.Registry.Update(r.ctx(), r.caller.TenantID, revision, func(current *tenants.Tenant) {
		settings := tenantSettingsOf(current)
		_ = r.decode(&settings) // It was read once already.
		current.Name, current.Settings = settings.Name, tenants.Settings{
			TimeZone: settings.TimeZone, DefaultLanguage: settings.DefaultLanguage, DefaultRegion: settings.DefaultRegion,
		}
	})
	if err != nil {
		return reply{}, err
	}

	return ok(wireTenant(changed)).at(changed.Revision), nil
}

func (a *API) listTenants(r *request) (reply, error) {
	person, err := a.Entrance.Sessions.Person(r.ctx(), r.caller.LoginID)
	if err != nil {
		return reply{}, err
	}

	data := make([]ownPlace, len(person.Places))
	for i := range person.Places {
		data[i] = wirePlace(person.Places[i])
	}

	return ok(listOf(data, "")), nil
}

func (a *API) createTenant(r *request) (reply, error) {
	var sent struct {
		Name string `json:"name"`
	}

	if err := r.decode(&sent); err != nil {
		return reply{}, err
	}

	if err := a.Entrance.Guard.Spend(r.ctx(), tenants.ActSignUp, r.caller.LoginID.String(), r.client().Network); err != nil {
		return reply{}, err
	}

	made, err := a.Registry.CreateFor(r.ctx(), r.caller.LoginID, sent.Name, r.client())
	if err != nil {
		return reply{}, err
	}

	return created(wirePlace(made)), nil
}

func (a *API) closeTenant(r *request) (reply, error) {
	var sent struct {
		Confirm string `json:"confirm"`
	}

	if err := r.decode(&sent); err != nil {
		return reply{}, err
	}

	closed, err := a.Registry.Close(r.ctx(), r.caller.TenantID, sent.Confirm)
	if err != nil {
		return reply{}, err
	}

	if err := a.Directory.Touch(r.ctx(), r.caller.TenantID); err != nil {
		return reply{}, err
	}

	return accepted(wireTenant(closed)), nil
}

func (a *API) restoreTenant(r *request) (reply, error) {
	restored, err := a.Registry.Restore(r.ctx(), r.caller.TenantID)
	if err != nil {
		return reply{}, err
	}

	if err := a.Directory.Touch(r.ctx(), r.caller.TenantID); err != nil {
		return reply{}, err
	}

	return ok(wireTenant(restored)).at(restored.Revision), nil
}

func (a *API) closeAccount(r *request) (reply, error) {
	var sent ownership
	if err := r.decode(&sent); err != nil {
		return reply{}, err
	}

	closed, err := a.People.Accounts.Close(r.ctx(), r.caller.LoginID, sent.proof(), r.client())
	if err != nil {
		return reply{}, err
	}

	for _, tenantID := range closed.Tenants {
		if err := a.Directory.Touch(r.ctx(), tenantID); err != nil {
			return reply{}, err
		}
	}

	return accepted(struct {
		DeleteAfter string `json:"delete_after"`
	}{moment.Write(closed.DeleteAfter)}), nil
}
