package tenants

import (
	"context"
	"crypto/rand"
	"fmt"
	"runtime"
	"sync"

	"github.com/alexedwards/argon2id"
)

// hashing costs 19 MiB and some 30 ms, the lower of the settings that OWASP recommends, so that many people who sign in at
// once do not take the machine's memory.
var hashing = &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// hashingSlots bound how many passwords are hashed at a time; more at once would be no faster, and each takes memory.
var hashingSlots = make(chan struct{}, runtime.GOMAXPROCS(0))

// hashPassword makes the hash under which a password is kept. It is slow on purpose, so no transaction waits for it.
func hashPassword(ctx context.Context, password string) (string, error) {
	free, err := takeSlot(ctx)
	if err != nil {
		return "", err
	}
	defer free()

	hash, err := argon2id.CreateHash(password, hashing)
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}

	return hash, nil
}

// passwordFits compares a password with a hash, for which an empty one never fits. It takes the same time for every
// password and every hash that was made with the settings of today, and for an empty one too.
func passwordFits(ctx context.Context, password, hash string) (bool, error) {
	free, err := takeSlot(ctx)
	if err != nil {
		return false, err
	}
	defer free()

	kept := hash
	if kept == "" {
		kept = nobodysHash()
	}

	fits, err := argon2id.ComparePasswordAndHash(password, kept)
	if err != nil {
		return false, fmt.Errorf("compare a password with its hash: %w", err)
	}

	return fits && hash != "", nil
}

// outdated says whether a hash was made with settings that are no longer those of today.
func outdated(hash string) bool {
	made, _, _, err := argon2id.DecodeHash(hash)

	return err == nil && *made != *hashing
}

// nobodysHash is of a password that nobody knows.
var nobodysHash = sync.OnceValue(func() string {
	hash, err := argon2id.CreateHash(rand.Text(), hashing)
	if err != nil {
		//nolint:forbidigo // It fails only without random numbers, and nothing can go on without those.
		panic(fmt.Errorf("hash a password: %w", err))
	}

	return hash
})

func takeSlot(ctx context.Context) (free func(), err error) {
	select {
	case hashingSlots <- struct{}{}:
		return func() { <-hashingSlots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
