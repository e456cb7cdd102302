// Package fault holds the one error type that crosses the borders between packages.
//
// A domain returns a Fault when it knows what went wrong and what the caller can do about it. Any other error that
// reaches the edge is treated as Internal: it is logged and reported there, once, and its text is never shown.
package fault

import (
	"errors"
	"maps"
	"time"
)

// Kind says what went wrong in general; the edge has the one table from a Kind to an HTTP status.
type Kind int

// The kinds, in the order of the HTTP statuses that they become.
const (
	Internal Kind = iota // the zero value, so that a Fault without a kind is never taken for the caller's mistake
	Invalid
	Unauthenticated
	Forbidden
	NotFound
	MethodNotAllowed
	Conflict
	Gone
	PreconditionFailed
	TooLarge
	UnsupportedMedia
	Unprocessable
	Limited
	Unavailable
)

// Issue is one thing wrong with one field of what was sent. Field is a name, never a value.
type Issue struct {
	Field   string
	Rule    string
	Message string
	// Case tells the cases of one rule apart where a surface has a word for each, such as the type that was expected; often
	// empty.
	Case string
}

// Fault is an error with a public side (Kind, Code, Message, Details, Issues, RetryAfter) and a private one (the cause,
// reached by errors.Unwrap). The public side never holds a submitted value.
type Fault struct {
	Kind Kind
	// Code is stable, in snake_case, and what programs compare.
	Code string
	// Message is a sentence that tells a person what to do next.
	Message string
	// Details is shown to the caller as it is; nil when there is nothing to add.
	Details map[string]any
	// Issues are the faults field by field, in the order of the fields.
	Issues []Issue
	// RetryAfter is how long the caller should wait; zero means that waiting does not help.
	RetryAfter time.Duration

	cause error
}

// New makes a Fault from its public parts.
func New(kind Kind, code, message string) *Fault {
	return &Fault{Kind: kind, Code: code, Message: message}
}

// Error is for logs; callers of the service see Message only.
func (f *Fault) Error() string {
	if f.cause == nil {
		return f.Code
	}

	return f.Code + ": " + f.cause.Error()
}

// Unwrap returns the cause, or nil.
func (f *Fault) Unwrap() error { return f.cause }

// Because returns a copy that carries the cause.
func (f *Fault) Because(cause error) *Fault {
	copied := *f
	copied.cause = cause

	return &copied
}

// With returns a copy with one more detail.
func (f *Fault) With(name string, value any) *Fault {
	copied := *f
	copied.Details = make(map[string]any, len(f.Details)+1)
	maps.Copy(copied.Details, f.Details)
	copied.Details[name] = value

	return &copied
}

// After returns a copy that asks the caller to wait this long before it tries again.
func (f *Fault) After(wait time.Duration) *Fault {
	copied := *f
	copied.RetryAfter = wait

	return &copied
}

// In returns a copy that names the field at fault, as an Issue with the Fault's own code and message.
func (f *Fault) In(field string) *Fault {
	copied := f.With("field", field)
	copied.Issues = []Issue{{Field: field, Rule: f.Code, Message: f.Message}}

	return copied
}

// As returns the Fault in err's chain, or an Internal one that has err as its cause.
func As(err error) *Fault {
	if found, ok := errors.AsType[*Fault](err); ok {
		return found
	}

	return New(Internal, "internal_error",
		"Something went wrong on our side. Try again; if it stays, send us the request id.").Because(err)
}

// Has says whether err carries a Fault with this code.
func Has(err error, code string) bool {
	found, ok := errors.AsType[*Fault](err)

	return ok && found.Code == code
}
