package tenants_test

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"formonce/internal/pgtest"
	"formonce/internal/postgres"
	"formonce/tenants"
)

func publicOrigin(t *testing.T) *url.URL {
	t.Helper()

	public, err := url.Parse("https://forms.example.com")
	if err != nil {
		t.Fatal(err)
	}

	return public
}

// headerOf is the first part of a token.
func headerOf(t *testing.T, token string) map[string]any {
	t.Helper()

	first, _, _ := strings.Cut(token, ".")

	text, err := base64.RawURLEncoding.DecodeString(first)
	if err != nil {
		t.Fatal(err)
	}

	var header map[string]any
	if err := json.Unmarshal(text, &header); err != nil {
		t.Fatal(err)
	}

	return header
}

func refresh(t *testing.T, entrance *tenants.Entrance, token string) tenants.Grant {
	t.Helper()

	grant, err := entrance.Sessions.Refresh(t.Context(), token, here)
	if err != nil {
		t.Fatal(err)
	}

	return grant
}

// later lets ten seconds pass since every use of a refresh token.
func later(t *testing.T, db *postgres.DB) {
	t.Helper()
	change(t, db, "UPDATE refresh_tokens SET used_at = used_at - interval '10 seconds'")
}

func TestARefreshTokenThatComesBackEndsTheWholeFamily(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	entrance := gate(t, db)
	made := create(t, tenants.NewRegistry(db), acme())

	first, other := arrive(t, entrance, made), arrive(t, entrance, made)
	second := refresh(t, entrance, first.Refresh)
	third := refresh(t, entrance, second.Refresh)

	later(t, db)

	_, err := entrance.Sessions.Refresh(t.Context(), first.Refresh, here)
	wantFault(t, err, "session_ended")

	for _, token := range []string{first.Refresh, second.Refresh, third.Refresh} {
		_, err := entrance.Sessions.Refresh(t.Context(), token, here)
		wantFault(t, err, "session_ended")
	}

	for _, token := range []string{first.Access.Text, second.Access.Text, third.Access.Text} {
		if counts(t, entrance, token) {
			t.Error("an access token of a stolen session counts")
		}
	}

	if !counts(t, entrance, other.Access.Text) {
		t.Error("another session of the person has ended as well")
	}

	if n := count(t, db, `audit_log WHERE action = 'session.ended' AND changes ->> 'reason' = 'refresh_token_reused'
		AND actor_name = 'ada@acme.example' AND address = '192.0.2.1'`); n != 1 {
		t.Errorf("%d entries of the log tell of it, want 1", n)
	}
}

// TestTabsThatRefreshTogetherGetTheSameSuccessor has twenty of them come to two replicas with one cookie.
func TestTabsThatRefreshTogetherGetTheSameSuccessor(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	replicas := []*tenants.Entrance{gate(t, db), gate(t, db)}
	grant := arrive(t, replicas[0], create(t, tenants.NewRegistry(db), acme()))

	var (
		lock  sync.Mutex
		given = map[string]int{}
	)

	race(t, 20, "", func(i int) error {
		next, err := replicas[i%2].Sessions.Refresh(t.Context(), grant.Refresh, here)

		lock.Lock()
		defer lock.Unlock()

		given[next.Refresh]++

		return err
	})

	if len(given) != 1 || given[""] != 0 {
		t.Errorf("%d different successors were given, want 1", len(given))
	}

	if n := count(t, db, "refresh_tokens WHERE used_at IS NULL"); n != 1 {
		t.Errorf("%d tokens can be used, want 1", n)
	}
}

// TestATabThatIsLateGetsTheLastSuccessor keeps its browser from storing a token that was used already, which would end the
// session at the next refresh.
func TestATabThatIsLateGetsTheLastSuccessor(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	entrance := gate(t, db)
	first := arrive(t, entrance, create(t, tenants.NewRegistry(db), acme()))
	second := refresh(t, entrance, first.Refresh)
	third := refresh(t, entrance, second.Refresh)

	if late := refresh(t, entrance, first.Refresh); late.Refresh != third.Refresh {
		t.Error("a late tab got a token that was used already")
	}

	later(t, db)

	if again := refresh(t, entrance, third.Refresh); again.Refresh == third.Refresh {
		t.Error("the token that is out did not lead on")
	}
}

func TestOnlyHashesOfRefreshTokensAreKept(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	entrance := gate(t, db)
	grant := arrive(t, entrance, create(t, tenants.NewRegistry(db), acme()))
	next := refresh(t, entrance, grant.Refresh)

	for _, token := range []string{grant.Refresh, next.Refresh} {
		raw, err := base64.RawURLEncoding.DecodeString(token)
		if err != nil || len(raw) != 32 {
			t.Errorf("a token has %d bytes, want 256 bits: %v", len(raw), err)
		}

		if n := count(t, db, "refresh_tokens WHERE token_hash IN ($1, $2)", raw, []byte(token)); n != 0 {
			t.Error("a token is kept as it is")
		}
	}

	_, err := entrance.Sessions.Refresh(t.Context(), "nonsense", here)
	wantFault(t, err, "session_ended")
}

func TestASessionEndsWithoutARefreshAndInAnyCaseAfterAMonth(t *testing.T) {
	t.Parallel()

	for name, ageing := range map[string]string{
		"idle":     "UPDATE sessions SET seen_at = now() - interval '14 days'",
		"absolute": "UPDATE sessions SET expires_at = now()",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			db := pgtest.New(t)
			entrance := gate(t, db)
			grant := arrive(t, entrance, create(t, tenants.NewRegistry(db), acme()))

			if n := count(t, db, "sessions WHERE expires_at BETWEEN now() + interval '29 days' AND now() + interval '30 days'"); n != 1 {
				t.Error("a session does not last for 30 days")
			}

			change(t, db, ageing)

			_, err := entrance.Sessions.Refresh(t.Context(), grant.Refresh, here)
			wantFault(t, err, "session_ended")

			if err := entrance.Sweep(t.Context()); err != nil || count(t, db, "sessions") != 0 || count(t, db, "refresh_tokens") != 0 {
				t.Errorf("something of it is left: %v", err)
			}
		})
	}
}

// TestARefreshNeverLastsLongerThanItsSession is about what a browser is told.
func TestARefreshNeverLastsLongerThanItsSession(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	entrance := gate(t, db)
	grant := arrive(t, entrance, create(t, tenants.NewRegistry(db), acme()))

	change(t, db, "UPDATE sessions SET expires_at = now() + interval '1 hour'")

	var left float64

	next := refresh(t, entrance, grant.Refresh)
	if err := db.Pool.QueryRow(t.Context(), "SELECT extract(epoch FROM $1::timestamptz - now())::float8", next.RefreshUntil).
		Scan(&left); err != nil || left > 3600 {
		t.Errorf("the token is good for %v seconds, %v, want an hour", left, err)
	}
}

func TestAPersonGoesBetweenTheirTenantsAndTheSessionRemembers(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	entrance := gate(t, db)
	registry := tenants.NewRegistry(db)
	first, second := create(t, registry, acme()), create(t, registry, acme())
	strange := acme()
	strange.Email = "bob@acme.example"
	foreign := create(t, registry, strange)

	grant := arrive(t, entrance, first)
	if grant.TenantID != first.Tenant.ID || grant.MemberID != first.MemberID {
		t.Error("a person does not begin in their first tenant")
	}

	caller := authenticate(t, entrance, grant.Access.Text)

	token, err := entrance.Sessions.Enter(t.Context(), caller, second.Tenant.ID)
	if err != nil {
		t.Fatal(err)
	}

	if there := authenticate(t, entrance, token.Text); there.TenantID != second.Tenant.ID || there.MemberID != second.MemberID {
		t.Error("the token is not for the tenant that was asked for")
	}

	if next := refresh(t, entrance, grant.Refresh); next.TenantID != second.Tenant.ID {
		t.Error("the session has forgotten where the person was")
	}

	if next := arrive(t, entrance, first); next.TenantID != second.Tenant.ID {
		t.Error("the next session does not begin where the person was last")
	}

	for _, tenantID := range []uuid.UUID{foreign.Tenant.ID, uuid.New()} {
		_, err := entrance.Sessions.Enter(t.Context(), caller, tenantID)
		wantFault(t, err, "tenant_not_found")
	}
}

func authenticate(t *testing.T, entrance *tenants.Entrance, token string) tenants.Caller {
	t.Helper()

	caller, err := entrance.Access.Authenticate(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}

	return caller
}

// TestWhatChangesCountsForTheNextRequest is about a token that was made before.
func TestWhatChangesCountsForTheNextRequest(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	entrance := gate(t, db)
	made := create(t, tenants.NewRegistry(db), acme())
	grant := arrive(t, entrance, made)

	change(t, db, "UPDATE members SET role = 'viewer'")

	caller := authenticate(t, entrance, grant.Access.Text)
	if caller.Role != tenants.Viewer {
		t.Errorf("the role is %s, want viewer", caller.Role)
	}

	change(t, db, "UPDATE tenants SET status = 'suspended'")

	caller = authenticate(t, entrance, grant.Access.Text)
	wantFault(t, caller.Refuse(tenants.Need{Role: tenants.Viewer}), "tenant_suspended")

	change(t, db, "DELETE FROM members")

	if counts(t, entrance, grant.Access.Text) {
		t.Error("a removed member is let in")
	}

	nowhere := refresh(t, entrance, grant.Refresh)
	caller = authenticate(t, entrance, nowhere.Access.Text)
	wantFault(t, caller.Refuse(tenants.Need{Role: tenants.Viewer}), "no_tenant")

	if err := caller.Refuse(tenants.Need{Self: true}); err != nil {
		t.Errorf("a person without a tenant cannot even sign out: %v", err)
	}
}

func TestAPersonEndsTheirOwnSessionsOnly(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	entrance := gate(t, db)
	registry := tenants.NewRegistry(db)
	ada := create(t, registry, acme())
	strange := acme()
	strange.Email = "bob@acme.example"
	bob := create(t, registry, strange)

	one, two, three, foreign := arrive(t, entrance, ada), arrive(t, entrance, ada), arrive(t, entrance, ada), arrive(t, entrance, bob)

	wantFault(t, entrance.Sessions.End(t.Context(), ada.LoginID, foreign.SessionID), "session_not_found")

	if err := entrance.Sessions.End(t.Context(), ada.LoginID, one.SessionID); err != nil {
		t.Fatal(err)
	}

	if err := entrance.Sessions.EndOthers(t.Context(), ada.LoginID, two.SessionID); err != nil {
		t.Fatal(err)
	}

	for grant, want := range map[*tenants.Grant]bool{&one: false, &two: true, &three: false, &foreign: true} {
		if got := counts(t, entrance, grant.Access.Text); got != want {
			t.Errorf("a session counts: %v, want %v", got, want)
		}
	}

	for range 2 {
		if err := entrance.Sessions.SignOut(t.Context(), two.Refresh); err != nil {
			t.Errorf("leaving twice is no mistake: %v", err)
		}
	}

	if counts(t, entrance, two.Access.Text) || count(t, db, "audit_log WHERE action = 'session.ended'") != 3 {
		t.Error("want every end of a session in the log, once")
	}
}
