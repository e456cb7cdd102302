package edge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"formonce/internal/edge"
	"formonce/internal/fault"
	"formonce/internal/fixture"
)

// planted stands for what a visitor sent.
const planted = "pl4nted-value"

// page is a log of JSON, a line for each entry.
type page struct{ fixture.Log }

func (p *page) lines(t *testing.T) []map[string]any {
	t.Helper()

	var lines []map[string]any

	for line := range strings.Lines(p.String()) {
		var parsed map[string]any
		if err := json.Unmarshal([]byte(line), &parsed); err != nil {
			t.Fatalf("%v in %q", err, line)
		}

		lines = append(lines, parsed)
	}

	return lines
}

// last is the latest line of the access log.
func (p *page) last(t *testing.T) map[string]any {
	t.Helper()

	lines := p.lines(t)
	if len(lines) == 0 || lines[len(lines)-1]["msg"] != "request" {
		t.Fatalf("no line of the access log: %v", lines)
	}

	return lines[len(lines)-1]
}

func engine(t *testing.T, options edge.Options) (*gin.Engine, *page) {
	t.Helper()

	printed := &page{}
	options.Log = slog.New(slog.NewJSONHandler(printed, nil))

	return edge.New(options), printed
}

func send(h http.Handler, method, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, http.NoBody))

	return w
}

func envelope(t *testing.T, w *httptest.ResponseRecorder) edge.Failure {
	t.Helper()

	var got edge.Envelope
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatalf("%v in %q", err, w.Body)
	}

	return got.Error
}

func TestEveryKindOfFaultHasItsStatus(t *testing.T) {
	t.Parallel()

	for kind, want := range map[fault.Kind]int{
		fault.Internal: 500, fault.Invalid: 400, fault.Unauthenticated: 401, fault.Forbidden: 403, fault.NotFound: 404,
		fault.MethodNotAllowed: 405, fault.Conflict: 409, fault.Gone: 410, fault.PreconditionFailed: 412, fault.TooLarge: 413,
		fault.UnsupportedMedia: 415, fault.Unprocessable: 422, fault.Limited: 429, fault.Unavailable: 503, fault.Kind(99): 500,
	} {
		e, printed := engine(t, edge.Options{})
		e.GET("/x", func(c *gin.Context) { edge.Fail(c, fault.New(kind, "some_code", "A sentence.").With("a", 1)) })

		w := send(e, http.MethodGet, "/x")
		got := envelope(t, w)

		if w.Code != want || got.Code != "some_code" || !strings.HasPrefix(got.Message, "A sentence.") || got.Details["a"] != 1.0 {
			t.Errorf("kind %d: %d %+v", kind, w.Code, got)
		}

		if line := printed.last(t); line["code"] != "some_code" || line["status"] != float64(want) {
			t.Errorf("kind %d is logged as %v", kind, line)
		}
	}
}

func TestIssuesAndTheTimeToWaitAreAnswered(t *testing.T) {
	t.Parallel()

	e, _ := engine(t, edge.Options{})
	invalid := fault.New(fault.Unprocessable, "validation_failed", "Correct the fields.").After(1100 * time.Millisecond)
	invalid.Issues = []fault.Issue{{Field: "email", Rule: "email", Message: "Write an address."}}

	e.GET("/x", func(c *gin.Context) { edge.Fail(c, fmt.Errorf("wrapped: %w", invalid)) })

	w := send(e, http.MethodGet, "/x")
	want := `{"error":{"code":"validation_failed","message":"Correct the fields.",` +
		`"details":{"issues":[{"field":"email","rule":"email","message":"Write an address."}]}}}`

	if w.Body.String() != want || w.Header().Get("Retry-After") != "2" || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("%v %s", w.Header(), w.Body)
	}

	if invalid.Details != nil {
		t.Error("the fault itself was changed")
	}
}

func TestUnknownRoutesAndMethodsAreFaultsAndNothingRedirects(t *testing.T) {
	t.Parallel()

	e, printed := engine(t, edge.Options{})
	e.GET("/f/:endpoint", func(c *gin.Context) { c.Status(http.StatusNoContent) })
	e.POST("/f/:endpoint", func(c *gin.Context) { c.Status(http.StatusNoContent) })

	for _, row := range []struct {
		method, path string
		status       int
		code         string
	}{
		{http.MethodGet, "/" + planted, 404, "not_found"},
		{http.MethodGet, "/f/a/", 404, "not_found"},
		{http.MethodGet, "/F/a", 404, "not_found"},
		{http.MethodGet, "//f/a", 404, "not_found"},
		{http.MethodPut, "/f/a?q=" + planted, 405, "method_not_allowed"},
		{strings.ToUpper(planted), "/f/a", 405, "method_not_allowed"},
	} {
		w := send(e, row.method, row.path)
		if got := envelope(t, w); w.Code != row.status || got.Code != row.code {
			t.Errorf("%s %s: %d %+v", row.method, row.path, w.Code, got)
		}

		if allow := w.Header().Get("Allow"); (allow == "GET, POST") != (row.status == 405) {
			t.Errorf("%s %s: Allow %q", row.method, row.path, allow)
		}

		if line := printed.last(t); line["route"] != "unmatched" {
			t.Errorf("%s %s is logged as %v", row.method, row.path, line)
		}
	}

	if strings.Contains(strings.ToLower(printed.String()), planted) {
		t.Errorf("the log holds what was sent:\n%s", printed)
	}
}

func TestTheAccessLogHoldsIDsAndAnnotationsOnly(t *testing.T) {
	t.Parallel()

	e, printed := engine(t, edge.Options{})
	e.POST("/f/:endpoint", func(c *gin.Context) {
		ids := edge.IDs(c)
		ids.Endpoint, ids.Tenant = "contact-form", "ten_1"
		ids.Submission = planted + " is no id"

		edge.Annotate(c, slog.Bool("replayed", true))
		c.String(http.StatusAccepted, "12345")
	})

	r := httptest.NewRequest(http.MethodPost, "/f/"+planted+"?a="+planted, strings.NewReader(planted))
	r.Header.Set("X-Request-Id", planted)
	r.Header.Set("User-Agent", planted)

	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)

	line := printed.last(t)
	requestID := w.Header().Get("X-Request-Id")

	for name, want := range map[string]any{
		"level": "INFO", "route": "/f/:endpoint", "method": "POST", "status": 202.0, "bytes": 5.0, "request_id": requestID,
		"endpoint": "contact-form", "tenant": "ten_1", "replayed": true,
	} {
		if line[name] != want {
			t.Errorf("%s is %v, not %v", name, line[name], want)
		}
	}

	if _, ok := line["duration_ms"].(float64); !ok || len(line) != 12 || len(requestID) != 36 {
		t.Errorf("got %v", line)
	}

	if strings.Contains(printed.String(), planted) {
		t.Errorf("the log holds what was sent:\n%s", printed)
	}
}

func TestTheLongestPrefixChoosesWhoWritesAFailure(t *testing.T) {
	t.Parallel()

	says := func(word string) edge.FailureWriter {
		return func(c *gin.Context, status int, f *fault.Fault) { c.String(status, word+" "+f.Code) }
	}
	e, _ := engine(t, edge.Options{FailureWriters: map[string]edge.FailureWriter{"/f/": says("short"), "/f/x/": says("long")}})

	for path, want := range map[string]string{"/f/a": "short not_found", "/f/x/a": "long not_found"} {
		if got := send(e, http.MethodGet, path).Body.String(); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}

	if got := envelope(t, send(e, http.MethodGet, "/f")); got.Code != "not_found" {
		t.Errorf("/f: %+v", got)
	}
}

func TestProbesTellTheStateAndStayOutOfTheLog(t *testing.T) {
	t.Parallel()

	var state error

	registry := prometheus.NewRegistry()
	e, printed := engine(t, edge.Options{Metrics: registry})
	edge.Probes(e, func(context.Context) error { return state })
	edge.Metrics(e, registry)

	for _, row := range []struct {
		path   string
		state  error
		status int
		body   string
	}{
		{"/healthz", errors.New(planted), 200, `{"status":"ok"}`},
		{"/readyz", nil, 200, `{"status":"ok"}`},
		{"/readyz", errors.New(planted), 503, `"not_ready"`},
		{"/readyz", fault.New(fault.Internal, "behind", "Run formonce migrate."), 503, "Run formonce migrate."},
		{"/metrics", nil, 200, `formonce_http_requests_total{method="GET",route="/readyz",status="5xx"} 2`},
	} {
		state = row.state
		w := send(e, http.MethodGet, row.path)

		if w.Code != row.status || !strings.Contains(w.Body.String(), row.body) {
			t.Errorf("%s: %d %s", row.path, w.Code, w.Body)
		}
	}

	if got := printed.String(); strings.Contains(got, `"request"`) || strings.Contains(got, planted) {
		t.Errorf("logged:\n%s", got)
	}
}

func TestInventedMethodsAndPathsMakeNoMetricOfTheirOwn(t *testing.T) {
	t.Parallel()

	registry := prometheus.NewRegistry()
	e, _ := engine(t, edge.Options{Metrics: registry})
	e.GET("/f/:endpoint", func(c *gin.Context) { c.Status(http.StatusNoContent) })

	for i := range 50 {
		send(e, fmt.Sprintf("M%d", i), "/f/a")
		send(e, http.MethodGet, fmt.Sprintf("/p%d", i))
		send(e, http.MethodGet, fmt.Sprintf("/f/%d", i))
	}

	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}

	for _, family := range families {
		if len(family.GetMetric()) != 3 {
			t.Errorf("%s has %d series", family.GetName(), len(family.GetMetric()))
		}
	}
}

func TestTheServersOwnFaultsAreLoggedWithoutTheirText(t *testing.T) {
	t.Parallel()

	printed := &page{}
	server := edge.Server("127.0.0.1:0", http.NotFoundHandler(), time.Second, slog.New(slog.NewJSONHandler(printed, nil)))

	server.ErrorLog.Printf("http: panic serving 192.0.2.1:1: %s", planted)
	server.ErrorLog.Printf("something new: %s", planted)

	if got := printed.String(); strings.Count(got, "WARN") != 2 || strings.Contains(got, planted) || strings.Contains(got, "192.0.2") {
		t.Errorf("logged:\n%s", got)
	}
}

func TestASlowBodyIsCutOff(t *testing.T) {
	t.Parallel()

	done := make(chan error, 1)
	handler := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		done <- err
	})
	silent := slog.New(slog.DiscardHandler)

	server := httptest.NewUnstartedServer(handler)
	server.Config = edge.Server("", handler, 50*time.Millisecond, silent)
	server.Start()
	t.Cleanup(server.Close)

	body, feed := io.Pipe()
	t.Cleanup(func() { _ = feed.Close() })

	go func() {
		answer, err := http.Post(server.URL, "text/plain", body)
		if err == nil {
			_ = answer.Body.Close()
		}
	}()

	if err := <-done; err == nil {
		t.Error("a body that never ended was read to its end")
	}
}
