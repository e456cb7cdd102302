package forms

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/id"
	"formonce/internal/moment"
	"formonce/tenants"
)

// Action is what can be done to submissions at once.
type Action string

// The actions. Tag and untag take a tag.
const (
	Star       Action = "star"
	Unstar     Action = "unstar"
	MarkRead   Action = "read"
	MarkUnread Action = "unread"
	AddTag     Action = "tag"
	RemoveTag  Action = "untag"
	MarkSpam   Action = "spam"
	NotSpam    Action = "not_spam"
	EraseAll   Action = "erase"
)

// act is how an action is taken. Its statement takes the tenant, the ids and, with tagged, the tag; it returns the ids of
// the submissions that it changed, and leaves those alone that are so already.
type act struct {
	statement string
	tagged    bool
	// event is what the timeline says of it.
	event EventKind
	// then is done for those that were changed.
	then func(in *Inbox, ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, changed []uuid.UUID) error
}

var acts = map[Action]act{
	Star: {event: EventStarred, statement: `
INSERT INTO submission_marks (tenant_id, submission_id, starred) SELECT $1, unnest($2::uuid[]), true
ON CONFLICT (tenant_id, submission_id) DO UPDATE SET starred = true WHERE NOT submission_marks.starred
RETURNING submission_id`},

	Unstar: {event: EventUnstarred, statement: `
UPDATE submission_marks SET starred = false WHERE tenant_id = $1 AND submission_id = ANY($2) AND starred
RETURNING submission_id`},

	MarkRead: {event: EventRead, statement: `
INSERT INTO submission_marks (tenant_id, submission_id, read_at) SELECT $1, unnest($2::uuid[]), now()
ON CONFLICT (tenant_id, submission_id) DO UPDATE SET read_at = now() WHERE submission_marks.read_at IS NULL
RETURNING submission_id`},

	MarkUnread: {event: EventUnread, statement: `
UPDATE submission_marks SET read_at = NULL WHERE tenant_id = $1 AND submission_id = ANY($2) AND read_at IS NOT NULL
RETURNING submission_id`},

	AddTag: {event: EventTagged, tagged: true, then: (*Inbox).countTagsOf, statement: `
INSERT INTO submission_tags (tenant_id, submission_id, tag) SELECT $1, unnest($2::uuid[]), $3
ON CONFLICT DO NOTHING RETURNING submission_id`},

	RemoveTag: {event: EventUntagged, tagged: true, statement: `
DELETE FROM submission_tags WHERE tenant_id = $1 AND submission_id = ANY($2) AND tag = $3 RETURNING submission_id`},

	MarkSpam: {event: EventSpam, then: (*Inbox).wasOwed, statement: `
UPDATE submissions SET status = 'spam' WHERE tenant_id = $1 AND id = ANY($2) AND status = 'accepted' RETURNING id`},

	NotSpam: {event: EventNotSpam, then: (*Inbox).release, statement: `
UPDATE submissions SET status = 'accepted' WHERE tenant_id = $1 AND id = ANY($2) AND status = 'spam' RETURNING id`},
}

// take does one step to the submissions, which the caller has locked, and returns those that it changed.
func (in *Inbox) take(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, s step, ids []uuid.UUID) ([]uuid.UUID, error) {
	known := acts[s.action]

	q := &statement{args: []any{tenantID, ids}}
	q.text.WriteString(known.statement)

	if known.tagged {
		q.args = append(q.args, s.tag)
	}

	changed, err := collectIDs(ctx, tx, q)
	if err != nil || len(changed) == 0 {
		return nil, err
	}

	if err = recordEvents(ctx, tx, tenantID, changed, known.event, s.tag); err != nil || known.then == nil {
		return changed, err
	}

	return changed, known.then(in, ctx, tx, tenantID, changed)
}

const insertEvents = `
INSERT INTO submission_events (tenant_id, submission_id, id, at, kind, actor_kind, actor_name, tag)
SELECT $1, submission_id, id, $4, $5, $6, $7, $8 FROM unnest($2::uuid[], $3::uuid[]) AS listed (submission_id, id)`

func recordEvents(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, of []uuid.UUID, kind EventKind, tag string) error {
	ids := make([]uuid.UUID, len(of))
	for i := range ids {
		ids[i] = id.New()
	}

	actor := tenants.ActorOf(ctx)
	_, err := tx.Exec(ctx, insertEvents, tenantID, of, ids, moment.Now(), kind, actor.Kind, actor.Name, tag)

	return err
}

const overTagged = `
SELECT EXISTS (SELECT FROM submission_tags WHERE tenant_id = $1 AND submission_id = ANY($2)
    GROUP BY submission_id HAVING count(*) > $3)`

// countTagsOf refuses a tag too many. The submissions are locked, so nobody else adds one meanwhile.
func (*Inbox) countTagsOf(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, changed []uuid.UUID) error {
	var over bool
	if err := tx.QueryRow(ctx, overTagged, tenantID, changed, maxTags).Scan(&over); err != nil {
		return err
	}

	if over {
		return errTooManyTags
	}

	return nil
}

const markOwed = `
INSERT INTO submission_marks (tenant_id, submission_id, owed) SELECT $1, unnest($2::uuid[]), true
ON CONFLICT (tenant_id, submission_id) DO UPDATE SET owed = true WHERE NOT submission_marks.owed
RETURNING submission_id`

// wasOwed remembers of what was accepted until now that its deliveries were enqueued.
func (*Inbox) wasOwed(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, changed []uuid.UUID) error {
	_, err := tx.Exec(ctx, markOwed, tenantID, changed)

	return err
}

var errNoOutbox = errors.New("an inbox without an outbox released a submission; make it with WithOutbox")

// release enqueues what the submissions owe, of each at most once in its life.
func (in *Inbox) release(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, changed []uuid.UUID) error {
	if in.outbox == nil {
		return fault.New(fault.Internal, "internal_error", "This was not done. Send us the request id.").Because(errNoOutbox)
	}

	q := &statement{args: []any{tenantID, changed}}
	q.text.WriteString(markOwed)

	owing, err := collectIDs(ctx, tx, q)
	if err != nil {
		return err
	}

	released, err := submissionsByID(ctx, tx, tenantID, owing)
	if err != nil {
		return err
	}

	for i := range released {
		if err := in.outbox.Enqueue(ctx, tx, &released[i]); err != nil {
			return err
		}
	}

	return nil
}
