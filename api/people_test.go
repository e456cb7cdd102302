package api_test

import (
	"net/http"
	"strings"
	"testing"

	"formonce/tenants"
)

// TestEveryChangeIsRememberedOnce makes one change after the other and finds exactly one entry for each: who, what, and from
// where.
func TestEveryChangeIsRememberedOnce(t *testing.T) {
	t.Parallel()

	w := openWorld(t)
	owner := w.arrive(w.acme.LoginID, w.acme.Tenant.ID).Access.Text

	for _, row := range []struct {
		method, path, action string
		body                 any
	}{
		{"POST", "/endpoints", "endpoint.created", map[string]any{"name": "Another"}},
		{"PATCH", "/endpoints/" + w.ids["endpoint"], "endpoint.updated", map[string]any{"name": "Other"}},
		{"PATCH", "/tenant", "tenant.updated", map[string]any{"time_zone": "Europe/Berlin"}},
		{"PATCH", "/account", "account.updated", map[string]any{"name": "Ada"}},
		{"POST", "/account/email", "email.change_requested", map[string]any{"email": "a@new.example", "password": password}},
		{"POST", "/invitations", "invitation.created", map[string]any{"email": "g@example.net", "role": "editor"}},
		{"POST", "/invitations/" + w.ids["invitation"] + "/resend", "invitation.resent", nil},
		{"DELETE", "/invitations/" + w.ids["invitation"], "invitation.revoked", nil},
		{"PATCH", "/members/" + w.ids["member"], "member.role_changed", map[string]any{"role": "editor"}},
		{"DELETE", "/members/" + w.ids["member"], "member.removed", nil},
		{
			"PUT", "/password", "password.changed",
			map[string]any{"current_password": password, "new_password": "another long sentence"},
		},
		{"DELETE", "/tenant", "tenant.closing", map[string]any{"confirm": "acme"}},
		{"POST", "/tenant/restore", "tenant.restored", nil},
	} {
		before := len(w.entries(owner, row.action))

		if got := w.send(row.method, row.path, row.body, "Authorization", "Bearer "+owner); got.status >= http.StatusBadRequest {
			t.Fatalf("%s %s: got %d: %s", row.method, row.path, got.status, got.body)
		}

		found := w.entries(owner, row.action)
		if len(found) != before+1 {
			t.Errorf("%s %s left %d entries, want 1", row.method, row.path, len(found)-before)
			continue
		}

		if last := found[0]; last.Actor.ID != tenants.PublicMemberID(w.acme.MemberID) || last.Actor.Name != "ada@acme.example" ||
			last.Target == "" || last.Address == "" || last.RequestID == "" {
			t.Errorf("%s: got the entry %+v", row.action, last)
		}
	}
}

type auditEntry struct {
	Actor     struct{ ID, Name string }
	Target    string
	Address   string
	RequestID string `json:"request_id"`
}

func (o *office) entries(token, action string) []auditEntry {
	o.Helper()

	var page struct{ Data []auditEntry }
	o.send("GET", "/audit-log?limit=100&action="+action, nil, "Authorization", "Bearer "+token).want(http.StatusOK, &page)

	return page.Data
}

func TestTheAuditLogIsReadPageByPageAndByWhoDidWhat(t *testing.T) {
	t.Parallel()

	w := openWorld(t)
	owner := "Bearer " + w.arrive(w.acme.LoginID, w.acme.Tenant.ID).Access.Text

	seen := map[string]bool{}

	for cursor := ""; ; {
		var page struct {
			Data       []struct{ ID string }
			NextCursor *string `json:"next_cursor"`
		}

		w.send("GET", "/audit-log?limit=2&cursor="+cursor, nil, "Authorization", owner).want(http.StatusOK, &page)

		for _, entry := range page.Data {
			if seen[entry.ID] {
				t.Errorf("%s is on two pages", entry.ID)
			}

			seen[entry.ID] = true
		}

		if page.NextCursor == nil {
			break
		}

		cursor = *page.NextCursor
	}

	var written int
	if err := w.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM audit_log WHERE tenant_id = $1", w.acme.Tenant.ID).
		Scan(&written); err != nil || written != len(seen) {
		t.Errorf("%d entries were shown of %d (%v)", len(seen), written, err)
	}

	for query, code := range map[string]string{
		"actor=nobody": "invalid_actor", "since=yesterday": "invalid_time", "cursor=x": "invalid_cursor", "who=x": "unknown_parameter",
	} {
		w.send("GET", "/audit-log?"+query, nil, "Authorization", owner).refused(http.StatusBadRequest, code)
	}
}

func TestATenantThatIsClosingIsOnlyLookedAtUntilItIsRestored(t *testing.T) {
	t.Parallel()

	o := open(t)
	owner := "Bearer " + o.arrive(o.acme.LoginID, o.acme.Tenant.ID).Access.Text

	o.send("DELETE", "/tenant", map[string]any{"confirm": "other"}, "Authorization", owner).
		refused(http.StatusUnprocessableEntity, "confirmation_needed")
	o.send("DELETE", "/tenant", map[string]any{"confirm": "acme"}, "Authorization", owner).want(http.StatusAccepted, nil)

	o.send("GET", "/endpoints", nil).want(http.StatusOK, nil)
	o.send("POST", "/endpoints", map[string]any{"name": "x"}).refused(http.StatusForbidden, "tenant_closing")

	o.send("POST", "/tenant/restore", nil, "Authorization", owner).want(http.StatusOK, nil)
	o.send("POST", "/endpoints", map[string]any{"name": "x"}).want(http.StatusCreated, nil)
}

func TestATenantIsChangedFromWhatItIs(t *testing.T) {
	t.Parallel()

	o := open(t)
	owner := "Bearer " + o.arrive(o.acme.LoginID, o.acme.Tenant.ID).Access.Text

	read := o.send("GET", "/tenant", nil, "Authorization", owner)
	read.want(http.StatusOK, nil)

	first := o.send("PATCH", "/tenant", map[string]any{"name": "A"}, "Authorization", owner, "If-Match", read.header.Get("ETag"))
	first.want(http.StatusOK, nil)
	o.send("PATCH", "/tenant", map[string]any{"name": "B"}, "Authorization", owner, "If-Match", read.header.Get("ETag")).
		refused(http.StatusPreconditionFailed, "precondition_failed")
	o.send("PATCH", "/tenant", map[string]any{"time_zone": "Mars/Olympus", "default_region": "ZZ"}, "Authorization", owner).
		refused(http.StatusUnprocessableEntity, "invalid_tenant")
	o.send("PATCH", "/tenant", map[string]any{"slug": "b"}, "Authorization", owner).refused(http.StatusBadRequest, "unknown_member")
}

// TestASignUpSendsALinkThatProvesTheAddress follows a stranger from the sign-up to the proven address.
func TestASignUpSendsALinkThatProvesTheAddress(t *testing.T) {
	t.Parallel()

	o := open(t)

	var signedUp struct {
		AccessToken string `json:"access_token"`
	}

	o.send("POST", "/signup", map[string]any{"tenant_name": "New", "email": "n@example.net", "password": password}).
		want(http.StatusCreated, &signedUp)

	mails, err := o.people.Mailbox.List(t.Context())
	if err != nil || len(mails) != 1 || mails[0].To != "n@example.net" {
		t.Fatalf("got %+v and %v", mails, err)
	}

	_, token, _ := strings.Cut(mails[0].Link, "token=")
	bearer := "Bearer " + signedUp.AccessToken

	o.send("POST", "/invitations", map[string]any{"email": "x@example.net", "role": "viewer"}, "Authorization", bearer).
		refused(http.StatusForbidden, "email_not_verified")
	o.send("POST", "/email/verify", map[string]any{"token": token}).want(http.StatusNoContent, nil)
	o.send("POST", "/email/verify", map[string]any{"token": token}).refused(http.StatusGone, tenants.ErrLinkEnded.Code)
	o.send("POST", "/invitations", map[string]any{"email": "x@example.net", "role": "viewer"}, "Authorization", bearer).
		want(http.StatusCreated, nil)
}

func TestTheLimitOfResetsHoldsForAnAddressWhoeverAsks(t *testing.T) {
	t.Parallel()

	o := open(t)

	for _, email := range []string{"ada@acme.example", "nobody@example.net"} {
		for range 5 {
			o.send("POST", "/password/forgotten", map[string]any{"email": email}).want(http.StatusAccepted, nil)
		}

		o.send("POST", "/password/forgotten", map[string]any{"email": email}).
			refused(http.StatusTooManyRequests, "rate_limit_exceeded")
	}
}
