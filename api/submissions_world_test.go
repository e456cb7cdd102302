package api_test

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

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

// TraceBatchStart is called by pgx before a batch.
func (*statements) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

// TraceBatchQuery is called by pgx for each statement of a batch, which counts like one that is sent alone.
func (s *statements) TraceBatchQuery(ctx context.Context, conn *pgx.Conn, data pgx.TraceBatchQueryData) {
	s.TraceQueryStart(ctx, conn, pgx.TraceQueryStartData{SQL: data.SQL, Args: data.Args})
}

// TraceBatchEnd is called by pgx after a batch.
func (*statements) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}
