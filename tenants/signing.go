package tenants

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"formonce/internal/postgres"
	"formonce/internal/seal"
)

const (
	// keyPublishedBefore is how long a key can be fetched before anything is signed with it, so that whoever keeps the
	// published keys for a while knows it in time.
	keyPublishedBefore = time.Hour
	// keySignsFor is how long one key signs before the next one follows by itself.
	keySignsFor = 30 * 24 * time.Hour
	// keyKeptAfter is how long a key stays that signs no more: far longer than the last token that it has signed.
	keyKeptAfter = 24 * time.Hour
)

const (
	// One at a time, over all processes: two that find no key must not make two.
	lockSigningKeys = `SELECT pg_advisory_xact_lock(hashtext('formonce signing keys'))`
	insertSigning   = `
INSERT INTO signing_keys (kid, public_key, sealed_key, signs_from) VALUES ($1, $2, $3, now() + $4::interval)`
	findSigner = `
SELECT kid, sealed_key FROM signing_keys WHERE signs_from <= now() AND revoked_at IS NULL ORDER BY signs_from DESC, kid LIMIT 1`
	hasSigner      = `SELECT EXISTS (SELECT FROM signing_keys WHERE signs_from <= now() AND revoked_at IS NULL)`
	findVerifier   = `SELECT public_key FROM signing_keys WHERE kid = $1 AND revoked_at IS NULL`
	listVerifiers  = `SELECT kid, public_key, signs_from FROM signing_keys WHERE revoked_at IS NULL ORDER BY signs_from, kid`
	revokeSignings = `UPDATE signing_keys SET revoked_at = now() WHERE revoked_at IS NULL`
	// The newest key tells whether the next one is due, also while it does not sign yet.
	nextIsDue = `
SELECT count(*) > 0, COALESCE(max(signs_from) <= now() - $1::interval, true) FROM signing_keys WHERE revoked_at IS NULL`
	// A key that was followed by another one is done; one that was revoked is kept as long, for who looks into it.
	sweepSignings = `
DELETE FROM signing_keys AS old WHERE revoked_at < now() - $1::interval OR EXISTS (
    SELECT FROM signing_keys AS next
    WHERE next.revoked_at IS NULL AND next.signs_from > old.signs_from AND next.signs_from < now() - $1::interval)`
)

// PublishedKey is a key that checks access tokens: EdDSA over Ed25519 (RFC 8037).
type PublishedKey struct {
	// ID is what the header kid of a token names: the key's thumbprint (RFC 7638).
	ID     string
	Public ed25519.PublicKey
	// SignsFrom is when the first token may be signed with it.
	SignsFrom time.Time
}

// Keyring holds the keys that sign access tokens, in the database for all processes together.
type Keyring struct {
	db  *postgres.DB
	box *seal.Box

	// opened are the private keys that were unsealed, known the public ones that were read; neither ever changes.
	opened, known sync.Map
}

// NewKeyring returns the keys in db, whose private halves are sealed under the secret.
func NewKeyring(db *postgres.DB, secret []byte) (*Keyring, error) {
	box, err := seal.New(secret, "signing keys")
	if err != nil {
		return nil, err
	}

	return &Keyring{db: db, box: box}, nil
}

// Published lists the keys by which tokens are checked, those of the next tokens too, the oldest first.
func (k *Keyring) Published(ctx context.Context) ([]PublishedKey, error) {
	rows, err := k.db.Pool.Query(ctx, listVerifiers)
	if err != nil {
		return nil, postgres.Fault("list the signing keys", err)
	}

	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[PublishedKey])

	return found, postgres.Fault("list the signing keys", err)
}

// Rotate makes the next key, which signs in an hour, or at once where no other one does. With now it signs at once in any
// case, and all keys before it are revoked: every access token ends, and members get a new one by their refresh tokens.
func (k *Keyring) Rotate(ctx context.Context, now bool) (PublishedKey, error) {
	var made PublishedKey

	err := postgres.InTx(ctx, k.db.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, lockSigningKeys); err != nil {
			return err
		}

		if now {
			if _, err := tx.Exec(ctx, revokeSignings); err != nil {
				return err
			}
		}

		var others bool
		if err := tx.QueryRow(ctx, hasSigner).Scan(&others); err != nil {
			return err
		}

		var err error
		made, err = k.add(ctx, tx, others)

		return err
	})

	return made, postgres.Fault("make a signing key", err)
}

// Tend makes the first key, or the next one when it is due, and removes those that nobody needs any more. Every process may
// do it at any time.
func (k *Keyring) Tend(ctx context.Context) error {
	err := postgres.InTx(ctx, k.db.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, lockSigningKeys); err != nil {
			return err
		}

		if _, err := tx.Exec(ctx, sweepSignings, keyKeptAfter); err != nil {
			return err
		}

		var others, due bool
		if err := tx.QueryRow(ctx, nextIsDue, keySignsFor).Scan(&others, &due); err != nil || !due {
			return err
		}

		_, err := k.add(ctx, tx, others)

		return err
	})

	return postgres.Fault("tend the signing keys", err)
}

// add makes a key that signs at once, or after its time of being known while there are others that do.
func (k *Keyring) add(ctx context.Context, tx pgx.Tx, others bool) (PublishedKey, error) {
	wait := time.Duration(0)
	if others {
		wait = keyPublishedBefore
	}

	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return PublishedKey{}, fmt.Errorf("make a signing key: %w", err)
	}

	kid := thumbprint(public)

	sealed, err := k.box.Seal(private.Seed(), []byte(kid))
	if err != nil {
		return PublishedKey{}, err
	}

	_, err = tx.Exec(ctx, insertSigning, kid, []byte(public), sealed, wait)

	return PublishedKey{ID: kid, Public: public, SignsFrom: time.Now().Add(wait).UTC()}, err
}

// thumbprint is that of RFC 7638 with the members that RFC 8037 names, in their order.
func thumbprint(public ed25519.PublicKey) string {
	encode := base64.RawURLEncoding.EncodeToString
	sum := sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + encode(public) + `"}`))

	return encode(sum[:])
}

// signer is the key that signs at this moment. It is asked for anew each time, so that a key that was revoked signs nothing
// more, in no process.
func (k *Keyring) signer(ctx context.Context) (string, ed25519.PrivateKey, error) {
	kid, private, err := k.current(ctx)
	if !errors.Is(err, pgx.ErrNoRows) {
		return kid, private, postgres.Fault("find the signing key", err)
	}

	if err := k.Tend(ctx); err != nil {
		return "", nil, err
	}

	kid, private, err = k.current(ctx)

	return kid, private, postgres.Fault("find the signing key", err)
}

func (k *Keyring) current(ctx context.Context) (string, ed25519.PrivateKey, error) {
	var (
		kid    string
		sealed []byte
	)

	if err := k.db.Pool.QueryRow(ctx, findSigner).Scan(&kid, &sealed); err != nil {
		return "", nil, err
	}

	if kept, found := k.opened.Load(kid); found {
		private, _ := kept.(ed25519.PrivateKey)

		return kid, private, nil
	}

	seed, err := k.box.Open(sealed, []byte(kid))
	if err != nil {
		return "", nil, err
	}

	private := ed25519.NewKeyFromSeed(seed)
	k.opened.Store(kid, private)

	return kid, private, nil
}

// verifier is the public half of a key, read when a token names one that this process has not met. Whether the key is still
// in force is asked with each request, together with the rest.
func (k *Keyring) verifier(ctx context.Context, kid string) (ed25519.PublicKey, error) {
	if kept, found := k.known.Load(kid); found {
		public, _ := kept.(ed25519.PublicKey)

		return public, nil
	}

	var public []byte

	err := k.db.Pool.QueryRow(ctx, findVerifier, kid).Scan(&public)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && len(public) != ed25519.PublicKeySize {
		return nil, ErrUnauthenticated
	}

	if err != nil {
		return nil, postgres.Fault("find a signing key", err)
	}

	k.known.Store(kid, ed25519.PublicKey(public))

	return public, nil
}
