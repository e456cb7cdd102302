package tenants

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/postgres"
)

const (
	listSessions = `
SELECT id, tenant_id, method, address, agent, created_at, seen_at, expires_at FROM sessions
WHERE login_id = $1 AND expires_at > now() AND seen_at > now() - $2::interval ORDER BY seen_at DESC, id DESC LIMIT 100`
	// A member who was removed has left no name that the tenant's log could have.
	deleteSessions = `
DELETE FROM sessions s WHERE s.login_id = $1 AND ($2::uuid IS NULL OR s.id = $2) AND ($3::uuid IS NULL OR s.id <> $3)
RETURNING s.id, s.tenant_id, (SELECT m.id FROM members m WHERE m.tenant_id = s.tenant_id AND m.login_id = s.login_id),
    (SELECT email FROM logins WHERE id = s.login_id)`
	findByRefresh = `
SELECT s.id, s.login_id FROM refresh_tokens r JOIN sessions s ON s.id = r.session_id WHERE r.token_hash = $1`
	enterTenant   = `UPDATE sessions SET tenant_id = $2, seen_at = now() WHERE id = $1`
	sweepSessions = `DELETE FROM sessions WHERE expires_at <= now() OR seen_at <= now() - $1::interval`

	findPerson = `SELECT email, name, email_verified_at IS NOT NULL FROM logins WHERE id = $1`
	listPlaces = `
SELECT t.id, t.slug, t.name, t.status, t.created_at, m.id, m.role FROM members m JOIN tenants t ON t.id = m.tenant_id
WHERE m.login_id = $1 ORDER BY m.created_at, t.id`
)

// Session is one stay of a person, as the person sees it.
type Session struct {
	ID uuid.UUID
	// TenantID is where the person is in it; nil for nowhere.
	TenantID *uuid.UUID
	// Method is how it was begun, such as ByPassword; Address and Agent are of its last refresh.
	Method, Address, Agent string
	// SeenAt is the last refresh, so at most 15 minutes before the last request.
	CreatedAt, SeenAt, ExpiresAt time.Time
}

// Person is somebody with a login, and everywhere they are a member.
type Person struct {
	Email, Name   string
	EmailVerified bool
	Places        []Place
}

// Place is a tenant, and who somebody is there.
type Place struct {
	Tenant   Tenant
	MemberID uuid.UUID
	Role     Role
}

// List returns the open sessions of a person, the one that was seen last first, and a hundred at most.
func (s *Sessions) List(ctx context.Context, loginID uuid.UUID) ([]Session, error) {
	rows, err := s.db.Pool.Query(ctx, listSessions, loginID, sessionIdle)
	if err != nil {
		return nil, postgres.Fault("list sessions", err)
	}

	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Session])

	return found, postgres.Fault("list sessions", err)
}

// Person returns who the login is of, and where they are a member, the oldest membership first.
func (s *Sessions) Person(ctx context.Context, loginID uuid.UUID) (Person, error) {
	var found Person

	err := s.db.Pool.QueryRow(ctx, findPerson, loginID).Scan(&found.Email, &found.Name, &found.EmailVerified)
	if errors.Is(err, pgx.ErrNoRows) {
		return Person{}, ErrUnauthenticated
	}

	if err != nil {
		return Person{}, postgres.Fault("read a login", err)
	}

	rows, err := s.db.Pool.Query(ctx, listPlaces, loginID)
	if err != nil {
		return Person{}, postgres.Fault("list a person's tenants", err)
	}

	found.Places, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (Place, error) {
		var p Place
		err := row.Scan(&p.Tenant.ID, &p.Tenant.Slug, &p.Tenant.Name, &p.Tenant.Status, &p.Tenant.CreatedAt, &p.MemberID, &p.Role)

		return p, err
	})

	return found, postgres.Fault("list a person's tenants", err)
}

// Enter moves a session to another tenant of its person, and returns an access token for it. A tenant in which they are no
// member is the Fault tenant_not_found.
func (s *Sessions) Enter(ctx context.Context, caller Caller, tenantID uuid.UUID) (Token, error) {
	err := postgres.InTx(ctx, s.db.Pool, func(tx pgx.Tx) error {
		found, _, err := stay(ctx, tx, caller.LoginID, tenantID)
		if err == nil && found != tenantID {
			err = ErrNotFound
		}

		if err != nil {
			return err
		}

		_, err = tx.Exec(ctx, enterTenant, caller.SessionID, tenantID)

		return err
	})
	if err != nil {
		return Token{}, postgres.Fault("enter a tenant", err)
	}

	return s.access(ctx, Grant{SessionID: caller.SessionID, LoginID: caller.LoginID, TenantID: tenantID})
}

// End ends one session of the person, or is the Fault session_not_found. Its tokens count no more from this moment.
func (s *Sessions) End(ctx context.Context, loginID, sessionID uuid.UUID) error {
	return s.end(ctx, loginID, sessionID, uuid.UUID{}, errSessionNotFound)
}

// EndOthers ends all sessions of the person but one.
func (s *Sessions) EndOthers(ctx context.Context, loginID, kept uuid.UUID) error {
	return s.end(ctx, loginID, uuid.UUID{}, kept, nil)
}

// SignOut ends the session that the refresh token is of, if there is one still.
func (s *Sessions) SignOut(ctx context.Context, refresh string) error {
	var sessionID, loginID uuid.UUID

	err := s.db.Pool.QueryRow(ctx, findByRefresh, hashRefresh(refresh)).Scan(&sessionID, &loginID)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}

	if err != nil {
		return postgres.Fault("find a session", err)
	}

	return s.end(ctx, loginID, sessionID, uuid.UUID{}, nil)
}

func (s *Sessions) end(ctx context.Context, loginID, only, except uuid.UUID, none error) error {
	err := postgres.InTx(ctx, s.db.Pool, func(tx pgx.Tx) error {
		ended, err := endSessions(ctx, tx, loginID, only, except)
		if err == nil && ended == 0 {
			err = none
		}

		return err
	})

	return postgres.Fault("end sessions", err)
}

// endSessions ends the sessions of a person within the transaction of what makes it necessary: only one of them, or all
// except one; both may be zero. It returns how many there were, and writes each to the log of the tenant that it was in.
func endSessions(ctx context.Context, tx pgx.Tx, loginID, only, except uuid.UUID) (int, error) {
	type ended struct {
		ID                 uuid.UUID
		TenantID, MemberID *uuid.UUID
		Email              string
	}

	rows, err := tx.Query(ctx, deleteSessions, loginID, optional(only), optional(except))
	if err != nil {
		return 0, err
	}

	gone, err := pgx.CollectRows(rows, pgx.RowToStructByPos[ended])
	if err != nil {
		return 0, err
	}

	for _, one := range gone {
		if one.TenantID == nil || one.MemberID == nil {
			continue
		}

		// The person may be acting in another tenant, or be known by a cookie alone.
		actor := ActorOf(ctx)
		if actor.Kind == ActorMember {
			actor.ID, actor.Name = *one.MemberID, one.Email
		}

		change := Change{Action: "session.ended", Target: PublicSessionID(one.ID)}
		if err := Record(WithActor(ctx, actor), tx, *one.TenantID, change); err != nil {
			return 0, err
		}
	}

	return len(gone), nil
}

// Sweep removes the sessions that have expired.
func (s *Sessions) Sweep(ctx context.Context) error {
	_, err := s.db.Pool.Exec(ctx, sweepSessions, sessionIdle)

	return postgres.Fault("remove expired sessions", err)
}

// ParseSessionID is the inverse of PublicSessionID; a text that is none is the Fault session_not_found.
func ParseSessionID(text string) (uuid.UUID, error) {
	return parseID(sessionIDPrefix, text, errSessionNotFound)
}
