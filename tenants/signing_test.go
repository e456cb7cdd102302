package tenants_test

import (
	"bytes"
	"testing"
	"time"

	"formonce/internal/fault"
	"formonce/internal/pgtest"
	"formonce/internal/postgres"
	"formonce/tenants"
)

// arrive signs Ada in without the slow hash.
func arrive(t *testing.T, entrance *tenants.Entrance, made tenants.Created) tenants.Grant {
	t.Helper()

	grant, err := entrance.Sessions.Start(t.Context(), tenants.Arrival{
		LoginID: made.LoginID, Method: tenants.ByPassword, Client: here,
	})
	if err != nil {
		t.Fatal(err)
	}

	return grant
}

func published(t *testing.T, entrance *tenants.Entrance) []tenants.PublishedKey {
	t.Helper()

	keys, err := entrance.Keyring.Published(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	return keys
}

func counts(t *testing.T, entrance *tenants.Entrance, token string) bool {
	t.Helper()

	_, err := entrance.Access.Authenticate(t.Context(), token)
	if err != nil && !fault.Has(err, "unauthenticated") {
		t.Fatal(err)
	}

	return err == nil
}

func TestReplicasThatStartTogetherMakeOneSigningKey(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)

	var replicas [8]*tenants.Entrance
	for i := range replicas {
		replicas[i] = gate(t, db)
	}

	made := create(t, tenants.NewRegistry(db), acme())

	race(t, len(replicas), "", func(i int) error {
		if i%2 == 0 {
			return replicas[i].Keyring.Tend(t.Context())
		}

		_, err := replicas[i].Sessions.Start(t.Context(), tenants.Arrival{LoginID: made.LoginID, Method: "test"})

		return err
	})

	if n := count(t, db, "signing_keys"); n != 1 {
		t.Errorf("%d keys were made, want 1", n)
	}
}

// TestTheNextKeyIsPublishedLongBeforeItSigns also shows that no replica has to be told of it.
func TestTheNextKeyIsPublishedLongBeforeItSigns(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	made := create(t, tenants.NewRegistry(db), acme())
	here, there := gate(t, db), gate(t, db)
	old := arrive(t, here, made).Access.Text

	next, err := here.Keyring.Rotate(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}

	keys := published(t, there)
	if len(keys) != 2 || keys[1].ID != next.ID || time.Until(keys[1].SignsFrom) < 59*time.Minute {
		t.Errorf("published are %+v, want the next key an hour before it signs", keys)
	}

	if kid := headerOf(t, arrive(t, here, made).Access.Text)["kid"]; kid != keys[0].ID {
		t.Error("the next key signs already")
	}

	change(t, db, "UPDATE signing_keys SET signs_from = now() WHERE kid = $1", next.ID)

	fresh := arrive(t, here, made).Access.Text
	if kid := headerOf(t, fresh)["kid"]; kid != next.ID {
		t.Error("the old key signs still")
	}

	if !counts(t, there, fresh) || !counts(t, there, old) {
		t.Error("a token of the new or the old key does not count at another replica")
	}
}

// TestTheFirstKeySignsAtOnce is about an operator who rotates before anybody has signed in.
func TestTheFirstKeySignsAtOnce(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	entrance := gate(t, db)

	first, err := entrance.Keyring.Rotate(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}

	if kid := headerOf(t, arrive(t, entrance, create(t, tenants.NewRegistry(db), acme())).Access.Text)["kid"]; kid != first.ID {
		t.Errorf("the token names %v, want the first key", kid)
	}
}

func TestAKeyIsFollowedAfterThirtyDaysAndRemovedADayLater(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	entrance := gate(t, db)

	tend := func(want int) {
		t.Helper()

		for range 2 {
			if err := entrance.Keyring.Tend(t.Context()); err != nil {
				t.Fatal(err)
			}
		}

		if n := len(published(t, entrance)); n != want {
			t.Errorf("%d keys are published, want %d", n, want)
		}
	}

	tend(1)
	change(t, db, "UPDATE signing_keys SET signs_from = now() - interval '29 days'")
	tend(1)
	change(t, db, "UPDATE signing_keys SET signs_from = now() - interval '31 days'")
	tend(2)
	change(t, db, "UPDATE signing_keys SET signs_from = now() - interval '23 hours' WHERE signs_from > now()")
	tend(2)
	change(t, db, "UPDATE signing_keys SET signs_from = now() - interval '25 hours' WHERE signs_from > now() - interval '1 day'")
	tend(1)
}

// TestARevokedKeyEndsItsTokensAtOnceEverywhere is about a key that somebody else may have.
func TestARevokedKeyEndsItsTokensAtOnceEverywhere(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	made := create(t, tenants.NewRegistry(db), acme())
	here, there := gate(t, db), gate(t, db)
	grant := arrive(t, here, made)

	exchanged, _, err := here.Access.Exchange(t.Context(), made.APIKey)
	if err != nil {
		t.Fatal(err)
	}

	if !counts(t, there, grant.Access.Text) || !counts(t, there, exchanged.Text) {
		t.Fatal("a good token does not count")
	}

	if _, err := here.Keyring.Rotate(t.Context(), true); err != nil {
		t.Fatal(err)
	}

	if counts(t, there, grant.Access.Text) || counts(t, there, exchanged.Text) {
		t.Error("a token of a revoked key counts")
	}

	if keys := published(t, there); len(keys) != 1 {
		t.Errorf("%d keys are published, want the new one", len(keys))
	}

	again, err := there.Sessions.Refresh(t.Context(), grant.Refresh, tenants.Client{})
	if err != nil || !counts(t, here, again.Access.Text) {
		t.Errorf("a member is not let in again: %v", err)
	}
}

func TestASigningKeyIsOfNoUseWithoutTheSecret(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	made := create(t, tenants.NewRegistry(db), acme())
	arrive(t, gate(t, db), made)

	sealed := sealedKey(t, db)

	stranger, err := tenants.NewEntrance(db, bytes.Repeat([]byte("x"), 32), publicOrigin(t))
	if err != nil {
		t.Fatal(err)
	}

	if _, err := stranger.Sessions.Start(t.Context(), tenants.Arrival{LoginID: made.LoginID, Method: "test"}); err == nil {
		t.Error("a process with another secret signs")
	}

	if len(sealed) < 32+16 {
		t.Errorf("the key is kept in %d bytes, which are too few for a sealed one", len(sealed))
	}
}

func sealedKey(t *testing.T, db *postgres.DB) []byte {
	t.Helper()

	var sealed []byte
	if err := db.Pool.QueryRow(t.Context(), "SELECT sealed_key FROM signing_keys").Scan(&sealed); err != nil {
		t.Fatal(err)
	}

	return sealed
}
