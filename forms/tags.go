package forms

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"golang.org/x/text/unicode/norm"

	"formonce/internal/fault"
	"formonce/internal/postgres"
)

const (
	maxTag = 40
	// maxTags is how many tags one submission may have.
	maxTags = 50
)

// TagCount is a tag in use and how many submissions have it.
type TagCount struct {
	Tag   string
	Count int
}

var (
	errTag = fault.New(fault.Invalid, "invalid_tag",
		"A tag has 1 to 40 characters, none of them a comma or a control character. Choose another one.")
	errTooManyTags = fault.New(fault.Invalid, "too_many_tags",
		"A submission has at most 50 tags. Take some away first.")
)

// checkTag returns a tag as it is kept: two that differ in case, blanks or composition are one.
func checkTag(tag string) (string, error) {
	tag = strings.ToLower(strings.Join(strings.Fields(norm.NFC.String(strings.ToValidUTF8(tag, "\uFFFD"))), " "))
	if tag == "" || utf8.RuneCountInString(tag) > maxTag || strings.ContainsRune(tag, ',') ||
		strings.ContainsFunc(tag, unicode.IsControl) {
		return "", errTag
	}

	return tag, nil
}

func checkTags(tags []string) ([]string, error) {
	checked := make([]string, len(tags))

	for i, tag := range tags {
		var err error
		if checked[i], err = checkTag(tag); err != nil {
			return nil, err
		}
	}

	slices.Sort(checked)

	if checked = slices.Compact(checked); len(checked) > maxTags {
		return nil, errTooManyTags
	}

	return checked, nil
}

const countTags = `
SELECT tag, count(*) FROM submission_tags WHERE tenant_id = $1 GROUP BY tag ORDER BY tag LIMIT 1000`

// Tags lists the tags that submissions of the tenant have, by name, the first thousand of them.
func (in *Inbox) Tags(ctx context.Context, tenantID uuid.UUID) ([]TagCount, error) {
	var found []TagCount

	err := in.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		rows, err := s.Tx.Query(ctx, countTags, tenantID)
		if err != nil {
			return err
		}

		found, err = pgx.CollectRows(rows, pgx.RowToStructByPos[TagCount])

		return err
	})

	return found, postgres.Fault("count tags", err)
}
