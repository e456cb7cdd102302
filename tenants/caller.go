package tenants

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"formonce/internal/fault"
)

// Caller is who makes a request of the management side, and what they may do there: a member with a role, or a program
// with the scopes of its key.
type Caller struct {
	// TenantID is zero for a person who is in no tenant.
	TenantID uuid.UUID
	// Status is the tenant's.
	Status Status

	// Of a member: the membership, the person behind it, the session and the role.
	MemberID  uuid.UUID
	LoginID   uuid.UUID
	SessionID uuid.UUID
	Role      Role

	// Of a program: the key and its scopes.
	KeyID  uuid.UUID
	Scopes []Scope
	// secretID is the secret of the key that was used; there are two while it is rotated.
	secretID uuid.UUID

	// Name is an e-mail address or a key's name, for the audit log.
	Name string
}

// IsProgram says whether an API key stands behind the request, and no person.
func (c *Caller) IsProgram() bool { return c.KeyID != uuid.UUID{} }

// Need is what a caller must have for one act: as a member the least role, as a program the scope. An empty Role or Scope
// is one that nobody has.
type Need struct {
	Role  Role
	Scope Scope
	// Self is for what is about the person and their sign-in alone. It asks for no role, and a person may do it in a
	// suspended tenant and in none at all.
	Self bool
	// Closing is for what is allowed in a tenant that is going to be deleted: to look, and to restore it.
	Closing bool
}

// Refuse returns a Fault of the kind forbidden when the caller does not have what the act needs, or is in no tenant that
// could be asked.
func (c *Caller) Refuse(need Need) error {
	switch {
	case need.Self && !c.IsProgram():
		return nil
	case c.TenantID == uuid.UUID{}:
		return errNoTenant
	case c.Status == Suspended:
		return errTenantSuspended
	case c.Status == Closing && !need.Closing:
		return errIsClosing
	case c.IsProgram():
		return c.refuseProgram(need.Scope)
	}

	if !c.Role.Covers(need.Role) {
		return fault.New(fault.Forbidden, "role_not_sufficient",
			"Your role in this tenant does not allow this. Ask an owner or an admin of the tenant.").
			With("role", string(c.Role)).With("needed", string(need.Role))
	}

	return nil
}

func (c *Caller) refuseProgram(needed Scope) error {
	if needed == "" {
		return fault.New(fault.Forbidden, "api_key_not_allowed",
			"An API key cannot do this. Sign in as a member of the tenant.")
	}

	if !slices.Contains(c.Scopes, needed) {
		return fault.New(fault.Forbidden, "scope_missing",
			"This API key does not have the scope that this needs. Make a key that has it.").With("needed", string(needed))
	}

	return nil
}

var (
	errTenantSuspended = fault.New(fault.Forbidden, "tenant_suspended",
		"This tenant is suspended. Ask the operator of the service.")
	errNoTenant = fault.New(fault.Forbidden, "no_tenant",
		"You are a member of no tenant. Make one, or ask for an invitation to one.")
)

// Actor is who changes something, and from where, as the audit log remembers it.
type Actor struct {
	Kind ActorKind
	// ID is the member's or the key's; zero for an operator and the service itself.
	ID   uuid.UUID
	Name string
	// Address, Agent and RequestID are of the request, and empty where there was none.
	Address   string
	Agent     string
	RequestID string
}

// ActorKind says what sort of actor it is.
type ActorKind string

// The kinds of actors.
const (
	ActorMember   ActorKind = "member"
	ActorKey      ActorKind = "api_key"
	ActorOperator ActorKind = "operator"
	ActorSystem   ActorKind = "system"
)

type actorKey struct{}

// WithActor returns a context in which changes are remembered as this actor's.
func WithActor(ctx context.Context, actor Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, actor)
}

// ActorOf is the actor of the context; the service itself where nobody said otherwise.
func ActorOf(ctx context.Context) Actor {
	if actor, found := ctx.Value(actorKey{}).(Actor); found {
		return actor
	}

	return Actor{Kind: ActorSystem}
}

// Actor is the caller as the audit log names them.
func (c *Caller) Actor() Actor {
	if c.IsProgram() {
		return Actor{Kind: ActorKey, ID: c.KeyID, Name: c.Name}
	}

	return Actor{Kind: ActorMember, ID: c.MemberID, Name: c.Name}
}
