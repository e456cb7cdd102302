package api_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"formonce/tenants"
)

type wireAccess struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   int    `json:"expires_in"`
}

func bearer(token string) []string { return []string{"Authorization", "Bearer " + token} }

// cookieOf is the refresh cookie that an answer sets.
func (a answer) cookieOf() *http.Cookie {
	a.Helper()

	for _, cookie := range (&http.Response{Header: a.header}).Cookies() {
		if cookie.Name == "formonce_refresh" {
			return cookie
		}
	}

	a.Fatalf("no refresh cookie is set: %v", a.header)

	return nil
}

func (o *office) signIn(email, password string) answer {
	o.Helper()

	return o.send("POST", "/session", map[string]any{"email": email, "password": password}, "Authorization", "")
}

func TestAStrangerSignsUpAndWorksAtOnce(t *testing.T) {
	t.Parallel()

	o := open(t)
	wanted := map[string]any{"tenant_name": "Müller & Söhne", "email": "grace@example.com", "password": password}

	var made struct {
		wireAccess

		Tenant struct{ ID, Slug string }
		Member struct{ ID string }
	}

	got := o.send("POST", "/signup", wanted, "Authorization", "")
	got.want(http.StatusCreated, &made)

	if !strings.HasPrefix(made.Tenant.ID, "ten_") || !strings.HasPrefix(made.Member.ID, "mem_") || made.Tenant.Slug != "muller-sohne" {
		t.Errorf("got %+v", made)
	}

	if got.cookieOf().Value == "" {
		t.Error("no session has begun")
	}

	o.send("POST", "/endpoints", map[string]any{"name": "Contact"}, bearer(made.AccessToken)...).want(http.StatusCreated, nil)
	o.send("POST", "/signup", wanted).refused(http.StatusConflict, "email_taken")

	unusable := o.send("POST", "/signup", map[string]any{"tenant_name": " ", "email": "x@example.com", "password": "short"})
	unusable.refused(http.StatusUnprocessableEntity, "invalid_tenant")

	if text := string(unusable.body); !strings.Contains(text, `"tenant_name"`) || !strings.Contains(text, `"password"`) {
		t.Errorf("the members at fault are not named as they were sent: %s", text)
	}
}

func TestTheCookieIsForTheSessionsRoutesAndNoScript(t *testing.T) {
	t.Parallel()

	o := open(t)

	var access wireAccess

	got := o.signIn("ada@acme.example", password)
	got.want(http.StatusOK, &access)

	cookie := got.cookieOf()
	if !cookie.HttpOnly || !cookie.Secure || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/api/v1/session" {
		t.Errorf("the cookie is %s", cookie)
	}

	if month := 14 * 24 * time.Hour; cookie.MaxAge < int(month.Seconds())-60 || cookie.MaxAge > int(month.Seconds()) {
		t.Errorf("the cookie stays for %d seconds", cookie.MaxAge)
	}

	if access.TokenType != "Bearer" || access.ExpiresIn != 900 || strings.Contains(string(got.body), cookie.Value) {
		t.Errorf("got %s", got.body)
	}
}

func TestASessionIsRefreshedAndEndedByItsCookieAlone(t *testing.T) {
	t.Parallel()

	o := open(t)
	first := o.signIn("ada@acme.example", password).cookieOf()

	refresh := func(cookie *http.Cookie) answer {
		return o.send("POST", "/session/refresh", nil, "Authorization", "", "Cookie", cookie.Name+"="+cookie.Value)
	}

	var access wireAccess

	second := refresh(first)
	second.want(http.StatusOK, &access)

	if second.cookieOf().Value == first.Value {
		t.Error("the refresh token is the same as before")
	}

	o.send("GET", "/session", nil, bearer(access.AccessToken)...).want(http.StatusOK, nil)

	left := o.send("DELETE", "/session", nil, "Authorization", "", "Cookie", first.Name+"="+second.cookieOf().Value)
	left.want(http.StatusNoContent, nil)

	if gone := left.cookieOf(); gone.Value != "" || gone.MaxAge >= 0 || gone.Path != first.Path {
		t.Errorf("the browser keeps the cookie: %s", gone)
	}

	o.send("GET", "/session", nil, bearer(access.AccessToken)...).refused(http.StatusUnauthorized, "unauthenticated")
	refresh(second.cookieOf()).refused(http.StatusUnauthorized, "session_ended")
	o.send("POST", "/session/refresh", nil, "Authorization", "").refused(http.StatusUnauthorized, "session_ended")
	o.send("DELETE", "/session", nil, "Authorization", "").refused(http.StatusUnauthorized, "unauthenticated")
	o.send("DELETE", "/session", nil, bearer(access.AccessToken)...).want(http.StatusNoContent, nil)
	o.send("DELETE", "/session", nil).refused(http.StatusForbidden, "api_key_not_allowed")
}

func TestAPersonSeesWhoTheyAreAndWhereTheyAreSignedIn(t *testing.T) {
	t.Parallel()

	o := open(t)
	again := o.tenant("Acme") // The same person: ada@acme.example.

	var access, other wireAccess

	o.signIn("ada@acme.example", password).want(http.StatusOK, &access)
	o.signIn("ada@acme.example", password).want(http.StatusOK, &other)

	type identity struct {
		Member  struct{ Role string }
		Tenant  struct{ ID string }
		Tenants []struct{ ID, Role string }
		Email   string
	}

	var who identity

	o.send("GET", "/session", nil, bearer(access.AccessToken)...).want(http.StatusOK, &who)

	if who.Email != "ada@acme.example" || who.Member.Role != "owner" || len(who.Tenants) != 2 {
		t.Errorf("got %+v", who)
	}

	var moved wireAccess

	elsewhere := tenants.PublicID(again.Tenant.ID)
	o.send("POST", "/session/tenant", map[string]any{"tenant_id": elsewhere}, bearer(access.AccessToken)...).want(http.StatusOK, &moved)

	who = identity{}
	if o.send("GET", "/session", nil, bearer(moved.AccessToken)...).want(http.StatusOK, &who); who.Tenant.ID != elsewhere {
		t.Errorf("the token is for %s, want %s", who.Tenant.ID, elsewhere)
	}

	var listed struct {
		Data []struct {
			ID, Method, Address string
			Current             bool
		}
	}

	o.send("GET", "/sessions", nil, bearer(access.AccessToken)...).want(http.StatusOK, &listed)

	if len(listed.Data) != 2 || listed.Data[0].Current == listed.Data[1].Current || listed.Data[0].Address != "127.0.0.1" {
		t.Errorf("got %+v", listed)
	}

	for _, one := range listed.Data {
		if !one.Current {
			o.send("DELETE", "/sessions/"+one.ID, nil, bearer(access.AccessToken)...).want(http.StatusNoContent, nil)
			o.send("DELETE", "/sessions/"+one.ID, nil, bearer(access.AccessToken)...).refused(http.StatusNotFound, "session_not_found")
		}
	}

	o.send("GET", "/session", nil, bearer(other.AccessToken)...).refused(http.StatusUnauthorized, "unauthenticated")
}

// TestATokenIsCheckedByThePublishedKeys does what another service would do.
func TestATokenIsCheckedByThePublishedKeys(t *testing.T) {
	t.Parallel()

	o := open(t)

	var access wireAccess

	o.signIn("ada@acme.example", password).want(http.StatusOK, &access)

	response, err := o.server.Client().Get(o.server.URL + "/.well-known/jwks.json")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()

	if control := response.Header.Get("Cache-Control"); control != "public, max-age=300" {
		t.Errorf("the keys are cached by %q", control)
	}

	var set struct {
		Keys []struct {
			Kty string `json:"kty"`
			Crv string `json:"crv"`
			Alg string `json:"alg"`
			Use string `json:"use"`
			Kid string `json:"kid"`
			X   string `json:"x"`
		} `json:"keys"`
	}

	if err := json.NewDecoder(response.Body).Decode(&set); err != nil || len(set.Keys) != 1 {
		t.Fatalf("got %+v, %v", set, err)
	}

	key := set.Keys[0]
	if key.Kty != "OKP" || key.Crv != "Ed25519" || key.Alg != "EdDSA" || key.Use != "sig" {
		t.Errorf("got %+v", key)
	}

	_, err = jwt.Parse(access.AccessToken, func(token *jwt.Token) (any, error) {
		x, err := base64.RawURLEncoding.DecodeString(key.X)
		if token.Header["kid"] != key.Kid {
			t.Errorf("the token names %v, and %s is published", token.Header["kid"], key.Kid)
		}

		return ed25519.PublicKey(x), err
	}, jwt.WithIssuer(publicURL), jwt.WithAudience(publicURL+"/api/v1"), jwt.WithValidMethods([]string{"EdDSA"}))
	if err != nil {
		t.Error(err)
	}
}

// TestBadCredentialsAreCountedAndGoodOnesStillWork sends more of them than one address may.
func TestBadCredentialsAreCountedAndGoodOnesStillWork(t *testing.T) {
	t.Parallel()

	o := open(t)

	for range 300 {
		if err := o.entrance.Guard.Spend(t.Context(), tenants.ActCredential, "", "127.0.0.1"); err != nil {
			t.Fatal(err)
		}
	}

	tried := o.send("GET", "/endpoints", nil, "Authorization", "Bearer fo_live_nonsense")
	tried.refused(http.StatusTooManyRequests, "rate_limit_exceeded")

	if tried.header.Get("Retry-After") == "" {
		t.Error("nobody says how long to wait")
	}

	o.send("GET", "/endpoints", nil).want(http.StatusOK, nil)
	o.send("GET", "/endpoints", nil, "Authorization", "").refused(http.StatusUnauthorized, "unauthenticated")
}
