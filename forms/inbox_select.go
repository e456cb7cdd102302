package forms

import (
	"bytes"
	"context"
	"encoding/binary"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// clockSlack is by how much the time within an id may differ from the time of the receipt beside it.
const clockSlack = time.Minute

var lastID = uuid.Max

// walk is the table that a list is read along by its key, from the newest submission to the oldest.
type walk struct {
	table string
	id    string // its column with the submission's id; the table's name is d
	// few: the table, or an index of it, holds only what somebody chose, so that all of it can be looked through.
	few bool
}

var (
	bySubmission = walk{"submissions", "d.id", false}
	bySetAside   = walk{"submissions", "d.id", true}
	byTag        = walk{"submission_tags", "d.submission_id", true}
	byStar       = walk{"submission_marks", "d.submission_id", true}
	byRead       = walk{"submission_marks", "d.submission_id", false}
)

// selection says which submissions a Filter means.
type selection struct {
	tenantID uuid.UUID
	filter   Filter
	search   searched
	walk     walk
	// nothing: what was asked for is on no submission.
	nothing bool
	// Ids from since on and before before.
	since, before uuid.UUID
}

func (f Filter) selection(tenantID uuid.UUID) (*selection, error) {
	if f.Status != "" && f.Status != StatusAccepted && f.Status != StatusSpam {
		return nil, errStatus
	}

	made := &selection{tenantID: tenantID, filter: f, search: search(tenantID, f), before: lastID}

	// What cannot be an endpoint's id or a tag was given to nothing.
	made.nothing = made.search.nothing || f.EndpointID != "" && !ValidEndpointID(f.EndpointID)

	if f.Tag != "" {
		tag, err := checkTag(f.Tag)
		made.filter.Tag, made.nothing = tag, made.nothing || err != nil
	}

	if f.Cursor != "" {
		before, err := parseCursor(f.Cursor)
		if err != nil {
			return nil, err
		}

		made.before = before
	}

	made.bound()
	made.walk = made.walkAlong()

	return made, nil
}

// bound narrows the ids by the times and by the one id that were asked for.
func (s *selection) bound() {
	if !s.filter.Since.IsZero() {
		s.since = firstIDAt(s.filter.Since.Add(-clockSlack))
	}

	if !s.filter.Until.IsZero() {
		s.before = earlier(s.before, firstIDAt(s.filter.Until.Add(clockSlack)))
	}

	if only := s.search.only; only != uuid.Nil {
		s.since, s.before = later(s.since, only), earlier(s.before, after(only))
	}
}

func earlier(a, b uuid.UUID) uuid.UUID {
	if bytes.Compare(a[:], b[:]) < 0 {
		return a
	}

	return b
}

func later(a, b uuid.UUID) uuid.UUID {
	if bytes.Compare(a[:], b[:]) > 0 {
		return a
	}

	return b
}

// after is the next id there could be.
func after(one uuid.UUID) uuid.UUID {
	for i := len(one) - 1; i >= 0; i-- {
		if one[i]++; one[i] != 0 {
			break
		}
	}

	return one
}

// firstIDAt is at or before every id (UUIDv7) that was made at this time or later.
func firstIDAt(at time.Time) uuid.UUID {
	var made uuid.UUID

	binary.BigEndian.PutUint64(made[:8], uint64(max(at.UnixMilli(), 0))<<16)

	return made
}

// walkAlong is the shortest walk that meets everything that is meant.
func (s *selection) walkAlong() walk {
	switch {
	case s.filter.Tag != "":
		return byTag
	case is(s.filter.Starred, true):
		return byStar
	case s.filter.Status == StatusSpam:
		return bySetAside
	case is(s.filter.Read, true):
		return byRead
	default:
		return bySubmission
	}
}

func is(given *bool, wanted bool) bool { return given != nil && *given == wanted }

// page is the first page of what is meant, and the cursor of the next one.
func (s *selection) page(ctx context.Context, tx pgx.Tx, limit int) (ids []uuid.UUID, next string, err error) {
	ids, err = s.ids(ctx, tx, limit+1)
	if len(ids) > limit {
		ids = ids[:limit]
		next = cursor(ids[limit-1])
	}

	return ids, next, err
}

// ids are the newest of what is meant, as many as are wanted.
func (s *selection) ids(ctx context.Context, tx pgx.Tx, wanted int) ([]uuid.UUID, error) {
	if s.nothing {
		return nil, nil
	}

	if s.search.query == "" {
		return collectIDs(ctx, tx, s.along(wanted))
	}

	if s.walk.few {
		found, complete, err := s.searchFew(ctx, tx, wanted)
		if err != nil || complete {
			return found, err
		}
	}

	return s.searchMany(ctx, tx, wanted)
}

func collectIDs(ctx context.Context, tx pgx.Tx, q *statement) ([]uuid.UUID, error) {
	rows, err := tx.Query(ctx, q.text.String(), q.args...)
	if err != nil {
		return nil, err
	}

	return pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
}
