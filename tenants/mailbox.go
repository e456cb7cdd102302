package tenants

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/id"
	"formonce/internal/postgres"
	"formonce/internal/seal"
)

const (
	// mailFor is how long a mail is worth sending that holds no link.
	mailFor = 3 * 24 * time.Hour
	// mailsKept is how long it is known what became of a mail.
	mailsKept = 30 * 24 * time.Hour
)

const (
	insertMail = `
INSERT INTO mails (id, tenant_id, login_id, kind, letter, expires_at) VALUES ($1, $2, $3, $4, $5, now() + $6::interval)`
	sweepMails    = `DELETE FROM mails WHERE status <> 'waiting' AND created_at < now() - $1::interval`
	findRecipient = `SELECT email, name FROM logins WHERE id = $1`
)

// Mailbox takes the mails that the service owes people. A mail is owed by the transaction that causes it, and sent by a pass
// of the background.
type Mailbox struct {
	db     *postgres.DB
	box    *seal.Box
	public *url.URL
}

// NewMailbox returns the mails in db. They are sealed under the secret; their links lead to the public origin.
func NewMailbox(db *postgres.DB, secret []byte, public *url.URL) (*Mailbox, error) {
	box, err := seal.New(secret, "mails")
	if err != nil {
		return nil, err
	}

	return &Mailbox{db: db, box: box, public: public}, nil
}

// order is a mail as its causes ask for it.
type order struct {
	kind string
	to   string
	// tenantID and loginID are whose mail it is; it goes when they go. Either may be zero.
	tenantID, loginID uuid.UUID
	// words fill the places of the text.
	words words
	// token is that of the link, for a kind that has one.
	token string
}

// enqueue owes the mail from the moment that the transaction commits.
func (m *Mailbox) enqueue(ctx context.Context, tx pgx.Tx, wanted order) error {
	written, err := m.write(wanted)
	if err != nil {
		return err
	}

	return m.post(ctx, tx, wanted, written)
}

func (m *Mailbox) post(ctx context.Context, tx pgx.Tx, wanted order, written letter) error {
	mailID := id.New()

	sealed, err := m.seal(mailID, written)
	if err != nil {
		return err
	}

	_, err = tx.Exec(ctx, insertMail, mailID, optional(wanted.tenantID), optional(wanted.loginID), wanted.kind, sealed,
		worthFor(wanted.kind))

	return err
}

// worthFor is how long a mail of this kind is worth sending: no longer than its link works.
func worthFor(kind string) time.Duration {
	if why := templates[kind].purpose; why != "" {
		return linkFor[why]
	}

	return mailFor
}

func (m *Mailbox) seal(mailID uuid.UUID, written letter) ([]byte, error) {
	text, err := json.Marshal(written) //nolint:musttag // It is read by nobody but open.
	if err != nil {
		return nil, fmt.Errorf("write a mail down: %w", err)
	}

	return m.box.Seal(text, mailID[:])
}

func (m *Mailbox) open(mailID uuid.UUID, sealed []byte) (letter, error) {
	text, err := m.box.Open(sealed, mailID[:])
	if err != nil {
		return letter{}, err
	}

	var written letter
	if err := json.Unmarshal(text, &written); err != nil { //nolint:musttag // See seal.
		return letter{}, fmt.Errorf("read a mail: %w", err)
	}

	return written, nil
}

// Notify owes the person a mail about a change of their sign-in, within the transaction that makes it. The change is its
// action in the audit log, such as "second_factor.enabled".
func (m *Mailbox) Notify(ctx context.Context, tx pgx.Tx, loginID uuid.UUID, action string, client Client) error {
	kind := action
	if _, known := templates[kind]; !known {
		kind = kindSignInChanged
	}

	var email, name string
	if err := tx.QueryRow(ctx, findRecipient, loginID).Scan(&email, &name); err != nil {
		return err
	}

	return m.enqueue(ctx, tx, order{kind: kind, to: email, loginID: loginID, words: words{"address": client.Address}})
}

// verification owes a person the link that proves their address.
func (m *Mailbox) verification(ctx context.Context, tx pgx.Tx, loginID uuid.UUID, email string) error {
	token, err := addLink(ctx, tx, toVerify, loginID, email)
	if err != nil {
		return err
	}

	return m.enqueue(ctx, tx, order{kind: kindVerify, to: email, loginID: loginID, token: token})
}
