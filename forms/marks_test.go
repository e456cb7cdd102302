package forms_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/forms"
	"formonce/tenants"
)

// releasing is the inbox with an outbox that counts, under the management role as well.
func (h *house) releasing() *forms.Inbox {
	h.Helper()

	if _, err := h.db.Pool.Exec(h.Context(), "GRANT INSERT ON owed TO formonce_management"); err != nil {
		h.Fatal(err)
	}

	return h.inbox.WithOutbox(owed{})
}

func (h *house) owedFor(submissionID uuid.UUID) int {
	h.Helper()

	return h.count("SELECT count(*) FROM owed WHERE submission_id = $1", submissionID)
}

// many puts n submissions into the endpoint's inbox and returns their ids, the newest first.
func (h *house) many(endpoint *forms.Endpoint, n int, status forms.Status) []uuid.UUID {
	h.Helper()

	begin := time.Now().Add(-time.Hour).UTC().Truncate(time.Microsecond)

	made := make([]forms.Submission, n)
	for i := range made {
		made[i] = imagined(begin.Add(time.Duration(i)*time.Millisecond), endpoint.ID, "hello")
		made[i].Status = status
	}

	if err := h.inbox.Import(h.Context(), h.tenant.ID, made); err != nil {
		h.Fatal(err)
	}

	ids := make([]uuid.UUID, n)
	for i := range made {
		ids[n-1-i] = made[i].ID
	}

	return ids
}

// all runs the work in many goroutines at once and fails on the first error.
func (h *house) all(n int, work func(i int) error) {
	h.Helper()

	var group sync.WaitGroup
	for i := range n {
		group.Go(func() {
			if err := work(i); err != nil {
				h.Error(err)
			}
		})
	}

	group.Wait()
}

func TestWhatIsNoSpamIsReleasedOnceHoweverManySaySo(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	inbox := h.releasing()
	endpoint := h.endpoint("", func(e *forms.Endpoint) { e.Honeypot = "trap" })
	receipt := h.mustReceive(endpoint, post{body: "a=1&trap=x"})

	h.all(16, func(i int) error {
		if i%2 == 0 {
			_, err := inbox.Bulk(t.Context(), h.tenant.ID, forms.Bulk{IDs: []uuid.UUID{receipt.SubmissionID}, Action: forms.NotSpam})
			return err
		}

		_, err := inbox.Update(t.Context(), h.tenant.ID, receipt.SubmissionID, forms.Changes{Status: forms.StatusAccepted})

		return err
	})

	if got := h.owedFor(receipt.SubmissionID); got != 1 {
		t.Fatalf("it was enqueued %d times", got)
	}

	if got := h.stored(receipt.SubmissionID); got.Status != forms.StatusAccepted {
		t.Fatalf("it is %s", got.Status)
	}
}

// TestWhatWasDeliveredOnceIsNotReleasedAgain sets what was accepted aside and takes it back, again and again.
func TestWhatWasDeliveredOnceIsNotReleasedAgain(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	inbox := h.releasing()
	endpoint := h.endpoint("", func(e *forms.Endpoint) { e.Honeypot = "trap" })

	for _, body := range []string{"a=1", "a=1&trap=x"} {
		receipt := h.mustReceive(endpoint, post{body: body})

		for _, status := range []forms.Status{
			forms.StatusAccepted, forms.StatusSpam, forms.StatusAccepted, forms.StatusSpam, forms.StatusAccepted,
		} {
			changed, err := inbox.Update(t.Context(), h.tenant.ID, receipt.SubmissionID, forms.Changes{Status: status})
			if err != nil || changed.Status != status {
				t.Fatalf("got %s, %v, want %s", changed.Status, err, status)
			}
		}

		if got := h.owedFor(receipt.SubmissionID); got != 1 {
			t.Errorf("%s was enqueued %d times", body, got)
		}
	}
}

func TestAReleaseThatCannotBeEnqueuedDidNotHappen(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	h.releasing()

	ids := h.many(h.endpoint("", nil), 3, forms.StatusSpam)

	for _, inbox := range []*forms.Inbox{h.inbox, h.inbox.WithOutbox(owed{errForced})} {
		if _, err := inbox.Bulk(t.Context(), h.tenant.ID, forms.Bulk{IDs: ids, Action: forms.NotSpam}); err == nil {
			t.Fatal("it worked")
		}
	}

	if n := h.count("SELECT count(*) FROM submissions WHERE status = 'spam'"); n != 3 {
		t.Errorf("%d are still set aside", n)
	}

	if n := h.count("SELECT count(*) FROM submission_events") + h.count("SELECT count(*) FROM owed"); n != 0 {
		t.Errorf("%d traces of it are left", n)
	}
}

// TestABulkChangeCountsEachSubmissionOnce has many of them over one filter at the same time, each in its own order.
func TestABulkChangeCountsEachSubmissionOnce(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	ids := h.many(h.endpoint("", nil), 300, forms.StatusAccepted)

	for _, action := range []forms.Action{
		forms.Star, forms.MarkRead, forms.AddTag, forms.MarkSpam, forms.Unstar, forms.MarkUnread, forms.RemoveTag,
	} {
		var changed atomic.Int64

		h.all(8, func(i int) error {
			bulk := forms.Bulk{Filter: &forms.Filter{}, Action: action, Tag: " VIP "}
			if i%2 == 0 {
				bulk.Filter, bulk.IDs = nil, slices.Clone(ids)
				if i%4 == 0 {
					slices.Reverse(bulk.IDs)
				}
			}

			done, err := h.inbox.Bulk(t.Context(), h.tenant.ID, bulk)
			changed.Add(int64(done.Changed))

			if err == nil && done.Matched != len(ids) {
				t.Errorf("%s matched %d", action, done.Matched)
			}

			return err
		})

		if got := changed.Load(); got != int64(len(ids)) {
			t.Errorf("%s: all together changed %d of %d", action, got, len(ids))
		}
	}

	if n := h.count("SELECT count(*) FROM submission_events"); n != 7*len(ids) {
		t.Errorf("the timelines have %d events, want %d", n, 7*len(ids))
	}
}

// TestABulkErasureSparesWhatIsNotMeantAnyMore erases the spam while somebody else says that some of it is none: whatever was
// taken back is still there.
func TestABulkErasureSparesWhatIsNotMeantAnyMore(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	inbox := h.releasing()
	ids := h.many(h.endpoint("", nil), 200, forms.StatusSpam)

	var released, erased atomic.Int64

	h.all(4, func(i int) error {
		if i%2 == 0 {
			done, err := inbox.Bulk(t.Context(), h.tenant.ID, forms.Bulk{IDs: ids[50:150], Action: forms.NotSpam})
			released.Add(int64(done.Changed))

			return err
		}

		done, err := inbox.Bulk(t.Context(), h.tenant.ID,
			forms.Bulk{Filter: &forms.Filter{Status: forms.StatusSpam}, Action: forms.EraseAll})
		erased.Add(int64(done.Changed))

		return err
	})

	left := h.count("SELECT count(*) FROM submissions WHERE status = 'accepted'")
	if int64(left) != released.Load() || erased.Load()+released.Load() != 200 || h.submissions() != left {
		t.Errorf("%d were erased and %d released, and %d are left", erased.Load(), released.Load(), left)
	}

	if n := h.count("SELECT count(*) FROM audit_log WHERE action = 'submission.erased'"); int64(n) != erased.Load() {
		t.Errorf("the audit log has %d of %d erasures", n, erased.Load())
	}
}

func TestABulkChangeGoesOnWhereItEnded(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	h.many(h.endpoint("", nil), 2_300, forms.StatusAccepted)

	filter := &forms.Filter{}

	for _, want := range []int{1_000, 1_000, 300} {
		done, err := h.inbox.Bulk(t.Context(), h.tenant.ID, forms.Bulk{Filter: filter, Action: forms.Star})
		if err != nil || done.Changed != want || (done.NextCursor == "") != (want == 300) {
			t.Fatalf("got %+v, %v, want %d", done, err, want)
		}

		filter.Cursor = done.NextCursor
	}
}

func TestAChangeThatCannotBeMeantIsRefusedWhole(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	ids := h.many(h.endpoint("", nil), 1, forms.StatusAccepted)
	many := make([]string, 51)

	for i := range many {
		many[i] = string(rune('a'+i%26)) + string(rune('a'+i/26))
	}

	for _, refused := range []struct {
		bulk forms.Bulk
		code string
	}{
		{forms.Bulk{IDs: ids, Action: "sell"}, "invalid_action"},
		{forms.Bulk{Action: forms.Star}, "invalid_selection"},
		{forms.Bulk{IDs: ids, Filter: &forms.Filter{}, Action: forms.Star}, "invalid_selection"},
		{forms.Bulk{IDs: make([]uuid.UUID, 1_001), Action: forms.Star}, "invalid_selection"},
		{forms.Bulk{IDs: ids, Action: forms.AddTag}, "invalid_tag"},
		{forms.Bulk{IDs: ids, Action: forms.AddTag, Tag: "a,b"}, "invalid_tag"},
		{forms.Bulk{Filter: &forms.Filter{Status: "open"}, Action: forms.Star}, "invalid_status"},
		{forms.Bulk{Filter: &forms.Filter{Cursor: "?"}, Action: forms.Star}, "invalid_cursor"},
	} {
		_, err := h.inbox.Bulk(t.Context(), h.tenant.ID, refused.bulk)
		wantCode(t, err, refused.code)
	}

	starred := true

	for code, changes := range map[string]forms.Changes{
		"invalid_status": {Starred: &starred, Status: "open"},
		"invalid_tag":    {Starred: &starred, Tags: &[]string{"fine", "\x01"}},
		"too_many_tags":  {Starred: &starred, Tags: &many},
	} {
		_, err := h.inbox.Update(t.Context(), h.tenant.ID, ids[0], changes)
		wantCode(t, err, code)
	}

	if got := h.stored(ids[0]); got.Starred || len(got.Tags) > 0 {
		t.Errorf("something was changed: %+v", got)
	}

	_, err := h.inbox.Update(t.Context(), h.tenant.ID, uuid.New(), forms.Changes{Starred: &starred})
	wantCode(t, err, "submission_not_found")
}

func TestATagTooManyIsRefusedInBulkAsWell(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	ids := h.many(h.endpoint("", nil), 2, forms.StatusAccepted)

	_, err := h.db.Pool.Exec(t.Context(), `
INSERT INTO submission_tags SELECT $1, 'tag ' || n, $2 FROM generate_series(1, 50) AS n`, h.tenant.ID, ids[0])
	if err != nil {
		t.Fatal(err)
	}

	_, err = h.inbox.Bulk(t.Context(), h.tenant.ID, forms.Bulk{IDs: ids, Action: forms.AddTag, Tag: "one more"})
	wantCode(t, err, "too_many_tags")

	if got := h.stored(ids[1]); len(got.Tags) != 0 {
		t.Errorf("half of it was done: %v", got.Tags)
	}

	counts, err := h.inbox.Tags(t.Context(), h.tenant.ID)
	if err != nil || len(counts) != 50 || counts[0] != (forms.TagCount{Tag: "tag 1", Count: 1}) {
		t.Errorf("got %v, %v", counts, err)
	}
}

// TestAnErasedSubmissionLeavesNothing looks into every table that names submissions.
func TestAnErasedSubmissionLeavesNothing(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	endpoint := h.endpoint("", nil)
	receipt := h.mustReceive(endpoint, post{body: "a=hello", key: aKey})
	h.mustReceive(endpoint, post{body: "a=hello", key: aKey})
	h.index()

	yes, tags := true, []string{"vip"}

	if _, err := h.inbox.Update(t.Context(), h.tenant.ID, receipt.SubmissionID,
		forms.Changes{Starred: &yes, Read: &yes, Tags: &tags}); err != nil {
		t.Fatal(err)
	}

	tables := h.texts(`SELECT relname FROM pg_class JOIN pg_attribute AS a ON attrelid = pg_class.oid
		WHERE relkind = 'r' AND attname = 'submission_id' AND relnamespace = 'public'::regnamespace AND relname <> 'owed'
		UNION SELECT 'submission_search'`)
	if len(tables) < 5 {
		t.Fatalf("only %v name submissions", tables)
	}

	for _, round := range []string{"before", "after"} {
		for _, table := range tables {
			if n := h.count("SELECT count(*) FROM " + pgx.Identifier{table}.Sanitize()); (n == 0) != (round == "after") {
				t.Errorf("%s the erasure %s has %d rows", round, table, n)
			}
		}

		if err := h.inbox.Erase(t.Context(), h.tenant.ID, receipt.SubmissionID); (err != nil) != (round == "after") {
			t.Fatal(err)
		}
	}
}

func (h *house) texts(query string) []string {
	h.Helper()

	rows, err := h.db.Pool.Query(h.Context(), query)
	if err != nil {
		h.Fatal(err)
	}

	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		h.Fatal(err)
	}

	return found
}

func TestTheTimelineTellsWhatHappenedInItsOrder(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	inbox := h.releasing()
	endpoint := h.endpoint("", nil)
	receipt := h.mustReceive(endpoint, post{body: "a=1", key: aKey})
	h.mustReceive(endpoint, post{body: "a=1", key: aKey})

	ctx := tenants.WithActor(context.Background(), tenants.Actor{Kind: tenants.ActorMember, ID: uuid.New(), Name: "ada@acme.example"})
	yes, no := true, false

	for _, changes := range []forms.Changes{
		{Read: &yes},
		{Read: &yes},
		{Starred: &yes},
		{Tags: &[]string{"VIP", "later"}},
		{Tags: &[]string{"later"}},
		{Status: forms.StatusSpam},
		{Status: forms.StatusAccepted},
		{Starred: &no},
		{Read: &no},
	} {
		if _, err := inbox.Update(ctx, h.tenant.ID, receipt.SubmissionID, changes); err != nil {
			t.Fatal(err)
		}
	}

	events, err := inbox.Timeline(t.Context(), h.tenant.ID, receipt.SubmissionID)
	if err != nil {
		t.Fatal(err)
	}

	var told []string

	for i, event := range events {
		told = append(told, string(event.Kind)+event.Tag)

		if i > 0 && event.At.Before(events[i-1].At) {
			t.Errorf("%s comes too late", event.Kind)
		}

		if byPerson := event.By.Name == "ada@acme.example" && event.By.Kind == tenants.ActorMember; byPerson != (i > 1) {
			t.Errorf("%s was done by %+v", event.Kind, event.By)
		}
	}

	want := []string{
		"received", "replayed", "read", "starred", "taggedlater", "taggedvip", "untaggedvip", "marked_as_spam",
		"marked_as_not_spam", "unstarred", "marked_as_unread",
	}
	if !slices.Equal(told, want) {
		t.Errorf("got  %v\nwant %v", told, want)
	}

	_, err = inbox.Timeline(t.Context(), h.tenant.ID, uuid.New())
	wantCode(t, err, "submission_not_found")
}
