package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/oauth2-proxy/mockoidc"

	"formonce/api"
	"formonce/tenants"
)

// provided is an office whose people can sign in at a provider, which is a server of its own.
type provided struct {
	*office

	provider *mockoidc.MockOIDC
	// forge changes the answer of the token's address; nil leaves it.
	forge func(idToken string) string
}

func withProvider(t *testing.T, openSignUp bool) *provided {
	t.Helper()

	p := &provided{office: open(t)}

	provider, err := mockoidc.NewServer(nil)
	if err != nil {
		t.Fatal(err)
	}

	p.provider = provider

	// It is worked out once and kept, which two sign-ins at once must not be the first to do.
	if _, err := provider.Keypair.KeyID(); err != nil {
		t.Fatal(err)
	}

	if err := provider.AddMiddleware(p.forging); err != nil {
		t.Fatal(err)
	}

	listener := httptest.NewUnstartedServer(nil).Listener
	if err := provider.Start(listener, nil); err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = provider.Shutdown() })
	p.connect(openSignUp, false)

	return p
}

// connect makes the office one whose people sign in at the provider.
func (p *provided) connect(openSignUp, closed bool) {
	p.Helper()

	var err error

	p.entrance.Provider, err = tenants.NewProvider(p.db, p.entrance.Guard, p.entrance.SignIns, secret, tenants.ProviderOptions{
		Issuer: p.provider.Issuer(), ClientID: p.provider.ClientID, ClientSecret: p.provider.ClientSecret,
		Callback: publicURL + api.OIDCCallback, OpenSignUp: openSignUp, Closed: closed,
	})
	if err != nil {
		p.Fatal(err)
	}
}

// forging is the middleware of the provider that puts another token into its answer.
func (p *provided) forging(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.forge == nil || r.URL.Path != mockoidc.TokenEndpoint {
			next.ServeHTTP(w, r)
			return
		}

		kept := httptest.NewRecorder()
		next.ServeHTTP(kept, r)

		var said map[string]any
		if err := json.Unmarshal(kept.Body.Bytes(), &said); err != nil {
			p.Error(err)
		}

		if token, there := said["id_token"].(string); there {
			said["id_token"] = p.forge(token)
		}

		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(kept.Code)

		if err := json.NewEncoder(w).Encode(said); err != nil {
			p.Error(err)
		}
	})
}

// journey is a person on the way back from the provider.
type journey struct {
	cookie   *http.Cookie
	callback url.URL
}

// depart sends somebody to the provider, who signs in there.
func (p *provided) depart(who *mockoidc.MockUser, returnTo string) journey {
	p.Helper()

	left := p.send("GET", "/oidc/start?"+url.Values{"return_to": {returnTo}}.Encode(), nil)
	left.want(http.StatusFound, nil)

	cookies := (&http.Response{Header: left.header}).Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || !cookies[0].Secure || cookies[0].SameSite != http.SameSiteLaxMode {
		p.Fatalf("got the cookies %v", left.header["Set-Cookie"])
	}

	p.provider.QueueUser(who)

	return journey{cookies[0], p.signInThere(left.header.Get("Location"))}
}

func (p *provided) signInThere(address string) url.URL {
	p.Helper()

	request, err := http.NewRequestWithContext(p.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		p.Fatal(err)
	}

	response, err := p.server.Client().Do(request)
	if err != nil {
		p.Fatal(err)
	}
	defer response.Body.Close()

	back, err := response.Location()
	if err != nil {
		p.Fatalf("the provider answered %d: %v", response.StatusCode, err)
	}

	if got := back.Scheme + "://" + back.Host + back.Path; got != publicURL+api.OIDCCallback {
		p.Fatalf("sent back to %s", got)
	}

	return *back
}

// land comes back from the provider, and returns where the browser is led.
func (p *provided) land(j journey) (answer, string) {
	p.Helper()

	got := p.send("GET", "/oidc/callback?"+j.callback.RawQuery, nil, "Cookie", j.cookie.Name+"="+j.cookie.Value)
	got.want(http.StatusSeeOther, nil)

	return got, got.header.Get("Location")
}

// rejected fails unless the browser is led back to the sign-in with this code, and without a session.
func (p *provided) rejected(j journey, code string) {
	p.Helper()

	got, location := p.land(j)
	if location != "/dashboard/sign-in?error="+code {
		p.Errorf("led to %s, want the error %s", location, code)
	}

	if strings.Contains(strings.Join(got.header["Set-Cookie"], " "), "formonce_refresh") {
		p.Error("a session began")
	}
}

func grace() *mockoidc.MockUser {
	return &mockoidc.MockUser{Subject: "grace", Email: "Grace@Example.com", EmailVerified: true}
}

func ada() *mockoidc.MockUser {
	return &mockoidc.MockUser{Subject: "ada", Email: "ada@acme.example", EmailVerified: true}
}

func (p *provided) count(from string, args ...any) string {
	p.Helper()

	return p.text("SELECT count(*)::text FROM "+from, args...)
}
