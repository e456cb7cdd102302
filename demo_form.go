package main

import (
	"context"

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
