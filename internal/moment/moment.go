// Package moment has the one kind of time that the service stores and shows: UTC, in whole microseconds.
package moment

import "time"

// layout keeps the zeros at the end, so that all times are of one length and a receipt reads the same at every replay.
const layout = "2006-01-02T15:04:05.000000Z"

// Now is the time by this machine's clock, in what the database keeps of it: what is stored can be shown before it is
// read again.
func Now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// Write shows a time to people and programs: RFC 3339 in UTC with microseconds.
func Write(t time.Time) string { return t.UTC().Format(layout) }
