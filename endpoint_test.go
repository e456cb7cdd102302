package main

import (
	"strings"
	"testing"
)

const aMoment = `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$`

func TestAnEndpointIsPrintedInItsShape(t *testing.T) {
	t.Parallel()

	at := newTerminal(t)
	at.makeAcme()

	want := map[string]string{
		"id": "^contact-form$", "tenant_id": "^ten_[0-9a-f]{32}$", "name": "^Contact form$",
		"submit_url": "^https://forms.example.com/f/contact-form$", "allowed_origins": `^\[\]$`, "redirect_url": "^$",
		"closed": "^false$", "retention_days": "^null$", "keep_client_hash": "^false$", "created_at": aMoment, "updated_at": aMoment,
		"idempotency": `^{"format":"any","order":"significant","replay_status":202,"required":false,"tombstone_days":7}$`,
		"spam":        `^{"honeypot":"","refuse":false}$`,
	}

	shape(t, at.must("endpoint", "create", "--tenant", "acme", "--id", "contact-form"), want)
	shape(t, at.must("endpoint", "show", "contact-form", "--tenant", "acme", "--json"), want)

	listed := at.must("endpoint", "list", "--tenant", "acme", "--json")["data"].([]any)
	shape(t, listed[0].(map[string]any), want)

	for _, human := range [][]string{{"list"}, {"show", "contact-form"}} {
		got := at.run(append([]string{"endpoint", "--tenant", "acme"}, human...)...)
		if !strings.Contains(got.out, "https://forms.example.com/f/contact-form") {
			t.Errorf("endpoint %s printed %q", human[0], got.out)
		}
	}
}

func TestAnUpdateChangesOnlyTheSettingsThatAreGiven(t *testing.T) {
	t.Parallel()

	at := newTerminal(t)
	at.makeAcme()

	at.must("endpoint", "create", "--tenant", "acme", "--id", "contact-form", "--name", "Say hello",
		"--allowed-origin", "https://a.example", "--allowed-origin", "https://*.b.example",
		"--redirect-url", "https://a.example/thanks", "--honeypot", "fax", "--refuse-spam", "--keep-client-hash",
		"--require-key", "--key-format", "uuid", "--field-order", "ignored", "--replay-status", "200", "--tombstone-days", "30",
		"--retention-days", "90", "--closed")

	want := map[string]string{
		"id": "contact-form", "tenant_id": "", "submit_url": "", "created_at": "", "updated_at": "", "name": "^Say hello$",
		"allowed_origins": `^\["https://a.example","https://\*.b.example"\]$`, "redirect_url": "^https://a.example/thanks$",
		"closed": "^false$", "retention_days": "^90$", "keep_client_hash": "^true$", "spam": `^{"honeypot":"fax","refuse":true}$`,
		"idempotency": `^{"format":"uuid","order":"ignored","replay_status":200,"required":true,"tombstone_days":30}$`,
	}

	shape(t, at.must("endpoint", "update", "contact-form", "--tenant", "acme", "--closed=false"), want)

	want["allowed_origins"], want["redirect_url"] = `^\[\]$`, "^$"
	shape(t, at.must("endpoint", "update", "contact-form", "--tenant", "acme", "--allowed-origin", "", "--redirect-url", ""), want)
}
