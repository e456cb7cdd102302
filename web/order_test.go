package web_test

import (
	"strings"
	"testing"
	"time"

	"formonce/forms"
	"formonce/internal/edge"
)

// pair is a request that two neighbouring steps would refuse, after whatever made it so.
type pair struct {
	settings settings
	endpoint func(*forms.Endpoint)
	// before is sent first, to use a limit up or to store an original.
	before []ask
	then   func(*forms.Endpoint)
	ask    ask
	status int
	code   string
}

var (
	onePerMinute = edge.Rate{Limit: 1, Window: time.Minute}
	fine         = ask{body: "email=ada@example.com"}
	tooMuch      = strings.Repeat("a", mostBody+1)
	unparsable   = ask{body: "email=%zz"}
	gzipped      = ask{body: "email=%zz", headers: map[string]string{"Content-Encoding": "gzip"}}
)

func closed(e *forms.Endpoint)      { e.Closed = true }
func guarded(e *forms.Endpoint)     { e.AllowedOrigins = []string{"https://www.example.com"} }
func refusesSpam(e *forms.Endpoint) { e.RefuseSpam = true }
func needsUUID(e *forms.Endpoint)   { e.Idempotency.Format = forms.KeyFormatUUID }

func TestTheStepsRefuseInTheOrderOfTheContract(t *testing.T) {
	t.Parallel()

	for name, p := range map[string]pair{
		"the cap of bodies before the client's limit": {
			settings: settings{clients: onePerMinute}, before: []ask{fine},
			ask: ask{body: tooMuch}, status: 413, code: "request_body_too_large",
		},
		"the client's limit before the endpoint's id": {
			settings: settings{clients: onePerMinute}, before: []ask{fine},
			ask: ask{path: "/f/!", body: "a=b"}, status: 429, code: "rate_limit_exceeded",
		},
		"the client's limit before the look-up": {
			settings: settings{clients: onePerMinute}, before: []ask{fine},
			ask: ask{path: "/f/nothing-here", body: "a=b"}, status: 429, code: "rate_limit_exceeded",
		},
		"the look-up before the endpoint's limit": {
			settings: settings{endpoints: onePerMinute}, before: []ask{fine}, then: closed,
			ask: fine, status: 410, code: "endpoint_closed",
		},
		"the endpoint's limit before its origins": {
			settings: settings{endpoints: onePerMinute}, before: []ask{fine}, then: guarded,
			ask: fine, status: 429, code: "rate_limit_exceeded",
		},
		"origins before the content type": {
			endpoint: guarded,
			ask:      ask{kind: "application/pdf", body: "a"}, status: 403, code: "origin_not_allowed",
		},
		"origins before the content's coding": {
			endpoint: guarded,
			ask:      gzipped, status: 403, code: "origin_not_allowed",
		},
		"the content's coding before the parsing": {
			ask: gzipped, status: 415, code: "unsupported_media_type",
		},
		"origins before the parsing": {
			endpoint: guarded,
			ask:      unparsable, status: 403, code: "origin_not_allowed",
		},
		"the content type before the key": {
			ask: ask{kind: "application/pdf", body: "a", key: "short"}, status: 415, code: "unsupported_media_type",
		},
		"the parsing before the key": {
			ask: ask{body: unparsable.body, key: "short"}, status: 400, code: "malformed_body",
		},
		"the syntax of the whole body before any field": {
			ask: ask{body: "a=%00&" + unparsable.body}, status: 400, code: "malformed_body",
		},
		"the fields before the key": {
			ask: ask{body: "a=%00", key: "short"}, status: 422, code: "invalid_field_value",
		},
		"an empty submission before the key": {
			ask: ask{body: "_subject=x", key: "short"}, status: 422, code: "empty_submission",
		},
		"the key before the bot checks": {
			endpoint: refusesSpam,
			ask:      ask{body: "a=b&_gotcha=x", key: "short"}, status: 400, code: "invalid_idempotency_key",
		},
		"the endpoint's own rule for keys before the bot checks": {
			endpoint: func(e *forms.Endpoint) { refusesSpam(e); needsUUID(e) },
			ask:      ask{body: "a=b&_gotcha=x", key: aKey}, status: 400, code: "invalid_idempotency_key",
		},
		"the replay before the bot checks": {
			before: []ask{{body: "a=b", key: aKey}}, then: refusesSpam,
			ask: ask{body: "a=b&_gotcha=x", key: aKey}, status: 202,
		},
		"the bot checks before the conflict": {
			before: []ask{{body: "a=b", key: aKey}}, then: refusesSpam,
			ask: ask{body: "a=other&_gotcha=x", key: aKey}, status: 403, code: "submission_refused",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := open(t, p.settings)
			s.endpoint("contact", p.endpoint)

			for _, earlier := range p.before {
				s.send(earlier).want(t, 202, "")
			}

			if p.then != nil {
				s.update("contact", p.then)
			}

			stored := s.stored()
			s.send(p.ask).want(t, p.status, p.code)
			s.wantStored(stored)
		})
	}
}

func TestABodyThatIsTooLargeSpendsNoLimit(t *testing.T) {
	t.Parallel()

	s := open(t, settings{clients: onePerMinute})
	s.endpoint("contact", nil)

	s.send(ask{body: tooMuch}).want(t, 413, "request_body_too_large")
	s.post().want(t, 202, "")
}

func TestGuessingAnEndpointSpendsTheClientsLimit(t *testing.T) {
	t.Parallel()

	s := open(t, settings{clients: edge.Rate{Limit: 2, Window: time.Minute}})
	s.endpoint("contact", nil)

	s.send(ask{path: "/f/nothing-here"}).want(t, 404, "endpoint_not_found")
	s.send(ask{path: "/f/!"}).want(t, 404, "invalid_endpoint_id")
	s.post().want(t, 429, "rate_limit_exceeded")
}

func TestAReplayCostsBothLimits(t *testing.T) {
	t.Parallel()

	for name, chosen := range map[string]settings{
		"client":   {clients: edge.Rate{Limit: 2, Window: time.Minute}},
		"endpoint": {endpoints: edge.Rate{Limit: 2, Window: time.Minute}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := open(t, chosen)
			s.endpoint("contact", nil)

			again := ask{body: "a=b", key: aKey}
			s.send(again).want(t, 202, "")
			s.send(again).want(t, 202, "")
			s.send(again).want(t, 429, "rate_limit_exceeded")
		})
	}
}

func TestARefusedRequestReservesNoKey(t *testing.T) {
	t.Parallel()

	s := open(t, settings{})
	s.endpoint("contact", guarded)

	origin := map[string]string{"Origin": "https://www.example.com"}

	for _, refused := range []ask{
		{body: tooMuch, key: aKey, headers: origin},
		{body: "a=b", key: aKey},
		{kind: "application/pdf", body: "a=b", key: aKey, headers: origin},
		{body: unparsable.body, key: aKey, headers: origin},
		{body: "a=%00", key: aKey, headers: origin},
		{body: "_next=/", key: aKey, headers: origin},
	} {
		if got := s.send(refused); got.status < 400 || got.status > 499 {
			t.Fatalf("got %d\n%s", got.status, got.body)
		}
	}

	got := s.send(ask{body: "a=b", key: aKey, headers: origin})
	got.want(t, 202, "")

	if got.object(t)["idempotent_replay"] != false {
		t.Fatal("the first that was accepted is said to be a replay")
	}

	s.wantStored(1)
}
