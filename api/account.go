package api

import (
	"net/http"

	"formonce/internal/moment"
	"formonce/tenants"
)

var accountRoutes = []route{
	{method: http.MethodPost, path: "/email/verification", role: tenants.Viewer, self: true, handle: (*API).sendVerification},
	{method: http.MethodPost, path: "/email/verify", open: true, handle: (*API).verifyEmail},
	{method: http.MethodPost, path: "/password/forgotten", open: true, handle: (*API).forgotPassword},
	{method: http.MethodPost, path: "/password/reset", open: true, handle: (*API).resetPassword},
	{method: http.MethodPut, path: "/password", role: tenants.Viewer, self: true, handle: (*API).changePassword},
	{method: http.MethodGet, path: "/account", role: tenants.Viewer, self: true, handle: (*API).getAccount},
	{method: http.MethodPatch, path: "/account", role: tenants.Viewer, self: true, handle: (*API).updateAccount},
	{method: http.MethodPost, path: "/account/email", role: tenants.Viewer, self: true, handle: (*API).requestAddress},
	{method: http.MethodPost, path: "/account/email/confirm", open: true, handle: (*API).confirmAddress},
	{method: http.MethodPost, path: "/account/restore", role: tenants.Viewer, self: true, handle: (*API).restoreAccount},
}

// accountSettings are the members of an account that its person decides.
type accountSettings struct {
	Name     string `json:"name"`
	Language string `json:"language"`
}

type account struct {
	accountSettings

	Email         string  `json:"email"`
	EmailVerified bool    `json:"email_verified"`
	HasPassword   bool    `json:"has_password"`
	CreatedAt     string  `json:"created_at"`
	DeleteAfter   *string `json:"delete_after"`
}

func wireAccount(a tenants.Account) account {
	return account{
		accountSettings: accountSettings{a.Name, a.Language}, Email: a.Email, EmailVerified: a.EmailVerified,
		HasPassword: a.HasPassword, CreatedAt: moment.Write(a.CreatedAt), DeleteAfter: wireTime(a.DeleteAfter),
	}
}

// ownership shows that it is the person who asks: one of the members is enough.
type ownership struct {
	Password     string `json:"password"`
	Code         string `json:"code"`
	RecoveryCode string `json:"recovery_code"`
}

func (o ownership) proof() tenants.Proof {
	return tenants.Proof{Password: o.Password, Code: o.Code, RecoveryCode: o.RecoveryCode}
}

// linkToken is the body of a request that follows a link of a mail.
type linkToken struct {
	Token string `json:"token"`
}

func (a *API) sendVerification(r *request) (reply, error) {
	if err := a.People.Accounts.SendVerification(r.ctx(), r.caller.LoginID, r.client()); err != nil {
		return reply{}, err
	}

	return accepted(nil), nil
}

func (a *API) verifyEmail(r *request) (reply, error) {
	var sent linkToken
	if err := r.decode(&sent); err != nil {
		return reply{}, err
	}

	if err := a.People.Accounts.Verify(r.ctx(), sent.Token, r.client()); err != nil {
		return reply{}, err
	}

	return noContent(), nil
}

func (a *API) forgotPassword(r *request) (reply, error) {
	var sent struct {
		Email string `json:"email"`
	}

	if err := r.decode(&sent); err != nil {
		return reply{}, err
	}

	if err := a.People.Accounts.Forgotten(r.ctx(), sent.Email, r.client()); err != nil {
		return reply{}, err
	}

	return accepted(nil), nil
}

func (a *API) resetPassword(r *request) (reply, error) {
	var sent struct {
		Token    string `json:"token"`
		Password string `json:"password"`
	}

	if err := r.decode(&sent); err != nil {
		return reply{}, err
	}

	if err := a.People.Accounts.Reset(r.asStranger(""), sent.Token, sent.Password, r.client()); err != nil {
		return reply{}, err
	}

	return noContent(), nil
}

func (a *API) changePassword(r *request) (reply, error) {
	var sent struct {
		CurrentPassword string `json:"current_password"`
		NewPassword     string `json:"new_password"`
	}

	if err := r.decode(&sent); err != nil {
		return reply{}, err
	}

	err := a.People.Accounts.ChangePassword(r.ctx(), r.caller, sent.CurrentPassword, sent.NewPassword, r.client())
	if err != nil {
		return reply{}, err
	}

	return noContent(), nil
}

func (a *API) getAccount(r *request) (reply, error) {
	found, err := a.People.Accounts.Get(r.ctx(), r.caller.LoginID)
	if err != nil {
		return reply{}, err
	}

	return ok(wireAccount(found)), nil
}

func (a *API) updateAccount(r *request) (reply, error) {
	// The body is judged before anything is locked for it, and again over what is there.
	if err := r.decode(&accountSettings{}); err != nil {
		return reply{}, err
	}

	changed, err := a.People.Accounts.Update(r.ctx(), r.caller.LoginID, r.client(), func(current *tenants.Account) {
		settings := accountSettings{current.Name, current.Language}
		_ = r.decode(&settings) // It was read once already.
		current.Name, current.Language = settings.Name, settings.Language
	})
	if err != nil {
		return reply{}, err
	}

	return ok(wireAccount(changed)), nil
}

func (a *API) requestAddress(r *request) (reply, error) {
	var sent struct {
		ownership

		Email string `json:"email"`
	}

	if err := r.decode(&sent); err != nil {
		return reply{}, err
	}

	if err := a.People.Accounts.RequestAddress(r.ctx(), r.caller.LoginID, sent.Email, sent.proof(), r.client()); err != nil {
		return reply{}, err
	}

	return accepted(nil), nil
}

func (a *API) confirmAddress(r *request) (reply, error) {
	var sent linkToken
	if err := r.decode(&sent); err != nil {
		return reply{}, err
	}

	if err := a.People.Accounts.ConfirmAddress(r.ctx(), sent.Token, r.client()); err != nil {
		return reply{}, err
	}

	return noContent(), nil
}

func (a *API) restoreAccount(r *request) (reply, error) {
	reopened, err := a.People.Accounts.Restore(r.ctx(), r.caller.LoginID, r.client())
	if err != nil {
		return reply{}, err
	}

	for _, tenantID := range reopened {
		if err := a.Directory.Touch(r.ctx(), tenantID); err != nil {
			return reply{}, err
		}
	}

	return a.getAccount(r)
}
