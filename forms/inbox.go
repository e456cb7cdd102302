package forms

import (
	"context"
	"encoding/base64"
	"errors"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"formonce/internal/fault"
	"formonce/internal/id"
	"formonce/internal/postgres"
)

// Inbox is where a tenant reads what was submitted.
type Inbox struct {
	db *postgres.DB
}

// NewInbox returns the inbox of the submissions in db.
func NewInbox(db *postgres.DB) *Inbox { return &Inbox{db: db} }

// Filter narrows a list; its zero value lists everything.
type Filter struct {
	EndpointID string
	Status     Status
	// Cursor is the NextCursor of the page before.
	Cursor string
	// Limit is 1 to 100; 0 means 50.
	Limit int
}

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

// submissionRow is a Submission as the table submissions has it.
type submissionRow struct {
	TenantID      uuid.UUID `gorm:"primaryKey"`
	ID            uuid.UUID `gorm:"primaryKey"`
	ReceivedAt    time.Time
	SchemaVersion int
	RuleVersion   int
	FieldCount    int
	OrderIgnored  bool
	EndpointID    string
	Family        Family
	Status        Status
	KeyHash       []byte
	Fingerprint   []byte
	Fields        []byte
	ReplyTo       *string
	Subject       *string
	Language      *string
	Honeypot      *string
}

func (submissionRow) TableName() string { return "submissions" }

func (r *submissionRow) submission() (Submission, error) {
	fields, err := DecodeFields(r.Fields)

	return Submission{
		TenantID: r.TenantID, ID: r.ID, EndpointID: r.EndpointID, ReceivedAt: r.ReceivedAt.UTC(), Status: r.Status,
		Rules: Rules{
			Version: r.RuleVersion, Schema: r.SchemaVersion, Family: r.Family, OrderIgnored: r.OrderIgnored,
			Honeypot: deref(r.Honeypot),
		},
		Fields: fields, ReplyTo: deref(r.ReplyTo), Subject: deref(r.Subject), Language: deref(r.Language),
	}, err
}

func deref(text *string) string {
	if text == nil {
		return ""
	}

	return *text
}

// List returns a page of the tenant's submissions. Every page costs the same, however far back it lies.
func (in *Inbox) List(ctx context.Context, tenantID uuid.UUID, filter Filter) (Page, error) {
	if filter.Limit == 0 {
		filter.Limit = defaultPage
	}

	if filter.Limit < 1 || filter.Limit > maxPage {
		return Page{}, fault.New(fault.Invalid, "invalid_limit", "A page has 1 to 100 submissions. Ask for as many as that.")
	}

	var page Page

	err := in.db.InScope(ctx, tenantID, func(_ context.Context, s *postgres.Scope) (err error) {
		page, err = listIn(s.Gorm, tenantID, filter)
		return err
	})

	return page, postgres.Fault("list submissions", err)
}

func listIn(tx *gorm.DB, tenantID uuid.UUID, filter Filter) (Page, error) {
	query := tx.Where("tenant_id = ?", tenantID).Order("id DESC").Limit(filter.Limit + 1)
	if filter.EndpointID != "" {
		query = query.Where("endpoint_id = ?", filter.EndpointID)
	}

	if filter.Status != "" {
		query = query.Where("status = ?", filter.Status)
	}

	// Said in the query's own text, or a plan that is kept for any parameter could not use the indexes of what was set aside.
	if filter.Status != "" && filter.Status != StatusAccepted {
		query = query.Where("status <> 'accepted'")
	}

	if filter.Cursor != "" {
		before, err := parseCursor(filter.Cursor)
		if err != nil {
			return Page{}, err
		}

		query = query.Where("id < ?", before)
	}

	var rows []submissionRow
	if err := query.Find(&rows).Error; err != nil {
		return Page{}, err
	}

	var page Page
	if len(rows) > filter.Limit {
		rows = rows[:filter.Limit]
		page.NextCursor = cursor(rows[len(rows)-1].ID)
	}

	var err error
	page.Submissions, err = submissionsOf(tx, tenantID, rows)

	return page, err
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

	err := in.db.InScope(ctx, tenantID, func(_ context.Context, s *postgres.Scope) error {
		var row submissionRow

		err := s.Gorm.Where("tenant_id = ? AND id = ?", tenantID, submissionID).Take(&row).Error
		if errors.Is(err, gorm.ErrRecordNotFound) {
			return errSubmissionNotFound
		}

		if err != nil {
			return err
		}

		found, err = submissionsOf(s.Gorm, tenantID, []submissionRow{row})

		return err
	})
	if err != nil {
		return Submission{}, postgres.Fault("read a submission", err)
	}

	return found[0], nil
}

var errSubmissionNotFound = fault.New(fault.NotFound, "submission_not_found",
	"There is no submission with this id. Look its id up in the list of submissions.")

// submissionsOf reads the rows and adds what other tables know about them.
func submissionsOf(tx *gorm.DB, tenantID uuid.UUID, rows []submissionRow) ([]Submission, error) {
	ids := make([]uuid.UUID, len(rows))
	for i := range rows {
		ids[i] = rows[i].ID
	}

	var counts []struct {
		SubmissionID uuid.UUID
		Replays      int
	}

	err := tx.Table("replays").Select("submission_id, count(*) AS replays").
		Where("tenant_id = ? AND submission_id IN ?", tenantID, ids).Group("submission_id").Find(&counts).Error
	if err != nil {
		return nil, err
	}

	replays := make(map[uuid.UUID]int, len(counts))
	for _, count := range counts {
		replays[count.SubmissionID] = count.Replays
	}

	found := make([]Submission, len(rows))
	for i := range rows {
		if found[i], err = rows[i].submission(); err != nil {
			return nil, err
		}

		found[i].ReplayCount = replays[rows[i].ID]
	}

	return found, nil
}

// Import stores submissions that were received elsewhere or before, with their own ids and times, and as many replays as
// each counts. What is there already stays as it is. Nothing is enqueued for them.
func (in *Inbox) Import(ctx context.Context, tenantID uuid.UUID, submissions []Submission) error {
	const batch = 500

	type replayRow struct {
		TenantID, SubmissionID, ID uuid.UUID
		ReplayedAt                 time.Time
	}

	rows := make([]submissionRow, len(submissions))

	var replays []replayRow

	for i := range submissions {
		rows[i] = imported(tenantID, &submissions[i])
		for range submissions[i].ReplayCount {
			replays = append(replays, replayRow{tenantID, rows[i].ID, id.New(), rows[i].ReceivedAt.Add(time.Second)})
		}
	}

	err := in.db.Gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		if err := tx.Clauses(clause.OnConflict{DoNothing: true}).CreateInBatches(&rows, batch).Error; err != nil {
			return err
		}

		return tx.Table("replays").Clauses(clause.OnConflict{DoNothing: true}).CreateInBatches(&replays, batch).Error
	})

	return postgres.Fault("import submissions", err)
}

func imported(tenantID uuid.UUID, s *Submission) submissionRow {
	fingerprint := Fingerprint(s.EndpointID, s.Rules, s.Fields)

	return submissionRow{
		TenantID: tenantID, ID: s.ID, ReceivedAt: s.ReceivedAt, SchemaVersion: s.Rules.Schema,
		RuleVersion: s.Rules.Version, FieldCount: len(s.Fields), OrderIgnored: s.Rules.OrderIgnored,
		EndpointID: s.EndpointID, Family: s.Rules.Family, Status: s.Status, Fingerprint: fingerprint[:],
		Fields: EncodeFields(s.Fields),
	}
}
