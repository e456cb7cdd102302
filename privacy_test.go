package main_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"formonce/internal/pgtest"
	"formonce/internal/postgres"
)

// garden plants values that nobody else would write and remembers where each was planted.
type garden struct {
	*service

	kinds map[string]string // what was planted, by its mark
	// answers is all that came back, but for what an answer may repeat of its own request.
	answers printed
	heard   printed // by the Sentry-shaped sink
}

// plant returns a fresh mark. Letters and digits alone pass through every encoding of a body unchanged.
func (g *garden) plant(kind string) string {
	mark := strings.ToLower("pl" + rand.Text())
	g.kinds[mark] = kind

	return mark
}

// plantAddress returns an address that nobody has.
func (g *garden) plantAddress() string {
	var drawn [8]byte

	_, _ = rand.Read(drawn[:])

	address := netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, drawn[0] | 0x10, drawn[1] | 1, drawn[2] | 0x10, drawn[3] | 1, 15: 1}).String()
	g.kinds[strings.TrimSuffix(address, "::1")] = "client address"

	return address
}

// sentrySink takes reports as Sentry would.
func (g *garden) sentrySink(t *testing.T) (dsn string) {
	t.Helper()

	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintln(&g.heard, r.Method, r.URL, r.Header)
		_, _ = io.Copy(&g.heard, r.Body)
		_, _ = io.WriteString(w, "{}")
	}))
	t.Cleanup(server.Close)

	return strings.Replace(server.URL, "://", "://key@", 1) + "/1"
}

func newGarden(t *testing.T, settings map[string]string) *garden {
	t.Helper()

	g := &garden{kinds: map[string]string{}}
	settings["LOG_LEVEL"], settings["TRUSTED_PROXY_HOPS"] = "debug", "1"
	settings["SENTRY_DSN"] = g.sentrySink(t)
	g.service = install(t, settings)
	g.start()
	tenant := g.furnish()

	for id, flags := range map[string][]string{
		"wary-form":    {"--refuse-spam", "--keep-client-hash"},
		"strict-form":  {"--require-key", "--key-format", "uuid"},
		"guarded-form": {"--allowed-origin", "https://www.example.com"},
		"closed-form":  {"--closed"},
	} {
		g.must(append([]string{"endpoint", "create", "--tenant", tenant, "--id", id}, flags...)...)
	}

	return g
}

// visit sends a request that is planted all over, beside the body and key that the caller has planted, and keeps the
// answer without what it may repeat: the names of the request's own fields, and in a conflict its key.
func (g *garden) visit(endpoint, kind, body, key string, repeats ...string) reply {
	g.Helper()

	path := "/f/" + endpoint + "?" + g.plant("name in a query") + "=" + g.plant("value in a query")
	headers := []string{
		contentType, kind, "X-Forwarded-For", g.plantAddress(), "User-Agent", g.plant("user agent"),
		"Cookie", "session=" + g.plant("cookie"), "X-" + g.plant("name of a header"), g.plant("header"),
		"Authorization", "Bearer " + g.plant("credential"), "X-Request-Id", g.plant("request id"),
		"Origin", "https://" + g.plant("origin") + ".example", "Traceparent", g.plant("trace"),
	}

	if key != "" {
		headers = append(headers, keyHeader, key)
	}

	got, err := g.send(http.MethodPost, path, body, headers...)
	if err != nil {
		g.Fatal(err)
	}

	text := fmt.Sprint(got.status, got.header, got.body)
	for _, own := range repeats {
		text = strings.ReplaceAll(text, own, "")
	}

	_, _ = fmt.Fprintln(&g.answers, text)

	return got
}

func (g *garden) form() string {
	return fmt.Sprintf("%s=%s&email=%s@example.com&_next=https://%s.example/&_error=https://%s.example/&_subject=%s&_replyto=%s&_%s=x&altcha=%s",
		g.plant("field name"), g.plant("value"), g.plant("e-mail"), g.plant("redirect target"), g.plant("error target"),
		g.plant("subject"), g.plant("reply-to"), g.plant("control name"), g.plant("captcha token"))
}

// expect visits and holds the answer to a status.
func (g *garden) expect(status int, endpoint, kind, body, key string, repeats ...string) {
	g.Helper()

	if got := g.visit(endpoint, kind, body, key, repeats...); got.status != status {
		g.Errorf("got %d %s, want %d", got.status, got.code(), status)
	}
}

// visitEveryDoor sends what is accepted and every kind of what is refused.
func (g *garden) visitEveryDoor() {
	g.Helper()

	key, body := g.plant("key"), g.form()
	g.expect(202, "contact-form", formType, body, key)
	g.expect(202, "contact-form", formType, body, key)
	g.expect(409, "contact-form", formType, body+"&more="+g.plant("value in a conflict"), key, key)
	g.expect(202, "contact-form", formType, body+"&_idempotency="+g.plant("key in a field"), "")
	g.expect(202, "contact-form", jsonType, fmt.Sprintf(`{"%s":{"%s":["%s"]},"n":1}`,
		g.plant("member"), g.plant("inner member"), g.plant("inner value")), g.plant("key"))
	g.expect(202, "contact-form", "text/plain", g.plant("line name")+"="+g.plant("line"), "")
	g.expect(202, "wary-form", formType, g.form(), g.plant("key"))
	g.expect(403, "wary-form", formType, g.form()+"&_gotcha="+g.plant("honeypot"), g.plant("key of spam"))
	g.expect(202, "contact-form", formType, g.form()+"&_honey="+g.plant("honeypot"), g.plant("key of spam"))
	g.expect(400, "strict-form", formType, g.form(), g.plant("key that is no UUID"))
	g.expect(400, "strict-form", formType, g.form(), "")
	g.expect(403, "guarded-form", formType, g.form(), g.plant("key"))
	g.expect(410, "closed-form", formType, g.form(), g.plant("key"))
	g.expect(404, g.plant("endpoint"), formType, g.form(), g.plant("key"))
	g.expect(404, "A/"+g.plant("path"), formType, g.form(), g.plant("key"))
	g.expect(400, "contact-form", formType, g.form(), "short "+g.plant("bad key"))
	g.expect(400, "contact-form", formType, g.form()+"&_idempotency="+g.plant("another key"), g.plant("key"))

	g.sendMalformed()
	g.sendTooMuch()
	g.sendRaw()
}

func (g *garden) sendMalformed() {
	g.Helper()

	name := g.plant("field name")
	g.expect(422, "contact-form", formType, name+"=%00"+g.plant("value beside NUL"), g.plant("key"), name)
	g.expect(422, "contact-form", formType, name+"%ff=1&_error=https://"+g.plant("error target")+".example/", "", name)
	g.expect(400, "contact-form", formType, g.plant("name")+"=%zz"+g.plant("malformed"), "")
	g.expect(400, "contact-form", jsonType, `{"a":"`+g.plant("cut off"), "")
	g.expect(400, "contact-form", jsonType, `{"a":`+g.plant("no literal")+`}`, "")
	g.expect(400, "contact-form", jsonType, `["`+g.plant("no object")+`"]`, "")
	g.expect(400, "contact-form", "multipart/form-data; boundary="+g.plant("boundary"), g.plant("no part"), "")
	g.expect(422, "contact-form", "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\""+
		g.plant("file name")+"\"\r\nX-A: "+g.plant("header of a part")+"\r\n\r\n"+g.plant("file")+"\r\n--x--", "")
	g.expect(400, "contact-form", "text/plain", g.plant("no line"), "")
	g.expect(415, "contact-form", "application/"+g.plant("type"), g.plant("value"), "")
	g.expect(415, "contact-form", formType+"; charset="+g.plant("charset"), g.plant("value"), "")
}

func (g *garden) sendTooMuch() {
	g.Helper()

	g.expect(413, "contact-form", formType, g.plant("too much")+"="+strings.Repeat(g.plant("too much"), 20_000), g.plant("key"))
	g.expect(422, "contact-form", formType, "a="+strings.Repeat(g.plant("long value"), 1_000), "")
	g.expect(422, "contact-form", formType, strings.Repeat("a="+g.plant("many")+"&", 101), "")

	long := g.plant("long name")
	g.expect(422, "contact-form", formType, strings.Repeat(long, 10)+"=a", "", long)
}

// sendRaw says what no library would, over a connection of its own.
func (g *garden) sendRaw() {
	g.Helper()

	for _, raw := range []string{
		g.plant("garbage") + "\r\n\r\n",
		"POST /f/%zz" + g.plant("target") + " HTTP/1.1\r\nHost: x\r\n\r\n",
		"POST /f/contact-form HTTP/1.1\r\nHost: " + g.plant("host") + "\r\nContent-Length: 99\r\n\r\n" + g.plant("body cut off"),
		"POST /f/contact-form HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: " + g.plant("coding") + "\r\n\r\n",
		g.plant("method") + " /f/contact-form HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
	} {
		base, _ := g.base.Load().(string)

		conn, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
		if err != nil {
			g.Fatal(err)
		}

		_, _ = io.WriteString(conn, raw)
		_ = conn.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(&g.answers, conn)
		_ = conn.Close()
	}
}

// wantNothingFound looks for the marks in everything that the run has printed.
func (g *garden) wantNothingFound() {
	g.Helper()

	got := g.want(200, "GET", "/metrics", "")

	if status := g.terminate(); status != 0 {
		g.Errorf("the service ended with status %d", status)
	}

	everything := map[string]string{
		"the answers": g.answers.String(), "what Sentry heard": g.heard.String(), "the metrics": got.body,
		"the output": g.out.String(), "the log": g.err.String(), "PostgreSQL's log": g.postgresLog(),
	}

	for where, text := range everything {
		text = strings.ToLower(text)

		for mark, kind := range g.kinds {
			if at := strings.Index(text, mark); at >= 0 {
				g.Errorf("%s holds a planted %s: …%s…", where, kind, text[max(at-200, 0):min(at+100, len(text))])
			}
		}
	}

	g.Logf("%d marks, %d bytes of log, %d bytes heard by Sentry", len(g.kinds), len(everything["the log"]), len(everything["what Sentry heard"]))
}

// postgresLog is every log in the data folder.
func (g *garden) postgresLog() string {
	g.Helper()

	var all strings.Builder

	err := filepath.WalkDir(filepath.Join(g.folder, "data"), func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // The service has no data of its own, or PostgreSQL has just removed a file.
		}

		if err != nil || !strings.Contains(entry.Name(), ".log") {
			return err
		}

		content, err := os.ReadFile(path)
		all.Write(content)

		return err
	})
	if err != nil {
		g.Fatal(err)
	}

	return all.String()
}

func TestNothingThatAVisitorSendsIsPrintedAnywhere(t *testing.T) {
	t.Parallel()

	g := newGarden(t, map[string]string{})
	g.visitEveryDoor()
	g.breakTheDatabase()

	if !strings.Contains(g.postgresLog(), "database system is ready") {
		t.Error("PostgreSQL's log was not found")
	}

	if !strings.Contains(g.heard.String(), "23514") {
		t.Error("Sentry did not hear of the database's fault")
	}

	g.wantNothingFound()
}

// tellTale has the database refuse every row with a sentence that quotes it.
const tellTale = `
CREATE FUNCTION tell_tale() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'refused: %', NEW.fields USING DETAIL = NEW.fields, HINT = NEW.fields, ERRCODE = '23514'; END $$;
CREATE TRIGGER tell_tale BEFORE INSERT ON submissions FOR EACH ROW EXECUTE FUNCTION tell_tale()`

// breakTheDatabase has it refuse a row in its own words, lets it miss a table, and kills it.
func (g *garden) breakTheDatabase() {
	g.Helper()

	database, err := postgres.JoinOrStart(g.Context(), postgres.EmbeddedOptions{DataDir: g.folder + "/data", BinDir: os.Getenv("PG_BIN_DIR")})
	if err != nil {
		g.Fatal(err)
	}

	defer func() { _ = database.Stop(context.Background()) }()

	execute(g.T, database.URL(), tellTale)
	g.expect(500, "contact-form", formType, g.form(), g.plant("key"))
	execute(g.T, database.URL(), "DROP TRIGGER tell_tale ON submissions")

	execute(g.T, database.URL(), "ALTER TABLE submissions RENAME TO elsewhere")
	g.expect(500, "contact-form", jsonType, `{"a":"`+g.plant("value")+`"}`, g.plant("key"))
	execute(g.T, database.URL(), "ALTER TABLE elsewhere RENAME TO submissions")

	if err := syscall.Kill(g.postmaster(), syscall.SIGKILL); err != nil {
		g.Fatal(err)
	}

	for range 20 {
		g.visit("contact-form", formType, g.form(), g.plant("key"))
	}
}

func TestNothingIsPrintedWhileTheDatabaseIsDown(t *testing.T) {
	t.Parallel()

	database := pgtest.Server(t, false)
	g := newGarden(t, external(database.URL()))
	g.expect(202, "contact-form", formType, g.form(), g.plant("key"))

	if err := database.Stop(postgres.Immediate); err != nil {
		t.Fatal(err)
	}

	for range 3 {
		g.expect(503, "contact-form", formType, g.form(), g.plant("key"))
		g.expect(503, g.plant("endpoint"), jsonType, `{"a":"`+g.plant("value")+`"}`, g.plant("key"))
	}

	g.want(503, "GET", "/readyz", "")
	g.wantNothingFound()
}
