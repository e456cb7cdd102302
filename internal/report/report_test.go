package report_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"formonce/internal/fault"
	"formonce/internal/report"
)

// planted stands for what a visitor submitted; it is in the text of every error here.
const planted = "pl4nted-value"

// sink takes what a Sentry server takes, and hands each envelope on.
func sink(t *testing.T) (dsn string, envelopes <-chan string) {
	t.Helper()

	received := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost || r.URL.Path != "/api/1/envelope/" {
			t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
		}

		received <- fmt.Sprint(r.Header) + "\n" + string(body)

		_, _ = io.WriteString(w, "{}")
	}))
	t.Cleanup(server.Close)

	return strings.Replace(server.URL, "://", "://key@", 1) + "/1", received
}

// database is shaped like the driver's error, whose text quotes the row at fault.
type database struct{}

func (*database) Error() string    { return "duplicate key: (" + planted + ")" }
func (*database) SQLState() string { return "23505" }

type event struct {
	Level     string            `json:"level"`
	Release   string            `json:"release"`
	Tags      map[string]string `json:"tags"`
	Exception []struct {
		Type       string `json:"type"`
		Value      string `json:"value"`
		Stacktrace struct {
			Frames []struct {
				Function string `json:"function"`
				Filename string `json:"filename"`
			} `json:"frames"`
		} `json:"stacktrace"`
	} `json:"exception"`
}

func receive(t *testing.T, r *report.Reporter, envelopes <-chan string) (event, string) {
	t.Helper()

	if !r.Flush(10 * time.Second) {
		t.Fatal("nothing was sent in time")
	}

	raw := <-envelopes
	lines := strings.Split(strings.TrimSpace(raw), "\n")

	var got event
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &got); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}

	return got, raw
}

var ids = report.IDs{
	RequestID: "req_1", Tenant: "ten_1", Endpoint: "contact-form", Submission: "sub_1", Delivery: "dlv_1", Attempt: "att_1",
	Route: "/f/:endpoint",
}

func TestAnErrorIsReportedWithTypesCodesAndIDsOnly(t *testing.T) {
	t.Parallel()

	dsn, envelopes := sink(t)

	reporter, err := report.New(dsn, "v1.2.3")
	if err != nil {
		t.Fatal(err)
	}

	cause := errors.Join(fmt.Errorf("writing %s: %w", planted, &database{}), errors.New(planted))
	reporter.Error(t.Context(), fault.New(fault.Unavailable, "storage_unavailable", planted).Because(cause), ids)

	got, raw := receive(t, reporter, envelopes)

	var seen []string
	for _, e := range got.Exception {
		seen = append(seen, e.Type+"("+e.Value+")")
	}

	want := "*errors.errorString() *report_test.database(23505) *fmt.wrapError() *errors.joinError() *fault.Fault(storage_unavailable)"
	if strings.Join(seen, " ") != want {
		t.Errorf("got %v", seen)
	}

	if got.Level != "error" || got.Release != "v1.2.3" || len(got.Tags) != 7 || got.Tags["submission"] != "sub_1" {
		t.Errorf("got %+v", got)
	}

	frames := got.Exception[len(got.Exception)-1].Stacktrace.Frames
	if last := frames[len(frames)-1]; !strings.HasPrefix(last.Function, "TestAnError") || last.Filename != "report/report_test.go" {
		t.Errorf("the innermost frame is %+v", last)
	}

	holdsNothing(t, raw)
}

func TestAPanicIsReportedFromWhereItHappened(t *testing.T) {
	t.Parallel()

	dsn, envelopes := sink(t)

	reporter, err := report.New(dsn, "")
	if err != nil {
		t.Fatal(err)
	}

	for _, value := range []any{planted, errors.New(planted), struct{ Field string }{planted}} {
		func() {
			defer func() { reporter.Error(t.Context(), report.Recovered(recover()), ids) }()

			explode(value)
		}()

		got, raw := receive(t, reporter, envelopes)
		outermost := got.Exception[len(got.Exception)-1]

		if got.Level != "fatal" || outermost.Type != fmt.Sprintf("panic: %T", value) {
			t.Errorf("got %+v", got)
		}

		if !strings.Contains(raw, `"function":"explode"`) {
			t.Errorf("the place of the panic is missing: %s", raw)
		}

		holdsNothing(t, raw)
	}
}

func explode(value any) { panic(value) }

// holdsNothing also looks for what the client would add by itself.
func holdsNothing(t *testing.T, raw string) {
	t.Helper()

	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}

	for _, kept := range []string{
		planted, `"server_name":"` + host, `"modules"`, `"request"`, `"user"`, `"contexts"`, `"breadcrumbs"`, `"context_line"`,
		`"vars"`, `"abs_path"`,
	} {
		if strings.Contains(raw, kept) {
			t.Errorf("the report holds %s:\n%s", kept, raw)
		}
	}
}

func TestWhatIsNoIDIsLeftOut(t *testing.T) {
	t.Parallel()

	for name := range (report.IDs{Endpoint: "a value", Tenant: "a\nb", Submission: strings.Repeat("x", 129), Route: "/f/a?b=c"}).All() {
		t.Errorf("%s was let through", name)
	}
}

func TestDescribeNamesTypesAndCodesOnly(t *testing.T) {
	t.Parallel()

	endless := errors.New(planted)
	for range 100 {
		endless = fmt.Errorf("%s: %w", planted, endless)
	}

	for _, row := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{errors.New(planted), "*errors.errorString"},
		{fault.New(fault.Internal, "odd_thing", planted).Because(&database{}), "*fault.Fault(odd_thing) > *report_test.database(23505)"},
		{fault.New(fault.Internal, "Not A Code", planted), "*fault.Fault"},
		{report.Recovered(planted), "*report.Panicked"},
	} {
		if got := report.Describe(row.err); got != row.want {
			t.Errorf("got %q, want %q", got, row.want)
		}
	}

	if got := report.Describe(endless); strings.Count(got, ">") != 15 {
		t.Errorf("a long chain is not cut: %q", got)
	}
}

func TestAReporterWithoutDSNDoesNothing(t *testing.T) {
	t.Parallel()

	silent, err := report.New("", "v1")
	if err != nil {
		t.Fatal(err)
	}

	for _, r := range []*report.Reporter{silent, nil} {
		r.Error(t.Context(), errors.New(planted), ids)
		r.Error(t.Context(), report.Recovered(planted), ids)

		if !r.Flush(time.Nanosecond) {
			t.Error("it had something to wait for")
		}
	}
}

func TestAWrongDSNIsRefusedWithoutBeingRepeated(t *testing.T) {
	t.Parallel()

	if _, err := report.New("https://"+planted, "v1"); err == nil || strings.Contains(err.Error(), planted) {
		t.Errorf("got %v", err)
	}
}
