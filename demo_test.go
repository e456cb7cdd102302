package main

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"formonce/forms"
	"formonce/internal/config"
	"formonce/internal/fault"
)

func TestTheDemoIsMadeOnceAndSaysTheSameEachTime(t *testing.T) {
	t.Parallel()

	at := newTerminal(t)
	began := time.Now()
	first := at.must("demo", "--json")

	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the demo took %s", took)
	}

	history := func() (found []int) {
		for _, table := range []string{"tenants", "members", "logins", "api_keys", "endpoints", "submissions", "replays"} {
			var n int
			if err := at.open().Pool.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&n); err != nil {
				t.Fatal(err)
			}

			found = append(found, n)
		}

		return found
	}

	before := history()
	second := at.must("demo", "--json")

	if !reflect.DeepEqual(first, second) || !reflect.DeepEqual(before, history()) {
		t.Errorf("the second time printed %v after %v, and left %v after %v", second, first, history(), before)
	}

	shape(t, first, map[string]string{
		"tenant_id": "^ten_[0-9a-f]{32}$", "tenant": "^demo$", "email": "^demo@example.com$",
		"password": "^[a-z2-7]{4}(-[a-z2-7]{4}){3}$", "endpoint_id": "^contact-form$",
		"submit_url": "^https://forms.example.com/f/contact-form$",
	})

	if got := at.run("demo"); !strings.Contains(got.out, first["password"].(string)) || !strings.Contains(got.out, "\n  curl ") {
		t.Errorf("printed %q for a person", got.out)
	}
}

func TestTheDemosPasswordSignsIn(t *testing.T) {
	t.Parallel()

	at := newTerminal(t)
	facts := at.must("demo", "--json")
	registry := storeOver(&config.Config{}, at.open()).tenants

	if fits, err := registry.PasswordFits(t.Context(), demoEmail, facts["password"].(string)); !fits || err != nil {
		t.Errorf("got %v and %v", fits, err)
	}

	at.environment["SECRET_KEY"] = "another secret, since the first was lost"

	// A login that exists is not given a new password: the installation says what it knows.
	got := at.must("demo", "--json")
	if got["password"] != "the one that was set for it" {
		t.Errorf("got %v", got["password"])
	}
}

func TestTheDemoTakesAnotherAddressWhenItsOwnIsTaken(t *testing.T) {
	t.Parallel()

	at := newTerminal(t)
	at.makeAcme()
	at.must("endpoint", "create", "--tenant", "acme", "--id", "contact-form")

	for range 2 {
		if got := at.must("demo", "--json")["endpoint_id"]; got != "demo-contact-form" {
			t.Errorf("got %v", got)
		}
	}
}

func TestADeletedDemoIsMadeAgainAtAnotherAddress(t *testing.T) {
	t.Parallel()

	at := newTerminal(t)

	for _, want := range []string{"^contact-form$", "^demo-contact-form$", "^[a-z0-9]{10}$"} {
		first, second := at.must("demo", "--json")["endpoint_id"].(string), at.must("demo", "--json")["endpoint_id"]
		if !regexp.MustCompile(want).MatchString(first) || first != second {
			t.Errorf("got %v, then %v, want %s", first, second, want)
		}

		at.must("tenant", "delete", "demo", "--confirm", "demo")
	}
}

func TestATenantThatIsOnlyCalledDemoIsLeftAlone(t *testing.T) {
	t.Parallel()

	at := newTerminal(t)
	at.must("tenant", "create", "--name", "Demo", "--email", "ada@acme.example", "--password", "correct horse battery")

	if got := at.run("demo"); got.status != statusFailed || !strings.Contains(got.err, "it is not the demo") {
		t.Errorf("status %d, said %q", got.status, got.err)
	}

	if left := at.must("endpoint", "list", "--tenant", "demo", "--json")["data"].([]any); len(left) != 0 {
		t.Errorf("it got %v", left)
	}
}

func TestTheHistoryIsBelievable(t *testing.T) {
	t.Parallel()

	end := time.Date(2026, 11, 30, 9, 30, 0, 0, time.UTC)
	history := demoHistory("contact-form", end)
	schema := demoSchema()

	if !reflect.DeepEqual(history, demoHistory("contact-form", end)) {
		t.Error("the same moment makes another history")
	}

	if len(history) < 600 || len(history) > 1000 {
		t.Errorf("there are %d submissions, want 600 to 1,000", len(history))
	}

	var (
		spam, replayed, weekend, night int
		messages                       = map[string]bool{}
		ids                            = map[string]bool{}
	)

	for _, s := range history {
		if s.ReceivedAt.After(end) || s.ReceivedAt.Before(end.Add(-demoYear-24*time.Hour)) {
			t.Errorf("received at %s, outside the year", s.ReceivedAt)
		}

		if s.ID.Version() != 7 || ids[s.ID.String()] {
			t.Errorf("%s is no UUIDv7, or stands twice", s.ID)
		}

		ids[s.ID.String()] = true
		messages[s.Fields[len(s.Fields)-1].Value.String()] = true
		spam += count(s.Status == forms.StatusSpam)
		replayed += count(s.ReplayCount > 0)
		weekend += count(s.ReceivedAt.Weekday() == time.Saturday || s.ReceivedAt.Weekday() == time.Sunday)
		night += count(s.ReceivedAt.Hour() < 6)

		if err := schema.Validate(s.Fields, "en"); err != nil || s.Rules.Schema != demoVersion {
			t.Errorf("the form would have refused this: %+v", fault.As(err).Issues)
		}

		if again, err := forms.DecodeFields(forms.EncodeFields(s.Fields)); err != nil || !reflect.DeepEqual(again, s.Fields) {
			t.Errorf("fields that cannot be stored as they are: %v", err)
		}
	}

	of := func(part int) float64 { return float64(part) / float64(len(history)) }
	if of(spam) < 0.02 || of(spam) > 0.1 || of(replayed) < 0.02 || of(replayed) > 0.12 || of(weekend) > 0.2 || of(night) > 0.1 {
		t.Errorf("of %d: spam %d, replayed %d, at the weekend %d, at night %d", len(history), spam, replayed, weekend, night)
	}

	if len(messages) < 300 {
		t.Errorf("there are only %d different texts", len(messages))
	}
}

func count(is bool) int {
	if is {
		return 1
	}

	return 0
}

func TestTheDemosInboxHasTracesOfWork(t *testing.T) {
	t.Parallel()

	at := newTerminal(t)
	at.must("demo", "--json")

	store := storeOver(&config.Config{}, at.open())

	demo, err := store.tenants.Find(t.Context(), demoSlug)
	if err != nil {
		t.Fatal(err)
	}

	yes, no := true, false

	for name, filter := range map[string]forms.Filter{
		"tagged": {Tag: "lead"}, "starred": {Starred: &yes}, "unread": {Read: &no}, "read": {Read: &yes},
	} {
		page, err := store.inbox.List(t.Context(), demo.ID, filter)
		if err != nil || len(page.Submissions) == 0 {
			t.Errorf("nothing is %s, %v", name, err)
		}
	}
}
