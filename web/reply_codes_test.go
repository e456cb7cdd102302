package web

import (
	"slices"
	"testing"

	"formonce/internal/fault"
)

func TestWhatASchemaRefusesHasTheWordsOfFormspreesClients(t *testing.T) {
	t.Parallel()

	failed := fault.New(fault.Unprocessable, "validation_failed", "Look again.")
	failed.Issues = []fault.Issue{
		{Field: "name", Rule: "required", Case: "missing", Message: "a"},
		{Field: "email", Rule: "type", Case: "email", Message: "b"},
		{Field: "phone", Rule: "type", Case: "phone", Message: "c"},
		{Field: "age", Rule: "max", Message: "d"},
	}

	want := []failureItem{
		{"REQUIRED_FIELD_MISSING", "name", "a"},
		{"TYPE_EMAIL", "email", "b"},
		{"TYPE", "phone", "c"},
		{"MAX", "age", "d"},
	}
	if got := failureItems(failed); !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
}
