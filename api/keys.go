package api

import (
	"net/http"
	"strings"
	"time"

	"formonce/internal/fault"
	"formonce/internal/moment"
	"formonce/tenants"
)

var keyRoutes = []route{
	{method: http.MethodGet, path: "/api-keys", role: tenants.Admin, handle: (*API).listKeys},
	{method: http.MethodPost, path: "/api-keys", role: tenants.Admin, once: true, handle: (*API).createKey},
	{method: http.MethodGet, path: "/api-keys/:key", role: tenants.Admin, handle: (*API).getKey},
	{method: http.MethodPatch, path: "/api-keys/:key", role: tenants.Admin, handle: (*API).updateKey},
	{method: http.MethodPost, path: "/api-keys/:key/rotate", role: tenants.Admin, once: true, handle: (*API).rotateKey},
	{method: http.MethodDelete, path: "/api-keys/:key", role: tenants.Admin, handle: (*API).deleteKey},
	{method: http.MethodPost, path: "/token", open: true, handle: (*API).exchangeKey},
}

// keySettings are the members of a key that its maker decides.
type keySettings struct {
	Name      string          `json:"name"`
	Scopes    []tenants.Scope `json:"scopes"`
	ExpiresAt *time.Time      `json:"expires_at"`
}

type apiKey struct {
	ID         string          `json:"id"`
	Name       string          `json:"name"`
	Prefix     string          `json:"prefix"`
	Scopes     []tenants.Scope `json:"scopes"`
	CreatedBy  *string         `json:"created_by"`
	CreatedAt  string          `json:"created_at"`
	ExpiresAt  *string         `json:"expires_at"`
	LastUsedAt *string         `json:"last_used_at"`
}

// freshKey is a key with its secret, which is shown this once.
type freshKey struct {
	apiKey

	Key string `json:"key"`
}

func wireKey(k tenants.Key) apiKey {
	wire := apiKey{
		ID: tenants.PublicKeyID(k.ID), Name: k.Name, Prefix: k.Prefix, Scopes: k.Scopes,
		CreatedAt: moment.Write(k.CreatedAt), ExpiresAt: wireTime(k.ExpiresAt), LastUsedAt: wireTime(k.LastUsedAt),
	}

	if k.CreatedBy != nil {
		member := tenants.PublicMemberID(*k.CreatedBy)
		wire.CreatedBy = &member
	}

	return wire
}

// wireTime is null for a time that never was.
func wireTime(t *time.Time) *string {
	if t == nil {
		return nil
	}

	text := moment.Write(*t)

	return &text
}

func (s *keySettings) applyTo(k *tenants.Key) {
	k.Name, k.Scopes, k.ExpiresAt = s.Name, s.Scopes, s.ExpiresAt
}

func (a *API) listKeys(r *request) (reply, error) {
	if err := r.onlyQueries("limit", "cursor"); err != nil {
		return reply{}, err
	}

	limit, err := r.limit()
	if err != nil {
		return reply{}, err
	}

	found, next, err := a.Keys.List(r.ctx(), r.caller.TenantID, limit, r.query("cursor"))
	if err != nil {
		return reply{}, err
	}

	data := make([]apiKey, len(found))
	for i := range found {
		data[i] = wireKey(found[i])
	}

	return ok(listOf(data, next)), nil
}

func (a *API) createKey(r *request) (reply, error) {
	var (
		settings keySettings
		wanted   tenants.Key
	)

	if err := r.decode(&settings); err != nil {
		return reply{}, err
	}

	settings.applyTo(&wanted)

	made, secret, err := a.Keys.Create(r.ctx(), r.caller, wanted)
	if err != nil {
		return reply{}, err
	}

	return created(freshKey{wireKey(made), secret}), nil
}

func (a *API) getKey(r *request) (reply, error) {
	keyID, err := tenants.ParseKeyID(r.param("key"))
	if err != nil {
		return reply{}, err
	}

	found, err := a.Keys.Get(r.ctx(), r.caller.TenantID, keyID)
	if err != nil {
		return reply{}, err
	}

	return ok(wireKey(found)), nil
}

func (a *API) updateKey(r *request) (reply, error) {
	keyID, err := tenants.ParseKeyID(r.param("key"))
	if err != nil {
		return reply{}, err
	}

	// The body is judged before anything is locked for it, and again over what is there.
	if err := r.decode(&keySettings{}); err != nil {
		return reply{}, err
	}

	changed, err := a.Keys.Update(r.ctx(), r.caller, keyID, func(k *tenants.Key) {
		settings := keySettings{k.Name, k.Scopes, k.ExpiresAt}
		_ = r.decode(&settings) // It was read once already.
		settings.applyTo(k)
	})
	if err != nil {
		return reply{}, err
	}

	return ok(wireKey(changed)), nil
}

func (a *API) deleteKey(r *request) (reply, error) {
	keyID, err := tenants.ParseKeyID(r.param("key"))
	if err != nil {
		return reply{}, err
	}

	if err := a.Keys.Delete(r.ctx(), r.caller.TenantID, keyID); err != nil {
		return reply{}, err
	}

	return noContent(), nil
}

func (a *API) rotateKey(r *request) (reply, error) {
	keyID, err := tenants.ParseKeyID(r.param("key"))
	if err != nil {
		return reply{}, err
	}

	var wanted struct {
		GraceSeconds int64 `json:"grace_seconds"`
	}

	if len(r.body) > 0 {
		if err := r.decode(&wanted); err != nil {
			return reply{}, err
		}
	}

	// What would not fit into a duration is refused like any other grace that is too long.
	seconds := max(-1, min(wanted.GraceSeconds, 1+int64(tenants.LongestGrace.Seconds())))

	rotated, secret, err := a.Keys.Rotate(r.ctx(), r.caller.TenantID, keyID, time.Duration(seconds)*time.Second)
	if err != nil {
		return reply{}, err
	}

	return ok(freshKey{wireKey(rotated), secret}), nil
}

type exchanged struct {
	accessToken

	Scope string `json:"scope"`
}

// exchangeKey is open, since the key in its header is what it is about: it may be of any scope.
func (a *API) exchangeKey(r *request) (reply, error) {
	client := r.client()
	if err := a.Entrance.Guard.Spend(r.ctx(), tenants.ActKeyExchange, r.bearer(), client.Network); err != nil {
		return reply{}, err
	}

	token, scopes, err := a.Entrance.Access.Exchange(r.ctx(), r.bearer())
	if fault.Has(err, tenants.ErrUnauthenticated.Code) && r.bearer() != "" {
		if limited := a.Entrance.Guard.Spend(r.ctx(), tenants.ActCredential, "", client.Network); limited != nil {
			err = limited
		}
	}

	if err != nil {
		return reply{}, err
	}

	names := make([]string, len(scopes))
	for i, scope := range scopes {
		names[i] = string(scope)
	}

	return ok(exchanged{wireToken(token), strings.Join(names, " ")}), nil
}
