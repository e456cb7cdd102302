package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"formonce/internal/config"
)

func TestATenantGoesThroughItsLife(t *testing.T) {
	t.Parallel()

	at := newTerminal(t)

	got := at.typed("correct horse battery\r\n",
		"tenant", "create", "--name", "Acme", "--email", "ada@acme.example", "--password", "-")

	var made map[string]string
	if err := json.Unmarshal([]byte(got.out), &made); err != nil {
		t.Fatalf("%v, %s", err, got.err)
	}

	shape(t, made, map[string]string{
		"tenant_id": "^ten_[0-9a-f]{32}$", "member_id": "^mem_[0-9a-f]{32}$", "api_key": "^fo_live_[0-9A-Za-z]{43}$",
	})

	status := func() any { return at.must("tenant", "list", "--json")["data"].([]any)[0].(map[string]any)["status"] }

	at.must("tenant", "suspend", "acme")

	if status() != "suspended" {
		t.Errorf("after suspend it is %v", status())
	}

	at.must("tenant", "resume", made["tenant_id"])

	if status() != "active" {
		t.Errorf("after resume it is %v", status())
	}

	at.must("endpoint", "create", "--tenant", "acme", "--id", "contact-form")
	at.must("tenant", "delete", "acme", "--confirm", "acme")

	if left := at.must("tenant", "list", "--json")["data"].([]any); len(left) != 0 {
		t.Errorf("after delete there is %v", left)
	}

	at.makeAcme()

	if got := at.run("endpoint", "create", "--tenant", "acme", "--id", "contact-form"); got.status != statusFailed {
		t.Error("an address that was given up is given out again")
	}
}

func TestAnInterruptedDeletionLeavesTheTenantSuspendedAndWaitsAgain(t *testing.T) {
	t.Parallel()

	at := newTerminal(t)
	at.makeAcme()
	at.must("endpoint", "create", "--tenant", "acme")

	store := storeOver(&config.Config{}, at.open())

	found, err := store.tenants.Find(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}

	// The person gives up when told to wait, and is told to wait again the next time: nobody knows how long the door has
	// been closed.
	for range 2 {
		ctx, interrupt := context.WithCancel(t.Context())
		c := &console{err: writerFunc(func() { interrupt() }), settleTime: time.Hour}

		if err := c.eraseTenant(ctx, store, found); err == nil || !strings.Contains(err.Error(), "suspended and not deleted") {
			t.Errorf("got %v", err)
		}

		if found, err = store.tenants.Find(t.Context(), "acme"); err != nil || found.Status != "suspended" {
			t.Errorf("got %+v and %v", found, err)
		}
	}

	at.must("tenant", "delete", "acme", "--confirm", "acme")
}

type writerFunc func()

func (f writerFunc) Write(p []byte) (int, error) {
	f()
	return len(p), nil
}
