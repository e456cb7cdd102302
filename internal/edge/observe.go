package edge

import (
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"

	"formonce/internal/fault"
	"formonce/internal/report"
)

// methods are those that are told apart in logs and metrics. A client can invent any number of others.
var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

const (
	otherMethod = "OTHER"
	noRoute     = "unmatched"
	// codeAborted stands in the log for an answer that broke off in the middle.
	codeAborted = "answer_aborted"
)

// requestMetrics are labelled by what has few values only: patterns of routes, known methods, classes of statuses.
type requestMetrics struct {
	total   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
}

func newRequestMetrics(registerer prometheus.Registerer) *requestMetrics {
	labels := []string{"route", "method", "status"}
	made := &requestMetrics{
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "formonce_http_requests_total", Help: "Requests answered.",
		}, labels),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "formonce_http_request_duration_seconds", Help: "Time from the head of a request to the end of its answer.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, labels),
	}

	if registerer != nil {
		registerer.MustRegister(made.total, made.seconds)
	}

	return made
}

// observe writes the line of the access log and counts, also when the answer breaks off.
func (e *edge) observe(c *gin.Context) {
	started := time.Now()

	defer func() {
		r := of(c)
		took := time.Since(started)
		labels := []string{r.route(), methodOf(c), strconv.Itoa(c.Writer.Status()/100) + "xx"}

		e.requests.total.WithLabelValues(labels...).Inc()
		e.requests.seconds.WithLabelValues(labels...).Observe(took.Seconds())
		r.access(c, took)
	}()

	c.Next()
}

// access logs neither the path nor the query, which may hold anything, nor the client's address.
func (r *request) access(c *gin.Context, took time.Duration) {
	level := slog.LevelInfo
	if r.quiet {
		level = slog.LevelDebug
	}

	attrs := append(r.idAttrs(),
		slog.String("method", methodOf(c)),
		slog.Int("status", c.Writer.Status()),
		slog.Float64("duration_ms", float64(took.Microseconds())/1000),
		slog.Int("bytes", max(c.Writer.Size(), 0)),
	)
	if r.code != "" {
		attrs = append(attrs, slog.String("code", r.code))
	}

	r.edge.Log.LogAttrs(c.Request.Context(), level, "request", append(attrs, r.attrs...)...)
}

// idAttrs are the ids of the request that are known so far.
func (r *request) idAttrs() []slog.Attr {
	known := r.ids
	known.Route = r.route()

	var attrs []slog.Attr
	for name, value := range known.All() {
		attrs = append(attrs, slog.String(name, value))
	}

	return attrs
}

func (r *request) route() string {
	if r.ids.Route == "" {
		return noRoute
	}

	return r.ids.Route
}

func methodOf(c *gin.Context) string {
	if slices.Contains(methods, c.Request.Method) {
		return c.Request.Method
	}

	return otherMethod
}

// recover turns a panic into a 500. The panic's own text goes nowhere, since it may hold a submitted value. When the
// answer has already begun it is broken off instead, so that no client takes a half for the whole.
func (e *edge) recover(c *gin.Context) {
	defer func() {
		value := recover()
		if value == nil {
			return
		}

		r := of(c)
		if err, ok := value.(error); ok && errors.Is(err, http.ErrAbortHandler) {
			r.breakOff()
		}

		panicked := report.Recovered(value)
		e.Report.Error(c.Request.Context(), panicked, r.ids)
		e.Log.LogAttrs(c.Request.Context(), slog.LevelError, "A request ended in a panic.",
			append(r.idAttrs(), slog.Any("panic", panicked))...)

		if c.Writer.Written() {
			r.breakOff()
		}

		r.answer(c, naming(fault.As(panicked), r.ids.RequestID))
	}()

	c.Next()
}

// breakOff does not return: it leaves the request to net/http, which then closes the connection.
func (r *request) breakOff() {
	r.code = codeAborted

	panic(http.ErrAbortHandler) //nolint:forbidigo // This panic is how net/http is asked for it.
}
