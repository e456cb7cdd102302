package api

import (
	"net/http"

	"github.com/google/uuid"

	"formonce/forms"
	"formonce/internal/fault"
	"formonce/tenants"
)

var submissionRoutes = []route{
	{
		method: http.MethodGet, path: "/submissions", role: tenants.Viewer, scope: tenants.ReadSubmissions,
		handle: (*API).listSubmissions,
	},
	{
		method: http.MethodGet, path: "/submissions/tags", role: tenants.Viewer, scope: tenants.ReadSubmissions,
		handle: (*API).listTags,
	},
	{
		method: http.MethodPost, path: "/submissions/bulk", role: tenants.Editor, scope: tenants.WriteSubmissions,
		handle: (*API).changeSubmissions,
	},
	{
		method: http.MethodGet, path: "/submissions/:submission", role: tenants.Viewer, scope: tenants.ReadSubmissions,
		handle: (*API).getSubmission,
	},
	{
		method: http.MethodPatch, path: "/submissions/:submission", role: tenants.Editor, scope: tenants.WriteSubmissions,
		handle: (*API).updateSubmission,
	},
	{
		method: http.MethodDelete, path: "/submissions/:submission", role: tenants.Editor, scope: tenants.WriteSubmissions,
		handle: (*API).eraseSubmission,
	},
	{
		method: http.MethodGet, path: "/submissions/:submission/timeline", role: tenants.Viewer, scope: tenants.ReadSubmissions,
		handle: (*API).readTimeline,
	},
}

// submissionID is the one in the path. What is no id at all is nobody's submission.
func (r *request) submissionID() (uuid.UUID, error) {
	found, err := forms.ParseID(r.param("submission"))
	if err != nil {
		return uuid.UUID{}, fault.New(fault.NotFound, "submission_not_found",
			"There is no submission with this id. Look its id up in the list of submissions.")
	}

	return found, nil
}

func (a *API) listSubmissions(r *request) (reply, error) {
	filter, err := r.submissionFilter()
	if err != nil {
		return reply{}, err
	}

	page, err := a.Inbox.List(r.ctx(), r.caller.TenantID, filter)
	if err != nil {
		return reply{}, err
	}

	data := make([]submission, len(page.Submissions))
	for i := range page.Submissions {
		data[i] = wireSubmission(&page.Submissions[i])
	}

	return ok(listOf(data, page.NextCursor)), nil
}

func (a *API) getSubmission(r *request) (reply, error) {
	submissionID, err := r.submissionID()
	if err != nil {
		return reply{}, err
	}

	found, err := a.Inbox.Get(r.ctx(), r.caller.TenantID, submissionID)
	if err != nil {
		return reply{}, err
	}

	return ok(wireSubmission(&found)), nil
}

func (a *API) updateSubmission(r *request) (reply, error) {
	submissionID, err := r.submissionID()
	if err != nil {
		return reply{}, err
	}

	var wanted struct {
		Starred *bool        `json:"starred"`
		Read    *bool        `json:"read"`
		Tags    *[]string    `json:"tags"`
		Status  forms.Status `json:"status"`
	}

	if err := r.decode(&wanted); err != nil {
		return reply{}, err
	}

	changed, err := a.Inbox.Update(r.ctx(), r.caller.TenantID, submissionID, forms.Changes(wanted))
	if err != nil {
		return reply{}, err
	}

	return ok(wireSubmission(&changed)), nil
}

func (a *API) eraseSubmission(r *request) (reply, error) {
	submissionID, err := r.submissionID()
	if err != nil {
		return reply{}, err
	}

	if err := a.Inbox.Erase(r.ctx(), r.caller.TenantID, submissionID); err != nil {
		return reply{}, err
	}

	return noContent(), nil
}

func (a *API) listTags(r *request) (reply, error) {
	found, err := a.Inbox.Tags(r.ctx(), r.caller.TenantID)
	if err != nil {
		return reply{}, err
	}

	data := make([]tagCount, len(found))
	for i := range found {
		data[i] = tagCount(found[i])
	}

	return ok(listOf(data, "")), nil
}

func (a *API) readTimeline(r *request) (reply, error) {
	submissionID, err := r.submissionID()
	if err != nil {
		return reply{}, err
	}

	events, err := a.Inbox.Timeline(r.ctx(), r.caller.TenantID, submissionID)
	if err != nil {
		return reply{}, err
	}

	data := make([]event, len(events))
	for i := range events {
		data[i] = wireEvent(events[i])
	}

	return ok(listOf(data, "")), nil
}
