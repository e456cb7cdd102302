package forms_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"formonce/forms"
	"formonce/internal/postgres"
	"formonce/tenants"
)

// clock is a Lookup's clock that only the test moves.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Duration { return time.Duration(c.at.Load()) }

func (c *clock) pass(d time.Duration) { c.at.Add(int64(d)) }

func (h *house) lookupBy(by *clock) *forms.Lookup {
	made := h.lookup()
	made.SetClock(by.now)

	return made
}

// A command that was killed before it announced its change, and a database whose clock was set, leave such a change.
func TestAChangeThatNobodyAnnouncedCountsAfterAMinute(t *testing.T) {
	h := newHouse(t)
	age := &clock{}
	lookup := h.lookupBy(age)
	follow(t, lookup)

	h.endpoint("contact-form", nil)
	h.foundName(lookup, "contact-form")

	_, err := lookup.Find(t.Context(), "made-later")
	wantCode(t, err, "endpoint_not_found")

	follow(t, lookup)
	h.foundName(lookup, "contact-form")
	h.renameBehindItsBack("contact-form", "Seen")
	h.makeBehindItsBack("made-later")

	for range 6 {
		if got := h.foundName(lookup, "contact-form"); got != "Contact" {
			t.Fatalf("the database was asked too early: %s", got)
		}

		age.pass(forms.BelieveFor / 6)
		follow(t, lookup)
	}

	age.pass(1)

	if got := h.foundName(lookup, "contact-form"); got != "Seen" {
		t.Errorf("the change is not seen: %s", got)
	}

	h.foundName(lookup, "made-later")
}

// makeBehindItsBack makes an endpoint whose announcement lies outside of what anybody looks at.
func (h *house) makeBehindItsBack(endpointID string) {
	h.Helper()
	h.endpoint(endpointID, nil)

	_, err := h.db.Pool.Exec(h.Context(),
		"UPDATE endpoint_directory SET changed_at = now() - interval '1 hour' WHERE endpoint_id = $1", endpointID)
	if err != nil {
		h.Fatal(err)
	}
}

func TestNobodyIsGivenWhatAHangingLookUpReadLongAgo(t *testing.T) {
	h := newHouse(t)
	age := &clock{}
	lookup := h.lookupBy(age)
	h.endpoint("contact-form", nil)

	// The tenant is read last, so a look-up that waits for it has read the endpoint already.
	held, err := h.db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	defer func() { _ = held.Rollback(t.Context()) }()

	if _, err := held.Exec(t.Context(), "LOCK TABLE tenants IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}

	answers := make([]chan error, 2)
	find := func(i int) {
		answers[i] = make(chan error, 1)

		go func() {
			_, err := lookup.Find(h.Context(), "contact-form")
			answers[i] <- err
		}()

		eventually(t, 3*time.Second, "the look-up hangs", func() bool { return h.waiters() == i+1 })
	}

	find(0)

	_, err = h.db.Pool.Exec(t.Context(), "UPDATE endpoints SET closed = true WHERE id = 'contact-form'")
	if err != nil {
		t.Fatal(err)
	}

	age.pass(forms.JoinFor)
	find(1)

	if err := held.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}

	if err := <-answers[0]; err != nil {
		t.Errorf("who asked before the change got %v", err)
	}

	wantCode(t, <-answers[1], "endpoint_closed")
}

func (h *house) waiters() int {
	h.Helper()

	return h.count(`SELECT count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND wait_event_type = 'Lock'`)
}

// silent is a connection to a database that has gone without a word, as behind a broken network.
type silent struct {
	net.Conn

	gone *atomic.Bool
}

func (s silent) Read(p []byte) (int, error) {
	for {
		n, err := s.Conn.Read(p)
		if err != nil || !s.gone.Load() {
			return n, err
		}
	}
}

func TestADatabaseThatGoesSilentDoesNotStopTheFollowingForGood(t *testing.T) {
	h := newHouse(t)
	h.endpoint("contact-form", nil)

	var gone atomic.Bool

	config := h.db.Pool.Config()
	dial := config.ConnConfig.DialFunc
	config.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		return silent{conn, &gone}, err
	}

	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(pool.Close)

	lookup := forms.NewLookup(&postgres.DB{Pool: pool, Gorm: h.db.Gorm}, tenants.NewRegistry(h.db))
	follow(t, lookup)
	gone.Store(true)

	given := make(chan error, 1)

	go func() { given <- lookup.Follow(h.Context()) }()

	select {
	case err := <-given:
		wantCode(t, err, "storage_unavailable")
	case <-time.After(10 * time.Second):
		t.Fatal("it waits for an answer that will not come")
	}

	gone.Store(false)
	follow(t, lookup)
	h.foundName(lookup, "contact-form")
}
