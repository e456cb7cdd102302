package forms

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"formonce/internal/fault"
	"formonce/internal/id"
	"formonce/internal/moment"
	"formonce/internal/postgres"
)

const (
	codeConflict = "idempotency_conflict"
	// acceptWithin bounds an acceptance, the wait for an original still in flight (the database's lock_timeout) included.
	acceptWithin = 8 * time.Second
	// acceptTries covers the original vanishing between the conflict and the look at it, which takes an erasure each time.
	acceptTries = 3
)

// errNoOriginal: the key is not stored, or not any more.
var errNoOriginal = errors.New("no submission is stored under this key")

// The constraint submissions_key decides who was first. The winner's row cannot be seen by the same statement.
const insertSubmission = `
INSERT INTO submissions (tenant_id, id, received_at, schema_version, rule_version, field_count, order_ignored,
    endpoint_id, family, status, key_hash, fingerprint, client_hash, fields, reply_to, subject, language,
    honeypot)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, NULLIF($15, ''), NULLIF($16, ''), NULLIF($17, ''),
    NULLIF($18, ''))
ON CONFLICT (tenant_id, endpoint_id, key_hash) WHERE key_hash IS NOT NULL DO NOTHING`

// Asked after the insertion: an insertion that waited for an erasure sees only now what the erasure left.
const findTombstone = `
SELECT EXISTS (SELECT FROM tombstones
    WHERE tenant_id = $1 AND endpoint_id = $2 AND key_hash = $3 AND expires_at > now())`

const findOriginal = `
SELECT id, received_at, field_count, fingerprint, rule_version, schema_version, family, order_ignored,
    COALESCE(honeypot, '')
FROM submissions WHERE tenant_id = $1 AND endpoint_id = $2 AND key_hash = $3`

const insertReplay = `INSERT INTO replays (tenant_id, submission_id, id, replayed_at) VALUES ($1, $2, $3, $4)`

var errDeleted = fault.New(fault.Gone, "submission_deleted",
	"The submission with this key was deleted. Use a new key if you mean to send it again.")

// accept stores the submission, or finds the original that holds its key. A visitor who hangs up does not undo it: the
// retry will ask for exactly this.
func (in *Intake) accept(ctx context.Context, submission *Submission) (Receipt, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), acceptWithin)
	defer cancel()

	for range acceptTries {
		first, err := in.insert(ctx, submission)
		if err != nil {
			return Receipt{}, postgres.Fault("accept a submission", err)
		}

		if first {
			return submission.receipt(), nil
		}

		receipt, err := in.replay(ctx, submission)
		if !errors.Is(err, errNoOriginal) {
			return receipt, err
		}
	}

	return Receipt{}, postgres.ErrUnavailable
}

// insert stores the submission and what it owes in one transaction; false means that its key is taken.
func (in *Intake) insert(ctx context.Context, s *Submission) (bool, error) {
	first := false

	err := postgres.InTx(ctx, in.db.Pool, func(tx pgx.Tx) error {
		stored, deleted, err := insertRow(ctx, tx, s)
		if err != nil || !stored {
			return err
		}

		if deleted {
			return errDeleted
		}

		first = true

		if s.Status != StatusAccepted {
			return nil
		}

		return in.outbox.Enqueue(ctx, tx, s)
	})

	return first, err
}

func insertRow(ctx context.Context, tx pgx.Tx, s *Submission) (stored, deleted bool, err error) {
	batch := &pgx.Batch{}
	batch.Queue(insertSubmission, s.TenantID, s.ID, s.ReceivedAt, s.Rules.Schema, s.Rules.Version, len(s.Fields),
		s.Rules.OrderIgnored, s.EndpointID, s.Rules.Family, s.Status, s.keyHash, s.fingerprint[:], s.clientHash,
		EncodeFields(s.Fields), s.ReplyTo, s.Subject, s.Language, s.Rules.Honeypot,
	).Exec(func(tag pgconn.CommandTag) error {
		stored = tag.RowsAffected() == 1
		return nil
	})

	if s.keyHash != nil {
		batch.Queue(findTombstone, s.TenantID, s.EndpointID, s.keyHash).QueryRow(func(row pgx.Row) error {
			return row.Scan(&deleted)
		})
	}

	err = tx.SendBatch(ctx, batch).Close()

	return stored, deleted, err
}

// replay returns the original's receipt and counts the duplicate, or a Fault when the key was used for other content.
func (in *Intake) replay(ctx context.Context, s *Submission) (Receipt, error) {
	original := Submission{TenantID: s.TenantID, EndpointID: s.EndpointID}

	var (
		fieldCount  int
		fingerprint []byte
	)

	err := in.db.Pool.QueryRow(ctx, findOriginal, s.TenantID, s.EndpointID, s.keyHash).Scan(&original.ID,
		&original.ReceivedAt, &fieldCount, &fingerprint, &original.Rules.Version, &original.Rules.Schema,
		&original.Rules.Family, &original.Rules.OrderIgnored, &original.Rules.Honeypot)
	if errors.Is(err, pgx.ErrNoRows) {
		return Receipt{}, errNoOriginal
	}

	if err != nil {
		return Receipt{}, postgres.Fault("find the original", err)
	}

	same, err := in.matches(ctx, s, original.Rules, fingerprint)
	if err != nil {
		return Receipt{}, err
	}

	if !same {
		return Receipt{}, fault.New(fault.Conflict, codeConflict,
			"This idempotency key was used for a submission with other content. Use a new key for a new submission.").
			With("endpoint_id", s.EndpointID).With("idempotency_key", s.key)
	}

	_, err = in.db.Pool.Exec(ctx, insertReplay, s.TenantID, original.ID, id.New(), moment.Now())
	if postgres.ForeignKeyViolation(err) {
		return Receipt{}, errNoOriginal
	}

	receipt := original.receipt()
	receipt.ReceivedAt, receipt.FieldCount, receipt.Replayed = original.ReceivedAt.UTC(), fieldCount, true

	return receipt, postgres.Fault("count a replay", err)
}

// matches judges a retry by the rules that accepted its original, the version of the schema among them.
func (in *Intake) matches(ctx context.Context, s *Submission, rules Rules, fingerprint []byte) (bool, error) {
	if rules == s.Rules {
		return bytes.Equal(fingerprint, s.fingerprint[:]), nil
	}

	// A body of the other family is other content, whatever it holds.
	if rules.Family != s.Rules.Family {
		return false, nil
	}

	schema := s.schema

	if rules.Schema != s.Rules.Schema {
		var err error
		if schema, err = in.shelf.get(ctx, s.TenantID, s.EndpointID, rules.Schema); err != nil {
			return false, err
		}
	}

	again := Fingerprint(s.EndpointID, rules, normalize(rules, schema, s.sent))

	return bytes.Equal(fingerprint, again[:]), nil
}
