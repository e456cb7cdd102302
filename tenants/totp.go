package tenants

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"formonce/internal/fault"
	"formonce/internal/id"
	"formonce/internal/postgres"
)

const (
	// totpStep is how long a code is shown (RFC 6238, section 5.2).
	totpStep = 30 * time.Second
	// totpSecretBytes are those of the HMAC's hash (RFC 4226, section 4, R6).
	totpSecretBytes = 20
)

const (
	// A generator that was never confirmed makes room for another one; one that is on stays.
	proposeTOTP = `
INSERT INTO totp_secrets (login_id, sealed_secret) VALUES ($1, $2)
ON CONFLICT (login_id) DO UPDATE SET sealed_secret = excluded.sealed_secret, created_at = now(), last_step = 0
WHERE totp_secrets.confirmed_at IS NULL`
	findTOTP = `SELECT sealed_secret, confirmed_at IS NOT NULL FROM totp_secrets WHERE login_id = $1`
	// The secret is compared as well, so that a code confirms the generator that it came from.
	confirmTOTP = `
UPDATE totp_secrets SET confirmed_at = now(), last_step = $3
WHERE login_id = $1 AND sealed_secret = $2 AND confirmed_at IS NULL`
	// Of all processes that are sent one code at the same time, one changes the row.
	useTOTPStep = `
UPDATE totp_secrets SET last_step = $3
WHERE login_id = $1 AND sealed_secret = $2 AND confirmed_at IS NOT NULL AND last_step < $3`
	removeTOTP   = `DELETE FROM totp_secrets WHERE login_id = $1 AND confirmed_at IS NOT NULL`
	findOwnEmail = `SELECT email FROM logins WHERE id = $1`
)

var (
	errFactorNotBegun = fault.New(fault.Conflict, "second_factor_not_begun",
		"There is no generator to confirm. Ask for a secret first, and put it into your authenticator.")
	errCodeWrong = fault.New(fault.Unprocessable, "code_wrong",
		"This is not the code that your authenticator should show. Check the time of its device, and enter the next code.").
		In("code")
)

// Proposal is a generator of one-time codes that a person can put into an authenticator.
type Proposal struct {
	// Secret is in base32 (RFC 4648) without padding, for typing; URI says the same as otpauth://, for a QR code.
	Secret, URI string
}

// ProposeTOTP makes a generator, which counts once a code of it has come back. Until then another one takes its place. A
// person whose generator is on gets the Fault second_factor_on.
func (f *Factors) ProposeTOTP(ctx context.Context, loginID uuid.UUID) (Proposal, error) {
	var email string
	if err := f.db.Pool.QueryRow(ctx, findOwnEmail, loginID).Scan(&email); err != nil {
		return Proposal{}, postgres.Fault("read a login", err)
	}

	secret := make([]byte, totpSecretBytes)
	_, _ = rand.Read(secret) // crypto/rand.Read never returns an error.

	key, err := totp.Generate(totp.GenerateOpts{
		Issuer: f.issuer, AccountName: email, Secret: secret, Period: uint(totpStep / time.Second),
		Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1,
	})
	if err != nil {
		return Proposal{}, fmt.Errorf("write a one-time generator: %w", err)
	}

	sealed, err := f.secrets.Seal([]byte(key.Secret()), loginID[:])
	if err != nil {
		return Proposal{}, err
	}

	kept, err := f.db.Pool.Exec(ctx, proposeTOTP, loginID, sealed)
	if err != nil {
		return Proposal{}, postgres.Fault("keep a one-time generator", err)
	}

	if kept.RowsAffected() == 0 {
		return Proposal{}, errFactorOn
	}

	return Proposal{Secret: key.Secret(), URI: key.URL()}, nil
}

// ConfirmTOTP switches the second factor on by the first code of the generator that was proposed, and returns the recovery
// codes, which cannot be read again. The errors are the Faults code_wrong, second_factor_on, second_factor_not_begun and
// rate_limit_exceeded.
func (f *Factors) ConfirmTOTP(ctx context.Context, loginID uuid.UUID, code string, client Client) ([]string, error) {
	account := id.Write(loginIDPrefix, loginID)
	if err := f.guard.Spend(ctx, ActSecondFactor, account, client.Network); err != nil {
		return nil, err
	}

	step, sealed, err := f.stepOf(ctx, loginID, code, false)
	if err != nil {
		return nil, err
	}

	if step == 0 {
		return nil, errCodeWrong
	}

	var made []string

	err = postgres.InTx(ctx, f.db.Pool, func(tx pgx.Tx) error {
		confirmed, err := tx.Exec(ctx, confirmTOTP, loginID, sealed, step)
		if err != nil {
			return err
		}

		if confirmed.RowsAffected() == 0 {
			return errFactorNotBegun
		}

		if made, err = f.replaceRecoveryCodes(ctx, tx, loginID); err != nil {
			return err
		}

		return changePerson(ctx, tx, f.notices, loginID, client, Change{
			Action: "second_factor.enabled", Target: account, Details: map[string]any{"method": FactorTOTP},
		})
	})
	if err != nil {
		return nil, postgres.Fault("switch the second factor on", err)
	}

	return made, f.guard.Reset(ctx, ActSecondFactor, account)
}

// RemoveTOTP switches the second factor off, and its recovery codes with it. The errors are the Faults second_factor_off,
// confirmation_failed and rate_limit_exceeded.
func (f *Factors) RemoveTOTP(ctx context.Context, loginID uuid.UUID, proof Proof, client Client) error {
	if err := f.proveWhileOn(ctx, loginID, proof, client); err != nil {
		return err
	}

	err := postgres.InTx(ctx, f.db.Pool, func(tx pgx.Tx) error {
		removed, err := tx.Exec(ctx, removeTOTP, loginID)
		if err != nil {
			return err
		}

		if removed.RowsAffected() == 0 {
			return errFactorOff
		}

		if _, err := tx.Exec(ctx, dropRecoveryCodes, loginID); err != nil {
			return err
		}

		return changePerson(ctx, tx, f.notices, loginID, client, Change{
			Action: "second_factor.disabled", Target: id.Write(loginIDPrefix, loginID),
		})
	})

	return postgres.Fault("switch the second factor off", err)
}

func (f *Factors) proveWhileOn(ctx context.Context, loginID uuid.UUID, proof Proof, client Client) error {
	state, err := f.State(ctx, loginID)
	if err != nil {
		return err
	}

	if !state.TOTP {
		return errFactorOff
	}

	return f.prove(ctx, loginID, proof, client)
}

// useTOTP says whether the code is one that counts now, and takes care that it does not count again.
func (f *Factors) useTOTP(ctx context.Context, loginID uuid.UUID, code string) (bool, error) {
	step, sealed, err := f.stepOf(ctx, loginID, code, true)
	if err != nil || step == 0 {
		return false, err
	}

	used, err := f.db.Pool.Exec(ctx, useTOTPStep, loginID, sealed, step)
	if err != nil {
		return false, postgres.Fault("use a one-time code", err)
	}

	return used.RowsAffected() == 1, nil
}

// stepOf finds the step of time whose code this is: the present one or one beside it, since clocks differ (RFC 6238, section
// 6). It is 0 for a code of none of them, and for a person whose generator is not on.
func (f *Factors) stepOf(ctx context.Context, loginID uuid.UUID, code string, on bool) (int64, []byte, error) {
	var (
		sealed    []byte
		confirmed bool
	)

	err := f.db.Pool.QueryRow(ctx, findTOTP, loginID).Scan(&sealed, &confirmed)

	switch {
	case errors.Is(err, pgx.ErrNoRows) && on:
		return 0, nil, nil
	case errors.Is(err, pgx.ErrNoRows):
		return 0, nil, errFactorNotBegun
	case err != nil:
		return 0, nil, postgres.Fault("read a one-time generator", err)
	case confirmed && !on:
		return 0, nil, errFactorOn
	case !confirmed && on:
		return 0, nil, nil
	}

	secret, err := f.secrets.Open(sealed, loginID[:])
	if err != nil {
		return 0, nil, err
	}

	return matchStep(string(secret), code, time.Now()), sealed, nil
}

func matchStep(secret, code string, now time.Time) int64 {
	present := now.Unix() / int64(totpStep/time.Second)
	code = strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}

		return -1
	}, code)

	for _, step := range []int64{present, present - 1, present + 1} {
		//nolint:gosec // A step after 1970.
		fits, err := hotp.ValidateCustom(code, uint64(step), secret,
			hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if err == nil && fits {
			return step
		}
	}

	return 0
}
