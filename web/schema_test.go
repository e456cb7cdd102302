package web_test

import (
	"slices"
	"strings"
	"testing"

	"formonce/forms"
)

// schema publishes a schema of an endpoint.
func (s *site) schema(endpointID string, schema *forms.Schema) {
	s.Helper()

	schemas := forms.NewSchemas(s.db)

	_, err := schemas.Save(s.Context(), s.tenant.ID, endpointID, 0, schema)
	if err == nil {
		_, err = schemas.Publish(s.Context(), s.tenant.ID, endpointID, 0)
	}

	if err != nil {
		s.Fatal(err)
	}
}

// TestARefusedSubmissionIsExplainedToWhoeverSentIt shows the one refusal as a script, as a client of Formspree and as a person
// reads it. None of them shows a submitted value, nor does the log.
func TestARefusedSubmissionIsExplainedToWhoeverSentIt(t *testing.T) {
	t.Parallel()

	s := open(t, settings{})
	s.endpoint("contact", nil)
	s.schema("contact", &forms.Schema{Unknown: forms.UnknownRefuse, Fields: []forms.SchemaField{
		{Key: "mail", Type: forms.TypeEmail, Label: "Your <address>"},
		{Key: "name", Type: forms.TypeText, Label: "Your name", Required: true},
		{Key: "seats", Type: forms.TypeNumber, Max: "3"},
	}})

	const body = "mail=s3cret-value&seats=912345&unheard-of=1"

	refused := s.send(ask{body: body, headers: map[string]string{"Accept": "application/json", "Accept-Language": "de"}})
	refused.want(t, 422, "validation_failed")

	for _, part := range []string{
		`"issues":[{"field":"mail","rule":"type","message":"`, `{"field":"name","rule":"required"`, `{"field":"seats","rule":"max"`,
		`"code":"TYPE_EMAIL","field":"mail"`, `"code":"REQUIRED_FIELD_MISSING","field":"name"`, `"code":"MAX","field":"seats"`, "Bitte",
	} {
		if !strings.Contains(refused.body, part) {
			t.Errorf("%q is missing in %s", part, refused.body)
		}
	}

	page := s.send(ask{body: body, headers: map[string]string{"Accept": "text/html"}})
	shown := page.body

	if page.status != 422 || !strings.Contains(shown, "<li>Please fill in Your name.</li>") ||
		!strings.Contains(shown, "Your &lt;address&gt;") || strings.Contains(shown, "<strong>name") {
		t.Errorf("%d: %s", page.status, shown)
	}

	if !strings.Contains(refused.body, `{"field":"unheard-of","rule":"unknown"`) || strings.Contains(s.logged.String(), "unheard-of") {
		t.Errorf("an unknown field is named to whoever sent it and to nobody else: %s, %s", refused.body, s.logged.String())
	}

	for _, said := range []string{refused.body, shown, s.logged.String()} {
		if slices.ContainsFunc([]string{"s3cret", "912345"}, func(value string) bool { return strings.Contains(said, value) }) {
			t.Errorf("a submitted value is shown: %s", said)
		}
	}

	s.send(ask{body: "name=Ada&mail=ada@example.com"}).want(t, 202, "")
}
