package tenants

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/id"
	"formonce/internal/moment"
	"formonce/internal/postgres"
)

const (
	// sessionFor is how long a session lasts at most, sessionIdle how long it waits for its person.
	sessionFor  = 30 * 24 * time.Hour
	sessionIdle = 14 * 24 * time.Hour
)

const (
	insertSession = `
INSERT INTO sessions (id, login_id, tenant_id, method, address, agent, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, now() + $7::interval)`
	insertRefresh = `INSERT INTO refresh_tokens (token_hash, session_id) VALUES ($1, $2)`
	// Where a person begins: in the tenant that was asked for, else in the one they were in last, else where they have been
	// a member for longest; in one that works before one that is suspended.
	findStay = `
SELECT m.tenant_id, m.id FROM members m JOIN tenants t ON t.id = m.tenant_id
WHERE m.login_id = $1
ORDER BY m.tenant_id = $2 DESC, t.status = 'active' DESC,
    m.tenant_id = (SELECT tenant_id FROM sessions WHERE login_id = $1 AND tenant_id IS NOT NULL ORDER BY seen_at DESC LIMIT 1)
        DESC NULLS LAST,
    m.created_at, m.tenant_id
LIMIT 1`
	findEmail = `SELECT email FROM logins WHERE id = $1`
)

// Client is the program that a person uses, and where it is.
type Client struct {
	Address, Agent, RequestID string
	// Network is what its tries are counted by: many addresses of IPv6 are one client's.
	Network string
}

// The ways to sign in, as a session remembers them.
const (
	ByPassword     = "password"
	BySignUp       = "sign_up"
	ByInvitation   = "invitation"
	BySecondFactor = "second_factor" // a password, and a code after it
	ByPasskey      = "passkey"
	ByOIDC         = "oidc"
)

// Arrival is a person who has shown who they are, and how.
type Arrival struct {
	LoginID uuid.UUID
	// Method is one of the ways to sign in, such as ByPassword.
	Method string
	// TenantID is where the person wants to be; zero leaves it to us.
	TenantID uuid.UUID
	Client   Client
}

// Grant is what a person gets who has signed in or come back: an access token for one tenant, and the refresh token that
// leads to the next one.
type Grant struct {
	Access Token
	// Refresh is a secret for the person's client alone, and good until RefreshUntil.
	Refresh      string
	RefreshUntil time.Time

	SessionID, LoginID uuid.UUID
	// TenantID and MemberID are zero for a person who is in no tenant.
	TenantID, MemberID uuid.UUID
}

// Sessions are the stays of people, each of which can be ended at any moment.
type Sessions struct {
	db     *postgres.DB
	tokens *Tokens
	key    macKey // makes the successors of refresh tokens
}

// NewSessions returns the sessions in db.
func NewSessions(db *postgres.DB, tokens *Tokens, secret []byte) (*Sessions, error) {
	key, err := deriveKey(secret, "refresh tokens")
	if err != nil {
		return nil, err
	}

	return &Sessions{db: db, tokens: tokens, key: key}, nil
}

// Start begins a session for a person who has shown who they are. Whoever calls it has asked for everything that the sign-in
// of this person needs, a second factor too.
func (s *Sessions) Start(ctx context.Context, who Arrival) (Grant, error) {
	var random [32]byte

	_, _ = rand.Read(random[:]) // crypto/rand.Read never returns an error.

	grant := Grant{
		SessionID: id.New(), LoginID: who.LoginID, Refresh: base64.RawURLEncoding.EncodeToString(random[:]),
		RefreshUntil: moment.Now().Add(min(sessionFor, sessionIdle)),
	}

	err := postgres.InTx(ctx, s.db.Pool, func(tx pgx.Tx) error {
		var err error
		if grant.TenantID, grant.MemberID, err = stay(ctx, tx, who.LoginID, who.TenantID); err != nil {
			return err
		}

		_, err = tx.Exec(ctx, insertSession, grant.SessionID, who.LoginID, optional(grant.TenantID), who.Method,
			who.Client.Address, who.Client.Agent, sessionFor)
		if err != nil {
			return err
		}

		if _, err := tx.Exec(ctx, insertRefresh, hashRefresh(grant.Refresh), grant.SessionID); err != nil {
			return err
		}

		return s.remember(ctx, tx, grant, who.Client, Change{
			Action: "session.started", Target: PublicSessionID(grant.SessionID), Details: map[string]any{"method": who.Method},
		})
	})
	if err != nil {
		return Grant{}, postgres.Fault("start a session", err)
	}

	grant.Access, err = s.access(ctx, grant)

	return grant, err
}

// stay finds where a person is: the tenant, and the membership there. Both are zero for one who is in none.
func stay(ctx context.Context, tx pgx.Tx, loginID, wanted uuid.UUID) (tenantID, memberID uuid.UUID, err error) {
	err = tx.QueryRow(ctx, findStay, loginID, wanted).Scan(&tenantID, &memberID)
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}

	return tenantID, memberID, err
}

// remember writes to the audit log of the tenant that the session is in. The person is not known to the context yet.
func (s *Sessions) remember(ctx context.Context, tx pgx.Tx, grant Grant, client Client, change Change) error {
	if grant.TenantID == (uuid.UUID{}) {
		return nil
	}

	actor := Actor{
		Kind: ActorMember, ID: grant.MemberID, Address: client.Address, Agent: client.Agent, RequestID: client.RequestID,
	}
	if err := tx.QueryRow(ctx, findEmail, grant.LoginID).Scan(&actor.Name); err != nil {
		return err
	}

	return Record(WithActor(ctx, actor), tx, grant.TenantID, change)
}

func (s *Sessions) access(ctx context.Context, grant Grant) (Token, error) {
	said := jwt.MapClaims{
		"sub": id.Write(loginIDPrefix, grant.LoginID), claimSession: PublicSessionID(grant.SessionID),
	}

	if grant.TenantID != (uuid.UUID{}) {
		said[claimTenant] = PublicID(grant.TenantID)
	}

	return s.tokens.sign(ctx, said)
}

// PublicSessionID shows a session's id to people and programs.
func PublicSessionID(sessionID uuid.UUID) string { return id.Write(sessionIDPrefix, sessionID) }

// optional is null for the id of nothing.
func optional(given uuid.UUID) *uuid.UUID {
	if given == (uuid.UUID{}) {
		return nil
	}

	return &given
}

var errSessionNotFound = fault.New(fault.NotFound, "session_not_found",
	"You have no such session. List your sessions to see those that are still open.")
