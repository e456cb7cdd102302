package api

import (
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/gin-gonic/gin"

	"formonce/internal/edge"
	"formonce/internal/fault"
	"formonce/tenants"
)

var oidcRoutes = []route{
	{method: http.MethodGet, path: "/sign-in-methods", open: true, handle: (*API).listSignInMethods},
	{method: http.MethodGet, path: "/oidc/start", open: true, handle: (*API).departToProvider},
	{method: http.MethodGet, path: "/oidc/callback", open: true, handle: (*API).arriveFromProvider},
}

const (
	// oidcPath begins the addresses that a browser is sent to, and answers with pages only.
	oidcPath = Prefix + "/oidc/"
	// OIDCCallback is where a provider sends people back to.
	OIDCCallback = oidcPath + "callback"

	// departureCookie is brought back by the provider's redirect, so that it cannot be as strict as the others.
	departureCookie = "formonce_departure"

	dashboardPath  = "/dashboard/"
	dashboardEntry = dashboardPath + "sign-in"
)

type signInMethods struct {
	Password bool            `json:"password"`
	Passkey  bool            `json:"passkey"`
	OIDC     *signInProvider `json:"oidc"`
	Signup   string          `json:"signup"`
}

type signInProvider struct {
	Name     string `json:"name"`
	StartURL string `json:"start_url"`
}

func (a *API) listSignInMethods(*request) (reply, error) {
	methods := signInMethods{Password: true, Passkey: a.Entrance.Passkeys.Available(), Signup: a.Signup}
	if name := a.Entrance.Provider.Name(); name != "" {
		methods.OIDC = &signInProvider{Name: name, StartURL: oidcPath + "start"}
	}

	return ok(methods), nil
}

func (a *API) departToProvider(r *request) (reply, error) {
	departure, err := a.Entrance.Provider.Depart(r.ctx(), dashboardPage(r.query("return_to")))
	if err != nil {
		return reply{}, err
	}

	return reply{
		status: http.StatusFound, location: departure.URL,
		cookies: []*http.Cookie{a.departure(departure.Cookie, int(tenants.DepartureFor.Seconds()))},
	}, nil
}

func (a *API) arriveFromProvider(r *request) (reply, error) {
	back := tenants.Return{
		Code: r.query("code"), State: r.query("state"), Issuer: r.query("iss"), Error: r.query("error"),
	}

	if cookie, err := r.gin.Request.Cookie(departureCookie); err == nil {
		back.Cookie = cookie.Value
	}

	grant, landing, err := a.Entrance.Provider.Arrive(r.ctx(), back, r.client())
	if err != nil {
		return reply{}, err
	}

	answer := redirect(landing)
	answer.cookies = []*http.Cookie{a.departure("", -1)}

	return a.signedIn(grant, answer), nil
}

func (a *API) departure(value string, age int) *http.Cookie {
	//nolint:gosec // It is for TLS alone where there is TLS.
	return &http.Cookie{
		Name: departureCookie, Value: value, Path: oidcPath, MaxAge: age,
		HttpOnly: true, Secure: a.PublicURL.Scheme == "https", SameSite: http.SameSiteLaxMode,
	}
}

// FailureWriters are those of the paths that a person's browser is sent to, by the beginnings of the paths.
func (a *API) FailureWriters() map[string]edge.FailureWriter {
	return map[string]edge.FailureWriter{oidcPath: a.leadToEntry}
}

// leadToEntry takes a person whose sign-in has failed back to the page where it began, which knows what the code means. A
// challenge stands behind the #, where no server and no log gets to see it.
func (a *API) leadToEntry(c *gin.Context, _ int, failed *fault.Fault) {
	target := dashboardEntry + "?" + url.Values{"error": {failed.Code}}.Encode()

	if challenge, _ := failed.Details["challenge"].(string); challenge != "" {
		methods, _ := failed.Details["methods"].([]string)
		target += "#" + url.Values{"challenge": {challenge}, "methods": {strings.Join(methods, ",")}}.Encode()
	}

	http.SetCookie(c.Writer, a.departure("", -1))
	c.Header("Cache-Control", "no-store")
	c.Redirect(http.StatusSeeOther, target)
}

// dashboardPage is the page below the dashboard that was asked for; anything else becomes the first page. Browsers read
// backslashes as slashes and skip tabs and line breaks, so nothing that holds one is believed.
func dashboardPage(wanted string) string {
	parsed, err := url.Parse(wanted)
	if err != nil || parsed.IsAbs() || parsed.Host != "" || parsed.User != nil || parsed.Opaque != "" ||
		strings.ContainsFunc(wanted, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' || r == '\ufffd' }) {
		return dashboardPath
	}

	for _, form := range []string{parsed.Path, parsed.EscapedPath()} {
		if !strings.HasPrefix(form, dashboardPath) || !strings.HasPrefix(path.Clean(form)+"/", dashboardPath) ||
			strings.Contains(form, "//") || strings.Contains(form, `\`) {
			return dashboardPath
		}
	}

	return parsed.String()
}
