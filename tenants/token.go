package tenants

import (
	"context"
	"crypto/ed25519"
	"errors"
	"maps"
	"net/url"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"formonce/internal/id"
)

const (
	// AccessFor is how long an access token is good for.
	AccessFor = 15 * time.Minute
	// clockLeeway is by how much the clocks of two machines may differ.
	clockLeeway = 10 * time.Second
	// tokenType keeps other tokens under the same key, of whatever purpose, from being taken for this one (RFC 9068,
	// section 2.1).
	tokenType = "at+jwt"

	loginIDPrefix   = "log_"
	sessionIDPrefix = "ses_"
	keyIDPrefix     = "key_"
	secretIDPrefix  = "sec_"
)

// Token is an access token as its caller gets it.
type Token struct {
	Text      string
	ExpiresIn time.Duration
}

// The claims of an access token beside those of RFC 7519. A member's names the person as subject, the session and the tenant;
// a program's the key as subject, the secret that it was exchanged for, the tenant and the scopes. Roles are not in it: they
// count as they are at the moment of a request.
const (
	claimSession = "sid"
	claimTenant  = "tenant"
	claimSecret  = "secret"
	claimScope   = "scope" // RFC 8693, section 4.2
)

// Tokens signs and reads access tokens.
type Tokens struct {
	keys             *Keyring
	issuer, audience string
	parser           *jwt.Parser
}

// NewTokens returns the tokens of the service that is reached under the public URL: it is their issuer, and the management
// API below it their only audience.
func NewTokens(keys *Keyring, public *url.URL) *Tokens {
	issuer := strings.TrimSuffix(public.String(), "/")
	audience := issuer + "/api/v1"

	return &Tokens{keys: keys, issuer: issuer, audience: audience, parser: jwt.NewParser(
		jwt.WithValidMethods([]string{jwt.SigningMethodEdDSA.Alg()}),
		jwt.WithIssuer(issuer), jwt.WithAudience(audience),
		jwt.WithExpirationRequired(), jwt.WithNotBeforeRequired(), jwt.WithIssuedAt(),
		jwt.WithLeeway(clockLeeway), jwt.WithStrictDecoding(),
	)}
}

// sign fills in what every token says.
func (t *Tokens) sign(ctx context.Context, said jwt.MapClaims) (Token, error) {
	kid, private, err := t.keys.signer(ctx)
	if err != nil {
		return Token{}, err
	}

	now := time.Now()
	maps.Copy(said, jwt.MapClaims{
		"iss": t.issuer, "aud": t.audience, "jti": uuid.NewString(),
		"iat": now.Unix(), "nbf": now.Unix(), "exp": now.Add(AccessFor).Unix(),
	})

	made := jwt.NewWithClaims(jwt.SigningMethodEdDSA, said)
	made.Header["kid"], made.Header["typ"] = kid, tokenType

	text, err := made.SignedString(private)

	return Token{Text: text, ExpiresIn: AccessFor}, err
}

// bearing is what a token that was checked says.
type bearing struct {
	kid      string
	tenantID uuid.UUID // zero for a person who is in no tenant

	loginID, sessionID uuid.UUID // of a member

	keyID, secretID uuid.UUID // of a program
	scopes          []Scope
}

// read checks everything about a token that the token itself can say. Whatever is wrong with it is one and the same Fault,
// unauthenticated; a database that does not answer is storage_unavailable.
func (t *Tokens) read(ctx context.Context, text string) (bearing, error) {
	var (
		said   jwt.MapClaims
		kid    string
		failed error
	)

	_, err := t.parser.ParseWithClaims(text, &said, func(unchecked *jwt.Token) (any, error) {
		kid, _ = unchecked.Header["kid"].(string)
		if kid == "" || unchecked.Header["typ"] != tokenType {
			return nil, ErrUnauthenticated
		}

		var public ed25519.PublicKey
		public, failed = t.keys.verifier(ctx, kid)

		return public, failed
	})
	if failed != nil {
		return bearing{}, failed
	}

	if err != nil {
		return bearing{}, ErrUnauthenticated
	}

	return bearingOf(said, kid)
}

func bearingOf(said jwt.MapClaims, kid string) (bearing, error) {
	found := bearing{kid: kid}
	claim := func(name string) string {
		text, _ := said[name].(string)

		return text
	}

	var unread [3]error

	if tenant := claim(claimTenant); tenant != "" {
		found.tenantID, unread[0] = id.Parse(idPrefix, tenant)
	}

	if session := claim(claimSession); session != "" {
		found.loginID, unread[1] = id.Parse(loginIDPrefix, claim("sub"))
		found.sessionID, unread[2] = id.Parse(sessionIDPrefix, session)
	} else {
		found.keyID, unread[1] = id.Parse(keyIDPrefix, claim("sub"))
		found.secretID, unread[2] = id.Parse(secretIDPrefix, claim(claimSecret))
	}

	if errors.Join(unread[:]...) != nil {
		return bearing{}, ErrUnauthenticated
	}

	for name := range strings.FieldsSeq(claim(claimScope)) {
		found.scopes = append(found.scopes, Scope(name))
	}

	return found, nil
}
