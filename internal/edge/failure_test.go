package edge_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"formonce/internal/edge"
	"formonce/internal/fault"
	"formonce/internal/report"
)

// reports is a reporter whose sink counts the events and keeps what they hold.
func reports(t *testing.T) (reporter *report.Reporter, received *page) {
	t.Helper()

	received = &page{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(received, "event %s\n", strings.ReplaceAll(string(body), "\n", " "))
		_, _ = io.WriteString(w, "{}")
	}))
	t.Cleanup(server.Close)

	reporter, err := report.New(strings.Replace(server.URL, "://", "://key@", 1)+"/1", "test")
	if err != nil {
		t.Fatal(err)
	}

	return reporter, received
}

func TestAFaultOfTheServiceIsLoggedAndReportedOnceAndNamesTheRequest(t *testing.T) {
	t.Parallel()

	var counts map[string]int

	for name, fail := range map[string]gin.HandlerFunc{
		"an error":          func(c *gin.Context) { edge.Fail(c, errors.New(planted)) },
		"a panic":           func(*gin.Context) { panic(planted) },
		"a panicking error": func(*gin.Context) { panic(errors.New(planted)) },
		"a nil map":         func(*gin.Context) { counts[planted]++ },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			reporter, received := reports(t)
			e, printed := engine(t, edge.Options{Report: reporter})
			e.GET("/f/:endpoint", fail)

			w := send(e, http.MethodGet, "/f/"+planted)
			got := envelope(t, w)
			requestID := w.Header().Get("X-Request-Id")

			if w.Code != 500 || got.Code != "internal_error" || got.RequestID != requestID || !strings.HasSuffix(got.Message, requestID) {
				t.Errorf("%d %+v", w.Code, got)
			}

			reporter.Flush(10 * time.Second)

			lines := printed.lines(t)
			if len(lines) != 2 || lines[0]["level"] != "ERROR" || lines[0]["request_id"] != requestID || lines[1]["status"] != 500.0 {
				t.Errorf("logged:\n%s", printed)
			}

			if strings.Count(received.String(), "event ") != 1 || !strings.Contains(received.String(), requestID) {
				t.Errorf("reported:\n%s", received)
			}

			if all := printed.String() + received.String() + w.Body.String(); strings.Contains(all, planted) {
				t.Errorf("something holds what was sent:\n%s", all)
			}
		})
	}
}

func TestAFaultOfTheCallerIsNeitherLoggedAsAnErrorNorReported(t *testing.T) {
	t.Parallel()

	reporter, received := reports(t)
	e, printed := engine(t, edge.Options{Report: reporter})
	e.GET("/x", func(c *gin.Context) { edge.Fail(c, fault.New(fault.Invalid, "bad", "Correct it.")) })
	e.GET("/gone", func(c *gin.Context) { edge.Fail(c, fmt.Errorf("query: %w", context.Canceled)) })

	send(e, http.MethodGet, "/x")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	w := httptest.NewRecorder()
	e.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/gone", http.NoBody))
	reporter.Flush(10 * time.Second)

	if len(printed.lines(t)) != 2 || printed.last(t)["code"] != "request_canceled" || received.String() != "" {
		t.Errorf("logged:\n%s\nreported:\n%s", printed, received)
	}
}

func TestWhatCannotBeServedForNowIsLoggedWithItsCause(t *testing.T) {
	t.Parallel()

	e, printed := engine(t, edge.Options{Describe: func(error) string { return "the cause" }})
	e.GET("/x", func(c *gin.Context) {
		edge.Fail(c, fault.New(fault.Unavailable, "storage_unavailable", "Wait.").Because(errors.New(planted)).After(time.Second))
	})

	w := send(e, http.MethodGet, "/x")
	lines := printed.lines(t)

	if w.Code != 503 || w.Header().Get("Retry-After") != "1" || lines[0]["level"] != "WARN" || lines[0]["error"] != "the cause" {
		t.Errorf("%d %v\n%s", w.Code, w.Header(), printed)
	}
}

func TestWhoIsAskedToComeBackIsToldWhen(t *testing.T) {
	t.Parallel()

	for kind, wanted := range map[fault.Kind]string{
		fault.Limited: "2", fault.Unavailable: "2", fault.Internal: "", fault.Invalid: "", fault.Gone: "",
	} {
		e, _ := engine(t, edge.Options{})
		e.GET("/x", func(c *gin.Context) { edge.Fail(c, fault.New(kind, "some_code", "Some sentence.")) })

		if w := send(e, http.MethodGet, "/x"); w.Header().Get("Retry-After") != wanted {
			t.Errorf("%d: Retry-After is %q", w.Code, w.Header().Get("Retry-After"))
		}
	}
}

func TestAnAnswerThatHasBegunIsBrokenOffByAPanic(t *testing.T) {
	t.Parallel()

	e, printed := engine(t, edge.Options{})
	e.GET("/x", func(c *gin.Context) {
		c.Header("Content-Length", "100")
		c.String(http.StatusOK, "half")
		c.Writer.Flush()
		panic(planted)
	})
	e.GET("/y", func(*gin.Context) { panic(http.ErrAbortHandler) })

	server := httptest.NewServer(e)
	defer server.Close()

	for _, path := range []string{"/x", "/y"} {
		answer, err := http.Get(server.URL + path)
		if err == nil {
			_, err = io.ReadAll(answer.Body)
			_ = answer.Body.Close()
		}

		if err == nil {
			t.Errorf("%s was answered in full", path)
		}
	}

	server.Close()

	if got := printed.String(); strings.Count(got, `"code":"answer_aborted"`) != 2 || strings.Contains(got, planted) {
		t.Errorf("logged:\n%s", got)
	}
}
