package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"formonce/forms"
	"formonce/internal/config"
)

// received puts a submission into Acme's inbox and returns its id.
func (r *terminal) received(name, value string) string {
	r.t.Helper()

	db := r.open()
	store := storeOver(&config.Config{}, db)

	owner, err := store.tenants.Find(r.t.Context(), "acme")
	if err != nil {
		r.t.Fatal(err)
	}

	made := demoHistory("contact-form", time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC))[0]
	made.Fields = forms.Fields{
		{Name: name, Value: forms.Text(value)},
		{Name: "n", Value: forms.JSON("12345678901234567890")},
		{Name: "n", Value: forms.JSON(`{"b":1,"a":[true,null]}`)},
	}
	made.Status, made.ReplayCount = forms.StatusAccepted, 2

	if err := store.inbox.Import(r.t.Context(), owner.ID, []forms.Submission{made}); err != nil {
		r.t.Fatal(err)
	}

	return submissionJSON(&made).ID
}

func TestASubmissionIsShownAsItWasSentAndErased(t *testing.T) {
	t.Parallel()

	at := newTerminal(t)
	at.makeAcme()

	sent := at.received("message", "Hello <Ada>")
	want := map[string]string{
		"id": "^" + sent + "$", "endpoint_id": "^contact-form$", "received_at": aMoment, "status": "^accepted$",
		"fields": "", "replay_count": "^2$", "schema_version": "^1$",
		"tags": "", "starred": "^false$", "read": "^false$",
	}

	listed := at.must("submission", "list", "--tenant", "acme", "--endpoint", "contact-form", "--status", "accepted", "--json")
	if listed["next_cursor"] != nil || len(listed["data"].([]any)) != 1 {
		t.Fatalf("got %v", listed)
	}

	shape(t, listed["data"].([]any)[0].(map[string]any), want)

	got := at.run("submission", "show", sent, "--tenant", "acme", "--json")
	exact := strings.Join(strings.Fields(got.out), "")

	if !strings.Contains(exact, `[{"name":"message","value":"Hello<Ada>"},{"name":"n","value":12345678901234567890},`+
		`{"name":"n","value":{"b":1,"a":[true,null]}}]`) {
		t.Errorf("the fields are not as they were sent: %s", got.out)
	}

	at.must("submission", "erase", sent, "--tenant", "acme", "--yes")

	if got := at.run("submission", "show", sent, "--tenant", "acme"); got.status != statusFailed {
		t.Error("an erased submission is still shown")
	}
}

func TestWhatAVisitorSentCannotSteerTheTerminal(t *testing.T) {
	t.Parallel()

	at := newTerminal(t)
	at.makeAcme()
	sent := at.received("na\u202eme", "a\x1b[2Jb\nc\u009bd\u2066e")

	for _, args := range [][]string{{"show", sent}, {"list"}} {
		got := at.run(append([]string{"submission", "--tenant", "acme"}, args...)...)
		if got.status != statusDone || strings.ContainsAny(got.out, "\x1b\u009b\u202e\u2066") || !strings.Contains(got.out, "[2Jb") {
			t.Errorf("submission %s printed %q", args[0], got.out)
		}
	}
}

func TestListsGoOnWhereTheyEnded(t *testing.T) {
	t.Parallel()

	at := newTerminal(t)
	at.must("demo", "--json")

	var (
		seen   []string
		cursor string
	)

	for range 3 {
		page := at.must("submission", "list", "--tenant", "demo", "--limit", "100", "--cursor", cursor, "--json")
		for _, row := range page["data"].([]any) {
			seen = append(seen, row.(map[string]any)["id"].(string))
		}

		cursor = page["next_cursor"].(string)
	}

	if len(slices.Compact(slices.Clone(seen))) != 300 || !slices.IsSortedFunc(seen, func(a, b string) int {
		return strings.Compare(b, a)
	}) {
		t.Error("three pages are not 300 submissions, each once, the newest first")
	}
}

func TestAListIsNarrowedByWordsAndATag(t *testing.T) {
	t.Parallel()

	at := newTerminal(t)
	at.makeAcme()
	at.received("message", "Grüße aus München")

	for flags, want := range map[string]int{"--search=munchen grü": 1, "--search=munchen hamburg": 0, "--tag=vip": 0, "--search=": 1} {
		page := at.must("submission", "list", "--tenant", "acme", "--json", flags)
		if got := len(page["data"].([]any)); got != want {
			t.Errorf("%s lists %d, want %d", flags, got, want)
		}
	}
}
