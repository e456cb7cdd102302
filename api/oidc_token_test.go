package api_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/oauth2-proxy/mockoidc"
)

// claims of a token, to be changed.
func claims(t *testing.T, token string) map[string]any {
	t.Helper()

	text, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	if err != nil {
		t.Fatal(err)
	}

	var said map[string]any
	if err := json.Unmarshal(text, &said); err != nil {
		t.Fatal(err)
	}

	return said
}

func segment(t *testing.T, value any) string {
	t.Helper()

	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}

	return base64.RawURLEncoding.EncodeToString(text)
}

// TestAForgedTokenIsRefused puts tokens into the provider's answer that it has not signed, or not for this.
func TestAForgedTokenIsRefused(t *testing.T) {
	t.Parallel()

	p := withProvider(t, true)

	signed := func(change func(said map[string]any)) func(string) string {
		return func(token string) string {
			said := claims(t, token)
			change(said)

			made, err := p.provider.Keypair.SignJWT(jwt.MapClaims(said))
			if err != nil {
				t.Error(err)
			}

			return made
		}
	}

	public, err := x509.MarshalPKIXPublicKey(p.provider.Keypair.PublicKey)
	if err != nil {
		t.Fatal(err)
	}

	stranger, err := mockoidc.RandomKeypair(2048)
	if err != nil {
		t.Fatal(err)
	}

	kid, err := p.provider.Keypair.KeyID()
	if err != nil {
		t.Fatal(err)
	}

	for name, forge := range map[string]func(string) string{
		"another nonce":    signed(func(said map[string]any) { said["nonce"] = "made-up" }),
		"no nonce":         signed(func(said map[string]any) { delete(said, "nonce") }),
		"another issuer":   signed(func(said map[string]any) { said["iss"] = "https://login.example.net" }),
		"another client":   signed(func(said map[string]any) { said["aud"] = "another" }),
		"another party":    signed(func(said map[string]any) { said["azp"] = "another" }),
		"several clients":  signed(func(said map[string]any) { said["aud"] = []string{p.provider.ClientID, "another"} }),
		"an expired token": signed(func(said map[string]any) { said["exp"] = time.Now().Add(-time.Minute).Unix() }),
		"no expiry":        signed(func(said map[string]any) { delete(said, "exp") }),
		"a later token":    signed(func(said map[string]any) { said["nbf"] = time.Now().Add(time.Hour).Unix() }),
		"nobody":           signed(func(said map[string]any) { said["sub"] = "" }),
		"no token":         func(string) string { return "" },
		"alg none": func(token string) string {
			return segment(t, map[string]any{"alg": "none", "kid": kid}) + "." + segment(t, claims(t, token)) + "."
		},
		"HS256 with the public key": func(token string) string {
			text := segment(t, map[string]any{"alg": "HS256", "kid": kid}) + "." + segment(t, claims(t, token))
			mac := hmac.New(sha256.New, public)
			mac.Write([]byte(text))

			return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
		},
		"HS256 with the client's secret": func(token string) string {
			text := segment(t, map[string]any{"alg": "HS256"}) + "." + segment(t, claims(t, token))
			mac := hmac.New(sha256.New, []byte(p.provider.ClientSecret))
			mac.Write([]byte(text))

			return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
		},
		"another key": func(token string) string {
			made, err := stranger.SignJWT(jwt.MapClaims(claims(t, token)))
			if err != nil {
				t.Error(err)
			}

			return made
		},
		"a changed claim": func(token string) string {
			parts := strings.Split(token, ".")
			said := claims(t, token)
			said["email"] = "ada@acme.example"

			return parts[0] + "." + segment(t, said) + "." + parts[2]
		},
	} {
		j := p.depart(grace(), "")
		p.forge = forge

		p.rejected(j, "oidc_refused")

		p.forge = nil

		if t.Failed() {
			t.Fatal(name)
		}
	}

	// What the provider has signed and says in another way is no forgery.
	p.forge = signed(func(said map[string]any) {
		said["aud"], said["azp"], said["email_verified"] = []string{p.provider.ClientID, "another"}, p.provider.ClientID, "true"
	})

	if _, location := p.land(p.depart(grace(), "")); location != "/dashboard/" {
		t.Errorf("led to %s", location)
	}
}
