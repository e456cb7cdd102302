package tenants

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/mail"
	"formonce/internal/postgres"
)

// mailLease is how long one process has for sending a mail, before another one may think that it has died.
const mailLease = 2 * time.Minute

// The first pauses are short, since a person waits for the mail; the last ones spare a server that is down.
const (
	mailPauseFirst = 10 * time.Second
	mailPauseLast  = 3 * time.Hour
)

const (
	// One that was not sent in time is not sent any more: its link is dead.
	expireMails = `
UPDATE mails SET status = 'dead', letter = NULL, last_error = CASE last_error WHEN '' THEN 'too late' ELSE last_error END
WHERE status = 'waiting' AND expires_at <= now() AND next_attempt_at <= now()`
	claimMail = `
UPDATE mails SET attempt_count = attempt_count + 1, next_attempt_at = now() + $1::interval
WHERE id = (
    SELECT id FROM mails WHERE status = 'waiting' AND next_attempt_at <= now() AND expires_at > now()
    ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING id, kind, attempt_count, letter`
	// Whoever comes back after their lease has ended changes nothing: the attempt is another one by then.
	settleMail = `
UPDATE mails SET status = $3, letter = CASE WHEN $4 THEN NULL ELSE letter END, last_error = $5,
    next_attempt_at = now() + $6::interval
WHERE id = $1 AND attempt_count = $2 AND status = 'waiting'`
	rewriteMail = `UPDATE mails SET letter = $3, login_id = $4 WHERE id = $1 AND attempt_count = $2`
	dropMail    = `DELETE FROM mails WHERE id = $1`
	findLogin   = `SELECT id FROM logins WHERE email = $1 FOR SHARE`
)

// errLeaseLost means that another process has taken the mail over.
var errLeaseLost = errors.New("the lease of a mail has ended")

// MailSender carries a mail to its recipient; internal/mail has those that there are.
type MailSender interface {
	Send(ctx context.Context, message mail.Message) error
	// Delivers says whether a mail that was sent has left the house. One that has not stays readable for the operator.
	Delivers() bool
}

// claimed is a mail that this process is to send.
type claimed struct {
	id      uuid.UUID
	kind    string
	attempt int
	sealed  []byte
}

// Send sends every mail that is due, one after the other. Several processes may do so at the same time. A mail that cannot
// be sent waits longer each time, and is given up when the server refuses it for good or its link has ended. The error is
// the last failure to send.
func (m *Mailbox) Send(ctx context.Context, sender MailSender) error {
	if _, err := m.db.Pool.Exec(ctx, expireMails); err != nil {
		return postgres.Fault("give up old mails", err)
	}

	var failed error

	for {
		next, found, err := m.claim(ctx)
		if err != nil || !found {
			return errors.Join(failed, err)
		}

		if err := m.deliver(ctx, sender, next); err != nil {
			failed = err
		}
	}
}

func (m *Mailbox) claim(ctx context.Context) (claimed, bool, error) {
	var next claimed

	err := m.db.Pool.QueryRow(ctx, claimMail, mailLease).Scan(&next.id, &next.kind, &next.attempt, &next.sealed)
	if errors.Is(err, pgx.ErrNoRows) {
		return claimed{}, false, nil
	}

	return next, err == nil, postgres.Fault("claim a mail", err)
}

func (m *Mailbox) deliver(ctx context.Context, sender MailSender, next claimed) error {
	written, err := m.open(next.id, next.sealed)
	if err == nil && written.Text == "" {
		written, err = m.finish(ctx, next, written)
	}

	if err == nil && written.Text == "" {
		return nil // It was for nobody.
	}

	if err == nil {
		sending, cancel := context.WithTimeout(ctx, mailLease)
		err = sender.Send(sending, mail.Message{
			ID: strings.ReplaceAll(next.id.String(), "-", ""), To: written.To, Subject: written.Subject,
			Text: written.Text, HTML: written.HTML, Link: written.Link,
		})

		cancel()
	}

	return errors.Join(err, m.settle(ctx, sender, next, err))
}

func (m *Mailbox) settle(ctx context.Context, sender MailSender, next claimed, failed error) error {
	status, wipe, reason := "sent", sender.Delivers(), ""

	switch {
	case failed == nil:
	case mail.Refused(failed):
		status, wipe, reason = "dead", true, reasonOf(failed)
	default:
		status, wipe, reason = "waiting", false, reasonOf(failed)
	}

	// What was sent is settled also while the service stops: otherwise it would be sent twice.
	settling, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()

	_, err := m.db.Pool.Exec(settling, settleMail, next.id, next.attempt, status, wipe, reason, mailPause(next.attempt))

	return postgres.Fault("settle a mail", err)
}

func mailPause(attempt int) time.Duration {
	pause := mailPauseFirst
	for range attempt - 1 {
		pause = min(4*pause, mailPauseLast)
	}

	return pause
}

// reasonOf is what may be kept of an error: a reply's code, never its text.
func reasonOf(err error) string {
	if said, is := errors.AsType[*mail.SMTPError](err); is {
		return fmt.Sprintf("smtp_%d", said.Code)
	}

	return "no_answer"
}

// finish writes a mail that was only asked for. Whether the address belongs to somebody is found out here and not where it
// was asked for: nobody can tell from how long that takes.
func (m *Mailbox) finish(ctx context.Context, next claimed, asked letter) (letter, error) {
	var written letter

	err := postgres.InTx(ctx, m.db.Pool, func(tx pgx.Tx) error {
		var loginID uuid.UUID

		err := tx.QueryRow(ctx, findLogin, asked.To).Scan(&loginID)
		if errors.Is(err, pgx.ErrNoRows) {
			_, err = tx.Exec(ctx, dropMail, next.id)
			return err
		}

		if err != nil {
			return err
		}

		token, err := addLink(ctx, tx, toReset, loginID, asked.To)
		if err != nil {
			return err
		}

		if written, err = m.write(order{kind: next.kind, to: asked.To, token: token}); err != nil {
			return err
		}

		sealed, err := m.seal(next.id, written)
		if err != nil {
			return err
		}

		rewritten, err := tx.Exec(ctx, rewriteMail, next.id, next.attempt, sealed, loginID)
		if err == nil && rewritten.RowsAffected() == 0 {
			err = errLeaseLost
		}

		return err
	})

	return written, postgres.Fault("write a mail", err)
}
