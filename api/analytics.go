package api

import (
	"net/http"
	"time"

	"formonce/forms"
	"formonce/internal/moment"
	"formonce/tenants"
)

var analyticsRoutes = []route{
	{
		method: http.MethodGet, path: "/analytics", role: tenants.Viewer, scope: tenants.ReadSubmissions,
		handle: (*API).getAnalytics,
	},
	{
		method: http.MethodGet, path: "/endpoints/:endpoint/usage", role: tenants.Viewer, scope: tenants.ReadEndpoints,
		handle: (*API).getUsage,
	},
}

// usualDays are those of a report that asks for none, today included.
const usualDays = 30

type counts struct {
	Received         int `json:"received"`
	Accepted         int `json:"accepted"`
	Spam             int `json:"spam"`
	ReplaysPrevented int `json:"replays_prevented"`
}

type dayCounts struct {
	Day        string `json:"day"`
	EndpointID string `json:"endpoint_id"`
	counts
}

type analytics struct {
	Since    string      `json:"since"`
	Until    string      `json:"until"`
	TimeZone string      `json:"time_zone"`
	Totals   counts      `json:"totals"`
	Data     []dayCounts `json:"data"`
}

func wireCounts(c forms.Counts) counts {
	return counts{
		Received: c.Received, Accepted: c.Received - c.Spam, Spam: c.Spam, ReplaysPrevented: c.ReplaysPrevented,
	}
}

func (a *API) getAnalytics(r *request) (reply, error) {
	period, err := r.period()
	if err != nil {
		return reply{}, err
	}

	found, err := a.Reports.Daily(r.ctx(), r.caller.TenantID, period)
	if err != nil {
		return reply{}, err
	}

	made := analytics{
		Since: period.First.Format(time.DateOnly), Until: period.Last.Format(time.DateOnly), TimeZone: period.Zone.String(),
		Totals: wireCounts(found.Totals), Data: make([]dayCounts, len(found.Days)),
	}
	for i, day := range found.Days {
		made.Data[i] = dayCounts{Day: day.Date, EndpointID: day.EndpointID, counts: wireCounts(day.Counts)}
	}

	return ok(made), nil
}

// period reads which days are meant: until today, and 30 days in all, where nothing is said.
func (r *request) period() (forms.Period, error) {
	if err := r.onlyQueries("endpoint_id", "since", "until", "time_zone"); err != nil {
		return forms.Period{}, err
	}

	zone, err := forms.ParseZone(r.query("time_zone"))
	if err != nil {
		return forms.Period{}, err
	}

	made := forms.Period{Zone: zone, EndpointID: r.query("endpoint_id"), Last: moment.Now().In(zone)}

	if text := r.query("until"); text != "" {
		if made.Last, err = dayOf("until", text, zone); err != nil {
			return forms.Period{}, err
		}
	}

	made.First = made.Last.AddDate(0, 0, 1-usualDays)

	if text := r.query("since"); text != "" {
		made.First, err = dayOf("since", text, zone)
	}

	return made, err
}

// dayOf reads a date, or the date of a time in the zone.
func dayOf(name, text string, zone *time.Location) (time.Time, error) {
	if date, err := time.Parse(time.DateOnly, text); err == nil {
		return date, nil
	}

	at, err := timeOf(name, text)

	return at.In(zone), err
}

type usage struct {
	EndpointID     string  `json:"endpoint_id"`
	Month          string  `json:"month"`
	ThisMonth      counts  `json:"this_month"`
	Total          counts  `json:"total"`
	LastReceivedAt *string `json:"last_received_at"`
}

func (a *API) getUsage(r *request) (reply, error) {
	found, err := a.Reports.Usage(r.ctx(), r.caller.TenantID, r.param("endpoint"))
	if err != nil {
		return reply{}, err
	}

	made := usage{
		EndpointID: r.param("endpoint"), Month: found.Month,
		ThisMonth: wireCounts(found.ThisMonth), Total: wireCounts(found.Total),
	}

	if !found.LastReceivedAt.IsZero() {
		last := moment.Write(found.LastReceivedAt)
		made.LastReceivedAt = &last
	}

	return ok(made), nil
}
