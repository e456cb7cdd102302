package api

import (
	"formonce/forms"
	"formonce/internal/moment"
	"formonce/tenants"
)

// submission is a submission as programs see it.
type submission struct {
	ID            string            `json:"id"`
	EndpointID    string            `json:"endpoint_id"`
	ReceivedAt    string            `json:"received_at"`
	Status        forms.Status      `json:"status"`
	Fields        []submissionField `json:"fields"`
	ReplayCount   int               `json:"replay_count"`
	SchemaVersion int               `json:"schema_version"`
	Tags          []string          `json:"tags"`
	Starred       bool              `json:"starred"`
	Read          bool              `json:"read"`
	ReplyTo       string            `json:"reply_to,omitempty"`
	Subject       string            `json:"subject,omitempty"`
	Language      string            `json:"language,omitempty"`
}

// submissionField keeps a value as it was sent: a number keeps its digits, an object the order of its members.
type submissionField struct {
	Name  string      `json:"name"`
	Value forms.Value `json:"value"`
}

func wireSubmission(s *forms.Submission) submission {
	fields := make([]submissionField, len(s.Fields))
	for i, field := range s.Fields {
		fields[i] = submissionField(field)
	}

	return submission{
		ID: forms.PublicID(s.ID), EndpointID: s.EndpointID, ReceivedAt: moment.Write(s.ReceivedAt), Status: s.Status,
		Fields: fields, ReplayCount: s.ReplayCount, SchemaVersion: s.Rules.Schema,
		Tags: s.Tags, Starred: s.Starred, Read: s.Read,
		ReplyTo: s.ReplyTo, Subject: s.Subject, Language: s.Language,
	}
}

type tagCount struct {
	Tag   string `json:"tag"`
	Count int    `json:"count"`
}

// event is a line of a timeline. Each kind has the members that it needs beside these.
type event struct {
	At   string          `json:"at"`
	Kind forms.EventKind `json:"kind"`
	By   *actor          `json:"by,omitempty"`
	Tag  string          `json:"tag,omitempty"`
}

type actor struct {
	Kind tenants.ActorKind `json:"kind"`
	Name string            `json:"name,omitempty"`
}

func wireEvent(e forms.Event) event {
	written := event{At: moment.Write(e.At), Kind: e.Kind, Tag: e.Tag}
	if e.By.Kind != "" {
		written.By = &actor{Kind: e.By.Kind, Name: e.By.Name}
	}

	return written
}
