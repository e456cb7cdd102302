package tenants

import (
	"crypto/rand"
	"crypto/sha256"
	"math/big"
	"strings"
)

const (
	keyMark = "fo_live_"
	// keyDigits of base 62 hold 256 bits.
	keyDigits = 43
	// prefixDigits are shown for recognition, and leave more than 220 bits unknown.
	prefixDigits = 6
)

// newKey returns an API key of 256 random bits and the part of it that is shown for recognition. It is written with letters
// and digits only, so that a double click selects all of it.
func newKey() (key, prefix string) {
	var random [32]byte

	_, _ = rand.Read(random[:]) // crypto/rand.Read never returns an error

	digits := new(big.Int).SetBytes(random[:]).Text(62)
	key = keyMark + strings.Repeat("0", keyDigits-len(digits)) + digits

	return key, key[:len(keyMark)+prefixDigits]
}

// hashKey is what is stored of a key. A key is random, so that one round of SHA-256 cannot be guessed back.
func hashKey(key string) []byte {
	sum := sha256.Sum256([]byte(key))

	return sum[:]
}
