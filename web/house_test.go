package web_test

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"formonce/forms"
	"formonce/internal/edge"
	"formonce/internal/fixture"
	"formonce/internal/pgtest"
	"formonce/internal/postgres"
	"formonce/tenants"
	"formonce/web"
)

// site is the visitors' side of the service over real HTTP and a database of its own, with one tenant.
type site struct {
	*testing.T

	db        *postgres.DB
	tenant    tenants.Tenant
	directory *forms.Directory
	inbox     *forms.Inbox
	server    *httptest.Server
	logged    *fixture.Log
}

// settings are those of an installation; the zero value has the usual sizes and no limits of rate.
type settings struct {
	clients, endpoints edge.Rate
	hops               int
	bodyTimeout        time.Duration
	outbox             forms.Outbox
}

const (
	mostBody  = 256 << 10
	patience  = 30 * time.Second
	publicURL = "https://forms.example.com"
	aKey      = "key-0123456789abcdef"
	formBody  = "application/x-www-form-urlencoded"
	jsonBody  = "application/json"
)

type noOutbox struct{}

func (noOutbox) Enqueue(context.Context, pgx.Tx, *forms.Submission) error { return nil }

// open starts a site. Its look-ups are never remembered, so that a change of an endpoint counts at once.
func open(t *testing.T, chosen settings) *site {
	t.Helper()

	db := pgtest.New(t)
	registry := tenants.NewRegistry(db)

	created, err := registry.Create(t.Context(),
		tenants.NewTenant{Name: "Acme", Email: "ada@acme.example", Password: "correct horse battery"})
	if err != nil {
		t.Fatal(err)
	}

	s := &site{
		T: t, db: db, tenant: created.Tenant, logged: &fixture.Log{},
		directory: forms.NewDirectory(db), inbox: forms.NewInbox(db),
	}
	s.server = httptest.NewUnstartedServer(s.routes(registry, chosen))
	s.server.Config = edge.Server("", s.server.Config.Handler, cmp.Or(chosen.bodyTimeout, patience), s.log())
	s.server.Start()
	t.Cleanup(s.server.Close)

	return s
}

func (s *site) log() *slog.Logger { return slog.New(slog.NewJSONHandler(s.logged, nil)) }

func (s *site) routes(registry *tenants.Registry, chosen settings) http.Handler {
	s.Helper()

	secret := []byte("a secret of thirty-two characters")

	limits, err := edge.NewLimits(edge.LimitsOptions{Log: s.log(), Memory: 1000, Secret: secret})
	if err != nil {
		s.Fatal(err)
	}

	if chosen.outbox == nil {
		chosen.outbox = noOutbox{}
	}

	public, err := url.Parse(publicURL)
	if err != nil {
		s.Fatal(err)
	}

	visitors := web.New(web.Options{
		Lookup: forms.NewLookup(s.db, registry),
		Intake: forms.NewIntake(s.db, chosen.outbox, forms.DefaultLimits(), secret),
		Limits: limits, ClientRate: chosen.clients, EndpointRate: chosen.endpoints,
		MaxBody: mostBody, PublicURL: public,
	})
	engine := edge.New(edge.Options{
		Log: s.log(), TrustedHops: chosen.hops,
		FailureWriters: map[string]edge.FailureWriter{"/f/": visitors.WriteFailure, "/p/": visitors.WriteFailure},
	})
	visitors.Routes(engine)

	return engine
}

// endpoint makes an endpoint with the id and the settings that change gives it.
func (s *site) endpoint(endpointID string, change func(*forms.Endpoint)) {
	s.Helper()

	made := forms.NewEndpoint("Contact us")
	made.ID = endpointID

	if change != nil {
		change(&made)
	}

	if _, err := s.directory.Create(s.Context(), s.tenant.ID, made); err != nil {
		s.Fatal(err)
	}
}

func (s *site) update(endpointID string, change func(*forms.Endpoint)) {
	s.Helper()

	if _, err := s.directory.Update(s.Context(), s.tenant.ID, endpointID, 0, change); err != nil {
		s.Fatal(err)
	}
}

// ask is one request. The zero value posts a form with one field to the endpoint contact.
type ask struct {
	method, path, kind, body, key string
	headers                       map[string]string
}

// answer is what came back, with the body read to its end.
type answer struct {
	status int
	header http.Header
	body   string
}

func (s *site) send(a ask) answer {
	s.Helper()

	got, err := s.try(a)
	if err != nil {
		s.Fatal(err)
	}

	return got
}

// try is send for other goroutines than the test's own.
func (s *site) try(a ask) (answer, error) {
	request, err := http.NewRequestWithContext(s.Context(), cmp.Or(a.method, http.MethodPost),
		s.server.URL+cmp.Or(a.path, "/f/contact"), strings.NewReader(a.body))
	if err != nil {
		return answer{}, err
	}

	if request.Method == http.MethodPost {
		request.Header.Set("Content-Type", cmp.Or(a.kind, formBody))
	}

	if a.key != "" {
		request.Header.Set("Idempotency-Key", a.key)
	}

	for name, value := range a.headers {
		request.Header.Set(name, value)
	}

	// A redirect is an answer here, and not a way to go.
	response, err := s.server.Client().Transport.RoundTrip(request)
	if err != nil {
		return answer{}, err
	}

	defer func() { _ = response.Body.Close() }()

	body, err := io.ReadAll(response.Body)

	return answer{response.StatusCode, response.Header, string(body)}, err
}

// post sends a form that is fit to be accepted.
func (s *site) post() answer { return s.send(ask{body: "email=ada@example.com"}) }

// object reads the answer as a JSON object.
func (a answer) object(t *testing.T) map[string]any {
	t.Helper()

	var read map[string]any
	if err := json.Unmarshal([]byte(a.body), &read); err != nil {
		t.Fatalf("%d is answered with no JSON object: %v\n%s", a.status, err, a.body)
	}

	return read
}

// code is the error's, empty for an answer that has none.
func (a answer) code() string {
	var read struct {
		Error struct {
			Code string `json:"code"`
		} `json:"error"`
	}

	_ = json.Unmarshal([]byte(a.body), &read) // A page has no code.

	return read.Error.Code
}

// want fails the test unless the status is this one, and the code for an error.
func (a answer) want(t *testing.T, status int, code string) {
	t.Helper()

	if a.status != status || a.code() != code {
		t.Fatalf("got %d %s, want %d %s\n%s", a.status, a.code(), status, code, a.body)
	}
}

func (s *site) stored() int {
	s.Helper()

	var n int
	if err := s.db.Pool.QueryRow(s.Context(), "SELECT count(*) FROM submissions").Scan(&n); err != nil {
		s.Fatal(err)
	}

	return n
}

func (s *site) wantStored(n int) {
	s.Helper()

	if stored := s.stored(); stored != n {
		s.Fatalf("%d submissions are stored, want %d", stored, n)
	}
}

func names(object map[string]any) []string { return slices.Sorted(maps.Keys(object)) }
