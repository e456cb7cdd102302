package forms_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"formonce/forms"
	"formonce/tenants"
)

func (h *house) lookup() *forms.Lookup { return forms.NewLookup(h.db, tenants.NewRegistry(h.db)) }

func follow(t *testing.T, lookup *forms.Lookup) {
	t.Helper()

	if err := lookup.Follow(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// renameBehindItsBack changes the endpoint as no program of ours does: without telling anyone.
func (h *house) renameBehindItsBack(endpointID, name string) {
	h.Helper()

	if _, err := h.db.Pool.Exec(h.Context(), "UPDATE endpoints SET name = $2 WHERE id = $1", endpointID, name); err != nil {
		h.Fatal(err)
	}
}

func (h *house) foundName(lookup *forms.Lookup, endpointID string) string {
	h.Helper()

	endpoint, err := lookup.Find(h.Context(), endpointID)
	if err != nil {
		h.Fatal(err)
	}

	return endpoint.Name
}

func TestAKnownEndpointCostsNoQuery(t *testing.T) {
	h := newHouse(t)
	h.endpoint("contact-form", nil)

	lookup := h.lookup()
	follow(t, lookup)
	h.foundName(lookup, "contact-form")
	h.renameBehindItsBack("contact-form", "Unseen")

	if got := h.foundName(lookup, "contact-form"); got != "Contact" {
		t.Fatalf("the database was asked: %s", got)
	}
}

func TestAnUnknownIDCostsOneQueryUntilItExists(t *testing.T) {
	h := newHouse(t)
	lookup := h.lookup()
	follow(t, lookup)

	_, err := lookup.Find(t.Context(), "contact-form")
	wantCode(t, err, "endpoint_not_found")

	h.endpoint("contact-form", nil)

	_, err = lookup.Find(t.Context(), "contact-form")
	wantCode(t, err, "endpoint_not_found")

	follow(t, lookup)
	h.foundName(lookup, "contact-form")
}

func TestGuessedIDsPushNoRealEndpointOut(t *testing.T) {
	h := newHouse(t)
	h.endpoint("contact-form", nil)

	lookup := h.lookup()
	follow(t, lookup)
	h.foundName(lookup, "contact-form")
	h.renameBehindItsBack("contact-form", "Unseen")

	ctx, cancel := context.WithCancel(t.Context())
	followed := make(chan struct{})

	go func() {
		defer close(followed)

		for ctx.Err() == nil {
			_ = lookup.Follow(ctx)
			time.Sleep(forms.FollowEvery)
		}
	}()

	for i := range 11_000 {
		if _, err := lookup.Find(t.Context(), fmt.Sprintf("guess-%d", i)); err == nil {
			t.Fatal("a guess was found")
		}
	}

	cancel()
	<-followed

	if got := h.foundName(lookup, "contact-form"); got != "Contact" {
		t.Fatalf("the endpoint was pushed out: %s", got)
	}
}

func TestAChangeCountsOnEveryReplicaWithinASecond(t *testing.T) {
	h := newHouse(t)
	endpoint := h.endpoint("contact-form", nil)
	replicas := []*forms.Lookup{h.lookup(), h.lookup()}

	for _, replica := range replicas {
		follow(t, replica)
		h.foundName(replica, endpoint.ID)
	}

	_, err := h.directory.Update(t.Context(), h.tenant.ID, endpoint.ID, 0, func(e *forms.Endpoint) { e.Closed = true })
	if err != nil {
		t.Fatal(err)
	}

	for _, replica := range replicas {
		// One look is what the loop does every quarter of a second.
		follow(t, replica)

		_, err := replica.Find(t.Context(), endpoint.ID)
		wantCode(t, err, "endpoint_closed")
	}
}

func TestMemoryIsNotBelievedWhenChangesCannotBeFollowed(t *testing.T) {
	h := newHouse(t)
	h.endpoint("contact-form", nil)

	lookup := h.lookup()
	follow(t, lookup)
	h.foundName(lookup, "contact-form")
	h.renameBehindItsBack("contact-form", "Seen")

	eventually(t, 3*time.Second, "the database is asked again", func() bool {
		return h.foundName(lookup, "contact-form") == "Seen"
	})
}

func TestASuspendedTenantsEndpointsAreClosed(t *testing.T) {
	h := newHouse(t)
	h.endpoint("contact-form", nil)

	lookup, registry := h.lookup(), tenants.NewRegistry(h.db)
	follow(t, lookup)
	h.foundName(lookup, "contact-form")

	for _, step := range []struct {
		change func(context.Context) error
		closed bool
	}{
		{func(ctx context.Context) error { return registry.Suspend(ctx, h.tenant.ID) }, true},
		{func(ctx context.Context) error { return registry.Resume(ctx, h.tenant.ID) }, false},
	} {
		if err := step.change(t.Context()); err != nil {
			t.Fatal(err)
		}

		if err := h.directory.Touch(t.Context(), h.tenant.ID); err != nil {
			t.Fatal(err)
		}

		follow(t, lookup)

		if _, err := lookup.Find(t.Context(), "contact-form"); (err != nil) != step.closed {
			t.Fatalf("closed %v is answered with %v", step.closed, err)
		}
	}
}

func TestAnEndpointIsFoundUnderItsTenantOnly(t *testing.T) {
	h := newHouse(t)
	h.endpoint("contact-form", nil)
	lookup := h.lookup()

	for tenant, found := range map[string]bool{h.tenant.Slug: true, tenants.PublicID(h.tenant.ID): true, "other": false, "": false} {
		if _, err := lookup.FindUnder(t.Context(), tenant, "contact-form"); (err == nil) != found {
			t.Errorf("under %q: %v", tenant, err)
		}
	}
}

func TestAnAddressThatWasGivenUpIsNeverGivenOutAgain(t *testing.T) {
	h := newHouse(t)
	h.mustReceive(h.endpoint("contact-form", nil), post{body: "a=1", key: aKey})

	lookup := h.lookup()
	follow(t, lookup)
	h.foundName(lookup, "contact-form")

	for range 2 {
		if err := h.directory.EraseTenant(t.Context(), h.tenant.ID); err != nil {
			t.Fatal(err)
		}
	}

	follow(t, lookup)

	_, err := lookup.Find(t.Context(), "contact-form")
	wantCode(t, err, "endpoint_not_found")

	again := forms.NewEndpoint("Contact")
	again.ID = "contact-form"
	_, err = h.directory.Create(t.Context(), h.tenant.ID, again)
	wantCode(t, err, "endpoint_id_taken")

	if h.submissions() != 0 {
		t.Fatal("submissions are left")
	}
}
