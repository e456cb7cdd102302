package forms

import (
	"context"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/postgres"
	"formonce/tenants"
)

// Changes are what may be changed about a submission; what is nil or empty stays as it is.
type Changes struct {
	Starred *bool
	Read    *bool
	// Tags replace those that are there.
	Tags *[]string
	// Status spam sets the submission aside; accepted takes it back and enqueues what it owes, unless that was done before.
	Status Status
}

// step is one action over some submissions, with its tag where the action takes one.
type step struct {
	action Action
	tag    string
}

// steps are the actions that make the changes of one submission, which has these tags now.
func (c Changes) steps(tags []string) ([]step, error) {
	var steps []step

	add := func(given *bool, on, off Action) {
		switch {
		case is(given, true):
			steps = append(steps, step{action: on})
		case given != nil:
			steps = append(steps, step{action: off})
		}
	}

	add(c.Starred, Star, Unstar)
	add(c.Read, MarkRead, MarkUnread)

	switch c.Status {
	case "":
	case StatusSpam:
		steps = append(steps, step{action: MarkSpam})
	case StatusAccepted:
		steps = append(steps, step{action: NotSpam})
	default:
		return nil, errStatus
	}

	if c.Tags == nil {
		return steps, nil
	}

	wanted, err := checkTags(*c.Tags)

	// Others go first, or a submission might have too many for a moment.
	for _, tag := range tags {
		if !slices.Contains(wanted, tag) {
			steps = append(steps, step{RemoveTag, tag})
		}
	}

	for _, tag := range wanted {
		if !slices.Contains(tags, tag) {
			steps = append(steps, step{AddTag, tag})
		}
	}

	return steps, err
}

var errStatus = fault.New(fault.Invalid, "invalid_status", "A submission's status is accepted or spam. Name one of them.")

// Update changes a submission and returns it as it is then. The errors are the Faults submission_not_found,
// invalid_status, invalid_tag and too_many_tags.
func (in *Inbox) Update(ctx context.Context, tenantID, submissionID uuid.UUID, changes Changes) (Submission, error) {
	var changed Submission

	err := in.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		ids, err := lockSubmissions(ctx, s.Tx, tenantID, []uuid.UUID{submissionID})
		if err != nil {
			return err
		}

		found, err := submissionsByID(ctx, s.Tx, tenantID, ids)
		if err != nil {
			return err
		}

		if len(found) == 0 {
			return errSubmissionNotFound
		}

		if err = in.change(ctx, s.Tx, &found[0], changes); err != nil {
			return err
		}

		found, err = submissionsByID(ctx, s.Tx, tenantID, ids)
		if err == nil {
			changed = found[0]
		}

		return err
	})

	return changed, postgres.Fault("change a submission", err)
}

func (in *Inbox) change(ctx context.Context, tx pgx.Tx, submission *Submission, changes Changes) error {
	steps, err := changes.steps(submission.Tags)
	if err != nil {
		return err
	}

	var done []string

	for _, step := range steps {
		changed, err := in.take(ctx, tx, submission.TenantID, step, []uuid.UUID{submission.ID})
		if err != nil {
			return err
		}

		if len(changed) > 0 {
			done = append(done, string(step.action))
		}
	}

	if len(done) == 0 {
		return nil
	}

	return tenants.Record(ctx, tx, submission.TenantID, tenants.Change{
		Action: "submission.updated", Target: PublicID(submission.ID), Details: map[string]any{"actions": slices.Compact(done)},
	})
}

// lockSubmissions returns those of the ids that are there and holds them, always in one order, so that changes of the same
// submissions wait for each other and never in a circle. Nobody who sends a submission again waits for it.
func lockSubmissions(ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, ids []uuid.UUID) ([]uuid.UUID, error) {
	q := &statement{}
	q.add("SELECT id FROM submissions WHERE tenant_id = ? AND id = ANY(?) ORDER BY id FOR NO KEY UPDATE", tenantID, ids)

	return collectIDs(ctx, tx, q)
}
