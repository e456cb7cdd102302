package tenants

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/id"
	"formonce/internal/postgres"
)

const mailIDPrefix = "mai_"

const (
	mailColumns = `SELECT id, kind, status, attempt_count, last_error, created_at, letter FROM mails`
	listMails   = mailColumns + ` ORDER BY created_at DESC, id DESC LIMIT $1`
	findMail    = mailColumns + ` WHERE id = $1`
	mailsShown  = 200
)

// Mail is a mail as the operator of an installation sees it.
type Mail struct {
	ID uuid.UUID
	// Kind says what it is about, such as "invitation"; Status is waiting, sent or dead.
	Kind, Status string
	AttemptCount int
	// LastError is the reply's code of a mail server (smtp_550) or no_answer; empty when all went well.
	LastError string
	CreatedAt time.Time
	// To, Subject, Text and Link are empty once the mail was delivered or given up.
	To, Subject, Text, Link string
}

// PublicMailID shows a mail's id to the operator.
func PublicMailID(mailID uuid.UUID) string { return id.Write(mailIDPrefix, mailID) }

var errMailNotFound = fault.New(fault.NotFound, "mail_not_found",
	"There is no such mail. List the mails to see their ids; they are kept for 30 days.")

// List returns the last 200 mails, the newest first. It is for the operator: a mail's link lets its holder in.
func (m *Mailbox) List(ctx context.Context) ([]Mail, error) {
	rows, err := m.db.Pool.Query(ctx, listMails, mailsShown)
	if err != nil {
		return nil, postgres.Fault("list the mails", err)
	}

	found, err := pgx.CollectRows(rows, m.scan)

	return found, postgres.Fault("list the mails", err)
}

// Get returns one mail by its id (mai_…), or the Fault mail_not_found.
func (m *Mailbox) Get(ctx context.Context, ref string) (Mail, error) {
	mailID, err := id.Parse(mailIDPrefix, ref)
	if err != nil {
		return Mail{}, errMailNotFound
	}

	rows, err := m.db.Pool.Query(ctx, findMail, mailID)
	if err != nil {
		return Mail{}, postgres.Fault("read a mail", err)
	}

	found, err := pgx.CollectExactlyOneRow(rows, m.scan)
	if errors.Is(err, pgx.ErrNoRows) {
		return Mail{}, errMailNotFound
	}

	return found, postgres.Fault("read a mail", err)
}

func (m *Mailbox) scan(row pgx.CollectableRow) (Mail, error) {
	var (
		found  Mail
		sealed []byte
	)

	err := row.Scan(&found.ID, &found.Kind, &found.Status, &found.AttemptCount, &found.LastError, &found.CreatedAt, &sealed)
	if err != nil || sealed == nil {
		return found, err
	}

	written, err := m.open(found.ID, sealed)
	found.To, found.Subject, found.Text, found.Link = written.To, written.Subject, written.Text, written.Link

	return found, err
}
