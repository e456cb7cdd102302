package postgres

import (
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"formonce/internal/fault"
)

// ErrUnavailable is what a caller is told while the database cannot answer. The same request may be sent again.
var ErrUnavailable = fault.New(fault.Unavailable, "storage_unavailable",
	"We cannot store anything at the moment. Try again in a moment, with the same idempotency key if you sent one.").
	After(2 * time.Second)

// Fault says what was being done when err happened: ErrUnavailable when a retry may succeed, a Fault as it is, anything
// else wrapped. It returns nil for nil.
func Fault(doing string, err error) error {
	if err == nil {
		return nil
	}

	if _, known := errors.AsType[*fault.Fault](err); known {
		return err
	}

	if Unavailable(err) {
		return ErrUnavailable.Because(fmt.Errorf("%s: %w", doing, err))
	}

	return fmt.Errorf("%s: %w", doing, err)
}

// ForeignKeyViolation says whether err is the refusal of a row whose parent is gone or never was.
func ForeignKeyViolation(err error) bool { return hasCode(err, "23503") }

// UniqueViolation says whether err is the refusal of a row that repeats a unique key.
func UniqueViolation(err error) bool { return hasCode(err, "23505") }

func hasCode(err error, code string) bool {
	refused, ok := errors.AsType[*pgconn.PgError](err)

	return ok && refused.Code == code
}
