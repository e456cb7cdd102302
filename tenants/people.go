package tenants

import (
	"context"

	"formonce/internal/postgres"
)

// People is all about who belongs to a tenant, and what they owe each other in mails.
type People struct {
	Mailbox     *Mailbox
	Accounts    *Accounts
	Members     *Members
	Invitations *Invitations
	History     *History
}

// NewPeople joins its parts over db. They ask the entrance for proofs, limits and sessions.
func NewPeople(db *postgres.DB, entrance *Entrance, mailbox *Mailbox) *People {
	return &People{
		Mailbox:     mailbox,
		Accounts:    &Accounts{db: db, entrance: entrance, mailbox: mailbox},
		Members:     &Members{db: db},
		Invitations: &Invitations{db: db, entrance: entrance, mailbox: mailbox},
		History:     &History{db: db},
	}
}

// Sweep removes what has ended by itself.
func (p *People) Sweep(ctx context.Context) error { return p.Mailbox.Sweep(ctx) }
