package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"formonce/forms"
)

const (
	atOnce = 100
	rounds = 10
)

// tally is an outbox that writes down each submission that it was told of.
type tally struct{}

func (tally) Enqueue(ctx context.Context, tx pgx.Tx, accepted *forms.Submission) error {
	_, err := tx.Exec(ctx, "INSERT INTO owed VALUES ($1)", accepted.ID)

	return err
}

func openTallied(t *testing.T) *site {
	t.Helper()

	s := open(t, settings{outbox: tally{}})
	s.endpoint("contact", nil)

	if _, err := s.db.Pool.Exec(t.Context(), "CREATE TABLE owed (submission_id uuid)"); err != nil {
		t.Fatal(err)
	}

	return s
}

// race sends all the requests at the same moment and returns the answers in their order.
func (s *site) race(asks []ask) []answer {
	s.Helper()

	var (
		start   = make(chan struct{})
		answers = make([]answer, len(asks))
		failed  = make([]error, len(asks))
		racers  sync.WaitGroup
	)

	for i, a := range asks {
		racers.Go(func() {
			<-start

			answers[i], failed[i] = s.try(a)
		})
	}

	close(start)
	racers.Wait()

	for _, err := range failed {
		if err != nil {
			s.Fatal(err)
		}
	}

	return answers
}

func (s *site) wantRowsAndOwed(n int) {
	s.Helper()
	s.wantStored(n)

	var owed int
	if err := s.db.Pool.QueryRow(s.Context(), "SELECT count(*) FROM owed").Scan(&owed); err != nil {
		s.Fatal(err)
	}

	if owed != n {
		s.Fatalf("%d deliveries were queued, want %d", owed, n)
	}
}

// wantOneReceipt holds the answers to one receipt, of which exactly one is not a replay, and returns its id.
func wantOneReceipt(t *testing.T, answers []answer) string {
	t.Helper()

	var (
		firsts int
		common map[string]any
	)

	for _, got := range answers {
		got.want(t, 202, "")

		receipt := got.object(t)
		replayed := receipt["idempotent_replay"] == true
		delete(receipt, "idempotent_replay")

		if replayed != (got.header.Get("Idempotent-Replayed") == "true") {
			t.Fatalf("header and receipt differ: %s", got.body)
		}

		if !replayed {
			firsts++
		}

		if common == nil {
			common = receipt
		}

		if !reflect.DeepEqual(receipt, common) {
			t.Fatalf("receipts differ: %v and %v", receipt, common)
		}
	}

	if firsts != 1 {
		t.Fatalf("%d of %d receipts are no replay, want 1", firsts, len(answers))
	}

	submissionID, _ := common["submission_id"].(string)

	return submissionID
}

func TestAHundredIdenticalPostsAtOnceAreOneSubmission(t *testing.T) {
	s := openTallied(t)

	for round := range rounds {
		key := fmt.Sprintf("identical-posts-%04d", round)
		asks := make([]ask, atOnce)

		for i := range asks {
			asks[i] = ask{body: "email=ada@example.com&message=Hello", key: key}
			if i%2 == 1 {
				asks[i] = ask{body: "email=ada@example.com&message=Hello&_idempotency=" + key}
			}
		}

		wantOneReceipt(t, s.race(asks))
		s.wantRowsAndOwed(round + 1)
	}

	var replays int
	if err := s.db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM replays").Scan(&replays); err != nil {
		t.Fatal(err)
	}

	if replays != rounds*(atOnce-1) {
		t.Errorf("%d duplicates were counted, want %d", replays, rounds*(atOnce-1))
	}
}

func TestOfTwoContentsUnderOneKeyOneIsAcceptedAndTheOtherConflicts(t *testing.T) {
	s := openTallied(t)

	for round := range rounds {
		key := fmt.Sprintf("two-contents-at-once-%04d", round)
		asks := make([]ask, atOnce)

		for i := range asks {
			asks[i] = ask{body: fmt.Sprintf("choice=%d", i%2), key: key}
		}

		accepted := map[int][]answer{}

		for i, got := range s.race(asks) {
			if got.status == 409 {
				got.want(t, 409, "idempotency_conflict")
				continue
			}

			accepted[i%2] = append(accepted[i%2], got)
		}

		if len(accepted) != 1 {
			t.Fatalf("%d of two contents were accepted", len(accepted))
		}

		s.wantRowsAndOwed(round + 1)

		for content, answers := range accepted {
			if len(answers) != atOnce/2 {
				t.Fatalf("%d of %d posts of the accepted content got a receipt", len(answers), atOnce/2)
			}

			s.wantNewestContent(fmt.Sprintf(`[{"choice":"%d"}]`, content), wantOneReceipt(t, answers))
		}
	}
}

// wantNewestContent looks at the row of the receipt.
func (s *site) wantNewestContent(fields, submissionID string) {
	s.Helper()

	var stored json.RawMessage

	err := s.db.Pool.QueryRow(s.Context(), "SELECT fields FROM submissions WHERE 'sub_' || replace(id::text, '-', '') = $1",
		submissionID).Scan(&stored)
	if err != nil {
		s.Fatalf("the receipt names no row: %v", err)
	}

	if string(stored) != fields {
		s.Fatalf("the receipt's row holds %s, want %s", stored, fields)
	}
}

func TestAHundredPostsWithoutAKeyAreAHundredSubmissions(t *testing.T) {
	s := openTallied(t)
	asks := make([]ask, atOnce)

	for i := range asks {
		asks[i] = ask{body: "email=ada@example.com"}
	}

	seen := map[any]bool{}

	for _, got := range s.race(asks) {
		got.want(t, 202, "")
		seen[got.object(t)["submission_id"]] = true
	}

	if len(seen) != atOnce {
		t.Errorf("%d receipts of %d are distinct", len(seen), atOnce)
	}

	s.wantRowsAndOwed(atOnce)
}
