package api_test

import (
	"net/http"
	"strings"
	"time"

	"formonce/forms"
	"formonce/internal/id"
)

// submitted puts one submission into the endpoint of Acme, which is there, and makes it findable.
func (o *office) submitted(endpointID string, status forms.Status, fields forms.Fields) string {
	o.Helper()

	made := forms.Submission{
		ID: id.New(), EndpointID: endpointID, ReceivedAt: time.Now().UTC().Truncate(time.Microsecond), Status: status,
		Rules: forms.Rules{Version: forms.RuleVersion, Family: forms.FamilyForm}, Fields: fields, ReplayCount: 1,
	}
	inbox := forms.NewInbox(o.db)

	if err := inbox.Import(o.Context(), o.acme.Tenant.ID, []forms.Submission{made}); err != nil {
		o.Fatal(err)
	}

	if err := inbox.Index(o.Context()); err != nil {
		o.Fatal(err)
	}

	return forms.PublicID(made.ID)
}

// furnishSubmission makes a submission with everything that can be said about one.
func (w *world) furnishSubmission() {
	w.Helper()

	w.ids["submission"] = w.submitted(w.ids["endpoint"], forms.StatusSpam, forms.Fields{
		{Name: "message", Value: forms.Text(mark + " invoice")},
	})

	w.send("PATCH", "/submissions/"+w.ids["submission"], map[string]any{
		"starred": true, "read": true, "tags": []string{strings.ToLower(mark)}, "status": "accepted",
	}).want(http.StatusOK, nil)
}
