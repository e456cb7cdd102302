package web_test

import (
	"fmt"
	"testing"
	"time"

	"formonce/internal/edge"
)

func TestGuessingWithoutPostingIsBoundedByItself(t *testing.T) {
	t.Parallel()

	s := open(t, settings{clients: edge.Rate{Limit: 4, Window: time.Minute}})
	s.endpoint("contact", nil)
	s.endpoint("guarded", guarded)

	// Every way to have an endpoint looked up spends from one allowance.
	s.send(ask{method: "GET", path: "/f/guess-1"}).want(t, 404, "endpoint_not_found")
	s.send(ask{method: "HEAD", path: "/f/contact"}).want(t, 200, "")
	s.send(ask{method: "GET", path: "/f/guess-2/thanks"}).want(t, 404, "endpoint_not_found")
	s.preflight("/f/guarded", "")

	for _, path := range []string{"/f/guess-3", "/f/guess-3/thanks", "/f/contact", "/p/acme/f/contact"} {
		refused := s.send(ask{method: "GET", path: path})
		refused.want(t, 429, "rate_limit_exceeded")

		if refused.header.Get("Retry-After") == "" {
			t.Errorf("%s: nobody is told when to come back", path)
		}
	}

	// A preflight that failed would stop a post that is allowed, so it is answered without a look.
	s.preflight("/f/guarded", "*")

	for i := range 4 {
		s.send(ask{body: fmt.Sprintf("n=%d", i)}).want(t, 202, "")
	}
}

func (s *site) preflight(path, allowed string) {
	s.Helper()

	got := s.send(ask{method: "OPTIONS", path: path, headers: map[string]string{
		"Origin": "https://stranger.example", "Access-Control-Request-Method": "POST",
	}})

	if origin := got.header.Get("Access-Control-Allow-Origin"); got.status != 204 || origin != allowed {
		s.Errorf("%d, allowed is %q, want %q", got.status, origin, allowed)
	}
}
