package tenants

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"time"

	"github.com/google/uuid"

	"formonce/internal/fault"
)

// challengeFor is how long a person has for the second factor.
const challengeFor = 5 * time.Minute

// challengePurpose keeps anything else that was sealed in the same box from being taken for a challenge.
var challengePurpose = []byte("challenge")

// ErrChallengeEnded is the answer to a challenge that was used, tried too often, or is too old.
var ErrChallengeEnded = fault.New(fault.Unauthenticated, "challenge_ended",
	"This sign-in took too long or was tried too often. Begin again with your password.")

// Challenge is a sign-in whose password was right, and that waits for the second factor.
type Challenge struct {
	LoginID uuid.UUID

	nonce uuid.UUID
}

// challenge is a text that nobody else can read or make. What is counted against it is counted by its nonce, so that nothing
// has to be stored until somebody answers.
func (s *SignIns) challenge(loginID uuid.UUID) (string, error) {
	nonce := uuid.New()
	text := append(append([]byte{}, loginID[:]...), nonce[:]...)
	//nolint:gosec // A time after 1970.
	text = binary.BigEndian.AppendUint64(text, uint64(time.Now().Add(challengeFor).Unix()))

	sealed, err := s.challenges.Seal(text, challengePurpose)

	return base64.RawURLEncoding.EncodeToString(sealed), err
}

// Challenge reads a challenge and counts one of the five tries at it. The error is the Fault challenge_ended. Whoever answers
// it still has to be limited by account and address.
func (s *SignIns) Challenge(ctx context.Context, text string) (Challenge, error) {
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return Challenge{}, ErrChallengeEnded
	}

	opened, err := s.challenges.Open(sealed, challengePurpose)
	if err != nil || len(opened) != 40 {
		return Challenge{}, ErrChallengeEnded
	}

	//nolint:gosec // What challenge has written.
	if time.Now().After(time.Unix(int64(binary.BigEndian.Uint64(opened[32:])), 0)) {
		return Challenge{}, ErrChallengeEnded
	}

	found := Challenge{LoginID: uuid.UUID(opened[:16]), nonce: uuid.UUID(opened[16:32])}

	return found, s.spendChallenge(ctx, actChallengeTry, found)
}

// Finish begins the session for which the challenge was made, once. The second answer to it gets the Fault challenge_ended.
func (s *SignIns) Finish(ctx context.Context, challenge Challenge, method string, client Client) (Grant, error) {
	if err := s.spendChallenge(ctx, actChallengeUse, challenge); err != nil {
		return Grant{}, err
	}

	return s.sessions.Start(ctx, Arrival{LoginID: challenge.LoginID, Method: method, Client: client})
}

func (s *SignIns) spendChallenge(ctx context.Context, act Act, challenge Challenge) error {
	err := s.guard.spend(ctx, act, byAccount, challenge.nonce.String())
	if limited(err) {
		return ErrChallengeEnded
	}

	return err
}
