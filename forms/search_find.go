package forms

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const (
	// searchFewWithin is how many of a few are looked at, or a little more, before the search is asked instead.
	searchFewWithin = 1_000
	// The search is asked for so many at first where other conditions follow, and for four times as many each time after.
	searchFirst, searchMost = 200, 20_000
)

// searchFew looks for the words among the few that the walk meets, in stretches, so that a frequent word is found after a
// short one. It is not complete when they were not that few.
func (s *selection) searchFew(ctx context.Context, tx pgx.Tx, wanted int) (found []uuid.UUID, complete bool, err error) {
	stretch := *s

	for looked, length := 0, max(searchFirst, wanted); looked < searchFewWithin; length *= 4 {
		walked, err := collectIDs(ctx, tx, stretch.along(length))
		if err != nil {
			return nil, false, err
		}

		hits, err := collectIDs(ctx, tx, stretch.having(walked))
		if err != nil {
			return nil, false, err
		}

		found = append(found, hits...)
		if len(found) >= wanted || len(walked) < length {
			return found[:min(len(found), wanted)], true, nil
		}

		looked += length
		stretch.before = walked[length-1]
	}

	return nil, false, nil
}

// having is the statement for those of the ids that have what is searched for.
func (s *selection) having(ids []uuid.UUID) *statement {
	q := &statement{}
	q.add("SELECT id FROM submission_search WHERE tenant_id = ? AND id = ANY(?)", s.tenantID, ids)
	q.add(" AND terms @@ ?::tsquery ORDER BY id DESC", s.search.query)

	return q
}

// searchMany goes through all that has the words, the newest first, until enough of it is meant.
func (s *selection) searchMany(ctx context.Context, tx pgx.Tx, wanted int) ([]uuid.UUID, error) {
	var found []uuid.UUID

	asked := wanted
	if s.narrowed() {
		asked = max(searchFirst, wanted)
	}

	for before := s.before; ; asked = min(4*asked, searchMost) {
		ids, err := collectIDs(ctx, tx, s.searchFor(before, asked))
		if err != nil {
			return nil, err
		}

		meant := ids
		if s.narrowed() && len(ids) > 0 {
			if meant, err = collectIDs(ctx, tx, s.among(ids)); err != nil {
				return nil, err
			}
		}

		found = append(found, meant...)
		if len(found) >= wanted || len(ids) < asked {
			return found[:min(len(found), wanted)], nil
		}

		before = ids[len(ids)-1]
	}
}

func (s *selection) searchFor(before uuid.UUID, most int) *statement {
	q := &statement{}
	q.add("SELECT id FROM search_submissions(?, ?, ?, ?) AS id", s.search.query, s.since, before, most)

	return q
}

// narrowed says whether there are conditions that the search itself does not know.
func (s *selection) narrowed() bool {
	f := s.filter

	return f.Status != "" || f.Tag != "" || f.Starred != nil || f.Read != nil || !f.Since.IsZero() || !f.Until.IsZero()
}
