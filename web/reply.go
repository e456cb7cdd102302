package web

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"formonce/forms"
	"formonce/internal/edge"
	"formonce/internal/fault"
	"formonce/internal/moment"
)

// receiptBody is the answer to an accepted submission and to each of its replays. It says the same for a submission that
// was taken for spam: a program learns nothing from it.
type receiptBody struct {
	SubmissionID string       `json:"submission_id"`
	EndpointID   string       `json:"endpoint_id"`
	ReceivedAt   string       `json:"received_at"`
	FieldCount   int          `json:"field_count"`
	Replay       bool         `json:"idempotent_replay"`
	Delivery     deliveryBody `json:"delivery"`
	OK           bool         `json:"ok"`
	Next         string       `json:"next"`
}

// deliveryBody says that whatever the endpoint owes to its integrations was queued together with the submission.
type deliveryBody struct {
	Queued bool `json:"queued"`
}

func (v *Visitors) acknowledge(c *gin.Context, receipt forms.Receipt) {
	current := visitOf(c)
	next := v.next(c, current)

	c.Header("Cache-Control", "no-store")

	if receipt.Replayed {
		c.Header("Idempotent-Replayed", "true")
	}

	if !wantsJSON(c.Request, current.body) {
		c.Redirect(http.StatusSeeOther, next)
		return
	}

	status := http.StatusAccepted
	if receipt.Replayed {
		status = current.endpoint.Idempotency.ReplayStatus
	}

	c.JSON(status, receiptBody{
		SubmissionID: forms.PublicID(receipt.SubmissionID), EndpointID: receipt.EndpointID,
		ReceivedAt: moment.Write(receipt.ReceivedAt), FieldCount: receipt.FieldCount,
		Replay: receipt.Replayed, Delivery: deliveryBody{Queued: true}, OK: true, Next: next,
	})
}

// next is where the visitor goes after success: as the form wishes, else as the owner set it, else to our own page.
func (v *Visitors) next(c *gin.Context, current *visit) string {
	if target, ok := v.redirect(c, current.endpoint, current.controls.Next); ok {
		return target
	}

	if current.endpoint.RedirectURL != "" {
		return current.endpoint.RedirectURL
	}

	return v.submitURL(current.endpoint) + "/thanks"
}

// failureBody is the error envelope of every route, with the list that the public route's clients read.
type failureBody struct {
	edge.Envelope

	Errors []failureItem `json:"errors"`
}

type failureItem struct {
	Code    string `json:"code"`
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
}

// WriteFailure answers a failed request on the public routes: JSON for a script; for a browser that navigates, the page
// that the form wishes, or our own with the same status and a way back.
func (v *Visitors) WriteFailure(c *gin.Context, status int, failed *fault.Fault) {
	header := c.Writer.Header()
	header.Set("Cache-Control", "no-store")

	current := visitOf(c)
	if current.endpoint == nil {
		openToScripts(header)
	}

	if wantsJSON(c.Request, current.body) {
		c.JSON(status, failureBody{Envelope: edge.EnvelopeOf(c, failed), Errors: failureItems(failed)})
		return
	}

	if current.endpoint != nil {
		if target, ok := v.redirect(c, current.endpoint, current.controls.Error); ok {
			c.Redirect(http.StatusSeeOther, target)
			return
		}
	}

	v.writeErrorPage(c, status, failed)
}

// formspreeCodes are the words that Formspree's clients know for the whole form (the form error codes in the types of
// @formspree/core); what has no word there is said in ours, in capitals.
var formspreeCodes = map[string]string{
	"endpoint_not_found":        "FORM_NOT_FOUND",
	"not_found":                 "FORM_NOT_FOUND",
	"invalid_endpoint_id":       "FORM_NOT_FOUND",
	"endpoint_closed":           "INACTIVE",
	"empty_submission":          "EMPTY",
	"submission_refused":        "BLOCKED",
	"origin_not_allowed":        "BLOCKED",
	"request_body_too_large":    "FILES_TOO_BIG",
	"file_upload_not_supported": "NO_FILE_UPLOADS",
}

// formspreeFieldCodes are their words for one field (the field error codes of the same types), by our rule and its case.
var formspreeFieldCodes = map[[2]string]string{
	{"required", "missing"}: "REQUIRED_FIELD_MISSING",
	{"required", "empty"}:   "REQUIRED_FIELD_EMPTY",
	{"consent", "missing"}:  "REQUIRED_FIELD_MISSING",
	{"consent", "empty"}:    "REQUIRED_FIELD_EMPTY",
	{"type", "email"}:       "TYPE_EMAIL",
	{"type", "number"}:      "TYPE_NUMERIC",
	{"type", "integer"}:     "TYPE_NUMERIC",
	{"type", "rating"}:      "TYPE_NUMERIC",
	{"type", "text"}:        "TYPE_TEXT",
	{"type", "multiline"}:   "TYPE_TEXT",
}

func failureItems(failed *fault.Fault) []failureItem {
	if len(failed.Issues) == 0 {
		return []failureItem{{Code: formspreeCode(failed.Code), Message: failed.Message}}
	}

	items := make([]failureItem, len(failed.Issues))
	for i, issue := range failed.Issues {
		code, ok := formspreeFieldCodes[[2]string{issue.Rule, issue.Case}]
		if !ok {
			code = formspreeCode(issue.Rule)
		}

		items[i] = failureItem{Code: code, Field: issue.Field, Message: issue.Message}

		// Beside a field the clients would not know the word. The envelope's own issues still name the field.
		if _, ofForm := formspreeCodes[issue.Rule]; ofForm {
			items[i].Field = ""
		}
	}

	return items
}

func formspreeCode(code string) string {
	if theirs, ok := formspreeCodes[code]; ok {
		return theirs
	}

	return strings.ToUpper(code)
}
