package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"formonce/internal/fault"
	"formonce/tenants"
)

// maxBody is far above the largest request of the contract.
const maxBody = 1 << 20

// request is one request of the table: who asks, and for what.
type request struct {
	gin    *gin.Context
	caller tenants.Caller
	body   []byte
}

func (r *request) ctx() context.Context { return r.gin.Request.Context() }

// param is a part of the path by its name.
func (r *request) param(name string) string { return r.gin.Param(name) }

func (r *request) bearer() string {
	scheme, token, _ := strings.Cut(r.gin.GetHeader("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}

	return strings.TrimSpace(token)
}

// readBody takes the body of a request that may have one. It has to call itself JSON: a page of another site cannot send
// that without being asked first.
func readBody(r *request, _ route) error {
	if r.gin.Request.Body == nil || r.gin.Request.ContentLength == 0 {
		return nil
	}

	limited := http.MaxBytesReader(r.gin.Writer, r.gin.Request.Body, maxBody)

	body, err := io.ReadAll(limited)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return fault.New(fault.TooLarge, "request_body_too_large",
			"The body of this request is too large. Send at most 1 MiB.").With("limit", maxBody)
	}

	if err != nil {
		return malformed("The body did not arrive whole. Send the request again.").Because(err)
	}

	media, _, err := mime.ParseMediaType(r.gin.GetHeader("Content-Type"))
	if len(body) > 0 && (err != nil || media != "application/json") {
		return fault.New(fault.UnsupportedMedia, "unsupported_media_type",
			"Send the body as JSON, with the header Content-Type: application/json.")
	}

	r.body = body

	return nil
}

func malformed(message string) *fault.Fault {
	return fault.New(fault.Invalid, "malformed_body", message)
}

// decode reads the body into target, which a PATCH has filled with what is there: members that are not sent stay. A member
// that target does not have is refused by its name, and so is a value of another type.
func (r *request) decode(target any) error {
	if len(bytes.TrimSpace(r.body)) == 0 {
		return malformed("This request needs a body: a JSON object with the members that the contract names.")
	}

	err := json.Unmarshal(r.body, target, json.RejectUnknownMembers(true))
	if err == nil {
		return nil
	}

	wrong, found := errors.AsType[*json.SemanticError](err)
	if !found {
		return malformed("The body is no JSON that we can read. Check its commas, quotes and brackets.").Because(err)
	}

	member := memberOf(wrong.JSONPointer)
	if errors.Is(err, json.ErrUnknownName) {
		return fault.New(fault.Invalid, "unknown_member",
			"The body has a member that this request does not know. Remove it, or correct its name.").With("member", member)
	}

	return fault.New(fault.Invalid, "invalid_member",
		"A member of the body has a value of the wrong type. Send what the contract says.").With("member", member)
}

// memberOf writes the place of a member as the contract names it: idempotency.required.
func memberOf(pointer jsontext.Pointer) string {
	var names []string
	for name := range pointer.Tokens() {
		names = append(names, name)
	}

	return strings.Join(names, ".")
}

// query is a parameter of the address, empty when it is not there.
func (r *request) query(name string) string { return r.gin.Query(name) }

// limit is the size of the page that was asked for; 0 when none was.
func (r *request) limit() (int, error) {
	text, given := r.gin.GetQuery("limit")
	if !given {
		return 0, nil
	}

	limit, err := strconv.Atoi(text)
	if err != nil || limit < 1 || limit > 100 {
		return 0, fault.New(fault.Invalid, "invalid_limit", "The parameter limit is a number from 1 to 100.")
	}

	return limit, nil
}

// onlyQueries refuses a parameter that the route does not know: a filter that is misspelled would list everything.
func (r *request) onlyQueries(known ...string) error {
	for name := range r.gin.Request.URL.Query() {
		if !contains(known, name) {
			return fault.New(fault.Invalid, "unknown_parameter",
				"The address has a parameter that this route does not know. Remove it, or correct its name.").
				With("known", known)
		}
	}

	return nil
}

func contains(known []string, name string) bool {
	return slices.Contains(known, name)
}

// revision is the one that the header If-Match asks for; 0 when any will do.
func (r *request) revision() (int64, error) {
	match := r.gin.GetHeader("If-Match")
	if match == "" || match == "*" {
		return 0, nil
	}

	revision, err := strconv.ParseInt(strings.Trim(match, `"`), 10, 64)
	if err != nil || match != etag(revision) {
		return 0, fault.New(fault.PreconditionFailed, "precondition_failed",
			"The header If-Match holds no ETag of this. Read it again, and use the ETag of that answer.")
	}

	return revision, nil
}

func etag(revision int64) string { return `"` + strconv.FormatInt(revision, 10) + `"` }
