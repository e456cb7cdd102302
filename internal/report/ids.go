// Package report tells Sentry about faults of the service, as ids and places in the code only.
//
// The text of an error or of a panic may hold what a visitor submitted, so it never leaves the process: an event holds
// the Go types of the chain of errors, fault codes, SQLSTATEs, frames of the stack and the ids of IDs.
package report

import (
	"iter"
	"regexp"
)

// IDs says what a fault happened to. There is no field that a submitted value could go in; what does not look like an id
// or a route is left out.
type IDs struct {
	RequestID, Tenant, Endpoint, Submission, Delivery, Attempt string
	// Route is a pattern such as /f/:endpoint, or the name of a loop; never a path.
	Route string
}

var harmless = regexp.MustCompile(`^[A-Za-z0-9_./:*-]{1,128}$`)

// All yields the ids that are set, by their names in logs and reports.
func (ids IDs) All() iter.Seq2[string, string] {
	rows := [...]struct{ name, value string }{
		{"request_id", ids.RequestID},
		{"route", ids.Route},
		{"tenant", ids.Tenant},
		{"endpoint", ids.Endpoint},
		{"submission", ids.Submission},
		{"delivery", ids.Delivery},
		{"attempt", ids.Attempt},
	}

	return func(yield func(string, string) bool) {
		for _, row := range rows {
			if harmless.MatchString(row.value) && !yield(row.name, row.value) {
				return
			}
		}
	}
}
