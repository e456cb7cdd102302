package forms

import (
	"time"

	"github.com/google/uuid"

	"formonce/internal/id"
)

// idPrefix begins a submission's id as people and programs see it.
const idPrefix = "sub_"

// PublicID shows a submission's id to people and programs.
func PublicID(submissionID uuid.UUID) string { return id.Write(idPrefix, submissionID) }

// ParseID is the inverse of PublicID. Its error is a sentence for whoever wrote the id.
func ParseID(text string) (uuid.UUID, error) { return id.Parse(idPrefix, text) }

// Status is what became of a submission. The visitor's answer is the same for all of them.
type Status string

// The statuses of a stored submission.
const (
	StatusAccepted Status = "accepted"
	StatusSpam     Status = "spam"
)

// Submission is one accepted intent of a visitor.
type Submission struct {
	TenantID   uuid.UUID
	ID         uuid.UUID
	EndpointID string
	// ReceivedAt is in UTC and whole microseconds, which is what the database keeps.
	ReceivedAt time.Time
	Status     Status
	// Rules are those that accepted it; a retry is judged by them for as long as the submission lives.
	Rules  Rules
	Fields Fields
	// ReplyTo, Subject and Language are the visitor's wishes for the notification; empty when there are none.
	ReplyTo  string
	Subject  string
	Language string
	// ReplayCount is the number of duplicates that were prevented.
	ReplayCount int
	// Tags, Starred and Read are what the tenant's members have said about it. It is read for all of them once one has
	// read it.
	Tags    []string
	Starred bool
	Read    bool

	// schema is that of the rules, nil where there is none.
	schema *Schema
	// sent are the fields before they were normalised, which an original's own rules may ask for.
	sent        Fields
	key         string
	keyHash     []byte
	fingerprint [32]byte
	clientHash  []byte
}

// Receipt is what the visitor gets for a submission, the first time and at every replay. It is derived from the stored
// row, so that all receipts of a submission are equal but for Replayed.
type Receipt struct {
	SubmissionID  uuid.UUID
	EndpointID    string
	ReceivedAt    time.Time
	FieldCount    int
	SchemaVersion int
	Replayed      bool
}

func (s *Submission) receipt() Receipt {
	return Receipt{
		SubmissionID: s.ID, EndpointID: s.EndpointID, ReceivedAt: s.ReceivedAt,
		FieldCount: len(s.Fields), SchemaVersion: s.Rules.Schema,
	}
}
