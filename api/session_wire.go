package api

import (
	"context"

	"github.com/google/uuid"

	"formonce/internal/moment"
	"formonce/tenants"
)

// asStranger is the context of a request that began without a caller, with as much as is known about who makes it.
func (r *request) asStranger(name string) context.Context {
	client := r.client()

	return tenants.WithActor(r.ctx(), tenants.Actor{
		Kind: tenants.ActorMember, Name: name,
		Address: client.Address, Agent: client.Agent, RequestID: client.RequestID,
	})
}

// place is a tenant of the person who asks.
type place struct {
	ID     string         `json:"id"`
	Slug   string         `json:"slug"`
	Name   string         `json:"name"`
	Status tenants.Status `json:"status"`
	Role   tenants.Role   `json:"role"`
}

// identity says who asks.
type identity struct {
	// Member is null for a person who is in no tenant, and so is Tenant.
	Member        *identityMember `json:"member"`
	Tenant        *place          `json:"tenant"`
	Tenants       []place         `json:"tenants"`
	Email         string          `json:"email"`
	Name          string          `json:"name"`
	EmailVerified bool            `json:"email_verified"`
	SecondFactor  bool            `json:"second_factor"`
	SessionID     string          `json:"session_id"`
}

type identityMember struct {
	ID   string       `json:"id"`
	Role tenants.Role `json:"role"`
}

func wireIdentity(caller *tenants.Caller, person tenants.Person, secondFactor bool) identity {
	answer := identity{
		Tenants: make([]place, len(person.Places)),
		Email:   person.Email, Name: person.Name, EmailVerified: person.EmailVerified, SecondFactor: secondFactor,
		SessionID: tenants.PublicSessionID(caller.SessionID),
	}

	for i, p := range person.Places {
		answer.Tenants[i] = place{
			ID: tenants.PublicID(p.Tenant.ID), Slug: p.Tenant.Slug, Name: p.Tenant.Name, Status: p.Tenant.Status, Role: p.Role,
		}

		if p.Tenant.ID == caller.TenantID {
			answer.Tenant = &answer.Tenants[i]
			answer.Member = &identityMember{ID: tenants.PublicMemberID(p.MemberID), Role: p.Role}
		}
	}

	return answer
}

// session is one stay of the person who asks.
type session struct {
	ID        string  `json:"id"`
	TenantID  *string `json:"tenant_id"`
	Method    string  `json:"method"`
	Address   string  `json:"address"`
	Agent     string  `json:"agent"`
	Current   bool    `json:"current"`
	CreatedAt string  `json:"created_at"`
	SeenAt    string  `json:"seen_at"`
	ExpiresAt string  `json:"expires_at"`
}

func wireSession(s tenants.Session, current uuid.UUID) session {
	wire := session{
		ID: tenants.PublicSessionID(s.ID), Method: s.Method, Address: s.Address, Agent: s.Agent, Current: s.ID == current,
		CreatedAt: moment.Write(s.CreatedAt), SeenAt: moment.Write(s.SeenAt), ExpiresAt: moment.Write(s.ExpiresAt),
	}

	if s.TenantID != nil {
		tenantID := tenants.PublicID(*s.TenantID)
		wire.TenantID = &tenantID
	}

	return wire
}
