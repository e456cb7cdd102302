package tenants

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/postgres"
	"formonce/internal/seal"
)

// answersKept is how long a retry of a creating request gets the first answer.
const answersKept = 24 * time.Hour

// The first request inserts, and others with the same key wait for its end here. An answer that has expired makes room.
const reserveAnswer = `
INSERT INTO answered_requests (tenant_id, key_hash, request_hash, status, answer, expires_at)
VALUES ($1, $2, $3, 0, '', now() + $4::interval)
ON CONFLICT (tenant_id, key_hash) DO UPDATE
SET request_hash = excluded.request_hash, status = 0, answer = '', expires_at = excluded.expires_at
WHERE answered_requests.expires_at <= now()`

const findAnswer = `SELECT request_hash, status, answer FROM answered_requests WHERE tenant_id = $1 AND key_hash = $2`

const keepAnswer = `UPDATE answered_requests SET status = $3, answer = $4 WHERE tenant_id = $1 AND key_hash = $2`

const sweepAnswers = `DELETE FROM answered_requests WHERE expires_at <= now()`

// Answer is what a request was answered with.
type Answer struct {
	Status int
	Body   []byte
	// Replayed says that this is the answer to an earlier request.
	Replayed bool
}

// Answers makes creating requests of the management side safe to retry.
type Answers struct {
	db  *postgres.DB
	box *seal.Box
}

// NewAnswers returns the answers in db, which are sealed in box: some hold a secret that is shown once.
func NewAnswers(db *postgres.DB, box *seal.Box) *Answers { return &Answers{db: db, box: box} }

// Once does the work and keeps its answer under the idempotency key, all in one transaction that is confined to the tenant;
// the work joins it through the context it gets. A retry with the key gets the kept answer for a day. The same key with
// another request is the Fault idempotency_conflict. When the work fails, nothing is kept and the key is free again.
func (a *Answers) Once(
	ctx context.Context, tenantID uuid.UUID, key string, request [32]byte, work func(ctx context.Context) (Answer, error),
) (Answer, error) {
	var answer Answer

	keyHash := hashKey(key)

	err := a.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		reserved, err := s.Tx.Exec(ctx, reserveAnswer, tenantID, keyHash, request[:], answersKept)
		if err != nil {
			return err
		}

		if reserved.RowsAffected() == 0 {
			answer, err = a.kept(ctx, s.Tx, tenantID, keyHash, request)
			return err
		}

		if answer, err = work(ctx); err != nil {
			return err
		}

		sealed, err := a.box.Seal(answer.Body, keyHash)
		if err != nil {
			return err
		}

		_, err = s.Tx.Exec(ctx, keepAnswer, tenantID, keyHash, answer.Status, sealed)

		return err
	})

	return answer, postgres.Fault("answer a request once", err)
}

func (a *Answers) kept(
	ctx context.Context, tx pgx.Tx, tenantID uuid.UUID, keyHash []byte, request [32]byte,
) (Answer, error) {
	var (
		asked, sealed []byte
		answer        = Answer{Replayed: true}
	)

	err := tx.QueryRow(ctx, findAnswer, tenantID, keyHash).Scan(&asked, &answer.Status, &sealed)
	if errors.Is(err, pgx.ErrNoRows) {
		return Answer{}, postgres.ErrUnavailable.Because(err)
	}

	if err != nil {
		return Answer{}, err
	}

	if !bytes.Equal(asked, request[:]) {
		return Answer{}, fault.New(fault.Conflict, "idempotency_conflict",
			"This idempotency key was used for another request. Use a new key for a new request.")
	}

	answer.Body, err = a.box.Open(sealed, keyHash)

	return answer, err
}

// Sweep removes the answers that have expired.
func (a *Answers) Sweep(ctx context.Context) error {
	_, err := a.db.Pool.Exec(ctx, sweepAnswers)

	return postgres.Fault("remove expired answers", err)
}
