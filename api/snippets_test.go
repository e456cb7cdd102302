package api_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"formonce/api"
	"formonce/forms"
	"formonce/internal/edge"
	"formonce/tenants"
	"formonce/web"
)

// street is an office that takes submissions as well, at the address that its snippets name.
type street struct{ *office }

func openStreet(t *testing.T) *street {
	t.Helper()

	o := open(t)
	o.server.Close()

	log := slog.New(slog.DiscardHandler)
	engine := edge.New(edge.Options{Log: log})
	o.server = httptest.NewServer(engine)
	t.Cleanup(o.server.Close)

	public, err := url.Parse(o.server.URL)
	if err != nil {
		t.Fatal(err)
	}

	limits, err := edge.NewLimits(edge.LimitsOptions{Log: log, Memory: 1000})
	if err != nil {
		t.Fatal(err)
	}

	web.New(web.Options{
		Lookup: forms.NewLookup(o.db, tenants.NewRegistry(o.db)),
		Intake: forms.NewIntake(o.db, nothingOwed{}, forms.DefaultLimits(), secret), Limits: limits,
		MaxBody: 1 << 18, PublicURL: public,
	}).Routes(engine)
	api.New(api.Options{
		Entrance: o.entrance, Directory: forms.NewDirectory(o.db), Schemas: forms.NewSchemas(o.db), Limits: limits, PublicURL: public,
	}).Routes(engine)

	return &street{o}
}

// snippets are those of an endpoint, by their kind.
func (s *street) snippets(endpointID string) map[string]string {
	s.Helper()

	var listed struct {
		Data []struct{ Kind, Title, Language, Code string }
	}
	s.send("GET", "/endpoints/"+endpointID+"/snippets", nil).want(http.StatusOK, &listed)

	found := map[string]string{}
	for _, snippet := range listed.Data {
		found[snippet.Kind] = snippet.Code
	}

	return found
}

// received are the submissions of an endpoint, the newest first, each as name=value lines.
func (s *street) received(endpointID string) []string {
	s.Helper()

	page, err := forms.NewInbox(s.db).List(s.Context(), s.acme.Tenant.ID, forms.Filter{EndpointID: endpointID})
	if err != nil {
		s.Fatal(err)
	}

	var all []string

	for _, submission := range page.Submissions {
		lines := []string{string(submission.Status)}
		for _, field := range submission.Fields {
			lines = append(lines, field.Name+"="+field.Value.String())
		}

		all = append(all, strings.Join(lines, "\n"))
	}

	return all
}

// run gives a program its text and returns what it prints.
func (s *street) run(text, program string, args ...string) string {
	s.Helper()

	command := exec.CommandContext(s.Context(), program, args...)
	command.Stdin = strings.NewReader(text)
	command.Dir = s.TempDir()

	var failed bytes.Buffer

	command.Stderr = &failed

	printed, err := command.Output()
	if err != nil {
		s.Fatalf("%s: %v\n%s\n%s", program, err, failed.Bytes(), text)
	}

	if left, _ := filepath.Glob(command.Dir + "/*"); len(left) > 0 {
		s.Errorf("%s made %v", program, left)
	}

	return string(printed)
}

// hostile is a text that ends strings, elements and commands in the languages of the snippets.
const hostile = "it's \"$(touch x)\" `touch y` ${z} </script> \\ {{.}} &amp; {x}\n"

func (s *street) publish(endpointID string) {
	s.Helper()

	schemas := forms.NewSchemas(s.db)

	_, err := schemas.Save(s.Context(), s.acme.Tenant.ID, endpointID, 0, &forms.Schema{Fields: []forms.SchemaField{
		{Key: "name", Type: forms.TypeText, Label: hostile, Required: true, MinLength: 20},
		{Key: "email", Type: forms.TypeEmail, Label: "E-mail", Required: true},
		{Key: "plan", Type: forms.TypeSelect, Label: "Plan", Required: true, Options: []forms.Option{{Value: strings.TrimSpace(hostile)}}},
		{Key: "topics", Type: forms.TypeMultiselect, Label: "Topics", Options: []forms.Option{{Value: "a", Label: "A"}, {Value: "b"}}},
		{Key: "day", Type: forms.TypeDate, Label: "Day"},
		{Key: "score", Type: forms.TypeRating, Label: "Score"},
		{Key: "terms", Type: forms.TypeConsent, Label: "Terms", Required: true, ConsentText: "I agree to " + hostile, ConsentVersion: "1"},
	}})
	if err == nil {
		_, err = schemas.Publish(s.Context(), s.acme.Tenant.ID, endpointID, 0)
	}

	if err != nil {
		s.Fatal(err)
	}
}

func TestTheSnippetsOfAnEndpointSubmitToIt(t *testing.T) {
	t.Parallel()

	for name, published := range map[string]bool{"without a schema": false, "with a published schema": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := openStreet(t)
			s.send("POST", "/endpoints", map[string]any{
				"id": "contact-form", "name": "Contact", "idempotency": map[string]any{"format": "uuid", "required": true},
			}).want(http.StatusCreated, nil)

			want := "accepted\nname=Ada Lovelace\nemail=ada@example.com\nmessage=Hello, I have a question."

			if published {
				s.publish("contact-form")

				want = "plan=" + strings.TrimSpace(hostile)
			}

			code := s.snippets("contact-form")
			if len(code) != 5 || !strings.Contains(code["react"], "useRef") || !strings.Contains(code["python"], "uuid4") {
				t.Errorf("got %v", code)
			}

			if printed := s.run(code["fetch"], "node", "--input-type=module", "-"); !strings.HasPrefix(printed, "sub_") {
				t.Errorf("fetch got %s", printed)
			}

			if printed := s.run(code["curl"], "sh"); !strings.Contains(printed, `"ok":true`) {
				t.Errorf("curl got %s", printed)
			}

			received := s.received("contact-form")
			if len(received) != 2 {
				t.Fatalf("%d submissions arrived, want 2: %q", len(received), received)
			}

			for _, one := range received {
				if !strings.Contains(one, want) || !strings.HasPrefix(one, "accepted") {
					t.Errorf("got %q, want %q", one, want)
				}
			}
		})
	}
}

// inBrowser stands in for what the script of a form touches.
const inBrowser = `
const listeners = {}, added = [];
const form = { addEventListener: (name, does) => { listeners[name] = does; }, append: (field) => added.push(field) };
globalThis.document = { currentScript: { previousElementSibling: form }, createElement: () => ({}) };
%SCRIPT%
const first = added[0].value;
listeners.input();
console.log(JSON.stringify({ name: added[0].name, type: added[0].type, first, second: added[0].value }));
`

func TestTheFormOfASnippetHasOneKeyForOneIntent(t *testing.T) {
	t.Parallel()

	s := openStreet(t)
	s.send("POST", "/endpoints", map[string]any{
		"id": "contact-form", "name": "Contact", "idempotency": map[string]any{"format": "uuid"},
	}).want(http.StatusCreated, nil)
	s.publish("contact-form")

	action, fields, script := s.form(s.snippets("contact-form")["html"])

	var key struct {
		Name   string `json:"name"`
		Type   string `json:"type"`
		First  string `json:"first"`
		Second string `json:"second"`
	}
	if err := json.Unmarshal([]byte(s.run(strings.Replace(inBrowser, "%SCRIPT%", script, 1), "node", "-")), &key); err != nil {
		t.Fatal(err)
	}

	if key.Name != "_idempotency" || key.Type != "hidden" || key.First == key.Second {
		t.Errorf("got %+v", key)
	}

	values := map[string]string{
		"name": "Ada King, Countess of Lovelace", "email": "ada@example.com", "plan": strings.TrimSpace(hostile),
		"topics": "b", "day": "2026-08-24", "score": "5", "terms": "true", "_gotcha": "",
	}
	sent := url.Values{}

	for _, name := range fields {
		value, known := values[name]
		if !known {
			t.Errorf("the form has a field %q", name)
		}

		sent.Set(name, value)
	}

	if len(sent) != len(values) {
		t.Errorf("the form has the fields %q", fields)
	}

	for _, row := range []struct {
		key     string
		replays bool
	}{{key.First, false}, {key.First, true}, {key.Second, false}} {
		sent.Set(key.Name, row.key)

		response, err := http.PostForm(action, sent)
		if err != nil {
			t.Fatal(err)
		}

		response.Body.Close()

		if response.StatusCode != http.StatusAccepted || (response.Header.Get("Idempotent-Replayed") == "true") != row.replays {
			t.Errorf("got %d, %v", response.StatusCode, response.Header)
		}
	}

	// Without JavaScript there is no key, and an empty one would be refused.
	sent.Del(key.Name)

	if response, err := http.PostForm(action, sent); err != nil || response.StatusCode != http.StatusAccepted {
		t.Errorf("without JavaScript: %v, %v", response, err)
	}

	if n := len(s.received("contact-form")); n != 3 {
		t.Errorf("%d submissions arrived, want 3", n)
	}
}

// form reads the HTML as a browser does: where the form goes, the names of its fields, and the script.
func (s *street) form(text string) (action string, fields []string, script string) {
	s.Helper()

	document, err := html.Parse(strings.NewReader(text))
	if err != nil {
		s.Fatal(err)
	}

	seen := map[string]bool{}

	var scripts strings.Builder

	for node := range document.Descendants() {
		for _, attribute := range node.Attr {
			if attribute.Key == "action" {
				action = attribute.Val
			}

			if attribute.Key == "name" && !seen[attribute.Val] {
				seen[attribute.Val] = true
				fields = append(fields, attribute.Val)
			}
		}

		if node.Data == "script" && node.FirstChild != nil {
			scripts.WriteString(node.FirstChild.Data)
		}
	}

	return action, fields, scripts.String()
}
