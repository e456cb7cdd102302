package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"
)

// passing are the SQLSTATEs (PostgreSQL, appendix A), or classes of them, after which the same statement may succeed.
var passing = []string{
	"08",    // the connection failed
	"53",    // out of connections, memory or disk
	"57P01", // the server is being stopped
	"57P02", // another process of the server crashed
	"57P03", // the server is still starting
	"57P05", // the session was idle for too long
	"57014", // the statement took too long; a caller that gave up is told apart by its own context
	"55P03", // a lock was not to be had in time
	"40001", // two transactions could not be put in an order
	"40P01", // two transactions waited for each other
	"25P03", // the transaction was idle for too long
	"25006", // the server is a standby, as after a change of the primary
}

// broken are the errors of a connection that ended in the middle, or of a pool that is being closed.
var broken = []error{
	io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, context.DeadlineExceeded, driver.ErrBadConn, sql.ErrConnDone,
	puddle.ErrClosedPool, syscall.ECONNRESET, syscall.ECONNREFUSED, syscall.EPIPE,
}

// Unavailable says whether the database could not answer and a retry may succeed. A caller that gave up, a mistake in a
// statement and a broken constraint are not that.
func Unavailable(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}

	if _, connecting := errors.AsType[*pgconn.ConnectError](err); connecting {
		return true
	}

	if answered, found := errors.AsType[*pgconn.PgError](err); found {
		return slices.ContainsFunc(passing, func(state string) bool { return strings.HasPrefix(answered.Code, state) })
	}

	var network net.Error

	return errors.As(err, &network) || pgconn.SafeToRetry(err) ||
		slices.ContainsFunc(broken, func(known error) bool { return errors.Is(err, known) })
}

// Patterns of texts that can hold a value and are no longer in the error's chain: gorm keeps only the last of several
// errors, and pgx quotes an argument that it cannot encode.
var (
	flattened = regexp.MustCompile(`(?s)(?:ERROR|FATAL|PANIC): .*\(SQLSTATE ([0-9A-Z]{5})\)`)
	encoded   = regexp.MustCompile(`(?s)unable to encode .*`)
)

// Describe returns the error's text in a form that is safe for logs. What the database said is reduced to its SQLSTATE and
// the names of constraint, table, column and routine, because its sentences can hold submitted values.
func Describe(err error) string {
	if err == nil {
		return ""
	}

	text := err.Error()

	for _, inner := range chain(err) {
		switch found := inner.(type) { //nolint:errorlint // The chain is walked link by link already.
		case *pgconn.PgError:
			text = withoutSentences(text, found)
		case *strconv.NumError:
			text = strings.ReplaceAll(text, found.Error(), "strconv."+found.Func+": "+found.Err.Error())
		}
	}

	text = flattened.ReplaceAllString(text, "SQLSTATE $1")

	return encoded.ReplaceAllString(text, "unable to encode a value")
}

// withoutSentences replaces the whole of what the database said, then any part of it that a wrapper took out alone.
func withoutSentences(text string, found *pgconn.PgError) string {
	text = strings.ReplaceAll(text, found.Error(), summary(found))

	for _, sentence := range []string{found.Detail, found.Where, found.InternalQuery, found.Hint, found.Message} {
		if sentence != "" {
			text = strings.ReplaceAll(text, sentence, "…")
		}
	}

	return text
}

func summary(found *pgconn.PgError) string {
	words := []string{"SQLSTATE " + found.Code}

	for _, name := range [][2]string{
		{"constraint", found.ConstraintName},
		{"table", found.TableName},
		{"column", found.ColumnName},
		{"routine", found.Routine},
	} {
		if name[1] != "" {
			words = append(words, name[0]+" "+name[1])
		}
	}

	return strings.Join(words, ", ")
}

// chain lists an error and all that it wraps, joined errors too.
func chain(err error) []error {
	links := []error{err}

	switch wrapper := err.(type) { //nolint:errorlint // One link is looked at here; the recursion sees the rest.
	case interface{ Unwrap() error }:
		if inner := wrapper.Unwrap(); inner != nil {
			links = append(links, chain(inner)...)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range wrapper.Unwrap() {
			links = append(links, chain(inner)...)
		}
	}

	return links
}
