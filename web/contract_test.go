package web_test

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"formonce/forms"
	"formonce/internal/edge"
	"formonce/tenants"
)

func TestAReceiptHasTheMembersOfTheContractAndNoOther(t *testing.T) {
	t.Parallel()

	s := open(t, settings{})
	s.endpoint("contact", nil)

	got := s.send(ask{body: "email=ada@example.com&message=Hello&_subject=x"})
	got.want(t, 202, "")

	receipt := got.object(t)
	for name, shape := range map[string]string{
		"submission_id": `^sub_[0-9a-f]{32}$`,
		"received_at":   `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$`,
	} {
		if text, _ := receipt[name].(string); !regexp.MustCompile(shape).MatchString(text) {
			t.Errorf("%s is %v", name, receipt[name])
		}

		delete(receipt, name)
	}

	want := map[string]any{
		"endpoint_id": "contact", "field_count": 2.0, "idempotent_replay": false, "ok": true,
		"delivery": map[string]any{"queued": true}, "next": publicURL + "/f/contact/thanks",
	}
	if !reflect.DeepEqual(receipt, want) {
		t.Errorf("the rest of the receipt is %v, want %v", receipt, want)
	}

	if cache := got.header.Get("Cache-Control"); cache != "no-store" {
		t.Errorf("a receipt may be kept by caches: %q", cache)
	}
}

func TestAReplayRepeatsTheReceiptAndSaysSo(t *testing.T) {
	t.Parallel()

	s := open(t, settings{})
	s.endpoint("contact", nil)

	retry := ask{body: "a=b&a=c", key: aKey}
	first, again := s.send(retry), s.send(retry)

	for got, replay := range map[*answer]string{&first: "", &again: "true"} {
		got.want(t, 202, "")

		if header := got.header.Get("Idempotent-Replayed"); header != replay {
			t.Errorf("Idempotent-Replayed is %q, want %q", header, replay)
		}
	}

	want := first.object(t)
	want["idempotent_replay"] = true

	if receipt := again.object(t); !reflect.DeepEqual(receipt, want) {
		t.Errorf("the replay is %v, want %v", receipt, want)
	}

	s.wantStored(1)
}

func TestTheKeyDecidesBetweenReplayAndConflict(t *testing.T) {
	t.Parallel()

	s := open(t, settings{})

	const sameSubmission = 8 // of the rows, from the top

	for i, row := range []struct {
		name        string
		first, then ask
		status      int
		code        string
	}{
		{"the same body", ask{body: "a=b", key: aKey}, ask{body: "a=b", key: aKey}, 202, ""},
		{"the key quoted", ask{body: "a=b", key: aKey}, ask{body: "a=b", key: `"` + aKey + `"`}, 202, ""},
		{"the key in the field", ask{body: "a=b", key: aKey}, ask{body: "a=b&_idempotency=" + aKey}, 202, ""},
		{"the key in both", ask{body: "a=b", key: aKey}, ask{body: "a=b&_idempotency=" + aKey, key: aKey}, 202, ""},
		{"other control fields", ask{body: "a=b", key: aKey}, ask{body: "_subject=x&a=b&_next=/y", key: aKey}, 202, ""},
		{
			"multipart for urlencoded",
			ask{body: "a=b", key: aKey},
			ask{
				kind: "multipart/form-data; boundary=x", key: aKey,
				body: "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--x--\r\n",
			},
			202, "",
		},
		{
			"members in another order",
			ask{kind: jsonBody, body: `{"a":1,"b":{"c":2,"d":3}}`, key: aKey},
			ask{kind: jsonBody, body: `{"b":{"d":3,"c":2},"a":1}`, key: aKey},
			202, "",
		},
		{
			"decomposed letters",
			ask{kind: jsonBody, body: `{"a":"\u00e9"}`, key: aKey},
			ask{kind: jsonBody, body: `{"a":"e\u0301"}`, key: aKey},
			202, "",
		},
		{"another value", ask{body: "a=b", key: aKey}, ask{body: "a=c", key: aKey}, 409, "idempotency_conflict"},
		{"another order", ask{body: "a=1&b=2", key: aKey}, ask{body: "b=2&a=1", key: aKey}, 409, "idempotency_conflict"},
		{"a repeat", ask{body: "a=b", key: aKey}, ask{body: "a=b&a=b", key: aKey}, 409, "idempotency_conflict"},
		{
			"another order of an array",
			ask{kind: jsonBody, body: `{"a":[1,2]}`, key: aKey},
			ask{kind: jsonBody, body: `{"a":[2,1]}`, key: aKey},
			409, "idempotency_conflict",
		},
		{
			"JSON for a form",
			ask{body: "a=b", key: aKey},
			ask{kind: jsonBody, body: `{"a":"b"}`, key: aKey},
			409, "idempotency_conflict",
		},
		{"another key", ask{body: "a=b", key: aKey}, ask{body: "a=b", key: aKey + "x"}, 202, ""},
		{"a key in other case", ask{body: "a=b", key: aKey}, ask{body: "a=b", key: strings.ToUpper(aKey)}, 202, ""},
		{"no key", ask{body: "a=b"}, ask{body: "a=b"}, 202, ""},
	} {
		endpointID := fmt.Sprintf("row-%02d", i)
		s.endpoint(endpointID, nil)

		row.first.path, row.then.path = "/f/"+endpointID, "/f/"+endpointID
		first := s.send(row.first)
		first.want(t, 202, "")

		got := s.send(row.then)
		if got.status != row.status || got.code() != row.code {
			t.Errorf("%s: got %d %s, want %d %s\n%s", row.name, got.status, got.code(), row.status, row.code, got.body)
			continue
		}

		same := got.object(t)["submission_id"] == first.object(t)["submission_id"]
		if row.status == 202 && same != (i < sameSubmission) {
			t.Errorf("%s: the same submission: %v, want %v", row.name, same, i < sameSubmission)
		}
	}
}

func TestKeysOutsideTheRulesAreRefused(t *testing.T) {
	t.Parallel()

	s := open(t, settings{})
	s.endpoint("contact", nil)
	s.endpoint("with-uuid", needsUUID)
	s.endpoint("with-key", func(e *forms.Endpoint) { e.Idempotency.Required = true })

	for name, row := range map[string]struct {
		ask  ask
		code string
	}{
		"15 characters":            {ask{body: "a=b", key: strings.Repeat("k", 15)}, "invalid_idempotency_key"},
		"256 characters":           {ask{body: "a=b", key: strings.Repeat("k", 256)}, "invalid_idempotency_key"},
		"a blank inside":           {ask{body: "a=b", key: "key 0123456789abcdef"}, "invalid_idempotency_key"},
		"not ASCII":                {ask{body: "a=b", key: "kéy-0123456789abcdef"}, "invalid_idempotency_key"},
		"half a quoted string":     {ask{body: "a=b", key: `"` + aKey}, "invalid_idempotency_key"},
		"an empty header":          {ask{body: "a=b", headers: map[string]string{"Idempotency-Key": ""}}, "invalid_idempotency_key"},
		"an empty field":           {ask{body: "a=b&_idempotency="}, "invalid_idempotency_key"},
		"an empty quoted string":   {ask{body: "a=b", key: `""`}, "invalid_idempotency_key"},
		"header and field differ":  {ask{body: "a=b&_idempotency=" + aKey + "x", key: aKey}, "invalid_idempotency_key"},
		"two fields differ":        {ask{body: "a=b&_idempotency=" + aKey + "&_idempotency=" + aKey + "x"}, "invalid_idempotency_key"},
		"no UUID where asked for":  {ask{path: "/f/with-uuid", body: "a=b", key: aKey}, "invalid_idempotency_key"},
		"no key where one is due":  {ask{path: "/f/with-key", body: "a=b"}, "idempotency_key_required"},
		"a key that is no text":    {ask{kind: jsonBody, body: `{"a":1,"_idempotency":12345678901234567890}`}, "invalid_idempotency_key"},
		"a list where one is due":  {ask{kind: jsonBody, body: `{"a":1,"_idempotency":["` + aKey + `"]}`}, "invalid_idempotency_key"},
		"a tab at the end, quoted": {ask{body: "a=b", key: "\"" + aKey + "\t\""}, "invalid_idempotency_key"},
	} {
		if got := s.send(row.ask); got.status != 400 || got.code() != row.code {
			t.Errorf("%s: got %d %s, want 400 %s", name, got.status, got.code(), row.code)
		}
	}

	s.wantStored(0)

	for name, key := range map[string]string{
		"16 characters":  strings.Repeat("k", 16),
		"255 characters": strings.Repeat("k", 255),
		"base64":         "3q2+7/8BAgMEBQYHCAkKCw==",
		"base64url":      "3q2-7_8BAgMEBQYHCAkKCw",
		"a time":         "2026-08-24T14:34:27Z-x7f3",
	} {
		if got := s.send(ask{body: "a=b", key: key}); got.status != 202 {
			t.Errorf("%s: got %d %s", name, got.status, got.code())
		}
	}
}

func TestTheReplayStatusIsTheOwnersChoice(t *testing.T) {
	t.Parallel()

	s := open(t, settings{})
	s.endpoint("contact", func(e *forms.Endpoint) { e.Idempotency.ReplayStatus = http.StatusOK })

	retry := ask{body: "a=b", key: aKey}
	s.send(retry).want(t, 202, "")
	s.send(retry).want(t, 200, "")
}

func TestAConflictNamesTheEndpointAndTheKeyAndNothingElse(t *testing.T) {
	t.Parallel()

	s := open(t, settings{})
	s.endpoint("contact", nil)
	s.send(ask{body: "secret=original", key: aKey}).want(t, 202, "")

	got := s.send(ask{body: "secret=changed", key: aKey})
	got.want(t, 409, "idempotency_conflict")

	failed, _ := got.object(t)["error"].(map[string]any)
	want := map[string]any{"endpoint_id": "contact", "idempotency_key": aKey}

	if !reflect.DeepEqual(failed["details"], want) {
		t.Errorf("the details are %v, want %v", failed["details"], want)
	}

	if strings.Contains(got.body, "original") || strings.Contains(got.body, "changed") {
		t.Errorf("the answer shows content: %s", got.body)
	}
}

func TestALateRetryOfAnErasedSubmissionIsGone(t *testing.T) {
	t.Parallel()

	s := open(t, settings{})
	s.endpoint("contact", nil)

	retry := ask{body: "a=b", key: aKey}
	first := s.send(retry)

	submissionID, err := forms.ParseID(first.object(t)["submission_id"].(string))
	if err != nil {
		t.Fatal(err)
	}

	if err := s.inbox.Erase(t.Context(), s.tenant.ID, submissionID); err != nil {
		t.Fatal(err)
	}

	s.send(retry).want(t, 410, "submission_deleted")

	retry.headers = map[string]string{"Accept": browser}
	if page := s.send(retry); page.status != 410 || strings.Contains(page.body, "This form is closed") {
		t.Errorf("the page says that the form is closed, which it is not: %d", page.status)
	}
	s.wantStored(0)
}

func TestErrorsAreReadByProgramsAndByFormspreesClients(t *testing.T) {
	t.Parallel()

	s := open(t, settings{endpoints: edge.Rate{Limit: 6, Window: time.Minute}})
	s.endpoint("contact", nil)
	s.endpoint("closed", closed)
	s.endpoint("guarded", guarded)
	s.endpoint("wary", refusesSpam)
	s.endpoint("busy", nil)

	for range 6 {
		s.send(ask{path: "/f/busy", body: "a=b"}).want(t, 202, "")
	}

	for _, row := range []struct {
		ask                      ask
		status                   int
		code, formspree, atField string
	}{
		{ask{path: "/f/nothing-here"}, 404, "endpoint_not_found", "FORM_NOT_FOUND", ""},
		{ask{path: "/f/x"}, 404, "invalid_endpoint_id", "FORM_NOT_FOUND", ""},
		{ask{path: "/f/Contact"}, 404, "invalid_endpoint_id", "FORM_NOT_FOUND", ""},
		{ask{path: "/f/closed", body: "a=b"}, 410, "endpoint_closed", "INACTIVE", ""},
		{ask{path: "/f/guarded", body: "a=b"}, 403, "origin_not_allowed", "BLOCKED", ""},
		{ask{path: "/f/wary", body: "a=b&_gotcha=x"}, 403, "submission_refused", "BLOCKED", ""},
		{ask{path: "/f/busy", body: "a=b"}, 429, "rate_limit_exceeded", "RATE_LIMIT_EXCEEDED", ""},
		{ask{}, 422, "empty_submission", "EMPTY", ""},
		{ask{body: tooMuch}, 413, "request_body_too_large", "FILES_TOO_BIG", ""},
		{ask{kind: "text/csv", body: "a"}, 415, "unsupported_media_type", "UNSUPPORTED_MEDIA_TYPE", ""},
		{ask{body: "note=" + strings.Repeat("a", 16_385)}, 422, "field_value_too_long", "FIELD_VALUE_TOO_LONG", "note"},
		{ask{body: "note=%ff"}, 422, "invalid_field_value", "INVALID_FIELD_VALUE", "note"},
		{
			ask{
				kind: "multipart/form-data; boundary=x",
				body: "--x\r\nContent-Disposition: form-data; name=\"cv\"; filename=\"cv.pdf\"\r\n\r\nb\r\n--x--\r\n",
			},
			422, "file_upload_not_supported", "NO_FILE_UPLOADS", "",
		},
		{ask{method: http.MethodPut, path: "/f/contact"}, 405, "method_not_allowed", "METHOD_NOT_ALLOWED", ""},
		{ask{path: "/f/"}, 404, "not_found", "FORM_NOT_FOUND", ""},
	} {
		got := s.send(row.ask)
		got.want(t, row.status, row.code)
		wantEnvelope(t, got, row.formspree, row.atField)
	}
}

// wantEnvelope holds an error to the shape that every route of visitors has.
func wantEnvelope(t *testing.T, got answer, formspree, field string) {
	t.Helper()

	read := got.object(t)
	if found := names(read); !slices.Equal(found, []string{"error", "errors"}) {
		t.Errorf("%s: the members are %v", got.code(), found)
	}

	items, _ := read["errors"].([]any)
	if len(items) != 1 {
		t.Fatalf("%s: errors are %v", got.code(), read["errors"])
	}

	item, _ := items[0].(map[string]any)
	if item["code"] != formspree || item["message"] == "" || (field != "") != (item["field"] == field) {
		t.Errorf("%s: the item is %v, want code %s and field %q", got.code(), item, formspree, field)
	}

	if got.header.Get("Access-Control-Allow-Origin") != "*" && got.code() != "origin_not_allowed" {
		t.Errorf("%s cannot be read by a script", got.code())
	}
}

func TestABusyDatabaseIsAnUnavailabilityThatAsksForARetry(t *testing.T) {
	t.Parallel()

	s := open(t, settings{})
	s.endpoint("contact", nil)
	s.db.Pool.Close()

	got := s.post()
	got.want(t, 503, "storage_unavailable")

	if got.header.Get("Retry-After") == "" {
		t.Error("there is no Retry-After")
	}
}

func TestALimitSaysWhatIsLeftAndWhenToComeBack(t *testing.T) {
	t.Parallel()

	s := open(t, settings{
		clients: edge.Rate{Limit: 2, Window: time.Minute}, endpoints: edge.Rate{Limit: 600, Window: time.Hour},
	})
	s.endpoint("contact", nil)

	first := s.post()
	first.want(t, 202, "")

	if policy := first.header.Get("RateLimit-Policy"); policy != `"client";q=2;w=60, "endpoint";q=600;w=3600` {
		t.Errorf("the policy is %s", policy)
	}

	shape := regexp.MustCompile(`^"client";r=1;t=(5\d|60|61), "endpoint";r=599;t=(359\d|360\d)$`)
	if state := first.header.Get("RateLimit"); !shape.MatchString(state) {
		t.Errorf("the state is %s", state)
	}

	s.post().want(t, 202, "")
	refused := s.post()
	refused.want(t, 429, "rate_limit_exceeded")

	failed, _ := refused.object(t)["error"].(map[string]any)
	details, _ := failed["details"].(map[string]any)
	wait := fmt.Sprint(details["retry_after_seconds"])

	if retry := refused.header.Get("Retry-After"); retry == "" || retry != wait {
		t.Errorf("Retry-After is %q, the details say %s", retry, wait)
	}

	delete(details, "retry_after_seconds")

	if want := map[string]any{"scope": "client", "limit": 2.0, "window_seconds": 60.0}; !maps.Equal(details, want) {
		t.Errorf("the details are %v, want %v", details, want)
	}
}

func TestTheSameDoorStandsUnderTheTenantsName(t *testing.T) {
	t.Parallel()

	s := open(t, settings{})
	s.endpoint("contact", nil)

	retry := ask{path: "/p/" + s.tenant.Slug + "/f/contact", body: "a=b", key: aKey}
	first := s.send(retry)
	first.want(t, 202, "")

	retry.path = "/p/" + tenants.PublicID(s.tenant.ID) + "/f/contact"
	second := s.send(retry)
	second.want(t, 202, "")

	if second.object(t)["submission_id"] != first.object(t)["submission_id"] {
		t.Error("one key at two addresses of an endpoint made two submissions")
	}

	s.send(ask{path: "/p/somebody-else/f/contact", body: "a=b"}).want(t, 404, "endpoint_not_found")
	s.send(ask{path: "/p//f/contact", body: "a=b"}).want(t, 404, "endpoint_not_found")
	s.send(ask{path: "/p/" + s.tenant.Slug + "/f/nothing-here", body: "a=b"}).want(t, 404, "endpoint_not_found")
	s.wantStored(1)
}

func TestOpeningTheAddressSubmitsNothing(t *testing.T) {
	t.Parallel()

	s := open(t, settings{})
	s.endpoint("contact", nil)
	s.endpoint("closed", closed)

	html := map[string]string{"Accept": "text/html"}

	for _, row := range []struct {
		ask    ask
		status int
		kind   string
	}{
		{ask{method: "GET", path: "/f/contact?email=ada@example.com", headers: html}, 200, "text/html; charset=utf-8"},
		{ask{method: "HEAD", path: "/f/contact"}, 200, "text/html; charset=utf-8"},
		{
			ask{method: "GET", path: "/f/contact", headers: map[string]string{"Accept": jsonBody}},
			200, "application/json; charset=utf-8",
		},
		{ask{method: "GET", path: "/p/" + s.tenant.Slug + "/f/contact", headers: html}, 200, "text/html; charset=utf-8"},
		{ask{method: "GET", path: "/f/contact", headers: map[string]string{"Accept": "*/*"}}, 200, "text/html; charset=utf-8"},
		{ask{method: "GET", path: "/f/contact", headers: map[string]string{"Sec-Fetch-Mode": "cors"}}, 200, "application/json; charset=utf-8"},
		{ask{method: "GET", path: "/f/contact", headers: map[string]string{"X-Requested-With": "x"}}, 200, "application/json; charset=utf-8"},
		{ask{method: "GET", path: "/f/nothing-here", headers: html}, 404, "text/html; charset=utf-8"},
		{ask{method: "GET", path: "/f/closed", headers: html}, 410, "text/html; charset=utf-8"},
		{ask{method: "GET", path: "/f/contact/thanks", headers: html}, 200, "text/html; charset=utf-8"},
		{ask{method: "GET", path: "/f/closed/thanks", headers: html}, 200, "text/html; charset=utf-8"},
		{ask{method: "GET", path: "/f/nothing-here/thanks", headers: html}, 404, "text/html; charset=utf-8"},
		{ask{path: "/f/contact/thanks", body: "a=b"}, 405, "application/json; charset=utf-8"},
		{ask{method: "GET", path: "/f/contact/", headers: html}, 404, "text/html; charset=utf-8"},
	} {
		got := s.send(row.ask)
		if got.status != row.status || got.header.Get("Content-Type") != row.kind {
			t.Errorf("%s %s: got %d %s, want %d %s", row.ask.method, row.ask.path, got.status,
				got.header.Get("Content-Type"), row.status, row.kind)
		}
	}

	s.wantStored(0)
}

func TestAWrongMethodIsToldTheRightOnes(t *testing.T) {
	t.Parallel()

	s := open(t, settings{})
	s.endpoint("contact", nil)

	for _, method := range []string{"PUT", "PATCH", "DELETE", "TRACE", "BREW"} {
		got := s.send(ask{method: method, path: "/f/contact"})
		got.want(t, 405, "method_not_allowed")

		allowed := strings.Split(strings.ReplaceAll(got.header.Get("Allow"), " ", ""), ",")
		slices.Sort(allowed)

		if !slices.Equal(allowed, []string{"GET", "HEAD", "OPTIONS", "POST"}) {
			t.Errorf("%s: Allow is %v", method, allowed)
		}
	}
}
