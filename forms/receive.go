package forms

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/id"
	"formonce/internal/moment"
	"formonce/internal/postgres"
)

// Outbox enqueues what the endpoint owes to its integrations, inside the transaction that accepts the submission. When
// it fails, nothing is accepted.
type Outbox interface {
	Enqueue(ctx context.Context, tx pgx.Tx, accepted *Submission) error
}

// Intake takes submissions.
type Intake struct {
	db     *postgres.DB
	outbox Outbox
	limits Limits
	secret []byte
	shelf  *versionShelf
}

// NewIntake returns an Intake that hashes addresses and log marks with secret.
func NewIntake(db *postgres.DB, outbox Outbox, limits Limits, secret []byte) *Intake {
	return &Intake{db: db, outbox: outbox, limits: limits, secret: secret, shelf: newVersionShelf(db)}
}

// Incoming is what a visitor sent, as far as the rules look at it.
type Incoming struct {
	Body Body
	// KeyHeaders are all values of the header Idempotency-Key.
	KeyHeaders []string
	// Client stands for the client's address; it is hashed before it is stored, and dropped when the owner wants none.
	Client string
	// Languages is the header Accept-Language. What the form itself wishes goes before it.
	Languages string
}

// Outcome is what became of an Incoming. With an error only Controls and the marks are set, as far as they were read.
type Outcome struct {
	Receipt  Receipt
	Controls Controls
	// KeyMark and ContentMark tell requests apart in the logs: 12 hex digits of the key's keyed hash, and of the
	// fingerprint. Empty when there is none.
	KeyMark     string
	ContentMark string
}

// Receive accepts a submission exactly once and returns its receipt; a retry under the same key gets the receipt of the
// original. The errors are Faults with the codes of the ingest contract, and anything else is a failure of the service.
// A refused submission stores nothing and reserves no key.
func (in *Intake) Receive(ctx context.Context, endpoint *Endpoint, incoming Incoming) (Outcome, error) {
	parsed, err := Decode(incoming.Body, endpoint.Honeypot, in.limits)

	outcome := Outcome{Controls: parsed.Controls}
	if err != nil {
		return outcome, err
	}

	key, err := endpoint.key(incoming.KeyHeaders, parsed.Controls)
	if err != nil {
		return outcome, err
	}

	submission := in.draft(endpoint, parsed, key, incoming.Client)
	outcome.KeyMark = in.mark(key)

	refusal := screen(endpoint, parsed.Controls, submission)
	submission.Fields = normalize(submission.Rules, submission.schema, submission.sent)

	if refusal == nil {
		refusal = submission.validate(parsed.Controls.Language, incoming.Languages, endpoint.language)
	}

	submission.fingerprint = Fingerprint(endpoint.ID, submission.Rules, submission.Fields)
	outcome.ContentMark = hex.EncodeToString(submission.fingerprint[:6])

	if refusal != nil {
		outcome.Receipt, err = in.lookAhead(ctx, submission, refusal)
		return outcome, err
	}

	outcome.Receipt, err = in.accept(ctx, submission)

	return outcome, err
}

// key returns the idempotency key by the endpoint's rules, empty when none was given and none is required.
func (e *Endpoint) key(headers []string, controls Controls) (string, error) {
	key, given, err := IdempotencyKey(headers, controls, e.Idempotency.Format)
	if err != nil {
		return "", err
	}

	if !given && e.Idempotency.Required {
		return "", fault.New(fault.Invalid, "idempotency_key_required",
			"This form asks for an idempotency key. Send one in the header Idempotency-Key or the field _idempotency.")
	}

	return key, nil
}

func (in *Intake) draft(endpoint *Endpoint, parsed Parsed, key, client string) *Submission {
	made := &Submission{
		TenantID: endpoint.TenantID, ID: id.New(), EndpointID: endpoint.ID,
		ReceivedAt: moment.Now(),
		Status:     StatusAccepted,
		Rules:      rulesFor(endpoint, parsed.Family),
		schema:     endpoint.schema,
		sent:       parsed.Fields,
		ReplyTo:    parsed.Controls.ReplyTo, Subject: parsed.Controls.Subject, Language: parsed.Controls.Language,
		key: key,
	}

	if key != "" {
		made.keyHash = KeyHash(endpoint.ID, key)
	}

	if endpoint.KeepClientHash && client != "" {
		made.clientHash = in.keyed("client", endpoint.TenantID.String()+client)
	}

	return made
}

// screen marks what only a program sends, or refuses it where the owner asked for that.
func screen(endpoint *Endpoint, controls Controls, submission *Submission) error {
	if !controls.Honeypot && !submission.Rules.trapped(submission.sent) {
		return nil
	}

	if endpoint.RefuseSpam {
		return fault.New(fault.Forbidden, "submission_refused",
			"This submission looks automated and was not taken. If you are a person, fill in the form on its own page again.")
	}

	submission.Status = StatusSpam

	return nil
}

// lookAhead answers a refused retry: when its original was accepted, by the rules of its time, it is a replay.
func (in *Intake) lookAhead(ctx context.Context, submission *Submission, refusal error) (Receipt, error) {
	if submission.key == "" {
		return Receipt{}, refusal
	}

	receipt, err := in.replay(ctx, submission)
	if fault.Has(err, codeConflict) || errors.Is(err, errNoOriginal) {
		return Receipt{}, refusal
	}

	return receipt, err
}

func (in *Intake) keyed(purpose, text string) []byte {
	mac := hmac.New(sha256.New, in.secret)
	mac.Write([]byte(purpose))
	mac.Write([]byte{0})
	mac.Write([]byte(text))

	return mac.Sum(nil)
}

func (in *Intake) mark(key string) string {
	if key == "" {
		return ""
	}

	return hex.EncodeToString(in.keyed("log", key)[:6])
}
