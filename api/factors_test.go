package api_test

import (
	"encoding/xml"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"formonce/internal/edge"
	"formonce/tenants"
)

// generator is a person's authenticator, and their recovery codes.
type generator struct {
	*office

	secret   string
	recovery []string
}

// code is one that counts. The service is made to forget the last one, so that no test waits for the next half minute.
func (g *generator) code() string {
	g.Helper()

	g.exec(`UPDATE totp_secrets SET last_step = 0`)

	code, err := totp.GenerateCode(g.secret, time.Now())
	if err != nil {
		g.Fatal(err)
	}

	return code
}

// withTOTP switches the second factor of the tenant's owner on.
func (o *office) withTOTP(of tenants.Created) *generator {
	o.Helper()

	var proposed struct{ Secret, URI string }
	o.send("POST", "/second-factor/totp", nil, o.as(of)...).want(http.StatusOK, &proposed)

	var confirmed struct {
		RecoveryCodes []string `json:"recovery_codes"`
	}

	g := &generator{office: o, secret: proposed.Secret}
	o.send("POST", "/second-factor/totp/confirm", map[string]any{"code": g.code()}, o.as(of)...).want(http.StatusOK, &confirmed)
	g.recovery = confirmed.RecoveryCodes

	return g
}

// challenge is what the right password of the tenant's owner gets.
func (o *office) challenge(of tenants.Created, methods ...string) string {
	o.Helper()

	var envelope edge.Envelope
	o.send("POST", "/session", map[string]any{"email": "ada@" + of.Tenant.Slug + ".example", "password": password}).
		want(http.StatusUnauthorized, &envelope)

	var offered []string
	for _, method := range envelope.Error.Details["methods"].([]any) {
		offered = append(offered, method.(string))
	}

	if envelope.Error.Code != "second_factor_required" || !slices.Equal(offered, methods) {
		o.Fatalf("got %+v", envelope)
	}

	return envelope.Error.Details["challenge"].(string)
}

func (o *office) respond(challenge, member, code string) answer {
	o.Helper()

	return o.send("POST", "/session/second-factor", map[string]any{"challenge": challenge, member: code})
}

var bothCodes = []string{tenants.FactorTOTP, tenants.FactorRecoveryCode}

func TestASecondFactorIsSetUpAskedForAndSwitchedOff(t *testing.T) {
	t.Parallel()

	o := open(t)

	var state struct {
		TOTP          bool    `json:"totp"`
		EnabledAt     *string `json:"enabled_at"`
		RecoveryCodes int     `json:"recovery_codes_left"`
	}

	o.send("GET", "/second-factor", nil, o.as(o.acme)...).want(http.StatusOK, &state)

	if state.TOTP || state.EnabledAt != nil {
		t.Errorf("got %+v", state)
	}

	g := o.withTOTP(o.acme)

	got := o.respond(o.challenge(o.acme, bothCodes...), "code", g.code())
	got.want(http.StatusOK, nil)

	if !strings.Contains(got.header.Get("Set-Cookie"), "formonce_refresh=") {
		t.Error("no session")
	}

	// People type codes as they read them.
	spaced := g.code()
	o.respond(o.challenge(o.acme, bothCodes...), "code", spaced[:3]+" "+spaced[3:]).want(http.StatusOK, nil)
	o.respond(o.challenge(o.acme, bothCodes...), "recovery_code", strings.ReplaceAll(strings.ToUpper(g.recovery[0]), "-", " ")).
		want(http.StatusOK, nil)
	o.respond(o.challenge(o.acme, bothCodes...), "recovery_code", g.recovery[0]).
		refused(http.StatusUnauthorized, "second_factor_failed")

	o.send("GET", "/second-factor", nil, o.as(o.acme)...).want(http.StatusOK, &state)

	if !state.TOTP || state.EnabledAt == nil || state.RecoveryCodes != 9 {
		t.Errorf("got %+v", state)
	}

	o.send("POST", "/second-factor/totp", nil, o.as(o.acme)...).refused(http.StatusConflict, "second_factor_on")

	var renewed struct {
		RecoveryCodes []string `json:"recovery_codes"`
	}

	o.send("POST", "/second-factor/recovery-codes", map[string]any{"code": g.code()}, o.as(o.acme)...).want(http.StatusOK, &renewed)
	o.respond(o.challenge(o.acme, bothCodes...), "recovery_code", g.recovery[1]).
		refused(http.StatusUnauthorized, "second_factor_failed")

	o.send("DELETE", "/second-factor/totp", map[string]any{"password": "another password"}, o.as(o.acme)...).
		refused(http.StatusForbidden, "confirmation_failed")
	o.send("DELETE", "/second-factor/totp", map[string]any{"recovery_code": renewed.RecoveryCodes[0]}, o.as(o.acme)...).
		want(http.StatusNoContent, nil)
	o.send("DELETE", "/second-factor/totp", map[string]any{"password": password}, o.as(o.acme)...).
		refused(http.StatusConflict, "second_factor_off")

	o.send("POST", "/session", map[string]any{"email": "ada@acme.example", "password": password}).want(http.StatusOK, nil)
}

func TestAWrongCodeSwitchesNothingOn(t *testing.T) {
	t.Parallel()

	o := open(t)

	o.send("POST", "/second-factor/totp/confirm", map[string]any{"code": "123456"}, o.as(o.acme)...).
		refused(http.StatusConflict, "second_factor_not_begun")
	o.send("POST", "/second-factor/totp", nil, o.as(o.acme)...).want(http.StatusOK, nil)

	for _, code := range []string{"", "abcdef", "1234567", "０１２３４５"} {
		o.send("POST", "/second-factor/totp/confirm", map[string]any{"code": code}, o.as(o.acme)...).
			refused(http.StatusUnprocessableEntity, "code_wrong")
	}

	o.send("POST", "/session", map[string]any{"email": "ada@acme.example", "password": password}).want(http.StatusOK, nil)
}

func TestAChallengeOfNobodyIsRefused(t *testing.T) {
	t.Parallel()

	o := open(t)
	g := o.withTOTP(o.acme)
	challenge := o.challenge(o.acme, bothCodes...)

	for _, made := range []string{"", "!", "AAAA", challenge[:len(challenge)-2], challenge + "AA"} {
		o.respond(made, "code", g.code()).refused(http.StatusUnauthorized, "challenge_ended")
	}

	// Neither a code nor anything else is refused like a wrong one.
	o.send("POST", "/session/second-factor", map[string]any{"challenge": challenge}).
		refused(http.StatusUnauthorized, "second_factor_failed")
}

// TestAGeneratorIsDrawnForCameras reads the drawing as a document, and the address as authenticators do.
func TestAGeneratorIsDrawnForCameras(t *testing.T) {
	t.Parallel()

	o := open(t)

	var proposed struct {
		Secret string `json:"secret"`
		URI    string `json:"uri"`
		QR     string `json:"qr_svg"`
	}

	o.send("POST", "/second-factor/totp", nil, o.as(o.acme)...).want(http.StatusOK, &proposed)

	address, err := url.Parse(proposed.URI)
	if err != nil {
		t.Fatal(err)
	}

	query := address.Query()
	if address.Path != "/Formonce forms.example.com:ada@acme.example" || query.Get("secret") != proposed.Secret ||
		query.Get("digits") != "6" || query.Get("period") != "30" || query.Get("algorithm") != "SHA1" {
		t.Errorf("got %s", proposed.URI)
	}

	var drawing struct {
		XMLName xml.Name `xml:"http://www.w3.org/2000/svg svg"`
		Paths   []struct {
			D string `xml:"d,attr"`
		} `xml:"path"`
	}

	if err := xml.Unmarshal([]byte(proposed.QR), &drawing); err != nil || len(drawing.Paths) != 2 {
		t.Fatalf("%v in %s", err, proposed.QR)
	}

	// The corner of every QR code: seven dark modules, behind four light ones.
	if !strings.HasPrefix(drawing.Paths[1].D, "M4 4h7v1h-7z") {
		t.Errorf("got %s", drawing.Paths[1].D)
	}
}
