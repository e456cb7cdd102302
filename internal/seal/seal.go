// Package seal keeps secrets at rest: what is stored sealed can only be read by a process that has the service's secret.
package seal

import (
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/tink-crypto/tink-go/v2/aead/subtle"
)

// version begins everything that is sealed, so that another cipher can follow one day without guessing.
const version = 1

// Box seals for one purpose, with AES-256-GCM under a key that HKDF-SHA-256 (RFC 5869) derives from the secret and the
// purpose. It is safe for use by several goroutines.
type Box struct {
	cipher *subtle.AESGCM
}

// New returns the box of this purpose. What one purpose has sealed no other can open.
func New(secret []byte, purpose string) (*Box, error) {
	if len(secret) < 32 {
		return nil, errors.New("sealing needs a secret of at least 32 bytes")
	}

	key, err := hkdf.Key(sha256.New, secret, nil, "formonce seal "+purpose, 32)
	if err != nil {
		return nil, fmt.Errorf("derive a key: %w", err)
	}

	cipher, err := subtle.NewAESGCM(key)
	if err != nil {
		return nil, fmt.Errorf("make a cipher: %w", err)
	}

	return &Box{cipher: cipher}, nil
}

// Seal encrypts the text. It can be opened only together with the same context, such as the id of the row that holds it,
// so that nobody can move it to another row.
func (b *Box) Seal(text, context []byte) ([]byte, error) {
	sealed, err := b.cipher.Encrypt(text, context)
	if err != nil {
		return nil, fmt.Errorf("seal a secret: %w", err)
	}

	return append([]byte{version}, sealed...), nil
}

// Open is the inverse of Seal. It fails for what was changed, moved, or sealed under another secret.
func (b *Box) Open(sealed, context []byte) ([]byte, error) {
	if len(sealed) == 0 || sealed[0] != version {
		return nil, errors.New("this was not sealed by this program")
	}

	text, err := b.cipher.Decrypt(sealed[1:], context)
	if err != nil {
		return nil, errors.New("a sealed secret cannot be opened: is SECRET_KEY another one than before?")
	}

	return text, nil
}
