package forms_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/forms"
	"formonce/internal/id"
	"formonce/tenants"
)

func (h *house) listen(feed *forms.Feed, position string) *forms.Listener {
	h.Helper()

	listener, err := feed.Listen(h.Context(), h.tenant.ID, position)
	if err != nil {
		h.Fatal(err)
	}

	h.Cleanup(listener.Close)

	return listener
}

func (h *house) follow(feed *forms.Feed) {
	h.Helper()

	if err := feed.Follow(h.Context()); err != nil {
		h.Fatal(err)
	}
}

// heard are the ids that wait for the listener.
func (h *house) heard(listener *forms.Listener) []uuid.UUID {
	h.Helper()

	var ids []uuid.UUID

	for {
		news, what := listener.Next(h.Context(), time.Millisecond)
		if what != forms.HeardNews {
			return ids
		}

		ids = append(ids, news.ID)
	}
}

func TestAListenerHearsWhatComesInAndNothingTwice(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	endpoint := h.endpoint("contact", nil)
	feed := forms.NewFeed(h.db)

	h.mustReceive(endpoint, post{body: "a=0"})

	first := h.listen(feed, "")
	receipt := h.mustReceive(endpoint, post{body: "a=1"})

	h.follow(feed)

	second := h.listen(feed, "")

	h.follow(feed)

	if got := h.heard(first); len(got) != 1 || got[0] != receipt.SubmissionID {
		t.Errorf("got %v, want %v", got, receipt.SubmissionID)
	}

	if got := h.heard(second); len(got) != 0 {
		t.Errorf("what came in before is told: %v", got)
	}
}

// An id is made before the commit, so a submission can appear behind one that is younger.
func TestASubmissionThatIsCommittedLateIsHeard(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	endpoint := h.endpoint("contact", nil)
	feed := forms.NewFeed(h.db)
	listener := h.listen(feed, "")

	late := id.New()
	late[5] -= 3 // some milliseconds, or even 768, older

	slow, err := h.db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	defer func() { _ = slow.Rollback(t.Context()) }()

	h.insert(slow, late)

	young := h.mustReceive(endpoint, post{body: "a=1"}).SubmissionID

	h.follow(feed)

	if got := h.heard(listener); len(got) != 1 || got[0] != young {
		t.Fatalf("got %v", got)
	}

	left := h.listen(feed, "")
	left.Close()

	if err := slow.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}

	h.follow(feed)

	if got := h.heard(listener); len(got) != 1 || got[0] != late {
		t.Errorf("got %v, want the late one", got)
	}
}

func (h *house) insert(tx pgx.Tx, submissionID uuid.UUID) {
	h.Helper()

	_, err := tx.Exec(h.Context(), `
INSERT INTO submissions (tenant_id, id, received_at, schema_version, rule_version, field_count, order_ignored, endpoint_id,
    family, status, fingerprint, fields) VALUES ($1, $2, now(), 0, 1, 0, false, 'contact', 'form', 'accepted', '', '[]')`,
		h.tenant.ID, submissionID)
	if err != nil {
		h.Fatal(err)
	}
}

// Two processes look into one database; the listener's connection breaks again and again, and it goes on at the other one.
func TestNothingIsMissedOverBrokenConnectionsAndTwoProcesses(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	endpoint := h.endpoint("contact", nil)
	feeds := []*forms.Feed{forms.NewFeed(h.db), forms.NewFeed(h.db)}
	position := h.listen(feeds[0], "").Position()

	const senders, each = 20, 10

	var (
		group    sync.WaitGroup
		accepted sync.Map
	)

	for sender := range senders {
		group.Go(func() {
			for i := range each {
				accepted.Store(h.mustReceive(endpoint, post{body: fmt.Sprintf("a=%d-%d", sender, i)}).SubmissionID, true)
			}
		})
	}

	done := make(chan struct{})

	go func() {
		group.Wait()
		close(done)
	}()

	heard := map[uuid.UUID]bool{}
	connections := 0

	for ended := false; !ended; connections++ {
		select {
		case <-done:
			ended = true
		default:
		}

		feed := feeds[connections%2]
		listener := h.listen(feed, position)

		if listener.Reset {
			t.Fatal("the position was not taken")
		}

		h.follow(feed)

		for range 25 { // and then the line breaks, with more to come
			news, what := listener.Next(t.Context(), time.Millisecond)
			if what != forms.HeardNews {
				break
			}

			heard[news.ID] = true
		}

		position = listener.Position()
		listener.Close()
	}

	last := h.listen(feeds[0], position)
	h.follow(feeds[0])

	for _, one := range h.heard(last) {
		heard[one] = true
	}

	accepted.Range(func(key, _ any) bool {
		if !heard[key.(uuid.UUID)] {
			t.Errorf("%v was never heard, in %d connections", key, connections)
		}

		return true
	})

	if len(heard) != senders*each {
		t.Errorf("heard %d, want %d", len(heard), senders*each)
	}
}

func TestAListenerThatIsTooSlowIsEndedAndGoesOnWhereItWas(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	h.endpoint("contact", nil)
	feed := forms.NewFeed(h.db)
	slow, quick := h.listen(feed, ""), h.listen(feed, "")

	all := make([]forms.Fields, 300)
	for i := range all {
		all[i] = forms.Fields{field("n", fmt.Sprint(i))}
	}

	h.store("contact", all[:200]...)
	h.follow(feed)

	if got := len(h.heard(quick)); got != 200 {
		t.Errorf("the quick one heard %d", got)
	}

	h.store("contact", all[200:]...)
	h.follow(feed)

	if got := len(h.heard(quick)); got != 100 {
		t.Errorf("the quick one heard %d more", got)
	}

	heard := len(h.heard(slow))
	if _, what := slow.Next(t.Context(), time.Millisecond); what != forms.HeardEnd {
		t.Fatalf("the slow one was not ended after %d", heard)
	}

	again := h.listen(feed, slow.Position())
	if got := len(h.heard(again)); got != 300 || again.Reset {
		t.Errorf("the slow one heard %d when it came back", got)
	}
}

func TestNewsThatWaitAreHeardWithoutAnyWait(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	h.endpoint("contact", nil)
	feed := forms.NewFeed(h.db)
	listener := h.listen(feed, "")

	all := make([]forms.Fields, 200)
	for i := range all {
		all[i] = forms.Fields{field("n", fmt.Sprint(i))}
	}

	h.store("contact", all...)
	h.follow(feed)

	for i := range all {
		before := listener.Position()
		if _, what := listener.Next(t.Context(), 0); what != forms.HeardNews || listener.Position() < before {
			t.Fatalf("after %d of %d: %v at %s, after %s", i, len(all), what, listener.Position(), before)
		}
	}

	if _, what := listener.Next(t.Context(), 0); what != forms.HeardNothing {
		t.Errorf("after all of them: %v", what)
	}
}

func TestAPositionOfNoUseResets(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	endpoint := h.endpoint("contact", nil)
	feed := forms.NewFeed(h.db)

	receipt := h.mustReceive(endpoint, post{body: "a=1"})
	now := strings.ReplaceAll(receipt.SubmissionID.String(), "-", "")

	for name, position := range map[string]string{
		"garbage": "garbage", "too old": "01000000" + now[8:], "in the future": "7fffffff" + now[8:], "long": now + "00",
	} {
		if listener := h.listen(feed, position); !listener.Reset || len(h.heard(listener)) != 0 {
			t.Errorf("%s: no reset", name)
		}
	}

	if listener := h.listen(feed, now); listener.Reset {
		t.Error("a good position resets")
	}

	all := make([]forms.Fields, 1_001)
	for i := range all {
		all[i] = forms.Fields{field("n", fmt.Sprint(i))}
	}

	h.store("contact", all...)

	if listener := h.listen(feed, now); !listener.Reset {
		t.Error("more than can be told does not reset")
	}
}

func TestNobodyHearsAnotherTenant(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	endpoint := h.endpoint("contact", nil)
	feed := forms.NewFeed(h.db)

	beta, err := tenants.NewRegistry(h.db).Create(t.Context(),
		tenants.NewTenant{Name: "Beta", Email: "ada@beta.example", Password: "correct horse battery"})
	if err != nil {
		t.Fatal(err)
	}

	position := h.listen(feed, "").Position()

	stranger, err := feed.Listen(t.Context(), beta.Tenant.ID, position)
	if err != nil {
		t.Fatal(err)
	}

	h.mustReceive(endpoint, post{body: "a=1"})
	h.follow(feed)

	again, err := feed.Listen(t.Context(), beta.Tenant.ID, position)
	if err != nil {
		t.Fatal(err)
	}

	if got := append(h.heard(stranger), h.heard(again)...); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestAClosedFeedEndsItsListenersAndTakesNoMore(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	feed := forms.NewFeed(h.db)
	listener := h.listen(feed, "")

	feed.Close()

	if _, what := listener.Next(t.Context(), time.Minute); what != forms.HeardEnd {
		t.Error("it still listens")
	}

	_, err := feed.Listen(t.Context(), h.tenant.ID, "")
	wantCode(t, err, "storage_unavailable")
}

func TestAnOutageOfTheDatabaseLeavesNothingOut(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	endpoint := h.endpoint("contact", nil)
	feed := forms.NewFeed(h.db)
	listener := h.listen(feed, "")

	h.must("ALTER TABLE submissions RENAME TO away")

	if err := feed.Follow(t.Context()); err == nil {
		t.Fatal("the look did not fail")
	}

	before := listener.Position()
	if h.heard(listener); listener.Position() != before {
		t.Error("the position went on while nobody could look")
	}

	h.must("ALTER TABLE away RENAME TO submissions")
	h.mustReceive(endpoint, post{body: "a=1"})
	h.follow(feed)

	if got := h.heard(listener); len(got) != 1 {
		t.Errorf("got %v", got)
	}
}
