package api_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"formonce/api"
	"formonce/forms"
	"formonce/integrations"
	"formonce/internal/edge"
	"formonce/internal/fixture"
	"formonce/internal/id"
	"formonce/internal/pgtest"
	"formonce/internal/postgres"
	"formonce/internal/seal"
	"formonce/tenants"
)

const (
	publicURL = "https://forms.example.com"
	password  = "correct horse battery"
)

// streamFor is short, so that the tests that walk the table come to an end.
const streamFor = 300 * time.Millisecond

var secret = bytes.Repeat([]byte("s"), 32)

// office is the management side of the service over real HTTP and a database of its own, with one tenant that has a key
// with every scope. Every answer is checked against the contract.
type office struct {
	*testing.T

	db       *postgres.DB
	acme     tenants.Created
	entrance *tenants.Entrance
	people   *tenants.People
	registry *tenants.Registry
	server   *httptest.Server
	logged   *fixture.Log
	feed     *forms.Feed
}

func open(t *testing.T) *office {
	t.Helper()

	return openOver(t, pgtest.New(t))
}

// openOver starts an office over a database that is empty.
func openOver(t *testing.T, db *postgres.DB) *office {
	t.Helper()

	acme := (&office{T: t, db: db}).tenant("Acme")

	return serveOver(t, db, acme)
}

// serveOver starts an office over a database that has Acme already.
func serveOver(t *testing.T, db *postgres.DB, acme tenants.Created) *office {
	t.Helper()

	public, err := url.Parse(publicURL)
	if err != nil {
		t.Fatal(err)
	}

	entrance, err := tenants.NewEntrance(db, secret, public)
	if err != nil {
		t.Fatal(err)
	}

	mailbox, err := tenants.NewMailbox(db, secret, public)
	if err != nil {
		t.Fatal(err)
	}

	o := &office{
		T: t, db: db, acme: acme, entrance: entrance, people: tenants.NewPeople(db, entrance, mailbox),
		registry: tenants.NewRegistry(db), logged: &fixture.Log{}, feed: forms.NewFeed(db),
	}
	o.registry.Mailbox = mailbox
	o.server = httptest.NewServer(o.routes())
	o.server.Client().CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	t.Cleanup(o.server.Close)

	return o
}

// tenant makes a tenant whose owner is ada@<slug>.example.
func (o *office) tenant(name string) tenants.Created {
	o.Helper()

	made, err := tenants.NewRegistry(o.db).Create(o.Context(), tenants.NewTenant{
		Name: name, Email: "ada@" + strings.ToLower(name) + ".example", Password: password,
	})
	if err != nil {
		o.Fatal(err)
	}

	return made
}

// credential is one that may ask for the row: the tenant's key where a key may, an access token of its owner elsewhere.
func (o *office) credential(of tenants.Created, row api.Row) string {
	o.Helper()

	if row.Scope != "" {
		return of.APIKey
	}

	return o.arrive(of.LoginID, of.Tenant.ID).Access.Text
}

// arrive begins a session of the person in one of their tenants.
func (o *office) arrive(loginID, tenantID uuid.UUID) tenants.Grant {
	o.Helper()

	grant, err := o.entrance.Sessions.Start(o.Context(), tenants.Arrival{
		LoginID: loginID, TenantID: tenantID, Method: tenants.ByPassword, Client: tenants.Client{Address: "192.0.2.1"},
	})
	if err != nil {
		o.Fatal(err)
	}

	return grant
}

// member makes one with this role in the tenant, who is known by an address of example.net.
func (o *office) member(of tenants.Created, role tenants.Role) (loginID, memberID uuid.UUID) {
	o.Helper()

	loginID, memberID = id.New(), id.New()

	o.exec(`INSERT INTO logins (id, email) VALUES ($1, $2)`, loginID, loginID.String()+"@example.net")
	o.exec(`INSERT INTO members (tenant_id, id, login_id, role) VALUES ($1, $2, $3, $4)`, of.Tenant.ID, memberID, loginID, role)

	return loginID, memberID
}

// exec changes what no route changes.
func (o *office) exec(sql string, args ...any) {
	o.Helper()

	if _, err := o.db.Pool.Exec(o.Context(), sql, args...); err != nil {
		o.Fatal(err)
	}
}

func (o *office) routes() http.Handler {
	o.Helper()

	log := slog.New(slog.NewJSONHandler(o.logged, nil))

	limits, err := edge.NewLimits(edge.LimitsOptions{Log: log, Memory: 1000})
	if err != nil {
		o.Fatal(err)
	}

	box, err := seal.New(secret, "answers")
	if err != nil {
		o.Fatal(err)
	}

	public, err := url.Parse(publicURL)
	if err != nil {
		o.Fatal(err)
	}

	management := api.New(api.Options{
		Entrance: o.entrance, Keys: tenants.NewKeys(o.db), Answers: tenants.NewAnswers(o.db, box), Registry: o.registry, People: o.people,
		Directory: forms.NewDirectory(o.db), Schemas: forms.NewSchemas(o.db), Inbox: forms.NewInbox(o.db).WithOutbox(integrations.Outbox{}),
		Exporter: forms.NewExporter(o.db), Reports: forms.NewReports(o.db), Feed: o.feed, StreamFor: streamFor, Limits: limits, PublicURL: public,
		Signup: api.SignupOpen,
	})

	engine := edge.New(edge.Options{Log: log, FailureWriters: management.FailureWriters()})
	management.Routes(engine)

	return engine
}

// answer is what a request got.
type answer struct {
	*testing.T

	status int
	header http.Header
	body   []byte
}

// send asks with the tenant's key, unless the headers (pairs of name and value) say otherwise; body is anything that
// becomes JSON, text is sent as it is, and nil is none.
func (o *office) send(method, path string, body any, headers ...string) answer {
	o.Helper()

	var sent io.Reader

	switch b := body.(type) {
	case nil:
	case string:
		sent = strings.NewReader(b)
	default:
		text, err := json.Marshal(b)
		if err != nil {
			o.Fatal(err)
		}

		sent = bytes.NewReader(text)
	}

	request, err := http.NewRequestWithContext(o.Context(), method, o.server.URL+api.Prefix+path, sent)
	if err != nil {
		o.Fatal(err)
	}

	request.Header.Set("Authorization", "Bearer "+o.acme.APIKey)

	if sent != nil {
		request.Header.Set("Content-Type", "application/json")
	}

	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}

	response, err := o.server.Client().Do(request)
	if err != nil {
		o.Fatal(err)
	}
	defer response.Body.Close()

	got, err := io.ReadAll(response.Body)
	if err != nil {
		o.Fatal(err)
	}

	checkAnswer(o.T, method, path, response.StatusCode, response.Header.Get("Content-Type"), got)

	return answer{o.T, response.StatusCode, response.Header, got}
}

// want reads the body into target, and fails for another status; target may be nil.
func (a answer) want(status int, target any) {
	a.Helper()

	if a.status != status {
		a.Fatalf("got the status %d, want %d: %s", a.status, status, a.body)
	}

	if target == nil {
		return
	}

	if err := json.Unmarshal(a.body, target); err != nil {
		a.Fatalf("%v in %s", err, a.body)
	}
}

// refused fails unless the answer is this error.
func (a answer) refused(status int, code string) {
	a.Helper()

	var envelope edge.Envelope
	a.want(status, &envelope)

	if envelope.Error.Code != code {
		a.Errorf("got the code %s, want %s: %s", envelope.Error.Code, code, a.body)
	}
}
