package forms

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const (
	// searchFewWithin is how many of a few are looked at before the search is asked instead.
	searchFewWithin = 2_000
	// The search is asked for so many at first where other conditions follow, and for four times as many each time after.
	searchFirst, searchMost = 200, 20_000
)

// searchFew looks for the words among the few that the walk meets. It is not complete when they were not that few.
func (s *selection) searchFew(ctx context.Context, tx pgx.Tx, wanted int) (found []uuid.UUID, complete bool, err error) {
	q := s.along(searchFewWithin)
	walked := q.text.String()
	q.text.Reset()
	q.add("WITH walked AS MATERIALIZED (" + walked + ") SELECT (SELECT count(*) FROM walked), ARRAY(SELECT w.id FROM walked AS w " +
		"JOIN submission_search AS x ON x.tenant_id = $1 AND x.id = w.id")
	q.add(" WHERE x.terms @@ ?::tsquery ORDER BY w.id DESC LIMIT ?)", s.search.query, wanted)

	var looked int

	err = tx.QueryRow(ctx, q.text.String(), q.args...).Scan(&looked, &found)

	return found, looked < searchFewWithin || len(found) == wanted, err
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
