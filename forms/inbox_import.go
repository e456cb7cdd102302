package forms

import (
	"context"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"formonce/internal/id"
	"formonce/internal/postgres"
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
	Fingerprint   []byte
	Fields        []byte
}

func (submissionRow) TableName() string { return "submissions" }

// Import stores submissions that were received elsewhere or before, with their own ids, which begin with the time of the
// receipt (UUIDv7), and times, and as many replays as each counts. What is there already stays as it is. Nothing is
// enqueued for them.
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

		err := tx.Table("replays").Clauses(clause.OnConflict{DoNothing: true}).CreateInBatches(&replays, batch).Error
		if err != nil || len(rows) == 0 {
			return err
		}

		return tx.Exec(indexAgainFrom, oldest(rows)).Error
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

func oldest(rows []submissionRow) time.Time {
	first := rows[0].ReceivedAt
	for i := range rows {
		if rows[i].ReceivedAt.Before(first) {
			first = rows[i].ReceivedAt
		}
	}

	return first
}
