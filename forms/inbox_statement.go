package forms

import (
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// statement grows by texts and by the arguments that their question marks stand for. The first argument is the tenant.
type statement struct {
	text strings.Builder
	args []any
}

func (q *statement) add(text string, args ...any) {
	for _, arg := range args {
		q.args = append(q.args, arg)
		text = strings.Replace(text, "?", "$"+strconv.Itoa(len(q.args)), 1)
	}

	q.text.WriteString(text)
}

// along is the statement for the ids of the newest submissions that are meant, whatever is searched for.
func (s *selection) along(limit int) *statement {
	q := &statement{}
	q.add("SELECT "+s.walk.id+" AS id FROM "+s.walk.table+" AS d WHERE d.tenant_id = ?", s.tenantID)
	q.add(" AND "+s.walk.id+" >= ? AND "+s.walk.id+" < ?", s.since, s.before)
	s.narrow(q, s.walk)
	q.add(" ORDER BY "+s.walk.id+" DESC LIMIT ?", limit)

	return q
}

// among is the statement for those of the ids that are meant, whatever is searched for, the newest first.
func (s *selection) among(ids []uuid.UUID) *statement {
	q := &statement{}
	q.add("SELECT d.id FROM submissions AS d WHERE d.tenant_id = ? AND d.id = ANY(?)", s.tenantID, ids)
	s.narrow(q, bySubmission)
	q.add(" ORDER BY d.id DESC")

	return q
}

// narrow adds what must hold of a row of the walk.
func (s *selection) narrow(q *statement, w walk) {
	s.narrowByReceipt(q, w)
	s.narrowByTag(q, w)
	narrowByMark(q, w, s.filter.Starred, "starred")
	narrowByMark(q, w, s.filter.Read, "read_at IS NOT NULL")
}

func (s *selection) narrowByReceipt(q *statement, w walk) {
	name, conditions := "d", statement{args: q.args}
	if w.table != bySubmission.table {
		name = "s"
	}

	for _, condition := range []struct {
		wanted bool
		text   string
		value  any
	}{
		{s.filter.EndpointID != "", ".endpoint_id = ?", s.filter.EndpointID},
		{s.filter.Status != "", ".status = ?", s.filter.Status},
		{!s.filter.Since.IsZero(), ".received_at >= ?", s.filter.Since},
		{!s.filter.Until.IsZero(), ".received_at < ?", s.filter.Until},
	} {
		if condition.wanted {
			conditions.add(" AND "+name+condition.text, condition.value)
		}
	}

	// Said in the text of the statement, or a plan that is kept for any parameter could not use the indexes of what was
	// set aside.
	if s.filter.Status == StatusSpam {
		conditions.add(" AND " + name + ".status <> 'accepted'")
	}

	text := conditions.text.String()
	if name == "s" && text != "" {
		text = " AND EXISTS (SELECT FROM submissions AS s WHERE s.tenant_id = $1 AND s.id = " + w.id + text + ")"
	}

	q.args = conditions.args
	q.add(text)
}

func (s *selection) narrowByTag(q *statement, w walk) {
	switch {
	case s.filter.Tag == "":
	case w == byTag:
		q.add(" AND d.tag = ?", s.filter.Tag)
	default:
		q.add(" AND EXISTS (SELECT FROM submission_tags AS t WHERE t.tenant_id = $1 AND t.tag = ? AND t.submission_id = "+
			w.id+")", s.filter.Tag)
	}
}

// narrowByMark asks for a mark, or for its absence, which is where no row is, too.
func narrowByMark(q *statement, w walk, wanted *bool, mark string) {
	if wanted == nil {
		return
	}

	condition := "EXISTS (SELECT FROM submission_marks AS m WHERE m.tenant_id = $1 AND m.submission_id = " + w.id + " AND m." + mark + ")"
	if w.table == byStar.table {
		condition = "(d." + mark + ")"
	}

	if !*wanted {
		condition = "NOT " + condition
	}

	q.add(" AND " + condition)
}
