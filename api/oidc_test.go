package api_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/oauth2-proxy/mockoidc"

	"formonce/tenants"
)

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

	p.connect(false, true)
	p.rejected(p.depart(grace(), ""), "oidc_not_invited")
	p.connect(false, false)

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
