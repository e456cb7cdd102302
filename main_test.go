package main_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"formonce/internal/pgtest"
	"formonce/internal/postgres"
)

func TestAFirstRunTakesSubmissionsAndShowsThem(t *testing.T) {
	t.Parallel()

	s := install(t, nil)
	s.start()
	tenant := s.furnish()

	key := "first-run-0123456789"
	first := s.want(202, "POST", "/f/contact-form", `{"email":"ada@example.com","n":12345678901234567890}`,
		contentType, jsonType, keyHeader, key)
	again := s.want(202, "POST", "/f/contact-form", `{"n":12345678901234567890,"email":"ada@example.com"}`,
		contentType, jsonType, keyHeader, key)
	s.want(409, "POST", "/f/contact-form", `{"email":"eve@example.com"}`, contentType, jsonType, keyHeader, key)
	s.want(303, "POST", "/f/contact-form", "message=Hello", contentType, formType, "Accept", "text/html")

	if first.object()["submission_id"] != again.object()["submission_id"] || again.object()["idempotent_replay"] != true {
		t.Errorf("the retry got %s after %s", again.body, first.body)
	}

	data, _ := s.must("submission", "list", "--tenant", tenant, "--json")["data"].([]any)
	if len(data) != 2 {
		t.Fatalf("%d submissions are listed, want 2", len(data))
	}

	oldest, _ := data[1].(map[string]any)
	if oldest["id"] != first.object()["submission_id"] || oldest["replay_count"] != 1.0 || oldest["status"] != "accepted" {
		t.Errorf("the first submission is listed as %v", oldest)
	}

	s.wantProbes()
	s.wantTheWayToTheDashboard()
	s.wantOrderlyEnd()
}

// wantProbes looks at what a supervisor asks for.
func (s *service) wantProbes() {
	s.Helper()

	for _, path := range []string{"/healthz", "/readyz"} {
		if got := s.want(200, "GET", path, ""); got.object()["status"] != "ok" {
			s.Errorf("%s says %s", path, got.body)
		}

		s.want(200, "HEAD", path, "")
	}

	counted := `formonce_http_requests_total{method="POST",route="/f/:endpoint",status="2xx"} 2`
	if got := s.want(200, "GET", "/metrics", ""); !strings.Contains(got.body, counted) {
		s.Errorf("/metrics does not have %s", counted)
	}
}

// wantTheWayToTheDashboard types the addresses that people type.
func (s *service) wantTheWayToTheDashboard() {
	s.Helper()

	for path, status := range map[string]int{"/": 302, "/dashboard": 308} {
		for _, method := range []string{"GET", "HEAD"} {
			if got := s.want(status, method, path, ""); got.header.Get("Location") != "/dashboard/" {
				s.Errorf("%s %s leads to %q", method, path, got.header.Get("Location"))
			}
		}
	}
}

// wantOrderlyEnd stops the service with SIGTERM: status 0, and its PostgreSQL is gone.
func (s *service) wantOrderlyEnd() {
	s.Helper()

	postmaster := s.postmaster()

	if status := s.terminate(); status != 0 {
		s.Errorf("the service ended with status %d:\n%s", status, s.err)
	}

	if postmaster == 0 || syscall.Kill(postmaster, 0) == nil {
		s.Errorf("PostgreSQL (process %d) is still there", postmaster)
	}
}

func TestARequestInFlightIsFinishedBeforeTheServiceEnds(t *testing.T) {
	t.Parallel()

	s := install(t, nil)
	s.start()
	tenant := s.furnish()

	conn, err := net.Dial("tcp", strings.TrimPrefix(s.base.Load().(string), "http://"))
	if err != nil {
		t.Fatal(err)
	}

	defer func() { _ = conn.Close() }()

	_, _ = fmt.Fprintf(conn, "POST /f/contact-form HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n", formType)

	// The interim answer shows that the handler is at work and waits for the body.
	reader := bufio.NewReader(conn)
	if line, err := reader.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("got %q: %v", line, err)
	}

	stopping := s.err.watch(regexp.MustCompile(`"msg":"(stopping)"`))
	began := time.Now()

	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}

	<-stopping

	_, _ = io.WriteString(conn, "late=true")
	rest, _ := io.ReadAll(reader)

	if !strings.Contains(string(rest), "202 Accepted") {
		t.Errorf("the request was answered with %q", rest)
	}

	if status := s.wait(began); status != 0 {
		t.Errorf("the service ended with status %d", status)
	}

	if data, _ := s.must("submission", "list", "--tenant", tenant, "--json")["data"].([]any); len(data) != 1 {
		t.Errorf("%d submissions are stored, want 1", len(data))
	}
}

func TestASecondServiceOnOneFolderIsRefused(t *testing.T) {
	t.Parallel()

	s := install(t, nil)
	s.start()

	status, _, trouble := s.run("serve")
	if holder := fmt.Sprint(s.process.Process.Pid); status != 1 || !strings.Contains(trouble, holder) {
		t.Errorf("got status %d without the process %s: %s", status, holder, trouble)
	}

	s.want(200, "GET", "/readyz", "")
}

func TestADatabaseOfAnotherVersionIsRefusedWithASentence(t *testing.T) {
	t.Parallel()

	newer := pgtest.URL(t)
	execute(t, newer, `INSERT INTO schema_migrations (version, name, checksum) VALUES (9999, '9999_future', '')`)

	for name, row := range map[string]struct{ url, sentence string }{
		"behind": {pgtest.Empty(t), "run `formonce migrate`"},
		"ahead":  {newer, "start that release"},
	} {
		s := install(t, external(row.url))

		if status, _, trouble := s.run("serve"); status != 1 || !strings.Contains(trouble, row.sentence) {
			t.Errorf("%s: status %d, %s", name, status, trouble)
		}
	}
}

func TestEveryFaultOfTheSettingsIsNamedAtOnce(t *testing.T) {
	t.Parallel()

	wrong := map[string]string{
		"LISTEN_ADDR": "nowhere", "PUBLIC_URL": "ftp://x", "DATABASE_URL": "mysql://secret-word@x", "SECRET_KEY": "secret-word",
		"TRUSTED_PROXY_HOPS": "many", "RATE_LIMIT_CLIENT": "fast", "RATE_LIMIT_ENDPOINT": "0", "MAX_BODY_BYTES": "1",
		"BODY_TIMEOUT": "soon", "LOG_LEVEL": "loud", "AUTO_MIGRATE": "yes", "SENTRY_DSN": "secret-word",
	}

	status, _, trouble := install(t, wrong).run("serve")
	if status != 1 {
		t.Errorf("got status %d", status)
	}

	for name := range wrong {
		if !strings.Contains(trouble, name) {
			t.Errorf("%s is not named", name)
		}
	}

	if strings.Contains(trouble, "secret-word") {
		t.Error("a secret is shown")
	}
}

func TestTheServiceIsNotReadyWhileItsDatabaseIsDown(t *testing.T) {
	t.Parallel()

	database := pgtest.Server(t, true)
	s := install(t, external(database.URL()))
	s.start()
	s.furnish()
	s.want(200, "GET", "/readyz", "")

	if err := database.Stop(postgres.Immediate); err != nil {
		t.Fatal(err)
	}

	s.want(503, "GET", "/readyz", "")
	s.want(200, "GET", "/healthz", "")

	got := s.post(503, "a=b", "while-it-is-down-0001")
	if got.code() != "storage_unavailable" || got.header.Get("Retry-After") == "" {
		t.Errorf("got %v\n%s", got.header, got.body)
	}

	if err := database.Start(); err != nil {
		t.Fatal(err)
	}

	s.eventually("ready again", func() bool {
		got, err := s.send("GET", "/readyz", "")
		return err == nil && got.status == 200
	})

	if got := s.post(202, "a=b", "while-it-is-down-0001"); got.object()["idempotent_replay"] != false {
		t.Error("what was refused while the database was down was stored")
	}
}

func TestARetryThatWaitsTooLongForItsOriginalIsAskedToComeBack(t *testing.T) {
	t.Parallel()

	database := pgtest.URL(t)
	s := install(t, external(database))
	s.start()
	s.furnish()

	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}

	defer func() { _ = conn.Close(context.Background()) }()

	// To whoever inserts, this is an original whose transaction does not end.
	if _, err := conn.Exec(t.Context(), "BEGIN; LOCK TABLE submissions IN SHARE MODE"); err != nil {
		t.Fatal(err)
	}

	began := time.Now()
	got := s.post(503, "a=b", "waits-for-its-original")

	if took := time.Since(began); took < 4*time.Second || took > 10*time.Second {
		t.Errorf("the retry waited for %v, want 5 s", took)
	}

	if got.code() != "storage_unavailable" || got.header.Get("Retry-After") == "" {
		t.Errorf("got %v\n%s", got.header, got.body)
	}

	if _, err := conn.Exec(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}

	s.post(202, "a=b", "waits-for-its-original")
}

func TestNothingIsLostWhenEverythingIsKilled(t *testing.T) {
	t.Parallel()

	s := install(t, nil)
	s.start()
	tenant := s.furnish()

	for round := range 3 {
		key := fmt.Sprintf("killed-after-it-%04d", round)
		first := s.post(202, "a=b", key)
		postmaster := s.postmaster()

		s.kill()

		_ = syscall.Kill(postmaster, syscall.SIGKILL) // It may have gone with the service.

		s.start()

		if again := s.post(202, "a=b", key); again.object()["submission_id"] != first.object()["submission_id"] {
			t.Fatalf("the retry got %s after %s", again.body, first.body)
		}
	}

	if data, _ := s.must("submission", "list", "--tenant", tenant, "--json")["data"].([]any); len(data) != 3 {
		t.Errorf("%d submissions are stored, want 3", len(data))
	}
}

func TestAChangedEndpointCountsWithinASecond(t *testing.T) {
	t.Parallel()

	s := install(t, nil)
	s.start()
	tenant := s.furnish()
	s.post(202, "a=b", "before-it-was-closed")
	s.must("endpoint", "update", "contact-form", "--tenant", tenant, "--closed")

	changed := time.Now()

	s.eventually("closed", func() bool {
		got, err := s.send(http.MethodPost, "/f/contact-form", "a=b", contentType, formType)
		return err == nil && got.code() == "endpoint_closed"
	})

	if took := time.Since(changed); took > 3*time.Second {
		t.Errorf("the change counted after %v", took)
	}
}

func TestTheRolesCanBeSplitOverProcesses(t *testing.T) {
	t.Parallel()

	database := pgtest.URL(t)
	visitors, jobs := install(t, external(database)), install(t, external(database))

	visitors.start("--role", "web")
	visitors.furnish()
	execute(t, database, "INSERT INTO tombstones SELECT id, 'contact-form', 'key', now() FROM tenants")

	visitors.post(202, "a=b", "taken-by-the-first")
	jobs.start("--role", "worker")

	visitors.eventually("what expired is swept", func() bool {
		return count(t, database, "SELECT count(*) FROM tombstones") == 0
	})

	if address, _ := jobs.base.Load().(string); address != "http://" {
		t.Errorf("a process without the role web serves at %s", address)
	}

	if status := jobs.terminate(); status != 0 {
		t.Errorf("it ended with status %d", status)
	}
}

func count(t *testing.T, databaseURL, query string) (n int) {
	t.Helper()

	conn, err := pgx.Connect(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}

	defer func() { _ = conn.Close(context.Background()) }()

	if err := conn.QueryRow(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}

	return n
}

func execute(t *testing.T, databaseURL, statement string, args ...any) {
	t.Helper()

	conn, err := pgx.Connect(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}

	defer func() { _ = conn.Close(context.Background()) }()

	if _, err := conn.Exec(t.Context(), statement, args...); err != nil {
		t.Fatal(err)
	}
}
