package tenants

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"formonce/internal/fault"
)

// leastRoles are the roles that a member needs to give a scope away: nobody makes a key that may do more than they may.
var leastRoles = map[Scope]Role{
	ReadEndpoints: Viewer, ReadSubmissions: Viewer,
	WriteEndpoints: Editor, WriteSubmissions: Editor,
	WriteIntegrations: Admin, WriteDeliveries: Editor,
	ReadBilling: Owner,
}

var (
	errKeyNotFound = fault.New(fault.NotFound, "api_key_not_found",
		"There is no such API key in this tenant. List the keys to see their ids (key_…).")
	errGrace = fault.New(fault.Unprocessable, "invalid_grace",
		fmt.Sprintf("The old secret may stay for 0 to %d seconds.", int(LongestGrace.Seconds()))).In("grace_seconds")
)

// check brings a key into the form in which it is kept, or says all that is wrong with it. Scopes that the key had before
// are no gift of the member who changes it.
func (k *Key) check(role Role, had []Scope) error {
	k.Name = strings.TrimSpace(k.Name)
	slices.Sort(k.Scopes)
	k.Scopes = slices.Compact(k.Scopes)

	failed := fault.New(fault.Unprocessable, "invalid_api_key", "An API key cannot be made like this.")
	fail := func(field, rule, message string) {
		failed.Issues = append(failed.Issues, fault.Issue{Field: field, Rule: rule, Message: message})
	}

	if !validName(k.Name) {
		fail("name", "invalid", fmt.Sprintf("Give the key a name of 1 to %d characters.", nameChars))
	}

	if len(k.Scopes) == 0 {
		fail("scopes", "required", "Give the key at least one of the scopes: "+joinScopes(Scopes)+".")
	}

	for _, scope := range k.Scopes {
		if leastRoles[scope] == "" {
			fail("scopes", "unknown", fmt.Sprintf("There is no scope %.40q. Choose from: %s.", string(scope), joinScopes(Scopes)))
		}
	}

	if k.ExpiresAt != nil && !k.ExpiresAt.After(time.Now()) {
		fail("expires_at", "past", "A key can only expire in the future. To end it now, delete it.")
	}

	if len(failed.Issues) > 0 {
		return failed
	}

	return k.refuseGift(role, had)
}

func (k *Key) refuseGift(role Role, had []Scope) error {
	for _, scope := range k.Scopes {
		if !slices.Contains(had, scope) && !role.Covers(leastRoles[scope]) {
			return fault.New(fault.Forbidden, "scope_not_yours",
				"A key cannot have a scope that goes beyond your own role. Ask an owner of the tenant to make it.").
				With("scope", string(scope)).With("needed", string(leastRoles[scope]))
		}
	}

	return nil
}
