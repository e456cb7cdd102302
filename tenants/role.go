package tenants

import "slices"

// Role is what a member may do in a tenant.
type Role string

// The roles; each may do all that the ones after it may.
const (
	Owner  Role = "owner"  // billing, and the tenant itself
	Admin  Role = "admin"  // members, keys, integrations
	Editor Role = "editor" // endpoints and submissions
	Viewer Role = "viewer" // looks
)

// Roles lists the roles, the one that may do most first.
var Roles = []Role{Owner, Admin, Editor, Viewer}

// Covers says whether a member with this role may do what needs least. A word that is no role covers nothing and is
// covered by nothing.
func (r Role) Covers(least Role) bool {
	mine, needed := slices.Index(Roles, r), slices.Index(Roles, least)

	return mine >= 0 && mine <= needed
}

// Scope is one thing that an API key may be allowed.
type Scope string

// The scopes of keys.
const (
	ReadEndpoints     Scope = "endpoints:read"
	WriteEndpoints    Scope = "endpoints:write"
	ReadSubmissions   Scope = "submissions:read"
	WriteSubmissions  Scope = "submissions:write"
	WriteIntegrations Scope = "integrations:write"
	WriteDeliveries   Scope = "deliveries:write"
	ReadBilling       Scope = "billing:read"
)

// Scopes lists every scope.
var Scopes = []Scope{
	ReadEndpoints, WriteEndpoints, ReadSubmissions, WriteSubmissions, WriteIntegrations, WriteDeliveries, ReadBilling,
}
