// Package edge is the HTTP plumbing that every surface shares: the engine with request ids, access log, recovery and
// metrics; the one way in which an error becomes an answer; the client's address; the rate limits; the server.
package edge

import (
	"log/slog"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"formonce/internal/fault"
	"formonce/internal/report"
)

// FailureWriter writes the answer to a request that failed, headers aside. It calls nothing that panics or fails.
type FailureWriter func(c *gin.Context, status int, f *fault.Fault)

// Options are what the engine needs from outside. Everything but Log may be left out.
type Options struct {
	Log    *slog.Logger
	Report *report.Reporter
	// Metrics takes the counters and durations of requests.
	Metrics prometheus.Registerer
	// TrustedHops is how many proxies of ours stand in front; see ClientAddress.
	TrustedHops int
	// FailureWriters are by path prefix; the longest that fits the request's path wins, and where none does the
	// Envelope is written as JSON.
	FailureWriters map[string]FailureWriter
	// Describe puts an error into words that are safe to log; report.Describe when it is nil.
	Describe func(error) string
}

// edge is what the middleware and Fail share.
type edge struct {
	Options

	requests *requestMetrics
}

// New makes an engine that logs, measures, recovers and answers unknown routes (404 not_found) and methods (405
// method_not_allowed, with Allow). It redirects nothing and trusts no proxy by itself. Every route goes by its exact path.
func New(options Options) *gin.Engine {
	if options.Describe == nil {
		options.Describe = report.Describe
	}

	e := &edge{Options: options, requests: newRequestMetrics(options.Metrics)}

	gin.SetMode(gin.ReleaseMode)

	engine := gin.New()
	engine.RedirectTrailingSlash = false
	engine.RedirectFixedPath = false
	engine.HandleMethodNotAllowed = true
	engine.ForwardedByClientIP = false
	_ = engine.SetTrustedProxies(nil) // It fails only for addresses that cannot be parsed.

	engine.Use(e.begin, e.observe, e.recover)
	engine.NoRoute(func(c *gin.Context) { Fail(c, errNotFound) })
	engine.NoMethod(func(c *gin.Context) { Fail(c, errMethodNotAllowed) })

	return engine
}

var (
	errNotFound = fault.New(fault.NotFound, "not_found",
		"There is nothing at this address. Check it for a typing mistake.")
	errMethodNotAllowed = fault.New(fault.MethodNotAllowed, "method_not_allowed",
		"This address does not take this method. Use one of those that the header Allow names.")
)
