package api_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"formonce/api"
	"formonce/internal/id"
	"formonce/tenants"
)

// forger makes access tokens like those of the service, and others that are wrong in one way each, with a signing key that
// the service knows.
type forger struct {
	kid     string
	public  ed25519.PublicKey
	private ed25519.PrivateKey
	// revokedKid is of a key that was in force until somebody rotated it away.
	revokedKid string
	revoked    ed25519.PrivateKey
}

func newForger(o *office) *forger {
	o.Helper()

	f := &forger{kid: "kid-of-the-test", revokedKid: "kid-that-was-revoked"}
	insert := `INSERT INTO signing_keys (kid, public_key, sealed_key, signs_from, revoked_at)
		VALUES ($1, $2, '', now() - interval '1 day', $3)`

	var err error
	if f.public, f.private, err = ed25519.GenerateKey(rand.Reader); err != nil {
		o.Fatal(err)
	}

	o.exec(insert, f.kid, []byte(f.public), nil)

	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		o.Fatal(err)
	}

	f.revoked = private
	o.exec(insert, f.revokedKid, []byte(public), time.Now())

	return f
}

// claims are those of a good token.
func (*forger) claims(of resident) jwt.MapClaims {
	said := jwt.MapClaims{
		"iss": publicURL, "aud": publicURL + api.Prefix, "jti": uuid.NewString(),
		"sub": id.Write("log_", of.loginID), "sid": tenants.PublicSessionID(of.sessionID),
		"iat": time.Now().Unix(), "nbf": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix(),
	}

	if of.tenantID != (uuid.UUID{}) {
		said["tenant"] = tenants.PublicID(of.tenantID)
	}

	return said
}

// forge is a good token.
func (f *forger) forge(of resident) string { return f.sign(f.claims(of), nil) }

func (f *forger) sign(said jwt.MapClaims, header map[string]any) string {
	return signed(jwt.SigningMethodEdDSA, f.private, said, map[string]any{"kid": f.kid, "typ": "at+jwt"}, header)
}

func signed(method jwt.SigningMethod, key any, said jwt.MapClaims, headers ...map[string]any) string {
	made := jwt.NewWithClaims(method, said)

	for _, header := range headers {
		for name, value := range header {
			if made.Header[name] = value; value == nil {
				delete(made.Header, name)
			}
		}
	}

	text, err := made.SignedString(key)
	if err != nil {
		return err.Error()
	}

	return text
}

// badTokens are tokens of somebody who may do everything, each with one thing wrong.
func (f *forger) badTokens(of resident) map[string]string {
	with := func(name string, value any) string {
		said := f.claims(of)
		if said[name] = value; value == nil {
			delete(said, name)
		}

		return f.sign(said, nil)
	}
	heading := func(name string, value any) string { return f.sign(f.claims(of), map[string]any{name: value}) }
	hour := time.Hour
	good := f.forge(of)

	_, stranger, _ := ed25519.GenerateKey(rand.Reader)
	der, _ := x509.MarshalPKIXPublicKey(f.public)
	pemText := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	mine := map[string]any{"kid": f.kid, "typ": "at+jwt"}

	return map[string]string{
		"expired":                       with("exp", time.Now().Add(-hour).Unix()),
		"without an end":                with("exp", nil),
		"not yet valid":                 with("nbf", time.Now().Add(hour).Unix()),
		"without a begin":               with("nbf", nil),
		"made in the future":            with("iat", time.Now().Add(hour).Unix()),
		"for another audience":          with("aud", "https://forms.example.com"),
		"for nobody":                    with("aud", nil),
		"of another issuer":             with("iss", "https://forms.example.org"),
		"of no issuer":                  with("iss", nil),
		"of no subject":                 with("sub", nil),
		"of another person":             with("sub", id.Write("log_", id.New())),
		"of no session":                 with("sid", nil),
		"of an unknown session":         with("sid", tenants.PublicSessionID(id.New())),
		"for an unknown tenant":         with("tenant", tenants.PublicID(id.New())),
		"for what is no tenant":         with("tenant", "acme"),
		"under an unknown kid":          heading("kid", "nobody"),
		"without a kid":                 heading("kid", nil),
		"under a kid that is no text":   heading("kid", 7),
		"of another type":               heading("typ", "JWT"),
		"signed by a stranger":          signed(jwt.SigningMethodEdDSA, stranger, f.claims(of), mine),
		"under a revoked signing key":   signed(jwt.SigningMethodEdDSA, f.revoked, f.claims(of), mine, map[string]any{"kid": f.revokedKid}),
		"alg none":                      signed(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, f.claims(of), mine),
		"HS256 with the public key":     signed(jwt.SigningMethodHS256, []byte(f.public), f.claims(of), mine),
		"HS256 with the public PEM":     signed(jwt.SigningMethodHS256, pemText, f.claims(of), mine),
		"HS256 with the key's text":     signed(jwt.SigningMethodHS256, []byte(base64.RawURLEncoding.EncodeToString(f.public)), f.claims(of), mine),
		"with a signature that is cut":  good[:len(good)-4],
		"without its signature":         good[:len(good)-86],
		"with another token's contents": mixed(good, f.forge(resident{id.New(), of.sessionID, of.tenantID})),
	}
}

// mixed has the header and contents of one token and the signature of another.
func mixed(contents, signature string) string {
	return contents[:len(contents)-86] + signature[len(signature)-86:]
}
