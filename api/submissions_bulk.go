package api

import (
	"github.com/google/uuid"

	"formonce/forms"
	"formonce/internal/fault"
)

// bulk is an action over many submissions.
type bulk struct {
	IDs    []string     `json:"ids"`
	Filter *bulkFilter  `json:"filter"`
	Action forms.Action `json:"action"`
	Tag    string       `json:"tag"`
}

// bulkFilter has the members that the list has as parameters.
type bulkFilter struct {
	EndpointID string            `json:"endpoint_id"`
	Status     forms.Status      `json:"status"`
	Query      string            `json:"q"`
	Fields     map[string]string `json:"field"`
	Tag        string            `json:"tag"`
	Starred    *bool             `json:"starred"`
	Read       *bool             `json:"read"`
	Since      string            `json:"since"`
	Until      string            `json:"until"`
	Cursor     string            `json:"cursor"`
}

func (b *bulk) wanted() (forms.Bulk, error) {
	made := forms.Bulk{Action: b.Action, Tag: b.Tag, IDs: make([]uuid.UUID, len(b.IDs))}

	for i, text := range b.IDs {
		var err error
		if made.IDs[i], err = forms.ParseID(text); err != nil {
			return made, fault.New(fault.Invalid, "invalid_member",
				"A member of ids is no submission's id: sub_ and 32 hex digits, in lower case. Correct it.").With("member", "ids")
		}
	}

	if b.Filter == nil {
		return made, nil
	}

	var err error
	made.Filter, err = b.Filter.filter()

	return made, err
}

func (f *bulkFilter) filter() (*forms.Filter, error) {
	made := &forms.Filter{
		EndpointID: f.EndpointID, Status: f.Status, Query: f.Query, Tag: f.Tag, Starred: f.Starred, Read: f.Read,
		Cursor: f.Cursor,
	}

	for name, value := range f.Fields {
		made.Fields = append(made.Fields, forms.FieldIs{Name: name, Value: value})
	}

	var err error
	if made.Since, err = timeOf("since", f.Since); err != nil {
		return nil, err
	}

	made.Until, err = timeOf("until", f.Until)

	return made, err
}

// bulkResult is what the action did, and where to go on.
type bulkResult struct {
	Matched    int     `json:"matched"`
	Changed    int     `json:"changed"`
	NextCursor *string `json:"next_cursor"`
}

func (a *API) changeSubmissions(r *request) (reply, error) {
	var sent bulk
	if err := r.decode(&sent); err != nil {
		return reply{}, err
	}

	wanted, err := sent.wanted()
	if err != nil {
		return reply{}, err
	}

	done, err := a.Inbox.Bulk(r.ctx(), r.caller.TenantID, wanted)
	if err != nil {
		return reply{}, err
	}

	answer := bulkResult{Matched: done.Matched, Changed: done.Changed}
	if done.NextCursor != "" {
		answer.NextCursor = &done.NextCursor
	}

	return ok(answer), nil
}
