package api

import (
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"
)

// reply is the answer of a handler that did not fail.
type reply struct {
	status int
	// body becomes JSON; nil for none. A nil slice in it becomes [], never null.
	body any
	// revision becomes the ETag, when it is not 0.
	revision int64
	// cookies are set with the answer. A row with once cannot have them.
	cookies []*http.Cookie
	// location is where a browser is sent instead.
	location string
	// stream writes the whole answer itself, status and headers included.
	stream func(http.ResponseWriter)

	encoded  []byte
	replayed bool
}

func ok(body any) reply          { return reply{status: http.StatusOK, body: body} }
func created(body any) reply     { return reply{status: http.StatusCreated, body: body} }
func noContent() reply           { return reply{status: http.StatusNoContent} }
func accepted(body any) reply    { return reply{status: http.StatusAccepted, body: body} }
func redirect(to string) reply   { return reply{status: http.StatusSeeOther, location: to} }
func (r reply) at(n int64) reply { r.revision = n; return r }

// list is the shape of every list.
type list[T any] struct {
	Data []T `json:"data"`
	// NextCursor asks for the page after this one; null on the last.
	NextCursor *string `json:"next_cursor"`
}

func listOf[T any](data []T, next string) list[T] {
	if next == "" {
		return list[T]{Data: data}
	}

	return list[T]{Data: data, NextCursor: &next}
}

// encode fixes the body's bytes, so that a replay repeats them.
func (r reply) encode() (reply, error) {
	if r.body == nil || r.encoded != nil {
		return r, nil
	}

	var err error
	if r.encoded, err = json.Marshal(r.body); err != nil {
		return reply{}, fmt.Errorf("write an answer: %w", err)
	}

	return r, nil
}

// write sends the answer. What a member or a key may see is for nobody's cache.
func (r reply) write(c *gin.Context) {
	if r.stream != nil {
		r.stream(c.Writer)
		return
	}

	header := c.Writer.Header()
	header.Set("Cache-Control", "no-store")

	if r.revision != 0 {
		header.Set("ETag", etag(r.revision))
	}

	if r.replayed {
		header.Set("Idempotent-Replayed", "true")
	}

	for _, cookie := range r.cookies {
		http.SetCookie(c.Writer, cookie)
	}

	if r.location != "" {
		header.Set("Location", r.location)
	}

	if r.encoded == nil {
		c.Status(r.status)
		c.Writer.WriteHeaderNow()

		return
	}

	c.Data(r.status, "application/json; charset=utf-8", r.encoded)
}
