package main

import (
	"context"

	"github.com/google/uuid"

	"formonce/forms"
)

// demoVersion is the version of the schema that the demo's history was accepted by.
const demoVersion = 1

// demoSchema is what the demo's form knows of its fields. It requires none, so that whatever is tried is taken.
func demoSchema() *forms.Schema {
	topics := make([]forms.Option, len(demoTopics))
	for i, topic := range demoTopics {
		topics[i] = forms.Option{Value: topic}
	}

	return &forms.Schema{
		Unknown: forms.UnknownKeep,
		Fields: []forms.SchemaField{
			{Key: "name", Type: forms.TypeText, Label: "Your name", MaxLength: 120},
			{Key: "email", Type: forms.TypeEmail, Label: "E-mail", Help: "Where we may answer you."},
			{Key: "company", Type: forms.TypeText, Label: "Company", MaxLength: 200},
			{Key: "phone", Type: forms.TypePhone, Label: "Phone", Help: "With the country code, please."},
			{Key: "topics", Type: forms.TypeMultiselect, Label: "What is it about?", Options: topics},
			{
				Key: "newsletter", Type: forms.TypeConsent, Label: "Newsletter", ConsentVersion: "2025-01",
				ConsentText: "Write to me once a month about what is new. I can end this at any time.",
			},
			{Key: "message", Type: forms.TypeMultiline, Label: "Message", MaxLength: 5000},
		},
	}
}

// publishDemo gives the form its schema, unless somebody has begun one of their own.
func publishDemo(ctx context.Context, s *store, endpoint forms.Endpoint) error {
	draft, err := s.schemas.Draft(ctx, endpoint.TenantID, endpoint.ID)
	if err != nil || draft.Published > 0 || !draft.UpdatedAt.IsZero() {
		return err
	}

	if _, err := s.schemas.Save(ctx, endpoint.TenantID, endpoint.ID, draft.Revision, demoSchema()); err != nil {
		return err
	}

	_, err = s.schemas.Publish(ctx, endpoint.TenantID, endpoint.ID, 0)

	return err
}

// demoMarks are what somebody has done in the demo's inbox: an action, for each so manieth of the last submissions.
var demoMarks = []struct {
	each int
	bulk forms.Bulk
}{
	{1, forms.Bulk{Action: forms.MarkRead}},
	{17, forms.Bulk{Action: forms.AddTag, Tag: "lead"}},
	{29, forms.Bulk{Action: forms.AddTag, Tag: "follow up"}},
	{41, forms.Bulk{Action: forms.Star}},
}

// unreadInDemo are the newest, which nobody has looked at yet.
const unreadInDemo = 12

// markDemo leaves the traces of somebody at work in an inbox whose history was just written.
func markDemo(ctx context.Context, s *store, tenantID uuid.UUID, history []forms.Submission) error {
	seen := history[:max(0, len(history)-unreadInDemo)]
	seen = seen[max(0, len(seen)-forms.MaxBulk):]

	for _, mark := range demoMarks {
		bulk := mark.bulk
		for i := 0; i < len(seen); i += mark.each {
			bulk.IDs = append(bulk.IDs, seen[i].ID)
		}

		if len(bulk.IDs) == 0 {
			continue
		}

		if _, err := s.inbox.Bulk(ctx, tenantID, bulk); err != nil {
			return err
		}
	}

	return nil
}
