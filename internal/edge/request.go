package edge

import (
	"log/slog"
	"net/netip"

	"github.com/gin-gonic/gin"

	"formonce/internal/id"
	"formonce/internal/report"
)

// requestIDHeader carries our own id in every answer. One that a client sends is not taken over: it would be a value of
// the client's in our logs, and two requests could share it.
const requestIDHeader = "X-Request-Id"

// request is what is known about the request at hand.
type request struct {
	edge  *edge
	ids   report.IDs
	attrs []slog.Attr
	// code is the fault's, when the request failed.
	code string
	// quiet requests are logged at debug.
	quiet bool
}

const requestKey = "formonce.request"

// begin gives the request its id.
func (e *edge) begin(c *gin.Context) {
	r := &request{edge: e}
	r.ids.RequestID = id.Write("req_", id.New())
	r.ids.Route = c.FullPath()

	c.Set(requestKey, r)
	c.Header(requestIDHeader, r.ids.RequestID)
	c.Next()
}

// of finds the request that begin has made. It panics for an engine that New did not make.
func of(c *gin.Context) *request {
	r, ok := c.MustGet(requestKey).(*request)
	if !ok {
		panic("the key of the request holds something else") //nolint:forbidigo // Only this package sets it.
	}

	return r
}

// RequestID is "req_" and 32 hex digits; also in the answer's header X-Request-Id.
func RequestID(c *gin.Context) string { return of(c).ids.RequestID }

// IDs are what the access log and a report say about the request. A handler fills in what it has found (never what it
// was merely sent); the request id and the route are already there.
func IDs(c *gin.Context) *report.IDs { return &of(c).ids }

// Annotate adds to the request's line in the access log. The attributes hold ids, versions and flags, never a submitted
// value or a field's name.
func Annotate(c *gin.Context, attrs ...slog.Attr) {
	r := of(c)
	r.attrs = append(r.attrs, attrs...)
}

// hush has the request logged at debug only, for what is asked for every few seconds.
func hush(c *gin.Context) { of(c).quiet = true }

// Client is the address of the request's client as ClientAddress finds it with Options.TrustedHops.
func Client(c *gin.Context) netip.Addr {
	return ClientAddress(c.Request, of(c).edge.TrustedHops)
}
