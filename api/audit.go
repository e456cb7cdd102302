package api

import (
	"net/http"
	"time"

	"formonce/internal/fault"
	"formonce/internal/moment"
	"formonce/tenants"
)

var auditRoutes = []route{
	{method: http.MethodGet, path: "/audit-log", role: tenants.Admin, handle: (*API).listEntries},
}

type entry struct {
	ID        string         `json:"id"`
	At        string         `json:"at"`
	Actor     entryActor     `json:"actor"`
	Action    string         `json:"action"`
	Target    string         `json:"target"`
	Details   map[string]any `json:"details"`
	Address   string         `json:"address"`
	Agent     string         `json:"agent"`
	RequestID string         `json:"request_id"`
}

type entryActor struct {
	Kind tenants.ActorKind `json:"kind"`
	// ID is empty for an operator and the service itself.
	ID   string `json:"id"`
	Name string `json:"name"`
}

func wireEntry(e tenants.Entry) entry {
	return entry{
		ID: tenants.PublicEntryID(e.ID), At: moment.Write(e.At),
		Actor:  entryActor{e.Actor.Kind, tenants.PublicActorID(e.Actor), e.Actor.Name},
		Action: e.Action, Target: e.Target, Details: e.Details,
		Address: e.Actor.Address, Agent: e.Actor.Agent, RequestID: e.Actor.RequestID,
	}
}

func (a *API) listEntries(r *request) (reply, error) {
	if err := r.onlyQueries("actor", "action", "target", "since", "until", "limit", "cursor"); err != nil {
		return reply{}, err
	}

	filter := tenants.HistoryFilter{Actor: r.query("actor"), Action: r.query("action"), Target: r.query("target")}

	for name, at := range map[string]*time.Time{"since": &filter.Since, "until": &filter.Until} {
		var err error
		if *at, err = r.time(name); err != nil {
			return reply{}, err
		}
	}

	limit, err := r.limit()
	if err != nil {
		return reply{}, err
	}

	found, next, err := a.People.History.List(r.ctx(), r.caller.TenantID, filter, limit, r.query("cursor"))
	if err != nil {
		return reply{}, err
	}

	data := make([]entry, len(found))
	for i := range found {
		data[i] = wireEntry(found[i])
	}

	return ok(listOf(data, next)), nil
}

// time is a parameter of the address that is a time; zero when it is not there.
func (r *request) time(name string) (time.Time, error) {
	text := r.query(name)
	if text == "" {
		return time.Time{}, nil
	}

	read, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, fault.New(fault.Invalid, "invalid_time",
			"A time is written as in 2026-08-24T14:34:27Z.").With("parameter", name)
	}

	return read, nil
}
