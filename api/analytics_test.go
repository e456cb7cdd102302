package api_test

import (
	"net/http"
	"testing"
	"time"

	"formonce/forms"
)

type wireCounts struct {
	Received         int `json:"received"`
	Accepted         int `json:"accepted"`
	Spam             int `json:"spam"`
	ReplaysPrevented int `json:"replays_prevented"`
}

func TestAnalyticsCountDaysAndUsageCountsTheMonth(t *testing.T) {
	t.Parallel()

	o := open(t)
	made := o.receive("contact-form", 3, "x")
	o.exec("UPDATE submissions SET status = 'spam' WHERE id = $1", made[0].ID)

	var report struct {
		Since, Until string
		TimeZone     string `json:"time_zone"`
		Totals       wireCounts
		Data         []struct {
			Day        string
			EndpointID string `json:"endpoint_id"`
			wireCounts
		}
	}
	o.send("GET", "/analytics?endpoint_id=contact-form&time_zone=Europe/Berlin", nil).want(http.StatusOK, &report)

	want := wireCounts{Received: 3, Accepted: 2, Spam: 1}
	if len(report.Data) != 1 || report.Data[0].wireCounts != want || report.Totals != want || report.TimeZone != "Europe/Berlin" {
		t.Errorf("got %+v", report)
	}

	since, _ := time.Parse(time.DateOnly, report.Since)
	until, _ := time.Parse(time.DateOnly, report.Until)

	if until.Sub(since) != 29*24*time.Hour || report.Data[0].Day != report.Until {
		t.Errorf("got %+v", report)
	}

	var usage struct {
		ThisMonth      wireCounts `json:"this_month"`
		Total          wireCounts `json:"total"`
		LastReceivedAt *string    `json:"last_received_at"`
	}
	o.send("GET", "/endpoints/contact-form/usage", nil).want(http.StatusOK, &usage)

	if usage.Total != want || usage.ThisMonth != want || usage.LastReceivedAt == nil {
		t.Errorf("got %+v", usage)
	}

	for query, code := range map[string]string{
		"since=2026-02-01&until=2026-01-01": "invalid_period", "since=2020-01-01": "invalid_period", "since=x": "invalid_time",
		"time_zone=x": "invalid_time_zone", "day=x": "unknown_parameter",
	} {
		o.send("GET", "/analytics?"+query, nil).refused(http.StatusBadRequest, code)
	}

	o.send("GET", "/analytics?endpoint_id=nobody", nil).refused(http.StatusNotFound, "endpoint_not_found")
	o.send("GET", "/analytics?since=2026-08-01T00:00:00%2B02:00&until=2026-08-31", nil).want(http.StatusOK, &report)

	if report.Since != "2026-07-31" || report.Until != "2026-08-31" {
		t.Errorf("got %+v", report)
	}
}

func TestAnEndpointIsErasedByAnAdminAndNobodySeesItAgain(t *testing.T) {
	t.Parallel()

	o := open(t)
	o.receive("contact-form", 3, "x")

	got := o.send("GET", "/endpoints/contact-form", nil)
	o.send("DELETE", "/endpoints/contact-form", nil, "If-Match", `"7"`).refused(http.StatusPreconditionFailed, "precondition_failed")
	o.send("DELETE", "/endpoints/contact-form", nil, "If-Match", got.header.Get("ETag")).want(http.StatusNoContent, nil)
	o.send("GET", "/endpoints/contact-form", nil).refused(http.StatusNotFound, "endpoint_not_found")
	o.send("DELETE", "/endpoints/contact-form", nil).refused(http.StatusNotFound, "endpoint_not_found")
	o.send("POST", "/endpoints", map[string]any{"id": "contact-form", "name": "Again"}).refused(http.StatusConflict, "endpoint_id_taken")

	page, err := forms.NewInbox(o.db).List(t.Context(), o.acme.Tenant.ID, forms.Filter{})
	if err != nil || len(page.Submissions) != 0 {
		t.Errorf("%d submissions can still be seen, %v", len(page.Submissions), err)
	}
}
