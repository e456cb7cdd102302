package web

import (
	"log/slog"

	"github.com/gin-gonic/gin"

	"formonce/forms"
	"formonce/internal/edge"
)

// ingest hands the request to the rules and answers with the receipt.
func (v *Visitors) ingest(c *gin.Context) {
	current := visitOf(c)

	outcome, err := v.Intake.Receive(c.Request.Context(), current.endpoint, forms.Incoming{
		Body:       forms.Body{ContentType: c.GetHeader("Content-Type"), Bytes: current.body},
		KeyHeaders: c.Request.Header.Values("Idempotency-Key"),
		Client:     current.client,
		Languages:  c.GetHeader("Accept-Language"),
	})
	current.controls = outcome.Controls

	annotateIfSet(c, "key_mark", outcome.KeyMark)
	annotateIfSet(c, "content_mark", outcome.ContentMark)

	if err != nil {
		edge.Fail(c, err)
		return
	}

	receipt := outcome.Receipt
	edge.IDs(c).Submission = forms.PublicID(receipt.SubmissionID)
	edge.Annotate(c,
		slog.Int("schema_version", receipt.SchemaVersion),
		slog.Bool("replayed", receipt.Replayed))

	v.acknowledge(c, receipt)
}

func annotateIfSet(c *gin.Context, name, value string) {
	if value != "" {
		edge.Annotate(c, slog.String(name, value))
	}
}
