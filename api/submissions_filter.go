package api

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"formonce/forms"
	"formonce/internal/fault"
)

// submissionFilters are the parameters by which submissions are chosen, beside field[name].
var submissionFilters = []string{"endpoint_id", "status", "q", "tag", "starred", "read", "since", "until", "limit", "cursor"}

// submissionFilter reads the parameters of the address. One that is there and empty counts as not there. Others that the
// route knows are named.
func (r *request) submissionFilter(others ...string) (forms.Filter, error) {
	known := slices.Concat(submissionFilters, others)

	var fields []forms.FieldIs

	for name, values := range r.gin.Request.URL.Query() {
		inner, isField := strings.CutPrefix(name, "field[")
		if isField = isField && strings.HasSuffix(inner, "]"); !isField {
			continue
		}

		known = append(known, name)
		for _, value := range values {
			fields = append(fields, forms.FieldIs{Name: strings.TrimSuffix(inner, "]"), Value: value})
		}
	}

	if err := r.onlyQueries(known...); err != nil {
		return forms.Filter{}, err
	}

	limit, err := r.limit()
	if err != nil {
		return forms.Filter{}, err
	}

	filter := forms.Filter{
		EndpointID: r.query("endpoint_id"), Status: forms.Status(r.query("status")), Query: r.query("q"), Fields: fields,
		Tag: r.query("tag"), Cursor: r.query("cursor"), Limit: limit,
	}

	err = r.moreFilters(&filter)

	return filter, err
}

func (r *request) moreFilters(filter *forms.Filter) (err error) {
	if filter.Starred, err = yesOrNo("starred", r.query("starred")); err != nil {
		return err
	}

	if filter.Read, err = yesOrNo("read", r.query("read")); err != nil {
		return err
	}

	if filter.Since, err = timeOf("since", r.query("since")); err != nil {
		return err
	}

	filter.Until, err = timeOf("until", r.query("until"))

	return err
}

func yesOrNo(name, text string) (*bool, error) {
	if text == "" {
		return nil, nil
	}

	value, err := strconv.ParseBool(text)
	if err != nil || text != strconv.FormatBool(value) {
		return nil, fault.New(fault.Invalid, "invalid_parameter",
			"This parameter is true or false. Leave it out to get both.").With("parameter", name)
	}

	return &value, nil
}

// timeOf reads a time (RFC 3339), or a date, which begins at midnight in UTC.
func timeOf(name, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}

	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if read, err := time.Parse(layout, text); err == nil {
			return read.UTC(), nil
		}
	}

	return time.Time{}, fault.New(fault.Invalid, "invalid_time",
		"This parameter is a time such as 2026-08-24T14:34:27Z, with + written as %2B, or a date such as 2026-08-24.").
		With("parameter", name)
}
