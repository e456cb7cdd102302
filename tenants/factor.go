package tenants

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/id"
	"formonce/internal/postgres"
	"formonce/internal/seal"
)

// The names of the means that answer a challenge, as a sign-in lists them.
const (
	FactorTOTP         = "totp"
	FactorRecoveryCode = "recovery_code"
	FactorPasskey      = "passkey"
)

const (
	findFactors = `
SELECT t.created_at, t.confirmed_at,
    (SELECT count(*) FROM recovery_codes r WHERE r.login_id = l.id), (SELECT count(*) FROM passkeys p WHERE p.login_id = l.id)
FROM logins l LEFT JOIN totp_secrets t ON t.login_id = l.id
WHERE l.id = $1`
	findOwnHash = `SELECT COALESCE(password_hash, '') FROM logins WHERE id = $1`
	listStays   = `
SELECT m.tenant_id, m.id, l.email FROM members m JOIN logins l ON l.id = m.login_id WHERE m.login_id = $1 ORDER BY m.tenant_id`
)

// The refusals around the second factor.
var (
	errFactorOn = fault.New(fault.Conflict, "second_factor_on",
		"Your second factor is on already. Switch it off first to set up another generator.")
	errFactorOff = fault.New(fault.Conflict, "second_factor_off", "You have no second factor. Set one up first.")
	errNotProven = fault.New(fault.Forbidden, "confirmation_failed",
		"This needs your password, or a code that was not used yet. Check what you sent and try again.")
	// ErrCodeRefused is the one answer to a second factor that does not count.
	ErrCodeRefused = fault.New(fault.Unauthenticated, "second_factor_failed",
		"This code is wrong or was used already. Wait for the next one, or use a recovery code.")
)

// FactorState is what a person has set up beside the password.
type FactorState struct {
	// TOTP says whether codes are asked for; Since is when that began.
	TOTP  bool
	Since time.Time
	// RecoveryCodes is how many are left, Passkeys how many there are.
	RecoveryCodes, Passkeys int
}

// Factors are the second factors of people.
type Factors struct {
	db       *postgres.DB
	guard    *Guard
	signIns  *SignIns
	passkeys *Passkeys
	notices  Notices

	secrets *seal.Box
	codes   macKey
	issuer  string
}

// NewFactors returns the second factors in db, and makes signIns ask for them. The secret is the service's; public is the
// origin under which it is reached.
func NewFactors(
	db *postgres.DB, guard *Guard, signIns *SignIns, passkeys *Passkeys, secret []byte, public *url.URL,
) (*Factors, error) {
	secrets, err := seal.New(secret, "one-time codes")
	if err != nil {
		return nil, err
	}

	codes, err := deriveKey(secret, "recovery codes")
	if err != nil {
		return nil, err
	}

	factors := &Factors{
		db: db, guard: guard, signIns: signIns, passkeys: passkeys,
		secrets: secrets, codes: codes, issuer: "Formonce " + public.Host,
	}
	signIns.Factors = factors

	return factors, nil
}

// State says what the person has set up.
func (f *Factors) State(ctx context.Context, loginID uuid.UUID) (FactorState, error) {
	var (
		state            FactorState
		begun, confirmed *time.Time
	)

	err := f.db.Pool.QueryRow(ctx, findFactors, loginID).Scan(&begun, &confirmed, &state.RecoveryCodes, &state.Passkeys)
	if err != nil {
		return FactorState{}, postgres.Fault("read the second factor", err)
	}

	if confirmed != nil {
		state.TOTP, state.Since = true, confirmed.UTC()
	}

	return state, nil
}

// Methods are the means by which the person can answer a challenge; none for a person whose password is enough. A passkey
// alone does not make one be asked for: it is a way to sign in by itself.
func (f *Factors) Methods(ctx context.Context, loginID uuid.UUID) ([]string, error) {
	state, err := f.State(ctx, loginID)
	if err != nil || !state.TOTP {
		return nil, err
	}

	methods := []string{FactorTOTP}
	if state.RecoveryCodes > 0 {
		methods = append(methods, FactorRecoveryCode)
	}

	if state.Passkeys > 0 {
		methods = append(methods, FactorPasskey)
	}

	return methods, nil
}

// Proof shows that it is the person who asks, and not somebody who sits at their screen. One of its members is enough.
type Proof struct {
	Password, Code, RecoveryCode string
}

// prove is limited like a sign-in. The error is the Fault confirmation_failed.
func (f *Factors) prove(ctx context.Context, loginID uuid.UUID, proof Proof, client Client) error {
	act := ActSecondFactor
	if proof.Password != "" {
		act = ActPassword
	}

	account := id.Write(loginIDPrefix, loginID)
	if err := f.guard.Spend(ctx, act, account, client.Network); err != nil {
		return err
	}

	proven, err := f.proven(ctx, loginID, proof, client)
	if err != nil {
		return err
	}

	if !proven {
		return errNotProven
	}

	return f.guard.Reset(ctx, act, account)
}

func (f *Factors) proven(ctx context.Context, loginID uuid.UUID, proof Proof, client Client) (bool, error) {
	if proof.Password == "" {
		return f.useCode(ctx, loginID, proof.Code, proof.RecoveryCode, client)
	}

	var hash string

	err := f.db.Pool.QueryRow(ctx, findOwnHash, loginID).Scan(&hash)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return false, postgres.Fault("read a login", err)
	}

	return passwordFits(ctx, proof.Password, hash)
}

// useCode takes one code of either sort, which then is used up.
func (f *Factors) useCode(ctx context.Context, loginID uuid.UUID, code, recovery string, client Client) (bool, error) {
	switch {
	case code != "":
		return f.useTOTP(ctx, loginID, code)
	case recovery != "":
		return f.useRecoveryCode(ctx, loginID, recovery, client)
	default:
		return false, nil
	}
}

// membership is one of a person.
type membership struct {
	tenantID, memberID uuid.UUID
	email              string
}

// recordEverywhere writes what changed about a person's sign-in to the audit log of every tenant that they are in: all of
// them are reached by it.
func recordEverywhere(ctx context.Context, tx pgx.Tx, loginID uuid.UUID, client Client, change Change) error {
	rows, err := tx.Query(ctx, listStays, loginID)
	if err != nil {
		return err
	}

	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (membership, error) {
		var one membership

		return one, row.Scan(&one.tenantID, &one.memberID, &one.email)
	})
	if err != nil {
		return err
	}

	for _, one := range found {
		actor := Actor{
			Kind: ActorMember, ID: one.memberID, Name: one.email,
			Address: client.Address, Agent: client.Agent, RequestID: client.RequestID,
		}

		if err := Record(WithActor(ctx, actor), tx, one.tenantID, change); err != nil {
			return err
		}
	}

	return nil
}
