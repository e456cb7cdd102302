package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"formonce/forms"
	"formonce/internal/config"
	"formonce/internal/fixture"
	"formonce/internal/pgtest"
)

// tellTale fails in a way that quotes what was submitted, as a careless library would.
type tellTale struct{ panics bool }

func (o tellTale) Enqueue(_ context.Context, _ pgx.Tx, accepted *forms.Submission) error {
	quoting := fmt.Errorf("cannot deliver %+v to %s", accepted, accepted.ReplyTo)
	if o.panics {
		panic(quoting)
	}

	return quoting
}

// assembled is the service as serve assembles it, in this process, with an outbox of the test's.
type assembled struct {
	*testing.T

	url         string
	log, sentry fixture.Log
	stop        func()
}

func assemble(t *testing.T, outbox forms.Outbox) *assembled {
	t.Helper()

	a := &assembled{T: t}
	sink := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(&a.sentry, r.Body)
		_, _ = io.WriteString(w, "{}")
	}))
	t.Cleanup(sink.Close)

	terminal := newTerminal(t)
	terminal.environment["DATABASE_URL"] = pgtest.URL(t)
	terminal.environment["SENTRY_DSN"] = strings.Replace(sink.URL, "://", "://key@", 1) + "/1"
	created := terminal.must("tenant", "create", "--name", "Acme", "--email", "ada@acme.example", "--password", "correct horse")
	terminal.must("endpoint", "create", "--tenant", fmt.Sprint(created["tenant_id"]), "--id", "contact-form")

	settings, err := config.Load(func(name string) (string, bool) { return terminal.environment[name], true }, "")
	if err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)

	go func() {
		ended <- serve(ctx, settings, serveOptions{
			Roles: []role{roleWeb},
			Out:   io.Discard, Log: slog.New(slog.NewJSONHandler(&a.log, &slog.HandlerOptions{Level: slog.LevelDebug})), Outbox: outbox,
		})
	}()

	a.stop = sync.OnceFunc(func() {
		cancel()

		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(a.stop)
	a.url = "http://" + a.address()

	return a
}

// address waits until the service says where it listens.
func (a *assembled) address() string {
	a.Helper()

	serving := regexp.MustCompile(`"msg":"serving","address":"([^"]+)"`)

	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if found := serving.FindStringSubmatch(a.log.String()); found != nil {
			return found[1]
		}
	}

	a.Fatalf("the service does not start:\n%s", a.log.String())

	return ""
}

func (a *assembled) submit(body, key string) (status int, requestID, answer string) {
	a.Helper()

	request, err := http.NewRequestWithContext(a.Context(), http.MethodPost, a.url+"/f/contact-form", strings.NewReader(body))
	if err != nil {
		a.Fatal(err)
	}

	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Idempotency-Key", key)

	response, err := http.DefaultClient.Do(request)
	if err != nil {
		a.Fatal(err)
	}

	defer func() { _ = response.Body.Close() }()

	read, err := io.ReadAll(response.Body)
	if err != nil {
		a.Fatal(err)
	}

	return response.StatusCode, response.Header.Get("X-Request-Id"), string(read)
}

func TestAForcedFaultIsReportedOnceWithIdsAndNoSubmittedValue(t *testing.T) {
	t.Parallel()

	for name, outbox := range map[string]tellTale{"a panic": {panics: true}, "an error": {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			a := assemble(t, outbox)
			planted := []string{"pl4nted-n4me", "pl4nted-v4lue", "pl4nted-m4il", "pl4nted-k3y-0123456789"}

			status, requestID, answer := a.submit(
				fmt.Sprintf("%s=%s&email=%s@example.com", planted[0], planted[1], planted[2]), planted[3])

			if status != 500 || !strings.Contains(answer, `"code":"internal_error"`) || strings.Count(answer, requestID) < 2 {
				t.Errorf("got %d: %s", status, answer)
			}

			// Stopping flushes the reports.
			a.stop()

			if faults := strings.Count(a.log.String(), `"level":"ERROR"`); faults != 1 {
				t.Errorf("%d faults were logged, want 1:\n%s", faults, a.log.String())
			}

			heard := a.sentry.String()
			if events := strings.Count(heard, `"exception":`); events != 1 {
				t.Errorf("Sentry heard %d events, want 1:\n%s", events, heard)
			}

			for _, named := range []string{requestID, `"endpoint":"contact-form"`, `"tenant":"ten_`} {
				if !strings.Contains(heard, named) {
					t.Errorf("Sentry does not hear %s:\n%s", named, heard)
				}
			}

			for where, text := range map[string]string{"the answer": answer, "the log": a.log.String(), "Sentry": heard} {
				for _, value := range planted {
					if strings.Contains(text, value) {
						t.Errorf("%s holds %s:\n%s", where, value, text)
					}
				}
			}
		})
	}
}

func TestAFaultOfTheOutboxAcceptsNothing(t *testing.T) {
	t.Parallel()

	failing := &passing{fail: true}
	a := assemble(t, failing)

	if status, _, answer := a.submit("a=b", "one-and-the-same-key"); status != 500 {
		t.Fatalf("got %d: %s", status, answer)
	}

	failing.set(false)

	status, _, answer := a.submit("a=b", "one-and-the-same-key")
	if status != 202 || !strings.Contains(answer, `"idempotent_replay":false`) {
		t.Errorf("the retry got %d: %s", status, answer)
	}
}

// passing is an outbox whose fault passes.
type passing struct {
	mu   sync.Mutex
	fail bool
}

func (p *passing) set(fail bool) {
	p.mu.Lock()
	defer p.mu.Unlock()

	p.fail = fail
}

func (p *passing) Enqueue(context.Context, pgx.Tx, *forms.Submission) error {
	p.mu.Lock()
	defer p.mu.Unlock()

	if p.fail {
		return errors.New("the outbox cannot be written")
	}

	return nil
}
