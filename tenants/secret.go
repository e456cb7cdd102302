package tenants

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
)

// macKey is a key of this package for one purpose, derived from the service's secret (HKDF-SHA-256, RFC 5869).
type macKey []byte

func deriveKey(secret []byte, purpose string) (macKey, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, "formonce "+purpose, sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("derive a key: %w", err)
	}

	return key, nil
}

// of is the HMAC-SHA-256 of the text.
func (k macKey) of(text []byte) []byte {
	mac := hmac.New(sha256.New, k)
	_, _ = mac.Write(text) // A hash takes everything.

	return mac.Sum(nil)
}
