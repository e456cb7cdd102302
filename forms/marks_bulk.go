package forms

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/postgres"
	"formonce/tenants"
)

// MaxBulk is how many submissions one Bulk takes on.
const MaxBulk = 1_000

// Bulk is one action over many submissions: those with the ids, or those that the filter means, the newest first.
type Bulk struct {
	IDs    []uuid.UUID
	Filter *Filter
	Action Action
	// Tag is for AddTag and RemoveTag.
	Tag string
}

// BulkResult is what a Bulk did.
type BulkResult struct {
	// Matched submissions were there and meant. Changed ones were not so already.
	Matched, Changed int
	// NextCursor, put into the filter, goes on where this one ended; empty when nothing is left.
	NextCursor string
}

var (
	errAction = fault.New(fault.Invalid, "invalid_action",
		"This action is not known. Use star, unstar, read, unread, tag, untag, spam, not_spam or erase.")
	errBulk = fault.New(fault.Invalid, "invalid_selection",
		"Name what is meant: up to 1000 ids, or a filter, and not both.")
)

// check returns the Bulk with its tag as it is kept.
func (b Bulk) check() (Bulk, error) {
	known, found := acts[b.Action]
	if !found && b.Action != EraseAll {
		return b, errAction
	}

	if (len(b.IDs) == 0) == (b.Filter == nil) || len(b.IDs) > MaxBulk {
		return b, errBulk
	}

	if !known.tagged {
		return b, nil
	}

	var err error
	b.Tag, err = checkTag(b.Tag)

	return b, err
}

// Bulk takes the action, all of it or, on an error, none. A filter is taken at most MaxBulk submissions at a time. What
// somebody else changed in the meantime, so that the filter does not mean it any more, is left alone.
func (in *Inbox) Bulk(ctx context.Context, tenantID uuid.UUID, bulk Bulk) (BulkResult, error) {
	bulk, err := bulk.check()
	if err != nil {
		return BulkResult{}, err
	}

	var wanted *selection

	if bulk.Filter != nil {
		if wanted, err = bulk.Filter.selection(tenantID); err != nil {
			return BulkResult{}, err
		}
	}

	var result BulkResult

	err = in.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		ids, next, err := bulk.hold(ctx, s.Tx, tenantID, wanted)
		if err != nil {
			return err
		}

		result = BulkResult{Matched: len(ids), NextCursor: next}
		result.Changed, err = in.takeAll(ctx, s.Tx, tenantID, bulk, ids)

		return err
	})

	return result, postgres.Fault("change submissions", err)
}

// hold locks what is meant and returns it. After the lock the filter is asked again, since it was asked without one.
func (b Bulk) hold(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, wanted *selection) (ids []uuid.UUID, next string, err error) {
	if wanted == nil {
		ids, err = lockSubmissions(ctx, tx, tenantID, b.IDs)
		return ids, "", err
	}

	ids, next, err = wanted.page(ctx, tx, MaxBulk)
	if err != nil || len(ids) == 0 {
		return nil, "", err
	}

	held, err := lockSubmissions(ctx, tx, tenantID, ids)
	if err != nil {
		return nil, "", err
	}

	ids, err = collectIDs(ctx, tx, wanted.among(held))

	return ids, next, err
}

func (in *Inbox) takeAll(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, b Bulk, ids []uuid.UUID) (int, error) {
	if b.Action == EraseAll {
		erased, err := eraseIn(ctx, tx, tenantID, ids)
		return len(erased), err
	}

	changed, err := in.take(ctx, tx, tenantID, step{b.Action, b.Tag}, ids)
	if err != nil || len(changed) == 0 {
		return 0, err
	}

	return len(changed), tenants.Record(ctx, tx, tenantID, tenants.Change{
		Action: "submissions.updated",
		Details: map[string]any{
			"actions": []string{string(b.Action)}, "count": len(changed),
			"first": PublicID(changed[0]), "last": PublicID(changed[len(changed)-1]),
		},
	})
}
