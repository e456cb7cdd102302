package forms_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"formonce/forms"
	"formonce/internal/fault"
)

// together calls do with 0 to n-1 at the same moment and waits for all.
func together(n int, do func(i int)) {
	var ready, done sync.WaitGroup

	start := make(chan struct{})

	for i := range n {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-start
			do(i)
		})
	}

	ready.Wait()
	close(start)
	done.Wait()
}

func TestTheSameKeyWithTwoContentsAtOnceHasOneWinner(t *testing.T) {
	h := newHouse(t)
	endpoint := h.endpoint("", nil)
	receipts, errs := make([]forms.Receipt, 60), make([]error, 60)

	together(60, func(i int) {
		receipts[i], errs[i] = h.receive(endpoint, post{body: [2]string{"a=1", "a=2"}[i%2], key: aKey})
	})

	firsts, won := 0, -1

	for i, receipt := range receipts {
		if errs[i] != nil {
			wantCode(t, errs[i], "idempotency_conflict")
			continue
		}

		if won == -1 {
			won = i % 2
		}

		if i%2 != won || receipt.SubmissionID != receipts[won].SubmissionID {
			t.Fatalf("both contents were accepted")
		}

		if !receipt.Replayed {
			firsts++
		}
	}

	if firsts != 1 || h.submissions() != 1 || h.count("SELECT count(*) FROM owed") != 1 {
		t.Fatalf("%d first receipts, %d rows", firsts, h.submissions())
	}
}

// holdKey stores a submission in a transaction that stays open until the returned function ends it.
func holdKey(h *house, endpoint *forms.Endpoint) (end func(commit bool)) {
	h.Helper()

	held, err := h.db.Pool.Begin(h.Context())
	if err != nil {
		h.Fatal(err)
	}

	intake := forms.NewIntake(h.db, owed{}, forms.DefaultLimits(), []byte(secret))
	receipt, err := intake.Receive(h.Context(), endpoint, post{body: "a=1", key: aKey}.incoming())
	if err != nil {
		h.Fatal(err)
	}

	// Deleting it again in an open transaction makes every retry wait for the outcome, as for an original in flight.
	if _, err := held.Exec(h.Context(), "DELETE FROM submissions WHERE id = $1", receipt.Receipt.SubmissionID); err != nil {
		h.Fatal(err)
	}

	return func(commit bool) {
		if commit {
			_ = held.Commit(h.Context())
		} else {
			_ = held.Rollback(h.Context())
		}
	}
}

func (h *house) waiting() bool {
	return h.count(`SELECT count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND wait_event_type = 'Lock'`) > 0
}

func TestARetryWaitsForItsOriginalInFlight(t *testing.T) {
	h := newHouse(t)
	endpoint := h.endpoint("", nil)

	for _, row := range []struct {
		name       string
		commit     bool
		wantReplay bool
	}{{"which stays", false, true}, {"which goes", true, false}} {
		t.Run(row.name, func(t *testing.T) {
			end := holdKey(h, endpoint)

			answered := make(chan forms.Receipt, 1)
			go func() {
				receipt, err := h.receive(endpoint, post{body: "a=1", key: aKey})
				if err != nil {
					t.Error(err)
				}
				answered <- receipt
			}()

			eventually(t, 3*time.Second, "the retry waits", h.waiting)
			end(row.commit)

			if receipt := <-answered; receipt.Replayed != row.wantReplay {
				t.Fatalf("got %+v", receipt)
			}
		})
	}
}

func TestARetryIsToldToComeBackWhenItsOriginalTakesTooLong(t *testing.T) {
	h := newHouse(t)
	endpoint := h.endpoint("", nil)
	end := holdKey(h, endpoint)
	began := time.Now()

	_, err := h.receive(endpoint, post{body: "a=1", key: aKey})
	end(false)

	if waited := time.Since(began); waited < 4*time.Second || waited > 7*time.Second {
		t.Errorf("it waited %v, want 5 s", waited)
	}

	wantCode(t, err, "storage_unavailable")

	if fault.As(err).RetryAfter == 0 {
		t.Error("it is not told when to come back")
	}
}

func TestALateRetryOfAnErasedSubmissionIsRefused(t *testing.T) {
	h := newHouse(t)
	endpoint := h.endpoint("", nil)
	receipt := h.mustReceive(endpoint, post{body: "a=1", key: aKey})

	if err := h.inbox.Erase(t.Context(), h.tenant.ID, receipt.SubmissionID); err != nil {
		t.Fatal(err)
	}

	for _, body := range []string{"a=1", "a=2"} {
		_, err := h.receive(endpoint, post{body: body, key: aKey})
		wantCode(t, err, "submission_deleted")
	}

	if h.submissions() != 0 || h.count("SELECT count(*) FROM replays") != 0 {
		t.Fatal("something is stored again")
	}

	wantCode(t, h.inbox.Erase(t.Context(), h.tenant.ID, receipt.SubmissionID), "submission_not_found")

	if _, err := h.db.Pool.Exec(t.Context(), "UPDATE tombstones SET expires_at = now()"); err != nil {
		t.Fatal(err)
	}

	if h.mustReceive(endpoint, post{body: "a=1", key: aKey}).Replayed {
		t.Fatal("an expired tombstone still holds the key")
	}
}

func TestNoTombstoneIsLeftWhereTheOwnerWantsNone(t *testing.T) {
	h := newHouse(t)
	endpoint := h.endpoint("", func(e *forms.Endpoint) { e.Idempotency.TombstoneDays = 0 })
	receipt := h.mustReceive(endpoint, post{body: "a=1", key: aKey})

	if err := h.inbox.Erase(t.Context(), h.tenant.ID, receipt.SubmissionID); err != nil {
		t.Fatal(err)
	}

	if h.mustReceive(endpoint, post{body: "a=1", key: aKey}).Replayed || h.count("SELECT count(*) FROM tombstones") != 0 {
		t.Fatal("the key was kept")
	}
}

// TestAnErasureAndRetriesAtOnceNeverBringTheSubmissionBack is the race that a look before the insertion would lose.
func TestAnErasureAndRetriesAtOnceNeverBringTheSubmissionBack(t *testing.T) {
	h := newHouse(t)
	endpoint := h.endpoint("", nil)

	for round := range 30 {
		key := aKey + string(rune('A'+round))
		receipt := h.mustReceive(endpoint, post{body: "a=1", key: key})
		errs := make([]error, 9)

		together(9, func(i int) {
			if i == 0 {
				errs[i] = h.inbox.Erase(h.Context(), h.tenant.ID, receipt.SubmissionID)
				return
			}

			var got forms.Receipt
			if got, errs[i] = h.receive(endpoint, post{body: "a=1", key: key}); errs[i] == nil && !got.Replayed {
				t.Errorf("round %d: a retry was accepted as new", round)
			}
		})

		if errs[0] != nil {
			t.Fatal(errs[0])
		}

		for _, err := range errs[1:] {
			if err != nil {
				wantCode(t, err, "submission_deleted")
			}
		}

		if h.submissions() != 0 {
			t.Fatalf("round %d: %d rows are left", round, h.submissions())
		}
	}
}

func TestAVisitorWhoHangsUpDoesNotUndoTheAcceptance(t *testing.T) {
	h := newHouse(t)
	endpoint := h.endpoint("", nil)
	hungUp, hangUp := context.WithCancel(t.Context())
	hangUp()

	outcome, err := h.intake.Receive(hungUp, endpoint, post{body: "a=1", key: aKey}.incoming())
	if err != nil {
		t.Fatal(err)
	}

	if again := h.mustReceive(endpoint, post{body: "a=1", key: aKey}); !again.Replayed ||
		again.SubmissionID != outcome.Receipt.SubmissionID {
		t.Fatalf("the retry got %+v", again)
	}
}

func TestAnotherTenantsSubmissionIsNeitherReadNorErased(t *testing.T) {
	h := newHouse(t)
	receipt := h.mustReceive(h.endpoint("", nil), post{body: "a=1"})
	other := receipt.SubmissionID // any id that is no tenant's

	_, err := h.inbox.Get(t.Context(), other, receipt.SubmissionID)
	wantCode(t, err, "submission_not_found")
	wantCode(t, h.inbox.Erase(t.Context(), other, receipt.SubmissionID), "submission_not_found")

	if h.submissions() != 1 {
		t.Fatal("it is gone")
	}
}
