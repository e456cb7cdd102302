package tenants_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"formonce/internal/fault"
	"formonce/internal/pgtest"
	"formonce/internal/postgres"
	"formonce/tenants"
)

// change writes to the database past the code under test.
func change(t *testing.T, db *postgres.DB, sql string, args ...any) {
	t.Helper()

	if _, err := db.Pool.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

func guard(t *testing.T, db *postgres.DB) *tenants.Guard {
	t.Helper()

	made, err := tenants.NewGuard(db, bytes.Repeat([]byte("s"), 32))
	if err != nil {
		t.Fatal(err)
	}

	return made
}

// TestTriesAreCountedForAllReplicasTogether makes more tries at once, on two replicas, than each limit has.
func TestTriesAreCountedForAllReplicasTogether(t *testing.T) {
	t.Parallel()

	for act, allowed := range map[tenants.Act]struct{ account, address int }{
		tenants.ActSignIn: {10, 100}, tenants.ActReset: {5, 30}, tenants.ActSecondFactor: {10, 100},
		tenants.ActKeyExchange: {60, 600}, tenants.ActCredential: {0, 300},
	} {
		t.Run(string(act), func(t *testing.T) {
			t.Parallel()

			db := pgtest.New(t)
			replicas := []*tenants.Guard{guard(t, db), guard(t, db)}

			try := func(account, address string) func(int) error {
				return func(i int) error { return replicas[i%2].Spend(t.Context(), act, account, address) }
			}

			if allowed.account > 0 {
				if got := race(t, allowed.account+20, "rate_limit_exceeded", try("ada", "")); got != allowed.account {
					t.Errorf("%d tries at one account were allowed, want %d", got, allowed.account)
				}
			}

			if got := race(t, allowed.address+20, "rate_limit_exceeded", try("", "192.0.2.1")); got != allowed.address {
				t.Errorf("%d tries from one address were allowed, want %d", got, allowed.address)
			}

			if err := try("bob", "192.0.2.2")(0); err != nil {
				t.Errorf("somebody else was stopped: %v", err)
			}
		})
	}
}

func TestALimitSaysHowLongToWaitAndEndsThen(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	guard := guard(t, db)

	var err error
	for range 6 {
		err = guard.Spend(t.Context(), tenants.ActReset, "ada", "")
	}

	wantFault(t, err, "rate_limit_exceeded")

	if wait := fault.As(err).RetryAfter; wait < 59*time.Minute || wait > time.Hour {
		t.Errorf("told to wait %v, want nearly an hour", wait)
	}

	change(t, db, "UPDATE attempts_spent SET ends_at = now()")

	if err := guard.Spend(t.Context(), tenants.ActReset, "ada", ""); err != nil {
		t.Errorf("the window has ended: %v", err)
	}
}

// TestACounterThatIsFullIsNotWritten keeps an attack from filling the disk.
func TestACounterThatIsFullIsNotWritten(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	guard := guard(t, db)

	for range 50 {
		_ = guard.Spend(t.Context(), tenants.ActReset, "ada", "")
	}

	if n := count(t, db, "attempts_spent WHERE spent > 6"); n != 0 {
		t.Error("tries above the limit were written down")
	}
}

// TestASignInAboveTheLimitDoesTheSameWork keeps the time of an answer from telling that an account is locked.
func TestASignInAboveTheLimitDoesTheSameWork(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	guard := guard(t, db)

	for range 50 {
		_ = guard.Spend(t.Context(), tenants.ActSignIn, "ada", "")
	}

	if n := count(t, db, "attempts_spent WHERE spent = 50"); n != 1 {
		t.Error("a try above the limit was not written like the others")
	}
}

func TestASuccessForgetsTheAccountAndNotTheAddress(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	guard := guard(t, db)

	for range 30 {
		if err := guard.Spend(t.Context(), tenants.ActReset, "ada", "192.0.2.1"); err != nil {
			t.Fatal(err)
		}

		if err := guard.Reset(t.Context(), tenants.ActReset, "ada"); err != nil {
			t.Fatal(err)
		}
	}

	wantFault(t, guard.Spend(t.Context(), tenants.ActReset, "ada", "192.0.2.1"), "rate_limit_exceeded")
}

func TestWhatCannotBeCountedIsRefused(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	guard := guard(t, db)

	if err := guard.Spend(t.Context(), "an act without a limit", "ada", ""); err == nil {
		t.Error("an act that is in no table is not limited")
	}

	db.Close()

	wantFault(t, guard.Spend(t.Context(), tenants.ActSignIn, "ada", ""), "storage_unavailable")
	wantFault(t, guard.Spend(t.Context(), tenants.ActSignIn, "", "192.0.2.1"), "storage_unavailable")
}

func TestTheCountersHoldNobodysAddressAndAreSwept(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	guard := guard(t, db)

	if err := guard.Spend(t.Context(), tenants.ActSignIn, "ada@acme.example", "192.0.2.1"); err != nil {
		t.Fatal(err)
	}

	rows, err := db.Pool.Query(t.Context(), "SELECT bucket FROM attempts_spent")
	if err != nil {
		t.Fatal(err)
	}

	for rows.Next() {
		var bucket []byte
		if err := rows.Scan(&bucket); err != nil {
			t.Fatal(err)
		}

		if len(bucket) != 32 || strings.Contains(string(bucket), "ada") || strings.Contains(string(bucket), "192") {
			t.Errorf("a counter is called %q", bucket)
		}
	}

	change(t, db, "UPDATE attempts_spent SET ends_at = now()")

	if err := guard.Sweep(t.Context()); err != nil || count(t, db, "attempts_spent") != 0 {
		t.Errorf("counters are left: %v", err)
	}
}
