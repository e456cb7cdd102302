package api

import (
	"encoding/base64"
	"net/http"

	"github.com/gin-gonic/gin"

	"formonce/internal/edge"
)

// keySet is a JWK Set (RFC 7517, section 5).
type keySet struct {
	Keys []publicKey `json:"keys"`
}

// publicKey is an Ed25519 key as RFC 8037 writes it.
type publicKey struct {
	Type      string `json:"kty"`
	Curve     string `json:"crv"`
	Use       string `json:"use"`
	Algorithm string `json:"alg"`
	ID        string `json:"kid"`
	X         string `json:"x"`
}

// serveKeys hands out the keys that check access tokens. A key is there for an hour before it signs anything, so that whoever
// keeps the answer for a while misses none.
func (a *API) serveKeys(c *gin.Context) {
	published, err := a.Entrance.Keyring.Published(c.Request.Context())
	if err != nil {
		edge.Fail(c, err)
		return
	}

	set := keySet{Keys: make([]publicKey, len(published))}
	for i, key := range published {
		set.Keys[i] = publicKey{
			Type: "OKP", Curve: "Ed25519", Use: "sig", Algorithm: "EdDSA", ID: key.ID,
			X: base64.RawURLEncoding.EncodeToString(key.Public),
		}
	}

	c.Header("Cache-Control", "public, max-age=300")
	c.JSON(http.StatusOK, set)
}
