package main

import (
	"fmt"
	"strings"

	"formonce/forms"
	"formonce/internal/moment"
)

// wirePage is a list of submissions as programs see it, the same as the management API gives.
type wirePage struct {
	Data       []wireSubmission `json:"data"`
	NextCursor *string          `json:"next_cursor"`
}

func cursorOrNull(cursor string) *string {
	if cursor == "" {
		return nil
	}

	return &cursor
}

type wireSubmission struct {
	ID            string      `json:"id"`
	EndpointID    string      `json:"endpoint_id"`
	ReceivedAt    string      `json:"received_at"`
	Status        string      `json:"status"`
	Fields        []wireField `json:"fields"`
	ReplayCount   int         `json:"replay_count"`
	SchemaVersion int         `json:"schema_version"`
	Tags          []string    `json:"tags"`
	Starred       bool        `json:"starred"`
	Read          bool        `json:"read"`
	ReplyTo       string      `json:"reply_to,omitempty"`
	Subject       string      `json:"subject,omitempty"`
	Language      string      `json:"language,omitempty"`
}

// wireField keeps a value as it was sent: a number keeps its digits, an object the order of its members.
type wireField struct {
	Name  string      `json:"name"`
	Value forms.Value `json:"value"`
}

func submissionJSON(s *forms.Submission) wireSubmission {
	fields := make([]wireField, len(s.Fields))
	for i, field := range s.Fields {
		fields[i] = wireField(field)
	}

	return wireSubmission{
		ID: forms.PublicID(s.ID), EndpointID: s.EndpointID, ReceivedAt: moment.Write(s.ReceivedAt),
		Status: string(s.Status), Fields: fields, ReplayCount: s.ReplayCount, SchemaVersion: s.Rules.Schema,
		Tags: append([]string{}, s.Tags...), Starred: s.Starred, Read: s.Read,
		ReplyTo: s.ReplyTo, Subject: s.Subject, Language: s.Language,
	}
}

// printSubmission shows the fields in the order in which they were sent. A value of several lines keeps them.
func (c *console) printSubmission(s *forms.Submission) error {
	var shown strings.Builder

	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&shown, "%-12s %s\n", name, harmless(value))
		}
	}

	line("id", forms.PublicID(s.ID))
	line("endpoint", s.EndpointID)
	line("received", moment.Write(s.ReceivedAt))
	line("status", string(s.Status))
	line("replays", fmt.Sprintf("%d", s.ReplayCount))
	line("tags", strings.Join(s.Tags, ", "))
	line("reply to", s.ReplyTo)
	line("subject", s.Subject)
	line("language", s.Language)

	for _, field := range s.Fields {
		fmt.Fprintf(&shown, "\n%s\n", harmless(field.Name))

		for part := range strings.Lines(field.Value.String()) {
			fmt.Fprintf(&shown, "  %s\n", harmless(strings.TrimRight(part, "\r\n")))
		}
	}

	return c.printf("%s", shown.String())
}
