package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"formonce/forms"
)

type sentSubmission struct {
	ID     string
	Status string
	Fields []struct {
		Name  string
		Value any
	}
	Tags          []string
	Starred, Read bool
	ReplayCount   int `json:"replay_count"`
}

type sentPage struct {
	Data       []sentSubmission
	NextCursor *string `json:"next_cursor"`
}

// inbox is an office with an endpoint and three submissions, the newest of them spam.
func openInbox(t *testing.T) (o *office, ids []string) {
	t.Helper()

	o = open(t)
	o.send("POST", "/endpoints", map[string]any{"id": "contact-form", "name": "Contact"}).want(http.StatusCreated, nil)

	for i, said := range []string{"Grüße aus München", "hello world", "hello spam"} {
		status := []forms.Status{forms.StatusAccepted, forms.StatusAccepted, forms.StatusSpam}[i]
		ids = append(ids, o.submitted("contact-form", status, forms.Fields{
			{Name: "message", Value: forms.Text(said)}, {Name: "n", Value: forms.JSON("12345678901234567890")},
		}))
	}

	return o, ids
}

func (o *office) ids(query string) []string {
	o.Helper()

	var page sentPage
	o.send("GET", "/submissions?"+query, nil).want(http.StatusOK, &page)

	found := []string{}
	for _, submission := range page.Data {
		found = append(found, submission.ID)
	}

	return found
}

func TestTheListTakesItsFiltersFromTheAddress(t *testing.T) {
	t.Parallel()

	o, ids := openInbox(t)
	o.send("PATCH", "/submissions/"+ids[0], map[string]any{"starred": true, "tags": []string{"VIP"}}).want(http.StatusOK, nil)
	o.send("PATCH", "/submissions/"+ids[1], map[string]any{"read": true}).want(http.StatusOK, nil)

	for query, want := range map[string][]string{
		"":                     {ids[2], ids[1], ids[0]},
		"status=&q=&limit=100": {ids[2], ids[1], ids[0]},
		"status=spam":          {ids[2]},
		"status=accepted":      {ids[1], ids[0]},
		"endpoint_id=other":    {},
		"q=" + url.QueryEscape("munchen GRUSS") + "%20":            {},
		"q=" + url.QueryEscape("munchen GRU"):                      {ids[0]},
		"q=hello&status=accepted":                                  {ids[1]},
		"q=" + ids[0]:                                              {ids[0]},
		url.QueryEscape("field[message]") + "=hello+world":         {ids[1]},
		"field[message]=hello+world&field[n]=12345678901234567890": {ids[1]},
		"field[message]=hello":                                     {},
		"tag=vip":                                                  {ids[0]},
		"tag=%00":                                                  {},
		"starred=true":                                             {ids[0]},
		"starred=false":                                            {ids[2], ids[1]},
		"read=true":                                                {ids[1]},
		"read=false":                                               {ids[2], ids[0]},
		"since=2020-01-01&until=2120-01-01T00:00:00Z":              {ids[2], ids[1], ids[0]},
		"until=2020-01-01":                                         {},
		"since=" + url.QueryEscape("2120-01-01T00:00:00.5+02:00"):            {},
		"endpoint_id=contact-form&status=accepted&q=hello&read=true&tag=vip": {},
	} {
		if got := o.ids(query); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", query, got, want)
		}
	}

	for query, code := range map[string]string{
		"statsu=spam": "unknown_parameter", "status=open": "invalid_status", "limit=0": "invalid_limit", "cursor=x": "invalid_cursor",
		"starred=1": "invalid_parameter", "read=TRUE": "invalid_parameter", "since=yesterday": "invalid_time", "until=1": "invalid_time",
		"field=x": "unknown_parameter",
	} {
		o.send("GET", "/submissions?"+query, nil).refused(http.StatusBadRequest, code)
	}
}

func TestThePagesOfAListFollowOneAnother(t *testing.T) {
	t.Parallel()

	o, ids := openInbox(t)

	var got []string

	for cursor := ""; ; {
		var page sentPage
		o.send("GET", "/submissions?limit=1&cursor="+cursor, nil).want(http.StatusOK, &page)
		got = append(got, page.Data[0].ID)

		if page.NextCursor == nil {
			break
		}

		cursor = *page.NextCursor
	}

	slices.Reverse(got)

	if !slices.Equal(got, ids) {
		t.Errorf("got %v, want %v", got, ids)
	}
}

func TestASubmissionIsReadMarkedAndErased(t *testing.T) {
	t.Parallel()

	o, ids := openInbox(t)

	var got sentSubmission

	o.send("GET", "/submissions/"+ids[0], nil).want(http.StatusOK, &got)

	if got.Status != "accepted" || got.Fields[0].Value != "Grüße aus München" || got.ReplayCount != 1 || got.Tags == nil || got.Read {
		t.Errorf("got %+v", got)
	}

	o.send("PATCH", "/submissions/"+ids[0], map[string]any{"tags": []string{"b", " A  a "}, "read": true, "status": "spam"}).
		want(http.StatusOK, &got)

	if got.Status != "spam" || !got.Read || got.Starred || !slices.Equal(got.Tags, []string{"a a", "b"}) {
		t.Errorf("got %+v", got)
	}

	o.send("PATCH", "/submissions/"+ids[0], map[string]any{"tags": []string{}}).want(http.StatusOK, &got)

	if len(got.Tags) != 0 || got.Status != "spam" {
		t.Errorf("got %+v", got)
	}

	var timeline struct {
		Data []struct {
			Kind string
			By   *struct{ Kind, Name string }
			Tag  string
		}
	}

	o.send("GET", "/submissions/"+ids[0]+"/timeline", nil).want(http.StatusOK, &timeline)

	if n := len(timeline.Data); n != 8 || timeline.Data[0].Kind != "received" || timeline.Data[1].By == nil ||
		timeline.Data[1].By.Kind != "api_key" || timeline.Data[n-1].Kind != "replayed" {
		t.Errorf("got %+v", timeline)
	}

	o.send("DELETE", "/submissions/"+ids[0], nil).want(http.StatusNoContent, nil)

	for _, path := range []string{ids[0], ids[0] + "/timeline", "sub_1", "sub_0198"} {
		o.send("GET", "/submissions/"+path, nil).refused(http.StatusNotFound, "submission_not_found")
	}

	o.send("DELETE", "/submissions/"+ids[0], nil).refused(http.StatusNotFound, "submission_not_found")
	o.send("PATCH", "/submissions/"+ids[0], map[string]any{"starred": true}).refused(http.StatusNotFound, "submission_not_found")
}

func TestManySubmissionsAreChangedAtOnce(t *testing.T) {
	t.Parallel()

	o, ids := openInbox(t)

	for _, step := range []struct {
		body             map[string]any
		matched, changed int
	}{
		{map[string]any{"ids": ids, "action": "tag", "tag": "Later"}, 3, 3},
		{map[string]any{"filter": map[string]any{"q": "hello "}, "action": "tag", "tag": "later"}, 2, 0},
		{map[string]any{"filter": map[string]any{"field": map[string]any{"message": "hello world"}}, "action": "star"}, 1, 1},
		{map[string]any{"filter": map[string]any{"status": "spam"}, "action": "not_spam"}, 1, 1},
		{map[string]any{"filter": map[string]any{"status": "spam"}, "action": "not_spam"}, 0, 0},
		{map[string]any{"filter": map[string]any{"tag": "later", "since": "2020-01-01", "starred": false}, "action": "erase"}, 2, 2},
		{map[string]any{"ids": ids, "action": "read"}, 1, 1},
	} {
		var got struct{ Matched, Changed int }
		o.send("POST", "/submissions/bulk", step.body).want(http.StatusOK, &got)

		if got.Matched != step.matched || got.Changed != step.changed {
			t.Errorf("%v: got %+v", step.body, got)
		}
	}

	var tags struct {
		Data []struct {
			Tag   string
			Count int
		}
	}

	o.send("GET", "/submissions/tags", nil).want(http.StatusOK, &tags)

	if fmt.Sprint(tags.Data) != "[{later 1}]" {
		t.Errorf("got %v", tags.Data)
	}

	for code, body := range map[string]map[string]any{
		"invalid_action":    {"ids": ids, "action": "sell"},
		"invalid_selection": {"action": "star"},
		"invalid_tag":       {"ids": ids, "action": "tag"},
		"invalid_member":    {"ids": []string{"sub_1"}, "action": "star"},
		"unknown_member":    {"ids": ids, "action": "star", "all": true},
		"invalid_time":      {"filter": map[string]any{"since": "soon"}, "action": "star"},
		"invalid_status":    {"filter": map[string]any{"status": "open"}, "action": "star"},
	} {
		o.send("POST", "/submissions/bulk", body).refused(http.StatusBadRequest, code)
	}
}
