package tenants

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/postgres"
)

// refreshGrace is how long a refresh token that was used still leads to its successor: two tabs of a browser share one
// cookie, and a lost answer is asked for again. After it, a token that comes back is a stolen one.
const refreshGrace = 10 * time.Second

const (
	// The lock puts the uses of one session in order; what they did before is then seen by the next statement.
	lockSession = `
SELECT s.id, s.login_id, s.tenant_id, s.expires_at FROM sessions s
WHERE s.id = (SELECT session_id FROM refresh_tokens WHERE token_hash = $1)
AND s.expires_at > now() AND s.seen_at > now() - $2::interval
FOR UPDATE`
	findRefresh = `
SELECT used_at IS NOT NULL, COALESCE(used_at <= clock_timestamp() - $2::interval, false) FROM refresh_tokens WHERE token_hash = $1`
	useRefresh   = `UPDATE refresh_tokens SET used_at = clock_timestamp() WHERE token_hash = $1`
	touchSession = `UPDATE sessions SET seen_at = now(), tenant_id = $2, address = $3, agent = $4 WHERE id = $1`
	dropSession  = `DELETE FROM sessions WHERE id = $1`
)

// ErrSignInAgain is the one answer to every refresh token that does not count.
var ErrSignInAgain = fault.New(fault.Unauthenticated, "session_ended", "This session has ended. Sign in again.")

// Refresh takes a refresh token and returns the next one, with an access token. Each token works once; used a second time
// it ends the whole session, whoever holds it, except within ten seconds: then it leads to the same successor again. The
// errors are the Faults session_ended and storage_unavailable.
func (s *Sessions) Refresh(ctx context.Context, token string, client Client) (Grant, error) {
	var grant Grant

	err := postgres.InTx(ctx, s.db.Pool, func(tx pgx.Tx) error {
		var err error
		grant, err = s.rotate(ctx, tx, token, client)

		return err
	})
	if err != nil {
		return Grant{}, postgres.Fault("refresh a session", err)
	}

	// A session that was ended for a stolen token stays ended, so its transaction is not one that fails.
	if grant.Refresh == "" {
		return Grant{}, ErrSignInAgain
	}

	grant.Access, err = s.access(ctx, grant)

	return grant, err
}

// rotate returns a grant without a refresh token when it has ended the session.
func (s *Sessions) rotate(ctx context.Context, tx pgx.Tx, token string, client Client) (Grant, error) {
	grant, wanted, err := findSession(ctx, tx, token)
	if err != nil {
		return Grant{}, err
	}

	if grant.TenantID, grant.MemberID, err = stay(ctx, tx, grant.LoginID, wanted); err != nil {
		return Grant{}, err
	}

	if grant.Refresh, err = s.next(ctx, tx, token, grant.SessionID); errors.Is(err, errStolen) {
		return Grant{}, s.endStolen(ctx, tx, grant, client)
	}

	if err != nil {
		return Grant{}, err
	}

	_, err = tx.Exec(ctx, touchSession, grant.SessionID, optional(grant.TenantID), client.Address, client.Agent)

	return grant, err
}

// errStolen is a token that was used before, and not just now.
var errStolen = errors.New("a refresh token was used twice")

// next is the token that follows: a new one for a token that was not used, the same as before for one that was used just
// now. That one may have been used as well by then; whoever comes late gets the last of them, since a browser keeps what
// it was told last.
func (s *Sessions) next(ctx context.Context, tx pgx.Tx, token string, sessionID uuid.UUID) (string, error) {
	for first := true; ; first = false {
		used, late, err := state(ctx, tx, token)
		if err != nil {
			return "", err
		}

		switch following := s.successor(token); {
		case late:
			return "", errStolen
		case used:
			token = following
		case first:
			return following, advance(ctx, tx, token, following, sessionID)
		default:
			return token, nil
		}
	}
}

func findSession(ctx context.Context, tx pgx.Tx, token string) (Grant, uuid.UUID, error) {
	var (
		grant   Grant
		wanted  *uuid.UUID
		expires time.Time
	)

	err := tx.QueryRow(ctx, lockSession, hashRefresh(token), sessionIdle).
		Scan(&grant.SessionID, &grant.LoginID, &wanted, &expires)
	if errors.Is(err, pgx.ErrNoRows) {
		return Grant{}, uuid.UUID{}, ErrSignInAgain
	}

	if err != nil {
		return Grant{}, uuid.UUID{}, err
	}

	grant.RefreshUntil = expires
	if idle := time.Now().Add(sessionIdle); idle.Before(expires) {
		grant.RefreshUntil = idle
	}

	if wanted == nil {
		wanted = &uuid.UUID{}
	}

	return grant, *wanted, nil
}

// state says whether a token was used, and whether that was too long ago to be the same person in a hurry.
func state(ctx context.Context, tx pgx.Tx, token string) (used, late bool, err error) {
	err = tx.QueryRow(ctx, findRefresh, hashRefresh(token), refreshGrace).Scan(&used, &late)
	if errors.Is(err, pgx.ErrNoRows) {
		err = ErrSignInAgain
	}

	return used, late, err
}

func advance(ctx context.Context, tx pgx.Tx, token, next string, sessionID uuid.UUID) error {
	if _, err := tx.Exec(ctx, useRefresh, hashRefresh(token)); err != nil {
		return err
	}

	_, err := tx.Exec(ctx, insertRefresh, hashRefresh(next), sessionID)

	return err
}

func (s *Sessions) endStolen(ctx context.Context, tx pgx.Tx, grant Grant, client Client) error {
	if _, err := tx.Exec(ctx, dropSession, grant.SessionID); err != nil {
		return err
	}

	return s.remember(ctx, tx, grant, client, Change{
		Action: "session.ended", Target: PublicSessionID(grant.SessionID),
		Details: map[string]any{"reason": "refresh_token_reused"},
	})
}

// successor is the token that follows. It is made from the one before it, so that it can be said again without being stored;
// only this service can make it.
func (s *Sessions) successor(token string) string {
	return base64.RawURLEncoding.EncodeToString(s.key.of([]byte(token)))
}

func hashRefresh(token string) []byte {
	sum := sha256.Sum256([]byte(token))

	return sum[:]
}
