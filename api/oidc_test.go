package api_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
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
	if err := provider.AddMiddleware(p.forging); err != nil {
		t.Fatal(err)
	}

	listener := httptest.NewUnstartedServer(nil).Listener
	if err := provider.Start(listener, nil); err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = provider.Shutdown() })
	p.connect(openSignUp)

	return p
}

func (p *provided) connect(openSignUp bool) {
	p.Helper()

	var err error

	p.entrance.Provider, err = tenants.NewProvider(p.db, p.entrance.Guard, p.entrance.SignIns, secret, tenants.ProviderOptions{
		Issuer: p.provider.Issuer(), ClientID: p.provider.ClientID, ClientSecret: p.provider.ClientSecret,
		Callback: publicURL + api.OIDCCallback, OpenSignUp: openSignUp,
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

	request, err := http.NewRequestWithContext(p.Context(), http.MethodGet, address, nil)
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

func TestSomebodyNewSignsInAtAProvider(t *testing.T) {
	t.Parallel()

	p := withProvider(t, true)
	got, location := p.land(p.depart(grace(), "/dashboard/endpoints?page=2"))

	if location != "/dashboard/endpoints?page=2" {
		t.Errorf("led to %s", location)
	}

	cookies := strings.Join(got.header["Set-Cookie"], "\n")
	if !strings.Contains(cookies, "formonce_refresh=") || !strings.Contains(cookies, "formonce_departure=;") {
		t.Errorf("got %s", cookies)
	}

	if found := p.count(`members m JOIN logins l ON l.id = m.login_id JOIN tenants t ON t.id = m.tenant_id
		WHERE l.email = 'grace@example.com' AND l.email_verified_at IS NOT NULL AND m.role = 'owner' AND t.name = 'grace'`); found != "1" {
		t.Errorf("%s tenants", found)
	}

	// The second time it is the same person, whatever their address is by then.
	moved := grace()
	moved.Email, moved.EmailVerified = "grace@elsewhere.example", false

	if _, location := p.land(p.depart(moved, "")); location != "/dashboard/" {
		t.Errorf("led to %s", location)
	}

	if found := p.count("logins WHERE email LIKE 'grace@%'"); found != "1" {
		t.Errorf("%s logins", found)
	}

	if method := p.text(`SELECT method FROM sessions ORDER BY id DESC LIMIT 1`); method != tenants.ByOIDC {
		t.Errorf("begun by %s", method)
	}
}

func TestALoginIsTiedOnlyWhenBothSidesHaveVerifiedItsAddress(t *testing.T) {
	t.Parallel()

	p := withProvider(t, true)
	p.exec(`UPDATE logins SET email_verified_at = NULL`)

	p.rejected(p.depart(ada(), ""), "oidc_login_not_verified")
	p.exec(`UPDATE logins SET email_verified_at = now()`)

	unsure := ada()
	unsure.EmailVerified = false
	p.rejected(p.depart(unsure, ""), "oidc_email_not_verified")

	nameless := ada()
	nameless.Email = ""
	p.rejected(p.depart(nameless, ""), "oidc_email_not_verified")

	if found := p.count("identities"); found != "0" {
		t.Errorf("%s identities are tied", found)
	}

	if _, location := p.land(p.depart(ada(), "/dashboard/")); location != "/dashboard/" {
		t.Errorf("led to %s", location)
	}

	if found := p.count("audit_log WHERE action = 'identity.linked' AND tenant_id = $1", p.acme.Tenant.ID); found != "1" {
		t.Errorf("recorded %s times", found)
	}

	if found := p.count("tenants"); found != "1" {
		t.Error("somebody who is known got a tenant")
	}
}

func TestWithoutOpenSignUpAnInvitationIsNeeded(t *testing.T) {
	t.Parallel()

	p := withProvider(t, false)
	p.rejected(p.depart(grace(), ""), "oidc_not_invited")

	p.exec(`INSERT INTO invitations (tenant_id, id, email, role, expires_at)
		VALUES ($1, gen_random_uuid(), 'grace@example.com', 'viewer', now() + interval '1 day')`, p.acme.Tenant.ID)

	if _, location := p.land(p.depart(grace(), "")); location != "/dashboard/" {
		t.Errorf("led to %s", location)
	}

	// Who is invited accepts by themselves, and gets no tenant of their own.
	if tenantsThere, logins := p.count("tenants"), p.count("logins"); tenantsThere != "1" || logins != "2" {
		t.Errorf("%s tenants, %s logins", tenantsThere, logins)
	}
}

// TestAProvidersAnswerThatIsNotForThisJourneyIsRefused changes one thing at a time about a way back that would count.
func TestAProvidersAnswerThatIsNotForThisJourneyIsRefused(t *testing.T) {
	t.Parallel()

	p := withProvider(t, true)
	other := p.depart(grace(), "")

	for name, row := range map[string]struct {
		change func(j *journey)
		code   string
	}{
		"a wrong state":           {func(j *journey) { j.set("state", "made-up") }, "oidc_state_wrong"},
		"no state":                {func(j *journey) { j.set("state", "") }, "oidc_state_wrong"},
		"another browser":         {func(j *journey) { j.cookie = other.cookie }, "oidc_state_wrong"},
		"no cookie":               {func(j *journey) { j.cookie = &http.Cookie{Name: "none"} }, "oidc_state_wrong"},
		"a cookie that was made":  {func(j *journey) { j.cookie.Value = "AQAA" }, "oidc_state_wrong"},
		"a person who said no":    {func(j *journey) { j.set("error", "access_denied") }, "oidc_denied"},
		"another provider":        {func(j *journey) { j.set("iss", "https://login.example.net") }, "oidc_refused"},
		"a code that was made up": {func(j *journey) { j.set("code", "made-up") }, "oidc_refused"},
		// The verifier is that of this journey, the code that of another one.
		"another journey's code": {func(j *journey) { j.set("code", other.callback.Query().Get("code")) }, "oidc_refused"},
	} {
		j := p.depart(grace(), "")
		row.change(&j)

		if p.rejected(j, row.code); t.Failed() {
			t.Fatal(name)
		}
	}
}

func (j *journey) set(name, value string) {
	query := j.callback.Query()
	query.Set(name, value)
	j.callback.RawQuery = query.Encode()
}

func TestAWayBackIsGoneOnce(t *testing.T) {
	t.Parallel()

	p := withProvider(t, true)
	j := p.depart(grace(), "")
	landings := make([]string, 6)

	var group sync.WaitGroup
	for i := range landings {
		group.Go(func() { _, landings[i] = p.land(j) })
	}

	group.Wait()

	let := 0

	for _, location := range landings {
		if location == "/dashboard/" {
			let++
		} else if location != "/dashboard/sign-in?error=oidc_state_wrong" {
			t.Errorf("led to %s", location)
		}
	}

	if let != 1 {
		t.Errorf("one way back let %d in", let)
	}
}

func TestSomebodyNewWithTwoBrowsersIsOnePerson(t *testing.T) {
	t.Parallel()

	p := withProvider(t, true)
	journeys := make([]journey, 4)

	for i := range journeys {
		journeys[i] = p.depart(grace(), "")
	}

	var group sync.WaitGroup
	for _, j := range journeys {
		group.Go(func() {
			if _, location := p.land(j); location != "/dashboard/" {
				t.Errorf("led to %s", location)
			}
		})
	}

	group.Wait()

	if logins, tied, owned := p.count("logins"), p.count("identities"), p.count("tenants"); logins != "2" || tied != "1" || owned != "2" {
		t.Errorf("%s logins, %s identities, %s tenants", logins, tied, owned)
	}
}

// claims of a token, to be changed.
func claims(t *testing.T, token string) map[string]any {
	t.Helper()

	text, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	if err != nil {
		t.Fatal(err)
	}

	var said map[string]any
	if err := json.Unmarshal(text, &said); err != nil {
		t.Fatal(err)
	}

	return said
}

func segment(t *testing.T, value any) string {
	t.Helper()

	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}

	return base64.RawURLEncoding.EncodeToString(text)
}

// TestAForgedTokenIsRefused puts tokens into the provider's answer that it has not signed, or not for this.
func TestAForgedTokenIsRefused(t *testing.T) {
	t.Parallel()

	p := withProvider(t, true)

	signed := func(change func(said map[string]any)) func(string) string {
		return func(token string) string {
			said := claims(t, token)
			change(said)

			made, err := p.provider.Keypair.SignJWT(jwt.MapClaims(said))
			if err != nil {
				t.Error(err)
			}

			return made
		}
	}

	public, err := x509.MarshalPKIXPublicKey(p.provider.Keypair.PublicKey)
	if err != nil {
		t.Fatal(err)
	}

	stranger, err := mockoidc.RandomKeypair(2048)
	if err != nil {
		t.Fatal(err)
	}

	kid, err := p.provider.Keypair.KeyID()
	if err != nil {
		t.Fatal(err)
	}

	for name, forge := range map[string]func(string) string{
		"another nonce":    signed(func(said map[string]any) { said["nonce"] = "made-up" }),
		"no nonce":         signed(func(said map[string]any) { delete(said, "nonce") }),
		"another issuer":   signed(func(said map[string]any) { said["iss"] = "https://login.example.net" }),
		"another client":   signed(func(said map[string]any) { said["aud"] = "another" }),
		"another party":    signed(func(said map[string]any) { said["azp"] = "another" }),
		"several clients":  signed(func(said map[string]any) { said["aud"] = []string{p.provider.ClientID, "another"} }),
		"an expired token": signed(func(said map[string]any) { said["exp"] = time.Now().Add(-time.Minute).Unix() }),
		"no expiry":        signed(func(said map[string]any) { delete(said, "exp") }),
		"a later token":    signed(func(said map[string]any) { said["nbf"] = time.Now().Add(time.Hour).Unix() }),
		"nobody":           signed(func(said map[string]any) { said["sub"] = "" }),
		"no token":         func(string) string { return "" },
		"alg none": func(token string) string {
			return segment(t, map[string]any{"alg": "none", "kid": kid}) + "." + segment(t, claims(t, token)) + "."
		},
		"HS256 with the public key": func(token string) string {
			text := segment(t, map[string]any{"alg": "HS256", "kid": kid}) + "." + segment(t, claims(t, token))
			mac := hmac.New(sha256.New, public)
			mac.Write([]byte(text))

			return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
		},
		"HS256 with the client's secret": func(token string) string {
			text := segment(t, map[string]any{"alg": "HS256"}) + "." + segment(t, claims(t, token))
			mac := hmac.New(sha256.New, []byte(p.provider.ClientSecret))
			mac.Write([]byte(text))

			return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
		},
		"another key": func(token string) string {
			made, err := stranger.SignJWT(jwt.MapClaims(claims(t, token)))
			if err != nil {
				t.Error(err)
			}

			return made
		},
		"a changed claim": func(token string) string {
			parts := strings.Split(token, ".")
			said := claims(t, token)
			said["email"] = "ada@acme.example"

			return parts[0] + "." + segment(t, said) + "." + parts[2]
		},
	} {
		j := p.depart(grace(), "")
		p.forge = forge

		p.rejected(j, "oidc_refused")

		p.forge = nil

		if t.Failed() {
			t.Fatal(name)
		}
	}

	// What the provider has signed and says in another way is no forgery.
	p.forge = signed(func(said map[string]any) {
		said["aud"], said["azp"], said["email_verified"] = []string{p.provider.ClientID, "another"}, p.provider.ClientID, "true"
	})

	if _, location := p.land(p.depart(grace(), "")); location != "/dashboard/" {
		t.Errorf("led to %s", location)
	}
}

func TestAProviderThatIsAwayIsAskedAgain(t *testing.T) {
	t.Parallel()

	p := withProvider(t, true)
	p.provider.QueueError(&mockoidc.ServerError{Code: http.StatusBadGateway, Error: "away"})

	got := p.send("GET", "/oidc/start", nil)
	if got.status != http.StatusSeeOther || got.header.Get("Location") != "/dashboard/sign-in?error=oidc_unavailable" {
		t.Errorf("%d to %s", got.status, got.header.Get("Location"))
	}

	if _, location := p.land(p.depart(grace(), "")); location != "/dashboard/" {
		t.Errorf("led to %s", location)
	}
}

// TestASecondFactorIsAskedForAfterAProviderToo keeps a provider from being a way around it.
func TestASecondFactorIsAskedForAfterAProviderToo(t *testing.T) {
	t.Parallel()

	p := withProvider(t, true)
	g := p.withTOTP(p.acme)
	p.exec(`UPDATE logins SET email_verified_at = now()`)

	_, location := p.land(p.depart(ada(), ""))

	page, fragment, _ := strings.Cut(location, "#")
	if page != "/dashboard/sign-in?error=second_factor_required" {
		t.Fatalf("led to %s", location)
	}

	asked, err := url.ParseQuery(fragment)
	if err != nil || asked.Get("methods") != "totp,recovery_code" {
		t.Fatalf("got %s: %v", fragment, err)
	}

	p.respond(asked.Get("challenge"), "code", g.code()).want(http.StatusOK, nil)
}

func TestThePageOfSignInLearnsWhatThereIs(t *testing.T) {
	t.Parallel()

	var methods struct {
		Password, Passkey bool
		OIDC              *struct {
			Name     string `json:"name"`
			StartURL string `json:"start_url"`
		}
		Signup string
	}

	o := open(t)
	o.send("GET", "/sign-in-methods", nil).want(http.StatusOK, &methods)

	if !methods.Password || !methods.Passkey || methods.OIDC != nil || methods.Signup != "open" {
		t.Errorf("got %+v", methods)
	}

	for _, path := range []string{"/oidc/start", "/oidc/callback?state=a&code=b"} {
		got := o.send("GET", path, nil)
		if got.status != http.StatusSeeOther || got.header.Get("Location") != "/dashboard/sign-in?error=oidc_not_configured" {
			t.Errorf("%s: %d to %s", path, got.status, got.header.Get("Location"))
		}
	}

	p := withProvider(t, true)
	p.send("GET", "/sign-in-methods", nil).want(http.StatusOK, &methods)

	if methods.OIDC == nil || methods.OIDC.Name != strings.TrimPrefix(p.provider.Addr(), "http://") ||
		methods.OIDC.StartURL != "/api/v1/oidc/start" {
		t.Errorf("got %+v", methods.OIDC)
	}
}
