package forms

import (
	"context"
	"encoding/base64"
	"time"

	"github.com/google/uuid"

	"formonce/internal/fault"
	"formonce/internal/postgres"
)

// Inbox is where a tenant reads what was submitted, and says something about it.
type Inbox struct {
	db     *postgres.DB
	outbox Outbox
}

// NewInbox returns the inbox of the submissions in db. It cannot release what was set aside; see WithOutbox.
func NewInbox(db *postgres.DB) *Inbox { return &Inbox{db: db} }

// WithOutbox returns an inbox that enqueues what a submission owes when somebody says that it is no spam.
func (in *Inbox) WithOutbox(outbox Outbox) *Inbox { return &Inbox{db: in.db, outbox: outbox} }

// Filter narrows a list; its zero value lists everything. All that is set must hold.
type Filter struct {
	EndpointID string
	Status     Status
	// Query is what a person typed: words that must all be there, the last of them perhaps not typed to its end. Case and
	// accents do not count; name=value is a field with exactly this value, and an id is that submission. Whatever it
	// holds, it is no error. New submissions are found by it after a second or two.
	Query string
	// Fields must be there with exactly these values; they are searched for like Query.
	Fields []FieldIs
	// Tag is one that the submission has.
	Tag string
	// Starred and Read narrow the list to those that are, or are not; nil to neither.
	Starred *bool
	Read    *bool
	// Since and Until narrow the list to what was received from the one on and before the other. Zero is no bound.
	Since, Until time.Time
	// Cursor is the NextCursor of the page before.
	Cursor string
	// Limit is 1 to 100; 0 means 50.
	Limit int
}

// FieldIs asks for a field by its name and its whole value, as Value.String writes it.
type FieldIs struct{ Name, Value string }

// Page is a part of a list, the newest submission first.
type Page struct {
	Submissions []Submission
	// NextCursor asks for the page after this one; empty on the last.
	NextCursor string
}

const (
	defaultPage = 50
	maxPage     = 100
)

// List returns a page of the tenant's submissions. Every page costs the same, however far back it lies.
func (in *Inbox) List(ctx context.Context, tenantID uuid.UUID, filter Filter) (Page, error) {
	if filter.Limit == 0 {
		filter.Limit = defaultPage
	}

	if filter.Limit < 1 || filter.Limit > maxPage {
		return Page{}, fault.New(fault.Invalid, "invalid_limit", "A page has 1 to 100 submissions. Ask for as many as that.")
	}

	wanted, err := filter.selection(tenantID)
	if err != nil {
		return Page{}, err
	}

	var page Page

	err = in.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		ids, next, err := wanted.page(ctx, s.Tx, filter.Limit)
		if err != nil {
			return err
		}

		page.NextCursor = next
		page.Submissions, err = submissionsByID(ctx, s.Tx, tenantID, ids)

		return err
	})

	return page, postgres.Fault("list submissions", err)
}

func cursor(last uuid.UUID) string { return base64.RawURLEncoding.EncodeToString(last[:]) }

func parseCursor(text string) (uuid.UUID, error) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil && len(raw) == len(uuid.UUID{}) {
		return uuid.UUID(raw), nil
	}

	return uuid.UUID{}, fault.New(fault.Invalid, "invalid_cursor",
		"This cursor is none of ours. Take next_cursor of the page before, as it is.")
}

// Get returns one submission of the tenant, or the Fault submission_not_found.
func (in *Inbox) Get(ctx context.Context, tenantID, submissionID uuid.UUID) (Submission, error) {
	var found []Submission

	err := in.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) (err error) {
		found, err = submissionsByID(ctx, s.Tx, tenantID, []uuid.UUID{submissionID})
		if err == nil && len(found) == 0 {
			return errSubmissionNotFound
		}

		return err
	})
	if err != nil {
		return Submission{}, postgres.Fault("read a submission", err)
	}

	return found[0], nil
}

var errSubmissionNotFound = fault.New(fault.NotFound, "submission_not_found",
	"There is no submission with this id. Look its id up in the list of submissions.")
