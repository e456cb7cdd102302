package tenants_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/alexedwards/argon2id"

	"formonce/internal/fault"
	"formonce/internal/pgtest"
	"formonce/tenants"
)

// TestEveryReasonToRefuseASignInHasTheSameAnswer compares all of it, not only the code.
func TestEveryReasonToRefuseASignInHasTheSameAnswer(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	entrance := gate(t, db)
	create(t, tenants.NewRegistry(db), acme())
	change(t, db, "INSERT INTO logins (email) VALUES ('passwordless@acme.example')")

	for range 10 {
		_, err := entrance.SignIns.SignIn(t.Context(), "locked@acme.example", "a wrong password", here)
		wantFault(t, err, "invalid_credentials")
	}

	change(t, db, "UPDATE logins SET email = 'locked@acme.example' WHERE email = 'ada@acme.example'")
	create(t, tenants.NewRegistry(db), acme())

	for name, tried := range map[string][2]string{
		"a wrong password":                        {"ada@acme.example", "a wrong password"},
		"no password":                             {"ada@acme.example", ""},
		"an unknown address":                      {"nobody@acme.example", password},
		"no address":                              {"", password},
		"what is no address":                      {"a\x00b", password},
		"an account without a password":           {"passwordless@acme.example", password},
		"an account without one, and none given":  {"passwordless@acme.example", ""},
		"the right password of a locked account":  {"locked@acme.example", password},
		"an unknown account that is locked":       {strings.ToUpper("locked@acme.example"), "x"},
		"an address that is longer than they get": {strings.Repeat("a", 10_000) + "@acme.example", password},
	} {
		_, err := entrance.SignIns.SignIn(t.Context(), tried[0], tried[1], here)
		wantFault(t, err, "invalid_credentials")

		if got := fault.As(err); got.RetryAfter != 0 || len(got.Details) != 0 || got.Message != tenants.ErrSignInFailed.Message {
			t.Errorf("%s is told apart: %+v", name, got)
		}
	}

	grant, err := entrance.SignIns.SignIn(t.Context(), " ADA@acme.example ", password, here)
	if err != nil || !counts(t, entrance, grant.Access.Text) {
		t.Errorf("the right password does not open: %v", err)
	}
}

// TestALockedAccountStaysLockedOnEveryReplicaUntilTheWindowEnds tries from an address that is new each time.
func TestALockedAccountStaysLockedOnEveryReplicaUntilTheWindowEnds(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	replicas := []*tenants.Entrance{gate(t, db), gate(t, db)}
	create(t, tenants.NewRegistry(db), acme())

	try := func(i int, password string) error {
		_, err := replicas[i%2].SignIns.SignIn(t.Context(), "ada@acme.example", password,
			tenants.Client{Network: fmt.Sprintf("192.0.2.%d", i)})

		return err
	}

	if got := race(t, 10, "invalid_credentials", func(i int) error { return try(i, "a wrong password") }); got != 0 {
		t.Error("a wrong password opens")
	}

	for i := range 2 {
		wantFault(t, try(i, password), "invalid_credentials")
	}

	change(t, db, "UPDATE attempts_spent SET ends_at = now()")

	if err := try(0, password); err != nil {
		t.Errorf("the window has ended: %v", err)
	}
}

func TestASuccessfulSignInGivesTheAccountItsTriesBack(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	entrance := gate(t, db)
	create(t, tenants.NewRegistry(db), acme())

	for i := range 12 {
		given := "a wrong password"
		if i%6 == 5 {
			given = password
		}

		_, err := entrance.SignIns.SignIn(t.Context(), "ada@acme.example", given, here)
		if (given == password) != (err == nil) {
			t.Errorf("try %d: %v", i, err)
		}
	}
}

func TestAnAddressThatTriesManyAccountsIsStopped(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	entrance := gate(t, db)

	var err error
	for i := range 101 {
		err = entrance.Guard.Spend(t.Context(), tenants.ActSignIn, fmt.Sprint(i), here.Network)
	}

	wantFault(t, err, "rate_limit_exceeded")

	_, err = entrance.SignIns.SignIn(t.Context(), "ada@acme.example", password, here)
	wantFault(t, err, "rate_limit_exceeded")
}

func TestAPasswordIsKeptUnderTheSettingsOfTodayAfterASignIn(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	entrance := gate(t, db)
	create(t, tenants.NewRegistry(db), acme())

	old, err := argon2id.CreateHash(password, &argon2id.Params{Memory: 8 * 1024, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32})
	if err != nil {
		t.Fatal(err)
	}

	change(t, db, "UPDATE logins SET password_hash = $1", old)

	for range 2 {
		if _, err := entrance.SignIns.SignIn(t.Context(), "ada@acme.example", password, here); err != nil {
			t.Fatal(err)
		}

		if n := count(t, db, "logins WHERE password_hash LIKE '$argon2id$v=19$m=19456,t=2,p=1$%'"); n != 1 {
			t.Error("the hash is still of the old settings")
		}
	}
}

// TestNobodySignsUpOverALogin keeps a stranger who knows a password from getting past the second factor and the limits.
func TestNobodySignsUpOverALogin(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	registry := tenants.NewRegistry(db)

	made, err := registry.SignUp(t.Context(), acme())
	if err != nil || made.APIKey != "" || count(t, db, "api_keys") != 0 {
		t.Errorf("got %v, and want no key that nobody asked for", err)
	}

	_, err = registry.SignUp(t.Context(), acme())
	wantFault(t, err, "email_taken")

	if n := count(t, db, "tenants"); n != 1 {
		t.Errorf("there are %d tenants, want 1", n)
	}

	if n := count(t, db, "audit_log WHERE action = 'tenant.created'"); n != 1 {
		t.Errorf("the log has %d entries of the sign-up, want 1", n)
	}
}
