package edge

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"formonce/internal/fault"
)

// Rate is a limit of so many requests in one window of time. The zero Rate means no limit.
type Rate struct {
	Limit  int64
	Window time.Duration
}

// Decision is what a limit says about one request, which it has already counted.
type Decision struct {
	// Name tells the limits apart, in headers and errors.
	Name    string
	Allowed bool
	// Limit and Window are the rate; Limit is 0 where there is none.
	Limit  int64
	Window time.Duration
	// Remaining is how many more requests the window takes.
	Remaining int64
	// Reset is how long until the window ends, never shorter than it really is.
	Reset time.Duration
}

// Fault is the answer to a request that was not allowed: 429 rate_limit_exceeded with the time to wait.
func (d Decision) Fault() *fault.Fault {
	wait := max(wholeSeconds(d.Reset), 1)

	return fault.New(fault.Limited, "rate_limit_exceeded",
		fmt.Sprintf("Too many requests came in a short time. Wait %d seconds and send this one again.", wait)).
		With("scope", d.Name).
		With("limit", d.Limit).
		With("window_seconds", wholeSeconds(d.Window)).
		With("retry_after_seconds", wait).
		After(time.Duration(wait) * time.Second)
}

// WriteLimitHeaders sets RateLimit-Policy (q requests in w seconds) and RateLimit (r remain, t seconds to the end of the
// window), with one item for each decision that has a limit, as draft-ietf-httpapi-ratelimit-headers-10 has them. It
// replaces both headers, so give it all decisions made so far.
func WriteLimitHeaders(h http.Header, decisions ...Decision) {
	var policies, states []string

	for _, d := range decisions {
		if d.Limit == 0 {
			continue
		}

		policies = append(policies, fmt.Sprintf(`"%s";q=%d;w=%d`, d.Name, d.Limit, wholeSeconds(d.Window)))
		states = append(states, fmt.Sprintf(`"%s";r=%d;t=%d`, d.Name, d.Remaining, wholeSeconds(d.Reset)))
	}

	if len(policies) > 0 {
		h.Set("RateLimit-Policy", strings.Join(policies, ", "))
		h.Set("RateLimit", strings.Join(states, ", "))
	}
}
