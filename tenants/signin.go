package tenants

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/text/unicode/norm"

	"formonce/internal/fault"
	"formonce/internal/postgres"
	"formonce/internal/seal"
)

const (
	findCredential = `SELECT id, COALESCE(password_hash, '') FROM logins WHERE email = $1`
	// Another process may have set another password in the meantime, which stays.
	renewHash = `UPDATE logins SET password_hash = $3 WHERE id = $1 AND password_hash = $2`
)

// ErrSignInFailed is the one answer to a sign-in that fails, whatever the reason: nobody learns from it whether an address
// is known, whether a password was right, or whether an account takes no more tries for a while.
var ErrSignInFailed = fault.New(fault.Unauthenticated, "invalid_credentials",
	"The e-mail address or the password is wrong, or too many tries came in a short time. "+
		"Check both, wait a quarter of an hour, or ask for a new password.")

// SecondFactors says what a person has to show beside the password.
type SecondFactors interface {
	// Methods are the names of the means that the person has set up; none when the password is enough.
	Methods(ctx context.Context, loginID uuid.UUID) ([]string, error)
}

// SignIns lets people in.
type SignIns struct {
	// Factors is asked after a right password; without it passwords are enough for everybody. Set it before the first
	// sign-in.
	Factors SecondFactors

	db         *postgres.DB
	guard      *Guard
	sessions   *Sessions
	challenges *seal.Box
}

// NewSignIns returns the door to the sessions. The secret seals its challenges.
func NewSignIns(db *postgres.DB, guard *Guard, sessions *Sessions, secret []byte) (*SignIns, error) {
	box, err := seal.New(secret, "sign-in challenges")
	if err != nil {
		return nil, err
	}

	// Made now, the first sign-in of an unknown address does not take twice the time of others.
	_ = nobodysHash()

	return &SignIns{db: db, guard: guard, sessions: sessions, challenges: box}, nil
}

// SignIn begins a session for the person with this address and password. The errors are the Faults invalid_credentials, the
// same and after the same time for every reason; rate_limit_exceeded for an address that tries too much; and
// second_factor_required, whose details are a challenge and the methods that answer it.
func (s *SignIns) SignIn(ctx context.Context, email, password string, client Client) (Grant, error) {
	loginID, err := s.admit(ctx, email, password, client)
	if err != nil {
		return Grant{}, err
	}

	return s.sessions.Start(ctx, Arrival{LoginID: loginID, Method: ByPassword, Client: client})
}

// admit is SignIn up to the session.
func (s *SignIns) admit(ctx context.Context, email, password string, client Client) (uuid.UUID, error) {
	email = plainEmail(email)

	if err := s.guard.spend(ctx, ActSignIn, byAddress, client.Network); err != nil {
		return uuid.UUID{}, err
	}

	loginID, err := s.check(ctx, email, password)
	if err != nil {
		return uuid.UUID{}, err
	}

	if err := s.guard.Reset(ctx, ActSignIn, email); err != nil {
		return uuid.UUID{}, err
	}

	return loginID, s.askForMore(ctx, loginID)
}

// check does the same for every address and every password, up to the point where both are right.
func (s *SignIns) check(ctx context.Context, email, password string) (uuid.UUID, error) {
	spent := s.guard.spend(ctx, ActSignIn, byAccount, email)
	if spent != nil && !limited(spent) {
		return uuid.UUID{}, spent
	}

	var (
		loginID uuid.UUID
		hash    string
	)

	err := s.db.Pool.QueryRow(ctx, findCredential, email).Scan(&loginID, &hash)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return uuid.UUID{}, postgres.Fault("read a login", err)
	}

	fits, err := passwordFits(ctx, password, hash)
	if err != nil {
		return uuid.UUID{}, err
	}

	if !fits || spent != nil {
		return uuid.UUID{}, ErrSignInFailed
	}

	return loginID, s.renew(ctx, loginID, password, hash)
}

// renew keeps the password of somebody who comes back under the settings of today.
func (s *SignIns) renew(ctx context.Context, loginID uuid.UUID, password, hash string) error {
	if !outdated(hash) {
		return nil
	}

	made, err := hashPassword(ctx, password)
	if err != nil {
		return err
	}

	_, err = s.db.Pool.Exec(ctx, renewHash, loginID, hash, made)

	return postgres.Fault("renew a password's hash", err)
}

func (s *SignIns) askForMore(ctx context.Context, loginID uuid.UUID) error {
	methods, err := s.Methods(ctx, loginID)
	if err != nil || len(methods) == 0 {
		return err
	}

	challenge, err := s.challenge(loginID)
	if err != nil {
		return err
	}

	return fault.New(fault.Unauthenticated, "second_factor_required",
		"The password is right, and this login has a second factor. Answer the challenge with it within five minutes.").
		With("challenge", challenge).With("methods", methods)
}

// Methods are the names of the second factors that a person has set up.
func (s *SignIns) Methods(ctx context.Context, loginID uuid.UUID) ([]string, error) {
	if s.Factors == nil {
		return nil, nil
	}

	return s.Factors.Methods(ctx, loginID)
}

// plainEmail is the one spelling under which an address is kept.
func plainEmail(email string) string {
	return strings.ToLower(norm.NFC.String(strings.TrimSpace(strings.ReplaceAll(email, "\x00", ""))))
}
