package forms_test

import (
	"strings"
	"testing"
	"time"

	"formonce/forms"
)

// TestTheKeyDecidesWhatIsTheSameSubmission is the contract of keys, one row for each rule.
func TestTheKeyDecidesWhatIsTheSameSubmission(t *testing.T) {
	const (
		again    = "again"    // a replay of the first
		another  = "another"  // a submission of its own
		conflict = "conflict" // refused
	)

	h := newHouse(t)

	for _, row := range []struct {
		name          string
		first, second post
		order         forms.Order
		want          string
	}{
		{"the same content under the same key", post{body: "a=1&b=2", key: aKey}, post{body: "a=1&b=2", key: aKey}, "", again},
		{"the same content under another key", post{body: "a=1", key: aKey}, post{body: "a=1", key: aKey + "x"}, "", another},
		{"the same content without a key", post{body: "a=1"}, post{body: "a=1"}, "", another},
		{"other content under the same key", post{body: "a=1", key: aKey}, post{body: "a=2", key: aKey}, "", conflict},
		{"a field more", post{body: "a=1", key: aKey}, post{body: "a=1&b=", key: aKey}, "", conflict},
		{"a repeat more", post{body: "a=1", key: aKey}, post{body: "a=1&a=1", key: aKey}, "", conflict},
		{"form fields in another order", post{body: "a=1&b=2", key: aKey}, post{body: "b=2&a=1", key: aKey}, "", conflict},
		{
			"another order where it is ignored",
			post{body: "a=1&b=2", key: aKey},
			post{body: "b=2&a=1", key: aKey},
			forms.OrderIgnored, again,
		},
		{
			"repeats in another order where it is ignored",
			post{body: "a=1&a=2", key: aKey},
			post{body: "a=2&a=1", key: aKey},
			forms.OrderIgnored, again,
		},
		{
			"a repeat less where order is ignored",
			post{body: "a=1&a=1", key: aKey},
			post{body: "a=1", key: aKey},
			forms.OrderIgnored, conflict,
		},
		{
			"JSON members in another order",
			post{jsonBody, `{"a":1,"b":{"c":1,"d":2}}`, aKey},
			post{jsonBody, `{"b":{"d":2,"c":1},"a":1}`, aKey},
			"", again,
		},
		{
			"a JSON array in another order",
			post{jsonBody, `{"a":[1,2]}`, aKey},
			post{jsonBody, `{"a":[2,1]}`, aKey},
			"",
			conflict,
		},
		{"a number and its text", post{jsonBody, `{"a":1}`, aKey}, post{jsonBody, `{"a":"1"}`, aKey}, "", conflict},
		{
			"numbers of 20 digits that a float confuses",
			post{jsonBody, `{"a":12345678901234567890}`, aKey},
			post{jsonBody, `{"a":12345678901234567891}`, aKey},
			"", conflict,
		},
		{
			"the key in the header, then in the field",
			post{body: "a=1", key: aKey},
			post{body: "a=1&_idempotency=" + aKey},
			"", again,
		},
		{"the key bare, then quoted", post{body: "a=1", key: aKey}, post{body: "a=1", key: `"` + aKey + `"`}, "", again},
		{
			"other control fields",
			post{body: "a=1&_next=https://one.example/", key: aKey},
			post{body: "a=1&_next=https://two.example/&_subject=Hi&g-recaptcha-response=xyz", key: aKey},
			"", again,
		},
		{"composed and decomposed letters", post{body: "a=%C3%A9", key: aKey}, post{body: "a=e%CC%81", key: aKey}, "", again},
		{"urlencoded, then text", post{body: "a=1&b=2", key: aKey}, post{"text/plain", "a=1\r\nb=2\r\n", aKey}, "", again},
	} {
		t.Run(row.name, func(t *testing.T) {
			endpoint := h.endpoint("", func(e *forms.Endpoint) {
				if row.order != "" {
					e.Idempotency.Order = row.order
				}
			})
			first := h.mustReceive(endpoint, row.first)
			second, err := h.receive(endpoint, row.second)

			switch row.want {
			case conflict:
				wantCode(t, err, "idempotency_conflict")
			case again:
				want := first
				want.Replayed = true

				if err != nil || second != want {
					t.Fatalf("got %+v, %v; want the receipt %+v", second, err, want)
				}
			case another:
				if err != nil || second.Replayed || second.SubmissionID == first.SubmissionID {
					t.Fatalf("got %+v, %v; want a submission of its own", second, err)
				}
			}
		})
	}
}

func TestTheSameKeyOnTwoEndpointsIsTwoSubmissions(t *testing.T) {
	h := newHouse(t)

	first := h.mustReceive(h.endpoint("one-form", nil), post{body: "a=1", key: aKey})
	second := h.mustReceive(h.endpoint("two-form", nil), post{body: "a=1", key: aKey})

	if second.Replayed || first.SubmissionID == second.SubmissionID {
		t.Fatalf("%+v and %+v are one", first, second)
	}
}

func TestAnEndpointMayRequireAKeyAndItsFormat(t *testing.T) {
	h := newHouse(t)
	endpoint := h.endpoint("", func(e *forms.Endpoint) {
		e.Idempotency.Required = true
		e.Idempotency.Format = forms.KeyFormatUUID
	})

	_, err := h.receive(endpoint, post{body: "a=1"})
	wantCode(t, err, "idempotency_key_required")

	_, err = h.receive(endpoint, post{body: "a=1", key: aKey})
	wantCode(t, err, "invalid_idempotency_key")

	h.mustReceive(endpoint, post{body: "a=1", key: "018f6b1e-7d3c-7a2b-9c4d-5e6f70819203"})
}

func TestARefusedRequestStoresNothingAndReservesNoKey(t *testing.T) {
	h := newHouse(t)
	endpoint := h.endpoint("", func(e *forms.Endpoint) { e.RefuseSpam = true })

	for _, refused := range []post{
		{body: "", key: aKey},
		{body: "_next=https://a.example/", key: aKey},
		{body: "a=%ff", key: aKey},
		{body: strings.Repeat("a=1&", 101), key: aKey},
		{body: "a=1&_gotcha=x", key: aKey},
		{jsonBody, `{"a":`, aKey},
		{"application/xml", "<a/>", aKey},
	} {
		if _, err := h.receive(endpoint, refused); err == nil {
			t.Fatalf("%+v was taken", refused)
		}
	}

	if receipt := h.mustReceive(endpoint, post{body: "other=content", key: aKey}); receipt.Replayed || h.submissions() != 1 {
		t.Fatalf("the key was not free: %+v, %d stored", receipt, h.submissions())
	}
}

func TestAReplayIsCountedAndOwesNothing(t *testing.T) {
	h := newHouse(t)
	endpoint := h.endpoint("", nil)

	first := h.mustReceive(endpoint, post{body: "a=1", key: aKey})
	for range 3 {
		h.mustReceive(endpoint, post{body: "a=1", key: aKey})
	}

	if got := h.stored(first.SubmissionID).ReplayCount; got != 3 {
		t.Errorf("%d replays are counted, want 3", got)
	}

	if got := h.count("SELECT count(*) FROM owed"); got != 1 {
		t.Errorf("the outbox was told %d times, want once", got)
	}
}

func TestNothingIsAcceptedWhenTheOutboxFails(t *testing.T) {
	h := newHouse(t)
	endpoint := h.endpoint("", nil)
	failing := forms.NewIntake(h.db, owed{fail: errForced}, forms.DefaultLimits(), []byte(secret))

	if _, err := failing.Receive(t.Context(), endpoint, post{body: "a=1", key: aKey}.incoming()); err == nil {
		t.Fatal("it was accepted")
	}

	if h.submissions() != 0 || h.count("SELECT count(*) FROM owed") != 0 {
		t.Fatal("something was kept of a failed acceptance")
	}

	if h.mustReceive(endpoint, post{body: "a=1", key: aKey}).Replayed {
		t.Fatal("the failed acceptance reserved the key")
	}
}

func TestSpamIsKeptAnsweredAlikeAndOwesNothing(t *testing.T) {
	h := newHouse(t)
	endpoint := h.endpoint("", func(e *forms.Endpoint) { e.Honeypot = "website" })

	for i, trap := range []string{"_gotcha=x", "_honey=x", "_honeypot=x", "botcheck=on", "website=spam.example"} {
		receipt := h.mustReceive(endpoint, post{body: "a=1&" + trap, key: aKey + trap})
		if receipt.FieldCount != 1 || receipt.Replayed {
			t.Errorf("%s: the receipt %+v tells", trap, receipt)
		}

		stored := h.stored(receipt.SubmissionID)
		if stored.Status != forms.StatusSpam || len(stored.Fields) != 1 {
			t.Errorf("%s: stored as %s with %d fields", trap, stored.Status, len(stored.Fields))
		}

		if i == 0 && !h.mustReceive(endpoint, post{body: "a=1&" + trap, key: aKey + trap}).Replayed {
			t.Error("a retry of spam is no replay")
		}
	}

	if h.count("SELECT count(*) FROM owed") != 0 {
		t.Error("spam owes deliveries")
	}
}

func TestAnEmptyHoneypotIsNoSpam(t *testing.T) {
	h := newHouse(t)

	receipt := h.mustReceive(h.endpoint("", nil), post{body: "a=1&_gotcha=&botcheck="})
	if status := h.stored(receipt.SubmissionID).Status; status != forms.StatusAccepted {
		t.Fatalf("stored as %s", status)
	}
}

func TestARetryThatWouldBeRefusedTodayIsStillAReplay(t *testing.T) {
	h := newHouse(t)
	endpoint := h.endpoint("", nil)
	first := h.mustReceive(endpoint, post{body: "a=1&_gotcha=x", key: aKey})

	strict := *endpoint
	strict.RefuseSpam = true

	again, err := h.receive(&strict, post{body: "a=1&_gotcha=x", key: aKey})
	if err != nil || !again.Replayed || again.SubmissionID != first.SubmissionID {
		t.Fatalf("got %+v, %v", again, err)
	}

	_, err = h.receive(&strict, post{body: "a=2&_gotcha=x", key: aKey})
	wantCode(t, err, "submission_refused")

	_, err = h.receive(&strict, post{body: "a=1&_gotcha=x", key: aKey + "-new"})
	wantCode(t, err, "submission_refused")
}

func TestARetryIsJudgedByTheRulesThatAcceptedTheOriginal(t *testing.T) {
	h := newHouse(t)

	for _, row := range []struct {
		name         string
		then, now    forms.Order
		retry        string
		wantConflict bool
	}{
		{"order ignored then, significant now", forms.OrderIgnored, forms.OrderSignificant, "b=2&a=1", false},
		{"significant then, ignored now", forms.OrderSignificant, forms.OrderIgnored, "b=2&a=1", true},
		{"an honest retry after the change", forms.OrderSignificant, forms.OrderIgnored, "a=1&b=2", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			endpoint := h.endpoint("", func(e *forms.Endpoint) { e.Idempotency.Order = row.then })
			h.mustReceive(endpoint, post{body: "a=1&b=2", key: aKey})

			changed := *endpoint
			changed.Idempotency.Order = row.now

			receipt, err := h.receive(&changed, post{body: row.retry, key: aKey})
			if row.wantConflict {
				wantCode(t, err, "idempotency_conflict")
			} else if err != nil || !receipt.Replayed {
				t.Fatalf("got %+v, %v", receipt, err)
			}
		})
	}
}

func TestAHoneypotThatIsRenamedMeanwhileBreaksNoRetry(t *testing.T) {
	h := newHouse(t)

	for _, row := range []struct{ name, then, now string }{
		{"added", "", "website"}, {"removed", "website", ""}, {"renamed", "website", "company"},
	} {
		for _, body := range []string{"a=1&website=x&company=y", "a=1&website=&company="} {
			t.Run(row.name+" "+body, func(t *testing.T) {
				endpoint := h.endpoint("", func(e *forms.Endpoint) { e.Honeypot = row.then })
				first := h.mustReceive(endpoint, post{body: body, key: aKey})

				changed := *endpoint
				changed.Honeypot, changed.RefuseSpam = row.now, true

				if again := h.mustReceive(&changed, post{body: body, key: aKey}); !again.Replayed ||
					again.SubmissionID != first.SubmissionID || again.FieldCount != first.FieldCount {
					t.Fatalf("got %+v after %+v", again, first)
				}

				_, err := h.receive(endpoint, post{body: body + "&more=1", key: aKey})
				wantCode(t, err, "idempotency_conflict")
			})
		}
	}
}

func TestAHoneypotAloneIsAnEmptySubmission(t *testing.T) {
	h := newHouse(t)

	for _, own := range []string{"website", "_website", "we\u0308bsite"} {
		endpoint := h.endpoint("", func(e *forms.Endpoint) { e.Honeypot = own })

		_, err := h.receive(endpoint, post{body: own + "=x"})
		wantCode(t, err, "empty_submission")

		receipt := h.mustReceive(endpoint, post{body: "a=1&" + own + "=x"})
		if status := h.stored(receipt.SubmissionID).Status; status != forms.StatusSpam {
			t.Errorf("%s filled in is stored as %s", own, status)
		}
	}
}

func TestTheClientIsStoredOnlyAsAHashAndOnlyWhenWanted(t *testing.T) {
	h := newHouse(t)

	h.mustReceive(h.endpoint("", nil), post{body: "a=1"})
	h.mustReceive(h.endpoint("", func(e *forms.Endpoint) { e.KeepClientHash = true }), post{body: "a=1"})

	if got := h.count("SELECT count(*) FROM submissions WHERE client_hash IS NOT NULL"); got != 1 {
		t.Fatalf("%d hashes are kept, want 1", got)
	}

	if got := h.count("SELECT count(*) FROM submissions WHERE length(client_hash) = 32"); got != 1 {
		t.Fatal("what is kept is no hash")
	}
}

func TestWhatIsStoredIsWhatWasSentInItsOrder(t *testing.T) {
	h := newHouse(t)
	endpoint := h.endpoint("", nil)
	began := time.Now().Add(-time.Millisecond)

	receipt := h.mustReceive(endpoint, post{
		jsonBody, `{"topics[]":["b","a"],"n":12345678901234567890,"é":"x","a":{"z":1.50,"b":null},"_subject":"Hi"}`, "",
	})
	stored := h.stored(receipt.SubmissionID)

	got, err := stored.Fields.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}

	want := `[{"topics[]":["b","a"]},{"n":12345678901234567890},{"é":"x"},{"a":{"z":1.50,"b":null}}]`
	if string(got) != want {
		t.Errorf("stored %s, want %s", got, want)
	}

	if stored.Subject != "Hi" || stored.Rules.Version != forms.RuleVersion || stored.ReceivedAt.Before(began) {
		t.Errorf("stored with subject %q, rules %+v at %v", stored.Subject, stored.Rules, stored.ReceivedAt)
	}
}
