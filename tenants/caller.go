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
	TenantID uuid.UUID

	// Of a member: the membership, the person behind it, the session and the role.
	MemberID  uuid.UUID
	LoginID   uuid.UUID
	SessionID uuid.UUID
	Role      Role

	// Of a program: the key and its scopes.
	KeyID  uuid.UUID
	Scopes []Scope

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
}

// Refuse returns the Fault forbidden when the caller does not have what the act needs.
func (c *Caller) Refuse(need Need) error {
	if c.IsProgram() {
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
