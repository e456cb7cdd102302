package web

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/gin-gonic/gin"

	"formonce/internal/edge"
	"formonce/internal/fault"
)

// readBody holds the whole body against the cap before anything looks at it, announced length or not.
func (v *Visitors) readBody(c *gin.Context) {
	tooLarge := fault.New(fault.TooLarge, "request_body_too_large",
		"This is more than the form takes in one submission. Shorten it and send it again.").
		With("limit_bytes", v.MaxBody)

	if c.Request.ContentLength > v.MaxBody {
		edge.Fail(c, tooLarge)
		return
	}

	body, err := io.ReadAll(http.MaxBytesReader(c.Writer, c.Request.Body, v.MaxBody))

	var overrun *http.MaxBytesError

	switch {
	case errors.As(err, &overrun):
		edge.Fail(c, tooLarge)
	case errors.Is(err, os.ErrDeadlineExceeded):
		edge.Fail(c, fault.New(fault.Invalid, "malformed_body",
			"The submission took too long to arrive. Send it again, with the same idempotency key."))
	case err != nil:
		edge.Fail(c, fault.New(fault.Invalid, "malformed_body",
			"The submission did not arrive whole. Send it again, with the same idempotency key."))
	default:
		visitOf(c).body = body
	}
}

// refuseCoding turns compressed bodies away: unpacked, they could be a thousand times larger than the cap. RFC 9110,
// section 15.5.16, has the answer say in Accept-Encoding what is taken.
func (v *Visitors) refuseCoding(c *gin.Context) {
	if coding := c.GetHeader("Content-Encoding"); coding == "" || strings.EqualFold(coding, "identity") {
		return
	}

	c.Header("Accept-Encoding", "identity")
	edge.Fail(c, fault.New(fault.UnsupportedMedia, "unsupported_media_type",
		"Send the form uncompressed, without the header Content-Encoding."))
}
