package api

import (
	"math"
	"net/http"
	"strings"
	"time"

	"formonce/internal/fault"
	"formonce/tenants"
)

var sessionRoutes = []route{
	{method: http.MethodPost, path: "/signup", open: true, handle: (*API).signUp},
	{method: http.MethodPost, path: "/session", open: true, handle: (*API).signIn},
	{method: http.MethodPost, path: "/session/refresh", open: true, handle: (*API).refreshSession},
	// The cookie alone is enough to leave, since an access token may have expired by then.
	{method: http.MethodDelete, path: "/session", open: true, handle: (*API).signOut},
	{method: http.MethodGet, path: "/session", role: tenants.Viewer, self: true, handle: (*API).whoAmI},
	{method: http.MethodPost, path: "/session/tenant", role: tenants.Viewer, self: true, handle: (*API).enterTenant},
	{method: http.MethodGet, path: "/sessions", role: tenants.Viewer, self: true, handle: (*API).listSessions},
	{method: http.MethodDelete, path: "/sessions", role: tenants.Viewer, self: true, handle: (*API).endOtherSessions},
	{method: http.MethodDelete, path: "/sessions/:session", role: tenants.Viewer, self: true, handle: (*API).endSession},
}

// refreshCookie holds the refresh token. It is sent to the routes that need it and to no others, and never along with a
// request that another site has caused.
const (
	refreshCookie     = "formonce_refresh"
	refreshCookiePath = Prefix + "/session"
)

// SignupOpen is the Options.Signup that lets strangers make tenants.
const SignupOpen = "open"

// accessToken is the shape of every answer that holds one (RFC 6749, section 5.1).
type accessToken struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   int64  `json:"expires_in"`
}

func wireToken(token tenants.Token) accessToken {
	return accessToken{AccessToken: token.Text, TokenType: "Bearer", ExpiresIn: int64(token.ExpiresIn.Seconds())}
}

// cookie hands a secret to the browser that its scripts cannot read; an empty one takes it away.
func (a *API) cookie(token string, until time.Time) *http.Cookie {
	age := -1
	if token != "" {
		age = int(math.Ceil(time.Until(until).Seconds()))
	}

	//nolint:gosec // Secure wherever the service is reached by https; without that the browser would not send it at all.
	return &http.Cookie{
		Name: refreshCookie, Value: token, Path: refreshCookiePath, MaxAge: age,
		HttpOnly: true, Secure: a.PublicURL.Scheme == "https", SameSite: http.SameSiteStrictMode,
	}
}

// signedIn adds the refresh token of a person who has come in to an answer.
func (a *API) signedIn(grant tenants.Grant, answer reply) reply {
	answer.cookies = append(answer.cookies, a.cookie(grant.Refresh, grant.RefreshUntil))

	return answer
}

func (r *request) refreshToken() string {
	cookie, err := r.gin.Request.Cookie(refreshCookie)
	if err != nil {
		return ""
	}

	return cookie.Value
}

func (a *API) signIn(r *request) (reply, error) {
	var wanted struct {
		Email    string `json:"email"`
		Password string `json:"password"`
	}

	if err := r.decode(&wanted); err != nil {
		return reply{}, err
	}

	grant, err := a.Entrance.SignIns.SignIn(r.ctx(), wanted.Email, wanted.Password, r.client())
	if err != nil {
		return reply{}, err
	}

	return a.signedIn(grant, ok(wireToken(grant.Access))), nil
}

type signedUp struct {
	Tenant struct {
		ID   string `json:"id"`
		Slug string `json:"slug"`
		Name string `json:"name"`
	} `json:"tenant"`
	Member struct {
		ID string `json:"id"`
	} `json:"member"`
	accessToken
}

func (a *API) signUp(r *request) (reply, error) {
	var wanted struct {
		TenantName string `json:"tenant_name"`
		Email      string `json:"email"`
		Password   string `json:"password"`
	}

	if err := r.decode(&wanted); err != nil {
		return reply{}, err
	}

	if a.Signup != SignupOpen {
		return reply{}, fault.New(fault.Forbidden, "sign_up_closed",
			"Nobody can sign up here without an invitation. Ask for one, or ask the operator of the service.")
	}

	if err := a.Entrance.Guard.Spend(r.ctx(), tenants.ActSignUp, strings.ToLower(wanted.Email), r.client().Network); err != nil {
		return reply{}, err
	}

	made, err := a.Registry.SignUp(r.asStranger(wanted.Email), tenants.NewTenant{
		Name: wanted.TenantName, Email: wanted.Email, Password: wanted.Password,
	})
	if err != nil {
		return reply{}, naming(err, "name", "tenant_name")
	}

	grant, err := a.Entrance.Sessions.Start(r.ctx(), tenants.Arrival{
		LoginID: made.LoginID, TenantID: made.Tenant.ID, Method: tenants.BySignUp, Client: r.client(),
	})
	if err != nil {
		return reply{}, err
	}

	answer := signedUp{accessToken: wireToken(grant.Access)}
	answer.Tenant.ID, answer.Tenant.Slug, answer.Tenant.Name = tenants.PublicID(made.Tenant.ID), made.Tenant.Slug, made.Tenant.Name
	answer.Member.ID = tenants.PublicMemberID(made.MemberID)

	return a.signedIn(grant, created(answer)), nil
}

// naming gives the issues of a fault the names that this request has for its members.
func naming(err error, from, to string) error {
	known := fault.As(err)
	for i := range known.Issues {
		if known.Issues[i].Field == from {
			known.Issues[i].Field = to
		}
	}

	return err
}

func (a *API) refreshSession(r *request) (reply, error) {
	token := r.refreshToken()
	if token == "" {
		return reply{}, tenants.ErrSignInAgain
	}

	if err := a.Entrance.Guard.Spend(r.ctx(), tenants.ActRefresh, token, r.client().Network); err != nil {
		return reply{}, err
	}

	grant, err := a.Entrance.Sessions.Refresh(r.ctx(), token, r.client())
	if err != nil {
		return reply{}, err
	}

	return a.signedIn(grant, ok(wireToken(grant.Access))), nil
}

// signOut ends the session of the cookie, and that of the access token. Leaving twice is no mistake; leaving without
// having said who one is gets the answer of every such request.
func (a *API) signOut(r *request) (reply, error) {
	refresh, bearer := r.refreshToken(), r.bearer()
	if refresh == "" && bearer == "" {
		return reply{}, tenants.ErrUnauthenticated
	}

	if refresh != "" {
		if err := a.Entrance.Sessions.SignOut(r.asStranger(""), refresh); err != nil {
			return reply{}, err
		}
	}

	if err := a.leave(r, bearer); err != nil {
		return reply{}, err
	}

	answer := noContent()
	answer.cookies = []*http.Cookie{a.cookie("", time.Time{})}

	return answer, nil
}

// leave ends the session of an access token, if it has not ended yet.
func (a *API) leave(r *request, bearer string) error {
	if bearer == "" {
		return nil
	}

	caller, err := a.authenticate(r)
	if err == nil && caller.IsProgram() {
		return caller.Refuse(tenants.Need{})
	}

	if err == nil {
		err = a.Entrance.Sessions.End(r.asStranger(caller.Name), caller.LoginID, caller.SessionID)
	}

	if fault.Has(err, tenants.ErrUnauthenticated.Code) || fault.Has(err, "session_not_found") {
		return nil
	}

	return err
}

func (a *API) whoAmI(r *request) (reply, error) {
	person, err := a.Entrance.Sessions.Person(r.ctx(), r.caller.LoginID)
	if err != nil {
		return reply{}, err
	}

	methods, err := a.Entrance.SignIns.Methods(r.ctx(), r.caller.LoginID)
	if err != nil {
		return reply{}, err
	}

	return ok(wireIdentity(&r.caller, person, len(methods) > 0)), nil
}

func (a *API) enterTenant(r *request) (reply, error) {
	var wanted struct {
		TenantID string `json:"tenant_id"`
	}

	if err := r.decode(&wanted); err != nil {
		return reply{}, err
	}

	tenantID, err := tenants.ParseID(wanted.TenantID)
	if err != nil {
		return reply{}, err
	}

	token, err := a.Entrance.Sessions.Enter(r.ctx(), r.caller, tenantID)
	if err != nil {
		return reply{}, err
	}

	return ok(wireToken(token)), nil
}

func (a *API) listSessions(r *request) (reply, error) {
	found, err := a.Entrance.Sessions.List(r.ctx(), r.caller.LoginID)
	if err != nil {
		return reply{}, err
	}

	data := make([]session, len(found))
	for i := range found {
		data[i] = wireSession(found[i], r.caller.SessionID)
	}

	return ok(listOf(data, "")), nil
}

func (a *API) endSession(r *request) (reply, error) {
	sessionID, err := tenants.ParseSessionID(r.param("session"))
	if err != nil {
		return reply{}, err
	}

	if err := a.Entrance.Sessions.End(r.ctx(), r.caller.LoginID, sessionID); err != nil {
		return reply{}, err
	}

	return noContent(), nil
}

func (a *API) endOtherSessions(r *request) (reply, error) {
	if err := a.Entrance.Sessions.EndOthers(r.ctx(), r.caller.LoginID, r.caller.SessionID); err != nil {
		return reply{}, err
	}

	return noContent(), nil
}
