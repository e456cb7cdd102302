package tenants

import (
	"context"

	"github.com/google/uuid"

	"formonce/internal/id"
)

// FactorAnswer is what a person answers a challenge with: a code, a recovery code, or a passkey.
type FactorAnswer struct {
	Challenge string

	Code, RecoveryCode string

	// CeremonyID and Credential are of a ceremony that PasskeyOptions has begun for the same challenge; Credential is the
	// JSON of an AuthenticationResponseJSON (Web Authentication, section 5.1).
	CeremonyID uuid.UUID
	Credential []byte
}

// Answer finishes a sign-in that waits for the second factor. The errors are the Faults challenge_ended,
// second_factor_failed, passkey_refused and rate_limit_exceeded.
func (f *Factors) Answer(ctx context.Context, answer FactorAnswer, client Client) (Grant, error) {
	challenge, err := f.signIns.Challenge(ctx, answer.Challenge)
	if err != nil {
		return Grant{}, err
	}

	account := id.Write(loginIDPrefix, challenge.LoginID)
	if err := f.guard.Spend(ctx, ActSecondFactor, account, client.Network); err != nil {
		return Grant{}, err
	}

	if err := f.check(ctx, challenge.LoginID, answer, client); err != nil {
		return Grant{}, err
	}

	if err := f.guard.Reset(ctx, ActSecondFactor, account); err != nil {
		return Grant{}, err
	}

	return f.signIns.Finish(ctx, challenge, BySecondFactor, client)
}

func (f *Factors) check(ctx context.Context, loginID uuid.UUID, answer FactorAnswer, client Client) error {
	if len(answer.Credential) > 0 {
		return f.passkeys.answer(ctx, loginID, answer.CeremonyID, answer.Credential, client)
	}

	fits, err := f.useCode(ctx, loginID, answer.Code, answer.RecoveryCode, client)
	if err == nil && !fits {
		err = ErrCodeRefused
	}

	return err
}

// PasskeyOptions begins the ceremony by which one of the person's passkeys answers the challenge. It counts as a try at the
// challenge, since it says something about the person.
func (f *Factors) PasskeyOptions(ctx context.Context, challenge string) (Ceremony, error) {
	found, err := f.signIns.Challenge(ctx, challenge)
	if err != nil {
		return Ceremony{}, err
	}

	return f.passkeys.beginAnswer(ctx, found.LoginID)
}
