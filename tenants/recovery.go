package tenants

import (
	"context"
	"crypto/rand"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/id"
	"formonce/internal/postgres"
)

const (
	// recoveryCodes is how many a person gets, each of recoveryChars characters of base32, which are 80 bits.
	recoveryCodes = 10
	recoveryChars = 16
	// recoveryGroup is how many characters are written together.
	recoveryGroup = 4
)

const (
	dropRecoveryCodes  = `DELETE FROM recovery_codes WHERE login_id = $1`
	insertRecoveryCode = `INSERT INTO recovery_codes (login_id, code_hash) SELECT $1, unnest($2::bytea[])`
	// Of all processes that are sent one code at the same time, one removes the row.
	useRecoveryCode = `DELETE FROM recovery_codes WHERE login_id = $1 AND code_hash = $2`
	// The generator's row puts in order who makes recovery codes at the same time, so that one set of them is left.
	lockTOTP = `SELECT FROM totp_secrets WHERE login_id = $1 AND confirmed_at IS NOT NULL FOR UPDATE`
)

// RenewRecoveryCodes makes a new set; the codes of the one before count no more. The new ones cannot be read again. The errors
// are the Faults second_factor_off, confirmation_failed and rate_limit_exceeded.
func (f *Factors) RenewRecoveryCodes(ctx context.Context, loginID uuid.UUID, proof Proof, client Client) ([]string, error) {
	if err := f.proveWhileOn(ctx, loginID, proof, client); err != nil {
		return nil, err
	}

	var made []string

	err := postgres.InTx(ctx, f.db.Pool, func(tx pgx.Tx) error {
		locked, err := tx.Exec(ctx, lockTOTP, loginID)
		if err != nil {
			return err
		}

		if locked.RowsAffected() == 0 {
			return errFactorOff
		}

		if made, err = f.replaceRecoveryCodes(ctx, tx, loginID); err != nil {
			return err
		}

		return changePerson(ctx, tx, f.notices, loginID, client, Change{
			Action: "recovery_codes.renewed", Target: id.Write(loginIDPrefix, loginID),
		})
	})
	if err != nil {
		return nil, postgres.Fault("make recovery codes", err)
	}

	return made, nil
}

func (f *Factors) replaceRecoveryCodes(ctx context.Context, tx pgx.Tx, loginID uuid.UUID) ([]string, error) {
	if _, err := tx.Exec(ctx, dropRecoveryCodes, loginID); err != nil {
		return nil, err
	}

	codes, hashes := make([]string, recoveryCodes), make([][]byte, recoveryCodes)
	for i := range codes {
		codes[i] = newRecoveryCode()
		hashes[i] = f.hashRecoveryCode(loginID, codes[i])
	}

	_, err := tx.Exec(ctx, insertRecoveryCode, loginID, hashes)

	return codes, err
}

// newRecoveryCode is easy to read aloud and to type: small letters and digits that are not mistaken for each other, in
// groups.
func newRecoveryCode() string {
	random := strings.ToLower(rand.Text()[:recoveryChars])

	groups := make([]string, 0, recoveryChars/recoveryGroup)
	for at := 0; at < recoveryChars; at += recoveryGroup {
		groups = append(groups, random[at:at+recoveryGroup])
	}

	return strings.Join(groups, "-")
}

// hashRecoveryCode is keyed, and of one person only. What a person adds or leaves out while typing does not count.
func (f *Factors) hashRecoveryCode(loginID uuid.UUID, code string) []byte {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}

		return -1
	}, strings.ToLower(code))

	return f.codes.of(append(loginID[:], plain...))
}

// useRecoveryCode says whether the person has this code, which is gone then.
func (f *Factors) useRecoveryCode(ctx context.Context, loginID uuid.UUID, code string, client Client) (bool, error) {
	used := false

	err := postgres.InTx(ctx, f.db.Pool, func(tx pgx.Tx) error {
		removed, err := tx.Exec(ctx, useRecoveryCode, loginID, f.hashRecoveryCode(loginID, code))
		if err != nil || removed.RowsAffected() == 0 {
			return err
		}

		used = true

		return changePerson(ctx, tx, f.notices, loginID, client, Change{
			Action: "recovery_code.used", Target: id.Write(loginIDPrefix, loginID),
		})
	})

	return used && err == nil, postgres.Fault("use a recovery code", err)
}
