package api_test

import (
	"crypto/sha256"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"formonce/api"
	"formonce/internal/edge"
	"formonce/internal/id"
	"formonce/tenants"
)

// notAllowed are the codes of the answers to a caller who may not make a request, whatever it asks for.
var notAllowed = []string{
	"unauthenticated", "role_not_sufficient", "scope_missing", "api_key_not_allowed", "tenant_suspended", "no_tenant",
}

// TestEveryRowAnswersExactlyThoseWhoMayAskIt sends each row of the table with every kind of credential there is, good and
// bad. What a refused one asks for is Acme's, and the token is right but for the one thing that its name says; what an
// allowed one asks for is a tenant's of its own, so that it may do what it likes.
//
//nolint:tparallel // The rows take turns, since they share one address and so one counter of bad credentials.
func TestEveryRowAnswersExactlyThoseWhoMayAskIt(t *testing.T) {
	t.Parallel()

	m := openMatrix(t)

	for _, row := range api.Rows() {
		if row.Open {
			continue
		}

		t.Run(row.Method+" "+row.Path, func(t *testing.T) {
			m.exec(`DELETE FROM attempts_spent`)

			for name, credential := range m.refused {
				m.wants(t, row, name, credential.token, refusalOf(row, credential))
			}

			for name, token := range m.badTokens {
				m.wants(t, row, name, token, "unauthenticated")
			}

			m.tryRoles(t, row)
			m.tryKeys(t, row)
		})
	}
}

// refusalOf is the code of the answer to a credential for that row; empty when it may ask.
func refusalOf(row api.Row, c credential) string {
	switch {
	case c.code != "tenant_suspended" || !row.Self:
		return c.code
	case c.program:
		return "tenant_suspended"
	default:
		return ""
	}
}

// credential is one that a row refuses, whatever it is, with this code.
type credential struct {
	token, code string
	program     bool
}

// matrix is a world with a key of its own that signs tokens of every kind.
type matrix struct {
	*world
	*forger

	refused   map[string]credential
	badTokens map[string]string
}

func openMatrix(t *testing.T) *matrix {
	t.Helper()

	m := &matrix{world: openWorld(t)}
	m.forger = newForger(m.office)
	m.badTokens = m.forger.badTokens(m.resident(m.acme.Tenant.ID, tenants.Owner))

	removed := m.resident(m.acme.Tenant.ID, tenants.Owner)
	m.exec(`DELETE FROM members WHERE login_id = $1`, removed.loginID)

	revoked := m.resident(m.acme.Tenant.ID, tenants.Owner)
	m.exec(`DELETE FROM sessions WHERE id = $1`, revoked.sessionID)

	expired := m.resident(m.acme.Tenant.ID, tenants.Owner)
	m.exec(`UPDATE sessions SET expires_at = now() - interval '1 second' WHERE id = $1`, expired.sessionID)

	foreign := m.resident(m.tenantRow(), tenants.Owner)
	foreign.tenantID = m.acme.Tenant.ID

	closed := m.tenantRow()
	inClosed := m.resident(closed, tenants.Owner)
	keyOfClosed := m.key(closed, tenants.Scopes...)

	m.exec(`UPDATE tenants SET status = 'suspended' WHERE id = $1`, closed)

	late, gone := m.key(m.acme.Tenant.ID, tenants.Scopes...), m.key(m.acme.Tenant.ID, tenants.Scopes...)
	old := m.key(m.acme.Tenant.ID, tenants.Scopes...)
	tokenOfGone := m.exchange(gone)

	m.exec(`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1`, late.id)
	m.exec(`DELETE FROM api_keys WHERE id = $1`, gone.id)
	m.exec(`UPDATE api_key_hashes SET expires_at = now() - interval '1 second' WHERE key_id = $1`, old.id)

	m.refused = map[string]credential{
		"no credential":               {"", "unauthenticated", false},
		"nonsense":                    {"nonsense", "unauthenticated", false},
		"a refresh token":             {m.arrive(m.acme.LoginID, m.acme.Tenant.ID).Refresh, "unauthenticated", false},
		"a removed member":            {m.forge(removed), "unauthenticated", false},
		"a revoked session":           {m.forge(revoked), "unauthenticated", false},
		"an expired session":          {m.forge(expired), "unauthenticated", false},
		"a member of another tenant":  {m.forge(foreign), "unauthenticated", false},
		"a suspended tenant":          {m.forge(inClosed), "tenant_suspended", false},
		"a key of a suspended tenant": {keyOfClosed.text, "tenant_suspended", true},
		"an unknown key":              {newKeyText(), "unauthenticated", true},
		"an expired key":              {late.text, "unauthenticated", true},
		"a deleted key":               {gone.text, "unauthenticated", true},
		"a token of a deleted key":    {tokenOfGone, "unauthenticated", true},
		"an ended secret of a key":    {old.text, "unauthenticated", true},
	}

	return m
}

func (m *matrix) tryRoles(t *testing.T, row api.Row) {
	t.Helper()

	own := m.tenantRow()

	for _, role := range slices.Backward(tenants.Roles) {
		want := "role_not_sufficient"
		if row.Self || role.Covers(row.Role) {
			want = ""
		}

		m.wants(t, row, string(role), m.forge(m.resident(own, role)), want)
	}

	nowhere := m.resident(m.tenantRow(), tenants.Owner)
	m.exec(`DELETE FROM members WHERE login_id = $1`, nowhere.loginID)

	nowhere.tenantID = uuid.UUID{}

	want := "no_tenant"
	if row.Self {
		want = ""
	}

	m.wants(t, row, "a person without a tenant", m.forge(nowhere), want)
}

func (m *matrix) tryKeys(t *testing.T, row api.Row) {
	t.Helper()

	own := m.tenantRow()
	others := slices.DeleteFunc(slices.Clone(tenants.Scopes), func(s tenants.Scope) bool { return s == row.Scope })

	if row.Scope == "" {
		m.wants(t, row, "a key", m.key(own, tenants.Scopes...).text, "api_key_not_allowed")
		m.wants(t, row, "a token of a key", m.exchange(m.key(own, tenants.Scopes...)), "api_key_not_allowed")

		return
	}

	without := m.key(own, others...)
	m.wants(t, row, "a key without the scope", without.text, "scope_missing")
	m.wants(t, row, "a token of a key without the scope", m.exchange(without), "scope_missing")

	with := m.key(own, row.Scope)
	m.wants(t, row, "a token of a key with the scope", m.exchange(with), "")
	m.wants(t, row, "a key with the scope", with.text, "")

	taken := m.key(own, tenants.Scopes...)
	token := m.exchange(taken)
	m.exec(`UPDATE api_keys SET scopes = $2 WHERE id = $1`, taken.id, others)
	m.wants(t, row, "a token of a key that has lost the scope", token, "scope_missing")
}

// wants sends the row's example and compares the code of a refusal; an empty one means any other answer.
func (m *matrix) wants(t *testing.T, row api.Row, name, token, want string) {
	t.Helper()

	status, code := m.ask(t, row, token)

	if want == "" {
		if slices.Contains(notAllowed, code) {
			t.Errorf("%s was refused with %d %s", name, status, code)
		}

		return
	}

	wantStatus := http.StatusForbidden
	if want == "unauthenticated" {
		wantStatus = http.StatusUnauthorized
	}

	if status != wantStatus || code != want {
		t.Errorf("%s was answered with %d %q, want %d %s", name, status, code, wantStatus, want)
	}
}

// ask reads nothing of an answer that is no refusal, since some never end.
func (m *matrix) ask(t *testing.T, row api.Row, token string) (status int, code string) {
	t.Helper()

	var body io.Reader
	if text, has := m.body(row).(string); has {
		body = strings.NewReader(text)
	}

	request, err := http.NewRequestWithContext(t.Context(), row.Method, m.server.URL+api.Prefix+m.path(row), body)
	if err != nil {
		t.Fatal(err)
	}

	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}

	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}

	response, err := m.server.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()

	if response.StatusCode < http.StatusBadRequest {
		return response.StatusCode, ""
	}

	var envelope edge.Envelope
	if err := json.NewDecoder(response.Body).Decode(&envelope); err != nil {
		t.Fatal(err)
	}

	return response.StatusCode, envelope.Error.Code
}

// resident is a member with a session of their own.
type resident struct {
	loginID, sessionID, tenantID uuid.UUID
}

func (m *matrix) resident(tenantID uuid.UUID, role tenants.Role) resident {
	m.Helper()

	made := resident{sessionID: id.New(), tenantID: tenantID}
	made.loginID, _ = m.member(tenants.Created{Tenant: tenants.Tenant{ID: tenantID}}, role)
	m.exec(`INSERT INTO sessions (id, login_id, tenant_id, method, expires_at) VALUES ($1, $2, $3, 'test', now() + interval '1 day')`,
		made.sessionID, made.loginID, tenantID)

	return made
}

// tenantRow makes a tenant without the slow hash of a password.
func (m *matrix) tenantRow() uuid.UUID {
	m.Helper()

	tenantID := id.New()
	m.exec(`INSERT INTO tenants (id, slug, name) VALUES ($1, $2, 'Own')`, tenantID, "own-"+strings.ReplaceAll(tenantID.String(), "-", ""))

	return tenantID
}

type testKey struct {
	id   uuid.UUID
	text string
}

func newKeyText() string {
	return "fo_live_" + strings.ReplaceAll(uuid.NewString(), "-", "") + "00000000000"
}

func (m *matrix) key(tenantID uuid.UUID, scopes ...tenants.Scope) testKey {
	m.Helper()

	made := testKey{id.New(), newKeyText()}
	hash := sha256.Sum256([]byte(made.text))

	m.exec(`INSERT INTO api_keys (tenant_id, id, name, prefix, scopes) VALUES ($1, $2, 'Own', 'fo_live_', $3)`, tenantID, made.id, scopes)
	m.exec(`INSERT INTO api_key_hashes (key_hash, tenant_id, key_id) VALUES ($1, $2, $3)`, hash[:], tenantID, made.id)

	return made
}

func (m *matrix) exchange(key testKey) string {
	m.Helper()

	token, _, err := m.entrance.Access.Exchange(m.Context(), key.text)
	if err != nil {
		m.Fatal(err)
	}

	return token.Text
}
