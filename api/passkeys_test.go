package api_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/descope/virtualwebauthn"
	"github.com/google/uuid"

	"formonce/tenants"
)

// device is an authenticator of a person, with one credential.
type device struct {
	rp            virtualwebauthn.RelyingParty
	authenticator virtualwebauthn.Authenticator
	credential    virtualwebauthn.Credential
}

func newDevice(loginID uuid.UUID) *device {
	return &device{
		rp:            virtualwebauthn.RelyingParty{Name: "Formonce", ID: "forms.example.com", Origin: publicURL},
		authenticator: virtualwebauthn.NewAuthenticatorWithOptions(virtualwebauthn.AuthenticatorOptions{UserHandle: loginID[:]}),
		credential:    newCredential(),
	}
}

// newCredential has a key without a zero at the front of a coordinate, which the library would leave out.
func newCredential() virtualwebauthn.Credential {
	for {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			panic(err)
		}

		point, err := key.PublicKey.Bytes()
		if err != nil {
			panic(err)
		}

		if point[1] == 0 || point[33] == 0 {
			continue
		}

		written, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			panic(err)
		}

		return virtualwebauthn.NewCredentialWithImportedKey(virtualwebauthn.KeyTypeEC2, written)
	}
}

type wireCeremony struct {
	CeremonyID string          `json:"ceremony_id"`
	PublicKey  json.RawMessage `json:"public_key"`
}

// create answers the options of a registration.
func (d *device) create(t *testing.T, begun wireCeremony) json.RawMessage {
	t.Helper()

	options, err := virtualwebauthn.ParseAttestationOptions(string(begun.PublicKey))
	if err != nil {
		t.Fatal(err)
	}

	return json.RawMessage(virtualwebauthn.CreateAttestationResponse(d.rp, d.authenticator, d.credential, *options))
}

// get answers the options of a sign-in. Its counter grows by each use, as a good device's does.
func (d *device) get(t *testing.T, begun wireCeremony) json.RawMessage {
	t.Helper()

	options, err := virtualwebauthn.ParseAssertionOptions(string(begun.PublicKey))
	if err != nil {
		t.Fatal(err)
	}

	d.credential.Counter++

	return json.RawMessage(virtualwebauthn.CreateAssertionResponse(d.rp, d.authenticator, d.credential, *options))
}

// as are the headers of the person's requests.
func (o *office) as(of tenants.Created) []string {
	o.Helper()

	return []string{"Authorization", "Bearer " + o.arrive(of.LoginID, of.Tenant.ID).Access.Text}
}

type wirePasskey struct {
	ID         string  `json:"id"`
	Name       string  `json:"name"`
	LastUsedAt *string `json:"last_used_at"`
}

func (o *office) register(d *device, of tenants.Created, name string) answer {
	o.Helper()

	var begun wireCeremony
	o.send("POST", "/passkeys/registration", nil, o.as(of)...).want(http.StatusOK, &begun)

	return o.send("POST", "/passkeys", map[string]any{
		"ceremony_id": begun.CeremonyID, "name": name, "credential": d.create(o.T, begun),
	}, o.as(of)...)
}

// owned is Ada's device, registered.
func (o *office) owned() (*device, wirePasskey) {
	o.Helper()

	var made wirePasskey

	d := newDevice(o.acme.LoginID)
	o.register(d, o.acme, "Telephone").want(http.StatusCreated, &made)

	return d, made
}

func (o *office) ceremony(body any) wireCeremony {
	o.Helper()

	var begun wireCeremony
	o.send("POST", "/session/passkey/options", body).want(http.StatusOK, &begun)

	return begun
}

func (o *office) signInWith(begun wireCeremony, credential json.RawMessage) answer {
	o.Helper()

	return o.send("POST", "/session/passkey", map[string]any{"ceremony_id": begun.CeremonyID, "credential": credential})
}

func TestAPasskeySignsInByItself(t *testing.T) {
	t.Parallel()

	o := open(t)
	d, made := o.owned()

	begun := o.ceremony(nil)
	got := o.signInWith(begun, d.get(t, begun))

	var token struct {
		AccessToken string `json:"access_token"`
	}

	got.want(http.StatusOK, &token)

	if cookie := got.header.Get("Set-Cookie"); !strings.Contains(cookie, "formonce_refresh=") {
		t.Errorf("no session: %s", cookie)
	}

	var listed struct{ Data []wirePasskey }
	o.send("GET", "/passkeys", nil, "Authorization", "Bearer "+token.AccessToken).want(http.StatusOK, &listed)

	if len(listed.Data) != 1 || listed.Data[0].ID != made.ID || listed.Data[0].LastUsedAt == nil {
		t.Errorf("got %+v", listed)
	}

	if method := o.text(`SELECT method FROM sessions ORDER BY created_at DESC, id DESC LIMIT 1`); method != tenants.ByPasskey {
		t.Errorf("the session was begun by %s", method)
	}
}

// text asks the database itself for one value.
func (o *office) text(sql string, args ...any) string {
	o.Helper()

	var found string
	if err := o.db.Pool.QueryRow(o.Context(), sql, args...).Scan(&found); err != nil {
		o.Fatal(err)
	}

	return found
}

// TestAForgedAnswerOfADeviceIsRefused changes one thing at a time about an answer that would count.
func TestAForgedAnswerOfADeviceIsRefused(t *testing.T) {
	t.Parallel()

	o := open(t)
	good, _ := o.owned()
	stranger := o.tenant("Beta")

	for name, change := range map[string]func(d *device){
		"another site":            func(d *device) { d.rp.Origin = "https://forms.example.net" },
		"another relying party":   func(d *device) { d.rp.ID = "example.com" },
		"another key":             func(d *device) { d.credential.Key = newCredential().Key },
		"an unknown credential":   func(d *device) { d.credential = newCredential() },
		"another person":          func(d *device) { d.authenticator.Options.UserHandle = stranger.LoginID[:] },
		"nobody":                  func(d *device) { d.authenticator.Options.UserHandle = []byte("nobody") },
		"a person who is missing": func(d *device) { d.authenticator.Options.UserHandle = make([]byte, 16) },
		"no person there":         func(d *device) { d.authenticator.Options.UserNotPresent = true },
		"no check of the person":  func(d *device) { d.authenticator.Options.UserNotVerified = true },
		"a key that may be moved": func(d *device) { d.authenticator.Options.BackupEligible = true },
	} {
		forged := *good
		forged.credential.Counter = 100
		change(&forged)

		begun := o.ceremony(nil)
		o.signInWith(begun, forged.get(t, begun)).refused(http.StatusUnauthorized, "passkey_refused")

		if t.Failed() {
			t.Fatal(name)
		}
	}

	begun := o.ceremony(nil)
	o.signInWith(begun, good.get(t, begun)).want(http.StatusOK, nil)
}

func TestACeremonyIsAnsweredOnce(t *testing.T) {
	t.Parallel()

	o := open(t)
	d, _ := o.owned()
	begun := o.ceremony(nil)
	credential := d.get(t, begun)

	statuses := make([]int, 8)

	var group sync.WaitGroup
	for i := range statuses {
		group.Go(func() { statuses[i] = o.signInWith(begun, credential).status })
	}

	group.Wait()

	count := map[int]int{}
	for _, status := range statuses {
		count[status]++
	}

	if count[http.StatusOK] != 1 || count[http.StatusConflict] != len(statuses)-1 {
		t.Errorf("got %v", count)
	}
}

func TestACeremonyEndsAndIsForOneThing(t *testing.T) {
	t.Parallel()

	o := open(t)
	d, _ := o.owned()

	late := o.ceremony(nil)
	o.exec(`UPDATE ceremonies SET expires_at = now()`)
	o.signInWith(late, d.get(t, late)).refused(http.StatusConflict, "ceremony_ended")

	var registering wireCeremony
	o.send("POST", "/passkeys/registration", nil, o.as(o.acme)...).want(http.StatusOK, &registering)
	o.signInWith(registering, d.get(t, registering)).refused(http.StatusConflict, "ceremony_ended")

	// Another person cannot finish it either.
	other := newDevice(o.tenant("Beta").LoginID)
	o.send("POST", "/passkeys", map[string]any{
		"ceremony_id": registering.CeremonyID, "name": "Theirs", "credential": other.create(t, registering),
	}, o.as(o.tenant("Gamma"))...).refused(http.StatusConflict, "ceremony_ended")

	o.send("POST", "/session/passkey", map[string]any{"ceremony_id": "cer_none", "credential": map[string]any{}}).
		refused(http.StatusConflict, "ceremony_ended")
}

func TestACopyOfAPasskeyIsRefusedAndRecorded(t *testing.T) {
	t.Parallel()

	o := open(t)
	d, made := o.owned()

	copied := *d

	begun := o.ceremony(nil)
	o.signInWith(begun, d.get(t, begun)).want(http.StatusOK, nil)

	begun = o.ceremony(nil)
	o.signInWith(begun, copied.get(t, begun)).refused(http.StatusUnauthorized, "passkey_cloned")

	if found := o.text(`SELECT target FROM audit_log WHERE action = 'passkey.refused'`); found != made.ID {
		t.Errorf("recorded %s", found)
	}

	begun = o.ceremony(nil)
	o.signInWith(begun, d.get(t, begun)).want(http.StatusOK, nil)
}

func TestARegistrationIsChecked(t *testing.T) {
	t.Parallel()

	o := open(t)
	known, _ := o.owned()

	for name, row := range map[string]struct {
		change  func(d *device)
		status  int
		refusal string
	}{
		"another site": {
			func(d *device) { d.rp.Origin = "https://forms.example.net" }, http.StatusUnprocessableEntity, "passkey_refused",
		},
		"another relying party": {
			func(d *device) { d.rp.ID = "example.com" }, http.StatusUnprocessableEntity, "passkey_refused",
		},
		"no check of the person": {
			func(d *device) { d.authenticator.Options.UserNotVerified = true }, http.StatusUnprocessableEntity, "passkey_refused",
		},
		"a credential that is there": {
			func(d *device) { d.credential = known.credential }, http.StatusConflict, "passkey_known",
		},
	} {
		d := newDevice(o.acme.LoginID)
		row.change(d)

		if o.register(d, o.acme, name).refused(row.status, row.refusal); t.Failed() {
			t.Fatal(name)
		}
	}

	o.register(newDevice(o.acme.LoginID), o.acme, " ").refused(http.StatusUnprocessableEntity, "invalid_passkey_name")
}

func TestAPersonHasTwentyPasskeysAtMost(t *testing.T) {
	t.Parallel()

	o := open(t)
	o.exec(`INSERT INTO passkeys (id, login_id, credential_id, public_key, aaguid, sign_count, backup_eligible, backup_state, name)
		SELECT gen_random_uuid(), $1, n::text::bytea, '', '', 0, true, false, 'one' FROM generate_series(1, 20) n`, o.acme.LoginID)

	o.register(newDevice(o.acme.LoginID), o.acme, "One more").refused(http.StatusConflict, "passkeys_full")
}

func TestAPasskeyIsRenamedAndRemovedByItsPersonAlone(t *testing.T) {
	t.Parallel()

	o := open(t)
	d, made := o.owned()
	stranger := o.as(o.tenant("Beta"))

	o.send("PATCH", "/passkeys/"+made.ID, map[string]any{"name": "Mine"}, stranger...).
		refused(http.StatusNotFound, "passkey_not_found")
	o.send("DELETE", "/passkeys/"+made.ID, nil, stranger...).refused(http.StatusNotFound, "passkey_not_found")
	o.send("DELETE", "/passkeys/none", nil, o.as(o.acme)...).refused(http.StatusNotFound, "passkey_not_found")

	var renamed wirePasskey
	o.send("PATCH", "/passkeys/"+made.ID, map[string]any{"name": " Old telephone "}, o.as(o.acme)...).want(http.StatusOK, &renamed)

	if renamed.Name != "Old telephone" {
		t.Errorf("got %+v", renamed)
	}

	o.send("PATCH", "/passkeys/"+made.ID, map[string]any{"name": ""}, o.as(o.acme)...).
		refused(http.StatusUnprocessableEntity, "invalid_passkey_name")
	o.send("DELETE", "/passkeys/"+made.ID, nil, o.as(o.acme)...).want(http.StatusNoContent, nil)

	begun := o.ceremony(nil)
	o.signInWith(begun, d.get(t, begun)).refused(http.StatusUnauthorized, "passkey_refused")
}

// TestTheLastMeansOfSignInStays removes both passkeys of somebody without a password at the same time: one of them stays.
func TestTheLastMeansOfSignInStays(t *testing.T) {
	t.Parallel()

	o := open(t)
	_, first := o.owned()
	_, second := o.owned()
	o.exec(`UPDATE logins SET password_hash = NULL`)

	headers := o.as(o.acme)
	answers := make([]answer, 2)

	var group sync.WaitGroup
	for i, key := range []wirePasskey{first, second} {
		group.Go(func() { answers[i] = o.send("DELETE", "/passkeys/"+key.ID, nil, headers...) })
	}

	group.Wait()

	if answers[0].status > answers[1].status {
		answers[0], answers[1] = answers[1], answers[0]
	}

	answers[0].want(http.StatusNoContent, nil)
	answers[1].refused(http.StatusConflict, "last_sign_in_means")

	o.exec(`INSERT INTO identities (issuer, subject, login_id) VALUES ('https://login.example.com', 'ada', $1)`, o.acme.LoginID)

	for _, key := range []wirePasskey{first, second} {
		if got := o.send("DELETE", "/passkeys/"+key.ID, nil, headers...); got.status == http.StatusConflict {
			t.Errorf("somebody who signs in at a provider needs no passkey: %s", got.body)
		}
	}
}

func TestAPasskeyAnswersAChallenge(t *testing.T) {
	t.Parallel()

	o := open(t)
	o.withTOTP(o.acme)
	d, _ := o.owned()

	// Beside the password it does not matter whether the device has checked the person.
	d.authenticator.Options.UserNotVerified = true

	challenge := o.challenge(o.acme, tenants.FactorTOTP, tenants.FactorRecoveryCode, tenants.FactorPasskey)
	begun := o.ceremony(map[string]any{"challenge": challenge})

	body := map[string]any{"challenge": challenge, "ceremony_id": begun.CeremonyID, "credential": d.get(t, begun)}
	o.send("POST", "/session/second-factor", body).want(http.StatusOK, nil)
	o.send("POST", "/session/second-factor", body).refused(http.StatusConflict, "ceremony_ended")

	// The passkey of another person answers nothing.
	stranger := o.tenant("Beta")
	theirs := newDevice(stranger.LoginID)
	o.register(theirs, stranger, "Theirs").want(http.StatusCreated, nil)

	challenge = o.challenge(o.acme, tenants.FactorTOTP, tenants.FactorRecoveryCode, tenants.FactorPasskey)
	begun = o.ceremony(map[string]any{"challenge": challenge})
	o.send("POST", "/session/second-factor", map[string]any{
		"challenge": challenge, "ceremony_id": begun.CeremonyID, "credential": theirs.get(t, begun),
	}).refused(http.StatusUnauthorized, "passkey_refused")

	// By itself it signs in without a challenge, if the device has checked the person.
	d.authenticator.Options.UserNotVerified = false
	begun = o.ceremony(nil)
	o.signInWith(begun, d.get(t, begun)).want(http.StatusOK, nil)
}

func TestOptionsForAChallengeNeedAPasskey(t *testing.T) {
	t.Parallel()

	o := open(t)
	o.withTOTP(o.acme)

	challenge := o.challenge(o.acme, tenants.FactorTOTP, tenants.FactorRecoveryCode)
	o.send("POST", "/session/passkey/options", map[string]any{"challenge": challenge}).refused(http.StatusConflict, "no_passkey")
	o.send("POST", "/session/passkey/options", map[string]any{"challenge": "made up"}).
		refused(http.StatusUnauthorized, "challenge_ended")
}

func TestCeremoniesAreLimitedByAddress(t *testing.T) {
	t.Parallel()

	o := open(t)
	for i := range 101 {
		if got := o.send("POST", "/session/passkey/options", nil); got.status == http.StatusTooManyRequests {
			if i != 100 || got.header.Get("Retry-After") == "" {
				t.Errorf("limited after %d: %v", i, got.header)
			}

			return
		}
	}

	t.Error("no limit")
}
