package edge

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"formonce/internal/fault"
)

// statuses is the one table from kinds to statuses.
var statuses = map[fault.Kind]int{
	fault.Internal:           http.StatusInternalServerError,
	fault.Invalid:            http.StatusBadRequest,
	fault.Unauthenticated:    http.StatusUnauthorized,
	fault.Forbidden:          http.StatusForbidden,
	fault.NotFound:           http.StatusNotFound,
	fault.MethodNotAllowed:   http.StatusMethodNotAllowed,
	fault.Conflict:           http.StatusConflict,
	fault.Gone:               http.StatusGone,
	fault.PreconditionFailed: http.StatusPreconditionFailed,
	fault.TooLarge:           http.StatusRequestEntityTooLarge,
	fault.UnsupportedMedia:   http.StatusUnsupportedMediaType,
	fault.Unprocessable:      http.StatusUnprocessableEntity,
	fault.Limited:            http.StatusTooManyRequests,
	fault.Unavailable:        http.StatusServiceUnavailable,
}

// retryAfter is what a client is told that should come back, when the fault itself does not know the time.
const retryAfter = 2 * time.Second

// statusOf is the HTTP status of a kind; 500 for one that it does not know.
func statusOf(kind fault.Kind) int {
	if status, ok := statuses[kind]; ok {
		return status
	}

	return http.StatusInternalServerError
}

// errCanceled answers a client that has gone: nobody reads it, but the access log then tells why.
var errCanceled = fault.New(fault.Unavailable, "request_canceled",
	"The request was given up before it was answered. Send it again.")

// Fail answers with err and ends the request; the handler returns after it. An error that is no *fault.Fault, and a
// Fault of kind Internal, is logged and reported here and nowhere else, and answered as a 500 that names the request id.
func Fail(c *gin.Context, err error) {
	r := of(c)
	f := fault.As(err)

	switch {
	case errors.Is(err, context.Canceled) && c.Request.Context().Err() != nil:
		f = errCanceled
	case f.Kind == fault.Internal:
		r.edge.Report.Error(c.Request.Context(), err, r.ids)
		r.log(c, slog.LevelError, err)
		f = naming(f, r.ids.RequestID)
	case f.Kind == fault.Unavailable:
		r.log(c, slog.LevelWarn, err)
	}

	r.answer(c, f)
}

// BreakOff ends a request whose answer cannot be completed. Where the answer has begun it does not return: the connection is
// closed, so that no client takes a half for the whole. Where it has not, it is Fail. An error that wraps
// http.ErrAbortHandler stands for a client that has gone, which is no failure.
func BreakOff(c *gin.Context, err error) {
	if !c.Writer.Written() {
		Fail(c, err)

		return
	}

	r := of(c)

	if c.Request.Context().Err() == nil && !errors.Is(err, http.ErrAbortHandler) {
		r.edge.Report.Error(c.Request.Context(), err, r.ids)
		r.log(c, slog.LevelError, err)
	}

	r.breakOff()
}

func (r *request) log(c *gin.Context, level slog.Level, err error) {
	r.edge.Log.LogAttrs(c.Request.Context(), level, "A request failed, and not through a fault of its sender.",
		append(r.idAttrs(), slog.String("error", r.edge.Describe(err)))...)
}

// naming returns a copy of f whose sentence holds the request id, for a person who only sees that sentence.
func naming(f *fault.Fault, requestID string) *fault.Fault {
	named := *f
	named.Message = strings.TrimSpace(f.Message + " Request id: " + requestID)

	return &named
}

func (r *request) answer(c *gin.Context, f *fault.Fault) {
	r.code = f.Code

	wait := f.RetryAfter
	if wait == 0 && (f.Kind == fault.Unavailable || f.Kind == fault.Limited) {
		wait = retryAfter
	}

	if wait > 0 {
		c.Header("Retry-After", strconv.FormatInt(wholeSeconds(wait), 10))
	}

	r.edge.writerFor(c.Request.URL.Path)(c, statusOf(f.Kind), f)
	c.Abort()
}

func (e *edge) writerFor(path string) FailureWriter {
	longest, writer := -1, FailureWriter(writeEnvelope)

	for prefix, candidate := range e.FailureWriters {
		if len(prefix) > longest && strings.HasPrefix(path, prefix) {
			longest, writer = len(prefix), candidate
		}
	}

	return writer
}

// wholeSeconds rounds up, so that nobody is asked to come back too early.
func wholeSeconds(d time.Duration) int64 {
	return int64(math.Ceil(d.Seconds()))
}

// Envelope is the shape of every error answer. A surface that says more embeds it beside its own members.
type Envelope struct {
	Error Failure `json:"error"`
}

// Failure is a fault as programs read it.
type Failure struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details,omitempty"`
	// RequestID is there for faults of the service (500) only.
	RequestID string `json:"request_id,omitempty"`
}

// Issue is an element of details.issues.
type Issue struct {
	Field   string `json:"field"`
	Rule    string `json:"rule"`
	Message string `json:"message"`
}

// EnvelopeOf is the envelope of a fault that answers the request c. The fault's issues stand in details.issues.
func EnvelopeOf(c *gin.Context, f *fault.Fault) Envelope {
	made := Failure{Code: f.Code, Message: f.Message, Details: f.Details}

	if len(f.Issues) > 0 {
		issues := make([]Issue, len(f.Issues))
		for i, issue := range f.Issues {
			issues[i] = Issue{issue.Field, issue.Rule, issue.Message}
		}

		made.Details = f.With("issues", issues).Details
	}

	if f.Kind == fault.Internal {
		made.RequestID = RequestID(c)
	}

	return Envelope{Error: made}
}

// writeEnvelope is the FailureWriter of every path that has none of its own: the envelope as JSON, never cached.
func writeEnvelope(c *gin.Context, status int, f *fault.Fault) {
	c.Header("Cache-Control", "no-store")
	c.JSON(status, EnvelopeOf(c, f))
}
