package api

import (
	"net/http"

	"github.com/google/uuid"

	"formonce/internal/moment"
	"formonce/tenants"
)

var invitationRoutes = []route{
	{method: http.MethodGet, path: "/invitations", role: tenants.Admin, handle: (*API).listInvitations},
	{
		method: http.MethodPost, path: "/invitations", role: tenants.Admin, once: true, before: (*API).allowInvitation,
		handle: (*API).createInvitation,
	},
	{method: http.MethodPost, path: "/invitations/preview", open: true, handle: (*API).previewInvitation},
	{method: http.MethodPost, path: "/invitations/accept", open: true, handle: (*API).acceptInvitation},
	{method: http.MethodPost, path: "/invitations/:invitation/resend", role: tenants.Admin, handle: (*API).resendInvitation},
	{method: http.MethodDelete, path: "/invitations/:invitation", role: tenants.Admin, handle: (*API).revokeInvitation},
}

// invitationWish is what an invitation is made from.
type invitationWish struct {
	Email string       `json:"email"`
	Role  tenants.Role `json:"role"`
}

type invitation struct {
	ID string `json:"id"`
	invitationWish
	InvitedBy *string `json:"invited_by"`
	CreatedAt string  `json:"created_at"`
	ExpiresAt string  `json:"expires_at"`
}

// offer is an invitation as its link shows it.
type offer struct {
	TenantName string `json:"tenant_name"`
	invitationWish
	HasLogin bool `json:"has_login"`
}

// accepting is what the answer to an accepted invitation says beside the token.
type accepting struct {
	TenantID string `json:"tenant_id"`
	MemberID string `json:"member_id"`
	accessToken
}

func wireInvitation(v tenants.Invitation) invitation {
	wire := invitation{
		ID: tenants.PublicInvitationID(v.ID), invitationWish: invitationWish{v.Email, v.Role},
		CreatedAt: moment.Write(v.CreatedAt), ExpiresAt: moment.Write(v.ExpiresAt),
	}

	if v.InvitedBy != nil {
		by := tenants.PublicMemberID(*v.InvitedBy)
		wire.InvitedBy = &by
	}

	return wire
}

func (a *API) listInvitations(r *request) (reply, error) {
	if err := r.onlyQueries("limit", "cursor"); err != nil {
		return reply{}, err
	}

	limit, err := r.limit()
	if err != nil {
		return reply{}, err
	}

	found, next, err := a.People.Invitations.List(r.ctx(), r.caller.TenantID, limit, r.query("cursor"))
	if err != nil {
		return reply{}, err
	}

	data := make([]invitation, len(found))
	for i := range found {
		data[i] = wireInvitation(found[i])
	}

	return ok(listOf(data, next)), nil
}

func (a *API) allowInvitation(r *request) error {
	var sent invitationWish
	if err := r.decode(&sent); err != nil {
		return err
	}

	return a.People.Invitations.Allow(r.ctx(), sent.Email, r.client())
}

func (a *API) createInvitation(r *request) (reply, error) {
	var sent invitationWish
	if err := r.decode(&sent); err != nil {
		return reply{}, err
	}

	made, err := a.People.Invitations.Create(r.ctx(), r.caller, sent.Email, sent.Role)
	if err != nil {
		return reply{}, err
	}

	return created(wireInvitation(made)), nil
}

func (a *API) resendInvitation(r *request) (reply, error) {
	invitationID, err := tenants.ParseInvitationID(r.param("invitation"))
	if err != nil {
		return reply{}, err
	}

	sent, err := a.People.Invitations.Resend(r.ctx(), r.caller, invitationID, r.client())
	if err != nil {
		return reply{}, err
	}

	return ok(wireInvitation(sent)), nil
}

func (a *API) revokeInvitation(r *request) (reply, error) {
	invitationID, err := tenants.ParseInvitationID(r.param("invitation"))
	if err != nil {
		return reply{}, err
	}

	if err := a.People.Invitations.Revoke(r.ctx(), r.caller.TenantID, invitationID); err != nil {
		return reply{}, err
	}

	return noContent(), nil
}

func (a *API) previewInvitation(r *request) (reply, error) {
	var sent linkToken
	if err := r.decode(&sent); err != nil {
		return reply{}, err
	}

	found, err := a.People.Invitations.Preview(r.ctx(), sent.Token, r.client())
	if err != nil {
		return reply{}, err
	}

	return ok(offer{found.TenantName, invitationWish{found.Email, found.Role}, found.HasLogin}), nil
}

func (a *API) acceptInvitation(r *request) (reply, error) {
	var sent struct {
		Token    string `json:"token"`
		Name     string `json:"name"`
		Password string `json:"password"`
	}

	if err := r.decode(&sent); err != nil {
		return reply{}, err
	}

	loginID, err := a.visitor(r)
	if err != nil {
		return reply{}, err
	}

	grant, err := a.People.Invitations.Accept(r.ctx(), tenants.Acceptance{
		Token: sent.Token, LoginID: loginID, Name: sent.Name, Password: sent.Password, Client: r.client(),
	})
	if err != nil {
		return reply{}, err
	}

	return a.signedIn(grant, ok(accepting{
		tenants.PublicID(grant.TenantID), tenants.PublicMemberID(grant.MemberID), wireToken(grant.Access),
	})), nil
}

// visitor is the person who is signed in, on a row that is open; zero for nobody.
func (a *API) visitor(r *request) (uuid.UUID, error) {
	if r.bearer() == "" {
		return uuid.UUID{}, nil
	}

	caller, err := a.authenticate(r)

	return caller.LoginID, err
}
