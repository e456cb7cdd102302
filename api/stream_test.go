package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"formonce/api"
	"formonce/forms"
)

// heard is an event of a stream.
type heard struct{ id, event, data string }

// listen reads events until the stream ends or each says that it is enough, and returns the last id.
func (o *office) listen(ctx context.Context, lastID string, each func(heard) bool) (string, int) {
	o.Helper()

	request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.server.URL+api.Prefix+"/stream", http.NoBody)
	if err != nil {
		o.Fatal(err)
	}

	request.Header.Set("Authorization", "Bearer "+o.acme.APIKey)

	if lastID != "" {
		request.Header.Set("Last-Event-ID", lastID)
	}

	response, err := o.server.Client().Do(request)
	if err != nil {
		return lastID, 0
	}
	defer response.Body.Close()

	// An id counts with the blank line after it: what a connection cut short is not one (WHATWG HTML, section 9.2.6).
	event := heard{id: lastID}

	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")

		switch name {
		case "id":
			event.id = value
		case "event":
			event.event = value
		case "data":
			event.data = value
		case "":
			lastID = event.id

			if event.data != "" && each(event) {
				return lastID, response.StatusCode
			}

			event = heard{id: lastID}
		}
	}

	return lastID, response.StatusCode
}

// follow looks for news until the test ends.
func (o *office) follow() {
	o.Helper()

	ctx, cancel := context.WithCancel(context.Background())

	var group sync.WaitGroup

	group.Go(func() {
		for ctx.Err() == nil {
			_ = o.feed.Follow(ctx)
			time.Sleep(5 * time.Millisecond)
		}
	})

	o.Cleanup(func() {
		cancel()
		group.Wait()
	})
}

type nothingOwed struct{}

func (nothingOwed) Enqueue(context.Context, pgx.Tx, *forms.Submission) error { return nil }

// Two processes serve one database. 200 submissions come in at once while a client is cut off again and again, and comes
// back to one or the other with the id of the last event that it heard.
func TestAClientThatIsCutOffHearsEverythingInTheEnd(t *testing.T) {
	t.Parallel()

	o := open(t)
	o.send("POST", "/endpoints", map[string]any{"id": "contact-form", "name": "Contact"}).want(http.StatusCreated, nil)

	offices := []*office{o, serveOver(t, o.db, o.acme)}
	for _, one := range offices {
		one.follow()
	}

	lastID, _ := o.listen(t.Context(), "", func(first heard) bool {
		if first.event != "ready" {
			t.Errorf("a stream begins with %v", first)
		}

		return true
	})

	endpoint, err := forms.NewDirectory(o.db).Get(t.Context(), o.acme.Tenant.ID, "contact-form")
	if err != nil {
		t.Fatal(err)
	}

	intake := forms.NewIntake(o.db, nothingOwed{}, forms.DefaultLimits(), secret)

	const submissions = 200

	accepted := make([]string, submissions)

	var group sync.WaitGroup
	for i := range submissions {
		group.Go(func() {
			outcome, err := intake.Receive(context.Background(), &endpoint, forms.Incoming{Body: forms.Body{
				ContentType: "application/x-www-form-urlencoded", Bytes: fmt.Appendf(nil, "n=%d", i),
			}})
			if err != nil {
				t.Error(err)
			}

			accepted[i] = forms.PublicID(outcome.Receipt.SubmissionID)
		})
	}

	told := map[string]bool{}
	connections := 0

	for deadline := time.Now().Add(20 * time.Second); len(told) < submissions && time.Now().Before(deadline); connections++ {
		news := 0
		ctx, cut := context.WithTimeout(t.Context(), 100*time.Millisecond)

		lastID, _ = offices[connections%2].listen(ctx, lastID, func(event heard) bool {
			var data struct {
				SubmissionID string `json:"submission_id"`
				EndpointID   string `json:"endpoint_id"`
				ReceivedAt   string `json:"received_at"`
				Status       string `json:"status"`
			}

			switch event.event {
			case "ready":
				return false
			case "reset":
				t.Error("a client that was away for a moment is reset")
				return true
			}

			if err := json.Unmarshal([]byte(event.data), &data); err != nil || event.event != "submission.accepted" || data.EndpointID != "contact-form" {
				t.Errorf("%v: %v", event, err)
			}

			if !told[data.SubmissionID] {
				news++
			}

			told[data.SubmissionID] = true

			return news == 40
		})

		cut()
	}

	group.Wait()

	for _, id := range accepted {
		if !told[id] {
			t.Errorf("%s was never heard, in %d connections", id, connections)
		}
	}
}

func TestAStreamEndsWithTheService(t *testing.T) {
	t.Parallel()

	o := open(t)
	began := time.Now()

	o.listen(t.Context(), "", func(heard) bool {
		o.feed.Close()

		return false
	})

	if took := time.Since(began); took > streamFor {
		t.Errorf("it took %v", took)
	}

	if _, status := o.listen(t.Context(), "", func(heard) bool { return true }); status != http.StatusServiceUnavailable {
		t.Errorf("a closed feed answers %d", status)
	}
}

func TestAnOldEventIDMakesTheClientReadTheListAgain(t *testing.T) {
	t.Parallel()

	o := open(t)

	for _, lastID := range []string{"garbage", "0190a0b0c0d0700080000000000000000"[:32], strings.Repeat("f", 32)} {
		first := heard{}
		o.listen(t.Context(), lastID, func(event heard) bool { first = event; return true })

		if first.event != "reset" || first.id == "" || first.id == lastID {
			t.Errorf("%s: got %v", lastID, first)
		}
	}
}
