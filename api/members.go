package api

import (
	"net/http"

	"formonce/internal/moment"
	"formonce/tenants"
)

var memberRoutes = []route{
	{method: http.MethodGet, path: "/members", role: tenants.Viewer, handle: (*API).listMembers},
	{method: http.MethodPatch, path: "/members/:member", role: tenants.Admin, handle: (*API).changeRole},
	// Whoever may remove whom is asked where it is known who is meant: everybody may leave.
	{method: http.MethodDelete, path: "/members/:member", role: tenants.Viewer, handle: (*API).removeMember},
}

type tenantMember struct {
	ID            string       `json:"id"`
	Email         string       `json:"email"`
	Name          string       `json:"name"`
	Role          tenants.Role `json:"role"`
	EmailVerified bool         `json:"email_verified"`
	CreatedAt     string       `json:"created_at"`
}

func wireMember(m tenants.Member) tenantMember {
	return tenantMember{
		ID: tenants.PublicMemberID(m.ID), Email: m.Email, Name: m.Name, Role: m.Role, EmailVerified: m.EmailVerified,
		CreatedAt: moment.Write(m.CreatedAt),
	}
}

func (a *API) listMembers(r *request) (reply, error) {
	if err := r.onlyQueries("limit", "cursor"); err != nil {
		return reply{}, err
	}

	limit, err := r.limit()
	if err != nil {
		return reply{}, err
	}

	found, next, err := a.People.Members.List(r.ctx(), r.caller.TenantID, limit, r.query("cursor"))
	if err != nil {
		return reply{}, err
	}

	data := make([]tenantMember, len(found))
	for i := range found {
		data[i] = wireMember(found[i])
	}

	return ok(listOf(data, next)), nil
}

func (a *API) changeRole(r *request) (reply, error) {
	var sent struct {
		Role tenants.Role `json:"role"`
	}

	if err := r.decode(&sent); err != nil {
		return reply{}, err
	}

	memberID, err := tenants.ParseMemberID(r.param("member"))
	if err != nil {
		return reply{}, err
	}

	changed, err := a.People.Members.ChangeRole(r.ctx(), r.caller, memberID, sent.Role)
	if err != nil {
		return reply{}, err
	}

	return ok(wireMember(changed)), nil
}

func (a *API) removeMember(r *request) (reply, error) {
	memberID, err := tenants.ParseMemberID(r.param("member"))
	if err != nil {
		return reply{}, err
	}

	if err := a.People.Members.Remove(r.ctx(), r.caller, memberID); err != nil {
		return reply{}, err
	}

	return noContent(), nil
}
