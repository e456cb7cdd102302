package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"formonce/api"
	"formonce/internal/id"
	"formonce/internal/pgtest"
	"formonce/internal/postgres"
	"formonce/tenants"
)

// world is an office in which Acme has one of everything, each with a mark that nobody else's things carry.
type world struct {
	*office

	// ids are Acme's things, by the name that the parameters of paths have for them.
	ids map[string]string
	// url is of the database.
	url string
	// statements are those that were sent to the database under the management role.
	statements *statements
}

// mark stands in every text that Acme chose.
const mark = "acm3-mark"

func openWorld(t *testing.T) *world {
	t.Helper()

	w := &world{url: pgtest.URL(t), ids: map[string]string{}, statements: &statements{}}
	w.office = openOver(t, w.connect(t))
	w.furnish()

	return w
}

func (w *world) connect(t *testing.T) *postgres.DB {
	t.Helper()

	db, err := postgres.Open(t.Context(), postgres.Options{URL: w.url, Tracer: w.statements})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(db.Close)

	return db
}

// close ends the service of this world, so that the world can be had again.
func (w *world) close() {
	w.server.Close()
	w.db.Close()
}

// again is a copy of a world that was closed, for one test.
func (w *world) again(t *testing.T) *world {
	t.Helper()

	copied := &world{url: pgtest.Clone(t, w.url), ids: w.ids, statements: &statements{}}
	copied.office = serveOver(t, copied.connect(t), w.acme)

	return copied
}

// furnish makes what the parameters of the table name. A new parameter needs a line here, or the tests that walk the table
// say so.
func (w *world) furnish() {
	w.Helper()

	var endpoint struct{ ID string }
	w.send("POST", "/endpoints", map[string]any{"id": mark + "-form", "name": mark}).want(http.StatusCreated, &endpoint)
	w.ids["endpoint"] = endpoint.ID
	w.furnishSubmission()
	w.furnishSchema(endpoint.ID)

	w.ids["tenant_id"] = tenants.PublicID(w.acme.Tenant.ID)
	owner := w.arrive(w.acme.LoginID, w.acme.Tenant.ID)
	w.ids["session"] = tenants.PublicSessionID(owner.SessionID)

	var key struct{ ID string }
	w.send("POST", "/api-keys", map[string]any{"name": mark, "scopes": tenants.Scopes},
		"Authorization", "Bearer "+owner.Access.Text).want(http.StatusCreated, &key)
	w.ids["key"] = key.ID
	w.furnishPeople(owner)

	passkeyID := id.New()
	w.exec(`INSERT INTO passkeys (id, login_id, credential_id, public_key, aaguid, sign_count, backup_eligible, backup_state, name)
		VALUES ($1, $2, '\x01', '\x02', '\x03', 0, true, false, $3)`, passkeyID, w.acme.LoginID, mark)
	w.ids["passkey"] = tenants.PublicPasskeyID(passkeyID)
}

// furnishPeople makes somebody beside the owner, and somebody who is invited.
func (w *world) furnishPeople(owner tenants.Grant) {
	w.Helper()

	_, memberID := w.member(w.acme, tenants.Viewer)
	w.ids["member"] = tenants.PublicMemberID(memberID)

	var invited struct{ ID string }
	w.send("POST", "/invitations", map[string]any{"email": mark + "@example.net", "role": "viewer"},
		"Authorization", "Bearer "+owner.Access.Text).want(http.StatusCreated, &invited)
	w.ids["invitation"] = invited.ID
}

// path fills in the parameters of a row's path.
func (w *world) path(row api.Row) string {
	w.Helper()

	return parameter.ReplaceAllStringFunc(row.Path, func(name string) string {
		thing, known := w.ids[strings.TrimPrefix(name, ":")]
		if !known {
			w.Errorf("%s %s: the world has no %s: furnish it", row.Method, row.Path, name)
		}

		return thing
	})
}

var anID = regexp.MustCompile(`"([a-z]{3})_[0-9a-f]{32}"`)

// body is the example of the contract for the row, about Acme's things.
func (w *world) body(row api.Row) any {
	w.Helper()

	content := operations(w.T)[strings.ToLower(row.Method)+" "+parameter.ReplaceAllString(row.Path, "{$1}")].example()
	if content == nil {
		return nil
	}

	text, err := json.Marshal(content)
	if err != nil {
		w.Fatal(err)
	}

	return anID.ReplaceAllStringFunc(string(text), func(named string) string {
		for _, known := range w.ids {
			if strings.HasPrefix(known, named[1:5]) {
				return `"` + known + `"`
			}
		}

		return named
	})
}

func (o operation) example() any {
	content, _ := o.RequestBody["content"].(map[string]any)
	media, _ := content["application/json"].(map[string]any)

	return media["example"]
}

// statement is one that was sent, with its arguments.
type statement struct {
	sql  string
	args []any
}

// statements remembers what is sent within a scope.
type statements struct {
	sync.Mutex

	scoped map[*pgx.Conn]bool
	sent   []statement
}

// TraceQueryStart is called by pgx before each statement.
func (s *statements) TraceQueryStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	s.Lock()
	defer s.Unlock()

	if s.scoped == nil {
		s.scoped = map[*pgx.Conn]bool{}
	}

	switch sql := strings.ToLower(strings.TrimSpace(data.SQL)); {
	case strings.Contains(sql, "set local role"):
		s.scoped[conn] = true
	case sql == "commit" || sql == "rollback":
		s.scoped[conn] = false
	case s.scoped[conn]:
		s.sent = append(s.sent, statement{data.SQL, data.Args})
	}

	return ctx
}

// TraceQueryEnd is called by pgx after each statement.
func (*statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// take returns what was remembered, each text once, and forgets it.
func (s *statements) take() []statement {
	s.Lock()
	defer s.Unlock()

	var different []statement

	seen := map[string]bool{}

	for _, sent := range s.sent {
		if !seen[sent.sql] {
			seen[sent.sql] = true
			different = append(different, sent)
		}
	}

	s.sent = nil

	return different
}
