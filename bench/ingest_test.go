// Package bench measures the paths that every submission takes, as ratios side by side in one run: absolute figures drift
// with the machine, ratios tell what a change did.
package bench

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"formonce/forms"
	"formonce/integrations"
	"formonce/internal/edge"
	"formonce/internal/id"
	"formonce/internal/pgtest"
	"formonce/internal/postgres"
	"formonce/migrations"
	"formonce/tenants"
	"formonce/web"
)

const (
	callers  = 32
	requests = 3_000
)

// scenario is one kind of request; ask makes the n-th of them and says what the answer's status should be.
type scenario struct {
	name string
	ask  func(n int64) error
}

// BenchmarkIngest offers the same number of requests from 32 callers to each scenario in turn, against a durable
// PostgreSQL, and reports the medians: requests per second, and each as a ratio to a plain insertion by one statement.
//
//	go test -run '^$' -bench Ingest -benchtime 5x ./bench
func BenchmarkIngest(b *testing.B) {
	scenarios := ingestScenarios(b)
	rates := map[string][]float64{}

	for b.Loop() {
		for _, s := range scenarios {
			rates[s.name] = append(rates[s.name], rate(b, s))
		}
	}

	plain := median(rates["plain"])

	for _, s := range scenarios {
		got := median(rates[s.name])
		b.ReportMetric(got, s.name+"/s")
		b.ReportMetric(got/plain, s.name+"/plain")
	}
}

var asked atomic.Int64

func rate(b *testing.B, s scenario) float64 {
	b.Helper()

	var (
		left  atomic.Int64
		group sync.WaitGroup
	)

	left.Store(requests)

	began := time.Now()

	for range callers {
		group.Go(func() {
			for left.Add(-1) >= 0 {
				if err := s.ask(asked.Add(1)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}

	group.Wait()

	return requests / time.Since(began).Seconds()
}

func median(values []float64) float64 {
	slices.Sort(values)

	return values[len(values)/2]
}

func ingestScenarios(b *testing.B) []scenario {
	b.Helper()

	db, handler, tenantID := openHouse(b)
	body := "email=ada%40example.com&message=" + strings.Repeat("word+", 100)

	post := func(key string, content string, want int) error {
		request := httptest.NewRequest(http.MethodPost, "/f/contact-form", strings.NewReader(content))
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Idempotency-Key", key)

		answer := httptest.NewRecorder()
		if handler.ServeHTTP(answer, request); answer.Code != want {
			return fmt.Errorf("the answer was %d, want %d: %s", answer.Code, want, answer.Body.String())
		}

		return nil
	}

	const known = "a-key-that-was-used-before"
	if err := post(known, body, http.StatusAccepted); err != nil {
		b.Fatal(err)
	}

	return []scenario{
		{"plain", func(n int64) error { return insertPlainly(b.Context(), db, tenantID, n) }},
		{"first", func(n int64) error { return post(fmt.Sprintf("a-new-key-for-%08d", n), body, http.StatusAccepted) }},
		{"replay", func(int64) error { return post(known, body, http.StatusAccepted) }},
		{"conflict", func(int64) error { return post(known, body+"x", http.StatusConflict) }},
		{"invalid", func(n int64) error { return post(fmt.Sprintf("a-new-key-for-%08d", n), "", 422) }},
	}
}

// insertPlainly is the yardstick: the least that a service which stores submissions one by one has to do.
func insertPlainly(ctx context.Context, db *postgres.DB, tenantID uuid.UUID, n int64) error {
	fields := `[{"email":"ada@example.com"},{"message":"` + strings.Repeat("word ", 100) + `"}]`
	_, err := db.Pool.Exec(ctx, `
INSERT INTO submissions (tenant_id, id, received_at, schema_version, rule_version, field_count, order_ignored, endpoint_id,
    family, status, key_hash, fingerprint, fields)
VALUES ($1, $2, now(), 0, 1, 2, false, 'plain-form', 'form', 'accepted', $3, $4, $5)`,
		tenantID, id.New(), forms.KeyHash("plain-form", fmt.Sprint(n)), make([]byte, 32), fields)

	return err
}

// openHouse assembles the visitors' routes as the service does, with limits that are counted and never reached.
func openHouse(b *testing.B) (*postgres.DB, http.Handler, uuid.UUID) {
	b.Helper()

	server := pgtest.Server(b, true)
	if err := migrations.Apply(b.Context(), server.URL()); err != nil {
		b.Fatal(err)
	}

	db, err := postgres.Open(b.Context(), postgres.Options{URL: server.URL()})
	if err != nil {
		b.Fatal(err)
	}

	b.Cleanup(db.Close)

	registry := tenants.NewRegistry(db)

	created, err := registry.Create(b.Context(),
		tenants.NewTenant{Name: "Bench", Email: "ada@example.com", Password: "correct horse battery"})
	if err != nil {
		b.Fatal(err)
	}

	endpoint := forms.NewEndpoint("Contact")
	endpoint.ID = "contact-form"

	if _, err := forms.NewDirectory(db).Create(b.Context(), created.Tenant.ID, endpoint); err != nil {
		b.Fatal(err)
	}

	return db, handlerOver(b, db, registry), created.Tenant.ID
}

func handlerOver(b *testing.B, db *postgres.DB, registry *tenants.Registry) http.Handler {
	b.Helper()

	log := slog.New(slog.DiscardHandler)

	limits, err := edge.NewLimits(edge.LimitsOptions{Log: log, Memory: 1000})
	if err != nil {
		b.Fatal(err)
	}

	lookup := forms.NewLookup(db, registry)
	followed, stop := context.WithCancel(context.Background())
	b.Cleanup(stop)

	go func() {
		for followed.Err() == nil {
			_ = lookup.Follow(followed)
			time.Sleep(forms.FollowEvery)
		}
	}()

	never := edge.Rate{Limit: 1 << 40, Window: time.Minute}
	engine := edge.New(edge.Options{Log: log})
	web.New(web.Options{
		Lookup: lookup, Limits: limits, ClientRate: never, EndpointRate: never, MaxBody: 1 << 18,
		Intake:    forms.NewIntake(db, integrations.Outbox{}, forms.DefaultLimits(), []byte("a secret of thirty-two characters")),
		PublicURL: &url.URL{Scheme: "http", Host: "127.0.0.1"},
	}).Routes(engine)

	return engine
}
