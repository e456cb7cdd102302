package forms_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"formonce/forms"
	"formonce/internal/fault"
)

func TestEveryWrongSettingIsNamedAtOnce(t *testing.T) {
	h := newHouse(t)
	wrong := forms.Endpoint{
		ID: "-no-", Name: " ", AllowedOrigins: []string{"example.com"}, RedirectURL: "javascript:alert(1)",
		Honeypot:    strings.Repeat("x", 200),
		Idempotency: forms.Idempotency{Format: "hex", Order: "random", ReplayStatus: 418, TombstoneDays: -1},
	}

	_, err := h.directory.Create(t.Context(), h.tenant.ID, wrong)
	wantCode(t, err, "invalid_endpoint")

	named := map[string]bool{}
	for _, issue := range fault.As(err).Issues {
		named[issue.Field] = true
	}

	for _, field := range []string{
		"id", "name", "allowed_origins", "redirect_url", "spam.honeypot", "idempotency.format", "idempotency.order",
		"idempotency.replay_status", "idempotency.tombstone_days",
	} {
		if !named[field] {
			t.Errorf("%s is not named", field)
		}
	}
}

func TestARedirectURLIsStoredAsItGoesIntoTheHeader(t *testing.T) {
	h := newHouse(t)

	for given, want := range map[string]string{
		"":                               "",
		"https://example.com/thanks?a=1": "https://example.com/thanks?a=1",
		"https://EXAMPLE.com:443/x":      "https://example.com/x",
		"https://example.com/a b":        "https://example.com/a%20b",
		"https://bücher.example/danke":   "https://xn--bcher-kva.example/danke",
	} {
		made := h.endpoint("", func(e *forms.Endpoint) { e.RedirectURL = given })
		if made.RedirectURL != want {
			t.Errorf("%s is stored as %s", given, made.RedirectURL)
		}
	}

	for _, given := range []string{
		"/thanks", "//example.com", "ftp://example.com/", "https://user@example.com/", "https://*.example.com/",
		`https://example.com\@evil.example/`, "https:///x",
	} {
		refused := forms.NewEndpoint("Contact")
		refused.RedirectURL = given
		_, err := h.directory.Create(t.Context(), h.tenant.ID, refused)
		wantCode(t, err, "invalid_endpoint")
	}
}

func TestATakenEndpointIDIsRefused(t *testing.T) {
	h := newHouse(t)
	h.endpoint("contact-form", nil)

	again := forms.NewEndpoint("Another")
	again.ID = "contact-form"

	_, err := h.directory.Create(t.Context(), h.tenant.ID, again)
	wantCode(t, err, "endpoint_id_taken")
}

func TestNoUpdateOfAnEndpointIsLost(t *testing.T) {
	h := newHouse(t)
	h.endpoint("contact-form", nil)

	var failed atomic.Int32

	together(20, func(int) {
		_, err := h.directory.Update(h.Context(), h.tenant.ID, "contact-form", 0, func(e *forms.Endpoint) {
			e.Idempotency.TombstoneDays++
			e.ID, e.TenantID = "another", [16]byte{}
		})
		if err != nil {
			failed.Add(1)
		}
	})

	got, err := h.directory.Get(t.Context(), h.tenant.ID, "contact-form")
	if err != nil || failed.Load() != 0 || got.Idempotency.TombstoneDays != 27 {
		t.Fatalf("after 20 updates at once: %+v, %v, %d failed", got.Idempotency, err, failed.Load())
	}
}

func TestAListIsPagedToItsEndWithoutARepeat(t *testing.T) {
	h := newHouse(t)
	endpoint, other := h.endpoint("one-form", nil), h.endpoint("other-form", nil)

	for i := range 7 {
		h.mustReceive(endpoint, post{body: "a=1" + strings.Repeat("&_gotcha=x", i%2)})
		h.mustReceive(other, post{body: "a=1"})
	}

	for _, row := range []struct {
		filter forms.Filter
		want   int
	}{
		{forms.Filter{Limit: 3}, 14},
		{forms.Filter{Limit: 3, EndpointID: "one-form"}, 7},
		{forms.Filter{Limit: 2, Status: forms.StatusSpam}, 3},
		{forms.Filter{Limit: 1, EndpointID: "other-form", Status: forms.StatusSpam}, 0},
	} {
		seen, last := map[string]bool{}, ""

		for {
			page, err := h.inbox.List(t.Context(), h.tenant.ID, row.filter)
			if err != nil {
				t.Fatal(err)
			}

			for _, submission := range page.Submissions {
				current := submission.ID.String()
				if seen[current] || (last != "" && current >= last) {
					t.Fatalf("%+v: %s comes twice or out of order", row.filter, current)
				}

				seen[current], last = true, current
			}

			if row.filter.Cursor = page.NextCursor; page.NextCursor == "" {
				break
			}
		}

		if len(seen) != row.want {
			t.Errorf("%+v lists %d, want %d", row.filter, len(seen), row.want)
		}
	}

	_, err := h.inbox.List(t.Context(), h.tenant.ID, forms.Filter{Cursor: "x"})
	wantCode(t, err, "invalid_cursor")
	_, err = h.inbox.List(t.Context(), h.tenant.ID, forms.Filter{Limit: 101})
	wantCode(t, err, "invalid_limit")
}
