package api_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"formonce/api"
	"formonce/forms"
	"formonce/internal/edge"
	"formonce/internal/id"
)

// receive stores submissions of an endpoint that is made for them, each with the fields n and text.
func (o *office) receive(endpointID string, count int, text string) []forms.Submission {
	o.Helper()

	o.send("POST", "/endpoints", map[string]any{"id": endpointID, "name": "Contact"}).want(http.StatusCreated, nil)

	made := make([]forms.Submission, count)
	for i := range made {
		made[i] = forms.Submission{
			ID: id.New(), EndpointID: endpointID, ReceivedAt: time.Now().UTC(), Status: forms.StatusAccepted,
			Rules: forms.Rules{Version: forms.RuleVersion, Family: forms.FamilyForm},
			Fields: forms.Fields{
				{Name: "n", Value: forms.Text(fmt.Sprint(i))}, {Name: "text", Value: forms.Text(text)},
			},
		}
	}

	if err := forms.NewInbox(o.db).Import(o.Context(), o.acme.Tenant.ID, made); err != nil {
		o.Fatal(err)
	}

	return made
}

func TestAnExportIsAFileWithANameInTheFormatThatWasAskedFor(t *testing.T) {
	t.Parallel()

	o := open(t)
	o.receive("contact-form", 3, "=1+1")

	today := time.Now().UTC().Format(time.DateOnly)

	for format, row := range map[string]struct{ contentType, begins string }{
		"csv":   {"text/csv; charset=utf-8; header=present", "id,endpoint_id,received_at,"},
		"xlsx":  {"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "PK\x03\x04"},
		"jsonl": {"application/x-ndjson", `{"id":"sub_`},
	} {
		got := o.send("GET", "/submissions/export?endpoint_id=contact-form&format="+format, nil)
		got.want(http.StatusOK, nil)

		if got.header.Get("Content-Type") != row.contentType || !strings.HasPrefix(string(got.body), row.begins) {
			t.Errorf("%s: got %s and %.80q", format, got.header.Get("Content-Type"), got.body)
		}

		want := "attachment; filename=contact-form-" + today + "." + format
		if got.header.Get("Content-Disposition") != want || got.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: got %s", format, got.header)
		}
	}
}

func TestTheLooksOfACSVAreParameters(t *testing.T) {
	t.Parallel()

	o := open(t)
	o.receive("contact-form", 1, "=1+1")

	for query, want := range map[string]string{
		"":                       "id,",
		"bom=true":               "\uFEFFid,",
		"separator=semicolon":    "id;",
		"separator=%3B":          "id;",
		"separator=tab":          "id\t",
		"time_zone=Asia/Kolkata": "+05:30,accepted",
		"status=spam":            "tags\r\n",
	} {
		got := o.send("GET", "/submissions/export?"+query, nil)
		if got.want(http.StatusOK, nil); !strings.Contains(string(got.body), want) {
			t.Errorf("%s: got %q", query, got.body)
		}
	}

	for query, code := range map[string]string{
		"format=pdf":           "invalid_format",
		"separator=x":          "invalid_separator",
		"separator=;":          "malformed_query",
		"time_zone=Mars":       "invalid_time_zone",
		"bom=yes":              "invalid_parameter",
		"since=yesterday":      "invalid_time",
		"limit=5":              "unknown_parameter",
		"endpoint=contact":     "unknown_parameter",
		"status=held":          "invalid_status",
		"format=csv&cursor=xx": "unknown_parameter",
	} {
		o.send("GET", "/submissions/export?"+query, nil).refused(http.StatusBadRequest, code)
	}

	o.send("GET", "/submissions/export?endpoint_id=nobody", nil).refused(http.StatusNotFound, "endpoint_not_found")
}

// serveFor serves the office's routes as the program does, with a limit on the time that a request's body may take.
func (o *office) serveFor(bodyTimeout time.Duration) {
	o.Helper()

	o.server.Close()
	o.server = httptest.NewUnstartedServer(nil)
	o.server.Config = edge.Server("", o.routes(), bodyTimeout, slog.New(slog.DiscardHandler))
	o.server.Start()
	o.Cleanup(o.server.Close)
}

// get begins a request and leaves its body to be read.
func (o *office) get(ctx context.Context, path string) *http.Response {
	o.Helper()

	request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.server.URL+api.Prefix+path, http.NoBody)
	if err != nil {
		o.Fatal(err)
	}

	request.Header.Set("Authorization", "Bearer "+o.acme.APIKey)

	response, err := o.server.Client().Do(request)
	if err != nil {
		o.Fatal(err)
	}

	o.Cleanup(func() { response.Body.Close() })

	return response
}

// The server's limit on reading would cancel whatever takes longer than a request may take to arrive.
func TestAnExportTakesAsLongAsItsClient(t *testing.T) {
	t.Parallel()

	o := open(t)
	o.receive("contact-form", 4_000, strings.Repeat("x", 4_000))
	o.serveFor(50 * time.Millisecond)

	body := o.get(t.Context(), "/submissions/export").Body

	// Far more than the buffers in between hold is left when the limit strikes.
	if _, err := io.CopyN(io.Discard, body, 1_000); err != nil {
		t.Fatal(err)
	}

	time.Sleep(200 * time.Millisecond)

	rest, err := io.ReadAll(body)
	if lines := strings.Count(string(rest), "\r\n"); err != nil || lines < 3_999 {
		t.Errorf("%d lines came, %v", lines, err)
	}
}

func TestAnExportThatFailsInTheMiddleIsNoWholeAnswer(t *testing.T) {
	t.Parallel()

	o := open(t)
	made := o.receive("contact-form", 4_000, strings.Repeat("x", 1_000))
	o.exec(`UPDATE submissions SET fields = '"pl4nted"' WHERE id = $1`, made[3_900].ID)

	response := o.get(t.Context(), "/submissions/export?format=jsonl")

	text, err := io.ReadAll(response.Body)
	if err == nil || response.StatusCode != http.StatusOK {
		t.Errorf("got %d and %d bytes that look whole", response.StatusCode, len(text))
	}

	// Where nothing was sent yet, the answer says what failed.
	for _, format := range []string{"csv", "xlsx"} {
		got := o.send("GET", "/submissions/export?format="+format, nil)
		if got.refused(http.StatusInternalServerError, "internal_error"); !strings.HasPrefix(got.header.Get("Content-Type"), "application/json") {
			t.Errorf("%s: a failure of the type %s", format, got.header.Get("Content-Type"))
		}
	}

	if log := o.logged.String(); !strings.Contains(log, "answer_aborted") || strings.Contains(log, "pl4nted") {
		t.Errorf("logged %s", log)
	}
}

func TestAnExportEndsWhenItsClientGoes(t *testing.T) {
	t.Parallel()

	o := open(t)
	o.receive("contact-form", 4_000, strings.Repeat("x", 4_000))

	ctx, leave := context.WithCancel(t.Context())
	body := o.get(ctx, "/submissions/export").Body

	if _, err := io.CopyN(io.Discard, body, 1_000); err != nil {
		t.Fatal(err)
	}

	leave()

	for deadline := time.Now().Add(5 * time.Second); !strings.Contains(o.logged.String(), "answer_aborted"); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it goes on for nobody")
		}
	}

	if log := o.logged.String(); strings.Contains(log, `"level":"ERROR"`) {
		t.Errorf("a client that went away is no failure: %s", log)
	}
}
