package report

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"formonce/internal/fault"
)

// deepest bounds the walk through a chain of errors; a longer one is cut.
const deepest = 16

var (
	codeShape  = regexp.MustCompile(`^[a-z0-9_]{1,64}$`)
	stateShape = regexp.MustCompile(`^[0-9A-Z]{5}$`)
)

// link is one error of a chain, without its text.
type link struct {
	typeName string
	// code is a fault's code or a database's SQLSTATE, or empty.
	code string
}

// Describe says what kind of error err is in words that are safe to log: the types of its chain, outermost first, with
// fault codes and SQLSTATEs, such as "*fault.Fault(storage_unavailable) > *pgconn.PgError(57P01)".
func Describe(err error) string {
	links := chain(err)
	parts := make([]string, len(links))

	for i, l := range links {
		parts[i] = l.typeName
		if l.code != "" {
			parts[i] += "(" + l.code + ")"
		}
	}

	return strings.Join(parts, " > ")
}

// chain walks err depth first, through joined errors too.
func chain(err error) []link {
	var links []link

	waiting := []error{err}
	for len(waiting) > 0 && len(links) < deepest {
		next := waiting[0]
		waiting = waiting[1:]

		if next == nil {
			continue
		}

		links = append(links, link{typeName: fmt.Sprintf("%T", next), code: codeOf(next)})
		waiting = append(inside(next), waiting...)
	}

	return links
}

func inside(err error) []error {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return append([]error(nil), many.Unwrap()...)
	}

	return []error{errors.Unwrap(err)}
}

// codeOf looks at err itself, not at what it wraps, so that a code stands beside the type that it belongs to.
func codeOf(err error) string {
	switch known := err.(type) { //nolint:errorlint // The chain is walked link by link.
	case *fault.Fault:
		if codeShape.MatchString(known.Code) {
			return known.Code
		}
	case interface{ SQLState() string }:
		if state := known.SQLState(); stateShape.MatchString(state) {
			return state
		}
	}

	return ""
}
