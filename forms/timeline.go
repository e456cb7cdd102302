package forms

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/postgres"
	"formonce/tenants"
)

// EventKind says what happened to a submission.
type EventKind string

// The kinds of events.
const (
	EventReceived  EventKind = "received"
	EventReplayed  EventKind = "replayed"
	EventSpam      EventKind = "marked_as_spam"
	EventNotSpam   EventKind = "marked_as_not_spam"
	EventStarred   EventKind = "starred"
	EventUnstarred EventKind = "unstarred"
	EventRead      EventKind = "read"
	EventUnread    EventKind = "marked_as_unread"
	EventTagged    EventKind = "tagged"
	EventUntagged  EventKind = "untagged"
)

// Event is one thing that happened to a submission.
type Event struct {
	At   time.Time
	Kind EventKind
	// By is who did it; its Kind is empty for what a visitor's browser did.
	By tenants.Actor
	// Tag is that of EventTagged and EventUntagged.
	Tag string
}

// The newest thousand of each: a script that is stuck sends a submission again and again.
const findEvents = `
SELECT at, kind, actor_kind, actor_name, tag FROM (
    (SELECT replayed_at AS at, 'replayed' AS kind, '' AS actor_kind, '' AS actor_name, '' AS tag, id
        FROM replays WHERE tenant_id = $1 AND submission_id = $2 ORDER BY id DESC LIMIT 1000)
    UNION ALL
    (SELECT at, kind, actor_kind, actor_name, tag, id
        FROM submission_events WHERE tenant_id = $1 AND submission_id = $2 ORDER BY id DESC LIMIT 1000)
) AS happened ORDER BY at, id`

// Timeline lists what happened to a submission, from its receipt on; of replays, and of what people did, the newest
// thousand. The error is the Fault submission_not_found.
func (in *Inbox) Timeline(ctx context.Context, tenantID, submissionID uuid.UUID) ([]Event, error) {
	var events []Event

	err := in.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		found, err := in.Get(ctx, tenantID, submissionID)
		if err != nil {
			return err
		}

		rows, err := s.Tx.Query(ctx, findEvents, tenantID, submissionID)
		if err != nil {
			return err
		}

		later, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Event, error) {
			var e Event
			err := row.Scan(&e.At, &e.Kind, &e.By.Kind, &e.By.Name, &e.Tag)

			return e, err
		})

		events = append([]Event{{At: found.ReceivedAt, Kind: EventReceived}}, later...)

		return err
	})

	return events, postgres.Fault("read a timeline", err)
}
