package main

import (
	"strings"
	"testing"
)

func TestSigningKeysAreRotatedByAnOperator(t *testing.T) {
	t.Parallel()

	at := newTerminal(t)
	kids := func() []string {
		var found []string
		for _, key := range at.must("keys", "list", "--json")["data"].([]any) {
			found = append(found, key.(map[string]any)["kid"].(string))
		}

		return found
	}

	if got := kids(); len(got) != 0 {
		t.Errorf("there are %v before anybody has signed in", got)
	}

	first := at.must("keys", "rotate", "--now", "--json")["kid"].(string)
	second := at.must("keys", "rotate", "--json")["kid"].(string)

	if got := strings.Join(kids(), " "); got != first+" "+second {
		t.Errorf("listed are %s, want %s and %s", got, first, second)
	}

	if got := at.run("keys", "rotate", "--now"); !strings.Contains(got.out, "revoked") {
		t.Errorf("it says %q, %q", got.out, got.err)
	}

	if got := kids(); len(got) != 1 || got[0] == first || got[0] == second {
		t.Errorf("after a revocation there are %v, want a new one", got)
	}

	if got := at.run("keys", "list"); !strings.HasPrefix(got.out, "KEY ") {
		t.Errorf("it prints %q", got.out)
	}
}
