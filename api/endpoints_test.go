package api_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"sync"
	"testing"
)

type wireEndpoint struct {
	ID             string   `json:"id"`
	Name           string   `json:"name"`
	SubmitURL      string   `json:"submit_url"`
	AllowedOrigins []string `json:"allowed_origins"`
	Idempotency    struct {
		Required      bool `json:"required"`
		TombstoneDays int  `json:"tombstone_days"`
	} `json:"idempotency"`
}

func TestAnEndpointIsMadeReadChangedAndListed(t *testing.T) {
	t.Parallel()

	o := open(t)

	var made wireEndpoint
	o.send("POST", "/endpoints", map[string]any{"id": "contact-form", "name": "Contact"}).want(http.StatusCreated, &made)

	if made.SubmitURL != publicURL+"/f/contact-form" || made.Idempotency.TombstoneDays != 7 {
		t.Errorf("got %+v", made)
	}

	var changed wireEndpoint
	o.send("PATCH", "/endpoints/contact-form", map[string]any{"idempotency": map[string]any{"required": true}}).
		want(http.StatusOK, &changed)

	if !changed.Idempotency.Required || changed.Idempotency.TombstoneDays != 7 || changed.Name != "Contact" {
		t.Errorf("a member that is not sent has to stay: %+v", changed)
	}

	var listed struct{ Data []wireEndpoint }
	o.send("GET", "/endpoints", nil).want(http.StatusOK, &listed)

	if len(listed.Data) != 1 || listed.Data[0].ID != "contact-form" {
		t.Errorf("got %+v", listed)
	}
}

func TestFiftyChangesOfOneETagAreOneChange(t *testing.T) {
	t.Parallel()

	o := open(t)
	made := o.send("POST", "/endpoints", map[string]any{"id": "contact-form", "name": "Contact"})
	made.want(http.StatusCreated, nil)

	const writers = 50

	statuses := make([]int, writers)

	var group sync.WaitGroup
	for i := range writers {
		group.Go(func() {
			statuses[i] = o.send("PATCH", "/endpoints/contact-form", map[string]any{"redirect_url": "https://example.com/"},
				"If-Match", made.header.Get("ETag")).status
		})
	}

	group.Wait()

	count := map[int]int{}
	for _, status := range statuses {
		count[status]++
	}

	if count[http.StatusOK] != 1 || count[http.StatusPreconditionFailed] != writers-1 {
		t.Errorf("got %v", count)
	}
}

func TestACreatingRequestWithAKeyIsAnsweredOnce(t *testing.T) {
	t.Parallel()

	o := open(t)

	const retries = 10

	answers := make([]answer, retries)

	var group sync.WaitGroup
	for i := range retries {
		group.Go(func() {
			answers[i] = o.send("POST", "/endpoints", map[string]any{"name": "Contact"}, "Idempotency-Key", "a key")
		})
	}

	group.Wait()

	first := 0

	for _, got := range answers {
		if got.want(http.StatusCreated, nil); !bytes.Equal(got.body, answers[0].body) {
			t.Errorf("two answers: %s and %s", got.body, answers[0].body)
		}

		if got.header.Get("Idempotent-Replayed") == "" {
			first++
		}
	}

	if first != 1 {
		t.Errorf("%d answers are no replay, want 1", first)
	}

	o.send("POST", "/endpoints", map[string]any{"name": "Another"}, "Idempotency-Key", "a key").
		refused(http.StatusConflict, "idempotency_conflict")

	var listed struct{ Data []json.RawMessage }
	o.send("GET", "/endpoints", nil).want(http.StatusOK, &listed)

	if len(listed.Data) != 1 {
		t.Errorf("%d endpoints were made, want 1", len(listed.Data))
	}
}

func TestARequestThatCannotBeUsedSaysWhy(t *testing.T) {
	t.Parallel()

	o := open(t)
	o.send("POST", "/endpoints", map[string]any{"id": "contact-form", "name": "Contact"}).want(http.StatusCreated, nil)

	for name, row := range map[string]struct {
		body   any
		status int
		code   string
	}{
		"no body":            {nil, http.StatusBadRequest, "malformed_body"},
		"no JSON":            {"{", http.StatusBadRequest, "malformed_body"},
		"twice the member":   {`{"name":"a","name":"b"}`, http.StatusBadRequest, "malformed_body"},
		"an unknown member":  {map[string]any{"nam": "x"}, http.StatusBadRequest, "unknown_member"},
		"deeper":             {map[string]any{"spam": map[string]any{"x": 1}}, http.StatusBadRequest, "unknown_member"},
		"another type":       {map[string]any{"closed": "yes"}, http.StatusBadRequest, "invalid_member"},
		"a value of no use":  {map[string]any{"name": ""}, http.StatusUnprocessableEntity, "invalid_endpoint"},
		"a list for an item": {`[]`, http.StatusBadRequest, "invalid_member"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			o.send("PATCH", "/endpoints/contact-form", row.body).refused(row.status, row.code)
		})
	}
}
