package api_test

import (
	"regexp"
	"strings"
	"testing"

	"formonce/api"
	"formonce/tenants"
)

var parameter = regexp.MustCompile(`:(\w+)`)

// TestEveryRouteIsInTheContractAndTheOtherWayRound compares the table with the contract: paths, methods, who may ask, and
// where an idempotency key counts.
func TestEveryRouteIsInTheContractAndTheOtherWayRound(t *testing.T) {
	t.Parallel()

	written := operations(t)

	for _, row := range api.Rows() {
		path := parameter.ReplaceAllString(row.Path, "{$1}")
		name := strings.ToLower(row.Method) + " " + path

		operation, found := written[name]
		if !found {
			t.Errorf("%s is not in the contract", name)
			continue
		}

		delete(written, name)

		if got := tenants.Role(operation.Role); got != row.Role {
			t.Errorf("%s: the contract asks for the role %q, the table for %q", name, got, row.Role)
		}

		if got := tenants.Scope(operation.Scope); got != row.Scope {
			t.Errorf("%s: the contract asks for the scope %q, the table for %q", name, got, row.Scope)
		}

		if open := operation.Security != nil && len(*operation.Security) == 0; open != row.Open {
			t.Errorf("%s: the contract says open: %v, the table %v", name, open, row.Open)
		}

		if operation.takesKey() != row.Once {
			t.Errorf("%s: the contract says Idempotency-Key: %v, the table %v", name, operation.takesKey(), row.Once)
		}
	}

	for name := range written {
		t.Errorf("%s is in the contract and nowhere else", name)
	}
}

// TestARowIsOpenOrSaysWhoMayAsk keeps a row that somebody forgot to fill in from being open to everybody.
func TestARowIsOpenOrSaysWhoMayAsk(t *testing.T) {
	t.Parallel()

	for _, row := range api.Rows() {
		if row.Open == (row.Role != "") || row.Open && row.Scope != "" {
			t.Errorf("%s %s is neither open nor guarded, or both", row.Method, row.Path)
		}
	}
}
