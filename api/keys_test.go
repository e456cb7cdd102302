package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"formonce/tenants"
)

type wireKey struct {
	ID         string   `json:"id"`
	Key        string   `json:"key"`
	Prefix     string   `json:"prefix"`
	Name       string   `json:"name"`
	Scopes     []string `json:"scopes"`
	ExpiresAt  *string  `json:"expires_at"`
	LastUsedAt *string  `json:"last_used_at"`
}

// desk is an office as the owner of Acme uses it.
type desk struct {
	*office

	headers []string
}

func openDesk(t *testing.T) *desk {
	t.Helper()

	o := open(t)

	return &desk{o, bearer(o.arrive(o.acme.LoginID, o.acme.Tenant.ID).Access.Text)}
}

func (d *desk) ask(method, path string, body any) answer {
	d.Helper()

	return d.send(method, path, body, d.headers...)
}

func (d *desk) makeKey(body map[string]any) wireKey {
	d.Helper()

	var made wireKey
	d.ask("POST", "/api-keys", body).want(http.StatusCreated, &made)

	return made
}

// works says whether the credential may list endpoints.
func (o *office) works(credential string) bool {
	o.Helper()

	return o.send("GET", "/endpoints", nil, bearer(credential)...).status == http.StatusOK
}

func TestAKeyIsShownOnceAndNeverKept(t *testing.T) {
	t.Parallel()

	d := openDesk(t)
	made := d.makeKey(map[string]any{"name": "Website", "scopes": []string{"endpoints:read"}})

	if !strings.HasPrefix(made.Key, made.Prefix) || len(made.Prefix) != 14 || !d.works(made.Key) {
		t.Errorf("got %+v", made)
	}

	for _, path := range []string{"/api-keys", "/api-keys/" + made.ID} {
		got := d.ask("GET", path, nil)
		if got.want(http.StatusOK, nil); strings.Contains(string(got.body), made.Key) {
			t.Errorf("%s shows the key", path)
		}
	}

	if rows := (&world{office: d.office}).rowsOf(d.acme.Tenant.ID); strings.Contains(rows, made.Key) || strings.Contains(rows, made.Key[14:]) {
		t.Error("the key is kept as it is")
	}

	d.ask("DELETE", "/api-keys/"+made.ID, nil).want(http.StatusNoContent, nil)

	if d.works(made.Key) {
		t.Error("a deleted key works")
	}

	d.ask("DELETE", "/api-keys/"+made.ID, nil).refused(http.StatusNotFound, "api_key_not_found")
}

func TestAKeyThatCannotBeMadeSaysWhy(t *testing.T) {
	t.Parallel()

	d := openDesk(t)

	for name, row := range map[string]struct {
		body map[string]any
		said string
	}{
		"no name":          {map[string]any{"name": " ", "scopes": []string{"endpoints:read"}}, `"field":"name"`},
		"no scope":         {map[string]any{"name": "Website"}, `"field":"scopes"`},
		"an unknown scope": {map[string]any{"name": "Website", "scopes": []string{"endpoints:read", "everything"}}, "everything"},
		"an end before": {map[string]any{
			"name": "Website", "scopes": []string{"endpoints:read"}, "expires_at": "2020-01-01T00:00:00Z",
		}, `"field":"expires_at"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			got := d.ask("POST", "/api-keys", row.body)
			if got.refused(http.StatusUnprocessableEntity, "invalid_api_key"); !strings.Contains(string(got.body), row.said) {
				t.Errorf("got %s, which does not say %s", got.body, row.said)
			}
		})
	}
}

func TestAnAdminGivesNoScopeThatOnlyAnOwnerHas(t *testing.T) {
	t.Parallel()

	d := openDesk(t)
	owners := d.makeKey(map[string]any{"name": "Books", "scopes": []string{"billing:read"}})

	loginID, _ := d.member(d.acme, tenants.Admin)
	admin := bearer(d.arrive(loginID, d.acme.Tenant.ID).Access.Text)

	d.send("POST", "/api-keys", map[string]any{"name": "Mine", "scopes": []string{"billing:read"}}, admin...).
		refused(http.StatusForbidden, "scope_not_yours")
	d.send("POST", "/api-keys", map[string]any{"name": "Mine", "scopes": []string{"integrations:write"}}, admin...).
		want(http.StatusCreated, nil)
	d.send("PATCH", "/api-keys/"+owners.ID, map[string]any{"name": "The books"}, admin...).want(http.StatusOK, nil)
}

func TestAChangeOfAKeyCountsForItsNextRequest(t *testing.T) {
	t.Parallel()

	d := openDesk(t)
	made := d.makeKey(map[string]any{"name": "Website", "scopes": []string{"endpoints:read"}})

	var changed wireKey

	d.ask("PATCH", "/api-keys/"+made.ID, map[string]any{"scopes": []string{"submissions:read"}}).want(http.StatusOK, &changed)

	if changed.Name != "Website" || d.works(made.Key) {
		t.Errorf("got %+v, and the scope that was taken still works", changed)
	}

	soon := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	d.ask("PATCH", "/api-keys/"+made.ID, map[string]any{"scopes": []string{"endpoints:read"}, "expires_at": soon}).want(http.StatusOK, &changed)

	if changed.ExpiresAt == nil || !d.works(made.Key) {
		t.Error("a key with an end does not work before it")
	}

	d.exec(`UPDATE api_keys SET expires_at = now() WHERE prefix = $1`, made.Prefix)

	if d.works(made.Key) {
		t.Error("an expired key works")
	}

	changed = wireKey{}

	d.ask("PATCH", "/api-keys/"+made.ID, map[string]any{"expires_at": nil}).want(http.StatusOK, &changed)

	if changed.ExpiresAt != nil || !d.works(made.Key) {
		t.Error("a key without an end does not work")
	}
}

func TestAKeyIsRotatedWithAGraceInWhichBothSecretsWork(t *testing.T) {
	t.Parallel()

	d := openDesk(t)
	first := d.makeKey(map[string]any{"name": "Website", "scopes": []string{"endpoints:read"}})

	var second, third wireKey

	d.ask("POST", "/api-keys/"+first.ID+"/rotate", map[string]any{"grace_seconds": 3600}).want(http.StatusOK, &second)

	if second.ID != first.ID || second.Key == first.Key || !d.works(first.Key) || !d.works(second.Key) {
		t.Error("both secrets have to work during the grace")
	}

	exchanged := d.exchange(first.Key)

	d.exec(`UPDATE api_key_hashes SET expires_at = now() WHERE expires_at IS NOT NULL`)

	if d.works(first.Key) || d.works(exchanged) || !d.works(second.Key) {
		t.Error("after the grace only the new secret works, and no token of the old one")
	}

	d.ask("POST", "/api-keys/"+first.ID+"/rotate", nil).want(http.StatusOK, &third)

	if d.works(second.Key) || !d.works(third.Key) {
		t.Error("without a grace the old secret ends at once")
	}

	for _, grace := range []any{-1, 604801, json.Number("9000000000000000000"), json.Number("-9000000000000000000")} {
		d.ask("POST", "/api-keys/"+first.ID+"/rotate", map[string]any{"grace_seconds": grace}).
			refused(http.StatusUnprocessableEntity, "invalid_grace")
	}
}

func (o *office) exchange(key string) string {
	o.Helper()

	var access struct {
		wireAccess

		Scope string
	}

	o.send("POST", "/token", nil, bearer(key)...).want(http.StatusOK, &access)

	if access.ExpiresIn != 900 || access.Scope == "" {
		o.Errorf("got %+v", access)
	}

	return access.AccessToken
}

func TestAKeyIsExchangedForATokenThatEndsWithIt(t *testing.T) {
	t.Parallel()

	d := openDesk(t)
	made := d.makeKey(map[string]any{"name": "Website", "scopes": []string{"endpoints:read"}})
	token := d.exchange(made.Key)

	if !d.works(token) {
		t.Error("the token does not work")
	}

	for name, credential := range map[string]string{"an access token": token, "a member's": d.headers[1][7:], "nonsense": "x", "none": ""} {
		if got := d.send("POST", "/token", nil, bearer(credential)...); got.status != http.StatusUnauthorized {
			t.Errorf("%s was exchanged: %d", name, got.status)
		}
	}

	d.ask("DELETE", "/api-keys/"+made.ID, nil).want(http.StatusNoContent, nil)

	if d.works(token) {
		t.Error("the token of a deleted key works")
	}
}

// TestTheLastUseOfAKeyIsWrittenOnceAMinute keeps a busy program from writing all the time.
func TestTheLastUseOfAKeyIsWrittenOnceAMinute(t *testing.T) {
	t.Parallel()

	d := openDesk(t)
	made := d.makeKey(map[string]any{"name": "Website", "scopes": []string{"endpoints:read"}})

	lastUse := func() string {
		var key wireKey
		if d.ask("GET", "/api-keys/"+made.ID, nil).want(http.StatusOK, &key); key.LastUsedAt == nil {
			return ""
		}

		return *key.LastUsedAt
	}

	if lastUse() != "" {
		t.Error("a key was used before it was")
	}

	d.works(made.Key)

	first := lastUse()
	if d.works(made.Key); first == "" || lastUse() != first {
		t.Error("the first use was not written, or the second one was")
	}

	d.exec(`UPDATE api_keys SET last_used_at = now() - interval '61 seconds'`)

	if d.works(made.Key); lastUse() <= first {
		t.Error("a use a minute later was not written")
	}
}

func TestKeysAreListedPageByPageAndMadeOnce(t *testing.T) {
	t.Parallel()

	d := openDesk(t)

	for range 4 {
		got := d.send("POST", "/api-keys", map[string]any{"name": "Website", "scopes": []string{"endpoints:read"}},
			append([]string{"Idempotency-Key", "one intent"}, d.headers...)...)
		got.want(http.StatusCreated, nil)
	}

	d.makeKey(map[string]any{"name": "Another", "scopes": []string{"endpoints:read"}})

	var names []string

	cursor := ""

	for range 5 {
		var page struct {
			Data       []wireKey
			NextCursor *string `json:"next_cursor"`
		}

		d.ask("GET", "/api-keys?limit=2"+cursor, nil).want(http.StatusOK, &page)

		for _, key := range page.Data {
			names = append(names, key.Name)
		}

		if page.NextCursor == nil {
			break
		}

		cursor = "&cursor=" + *page.NextCursor
	}

	if got := strings.Join(names, ", "); got != "Another, Website, first key" {
		t.Errorf("got %s", got)
	}

	d.ask("GET", "/api-keys?cursor=x", nil).refused(http.StatusBadRequest, "invalid_cursor")
}
