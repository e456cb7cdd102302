package tenants

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/ulule/limiter/v3"
	"github.com/ulule/limiter/v3/drivers/store/common"

	"formonce/internal/moment"
	"formonce/internal/postgres"
)

// A window that has ended makes room for the next one. A counter that is above its ceiling is not written any more; its
// window still ends when it would have.
const spendAttempts = `
INSERT INTO attempts_spent (bucket, spent, ends_at) VALUES ($1, $2, now() + $3::interval)
ON CONFLICT (bucket) DO UPDATE SET
    spent = CASE WHEN attempts_spent.ends_at <= now() THEN excluded.spent ELSE attempts_spent.spent + excluded.spent END,
    ends_at = CASE WHEN attempts_spent.ends_at <= now() THEN excluded.ends_at ELSE attempts_spent.ends_at END
WHERE attempts_spent.ends_at <= now() OR attempts_spent.spent <= $4
RETURNING spent, extract(epoch FROM ends_at - now())::float8`

const (
	peekAttempts = `
SELECT spent, extract(epoch FROM ends_at - now())::float8 FROM attempts_spent WHERE bucket = $1 AND ends_at > now()`
	forgetAttempts = `DELETE FROM attempts_spent WHERE bucket = $1`
	sweepAttempts  = `DELETE FROM attempts_spent WHERE ends_at <= now()`
)

// attemptStore counts in the database, for all processes together. It counts by the database's clock; the ends of windows
// are told by this machine's. The keys that it is given are HMACs already.
type attemptStore struct {
	db *postgres.DB
	// steady counters are written above their limit too, so that a try takes the same time on either side of it. The others
	// are not, so that an attack does not become an attack on the disk.
	steady bool
}

var _ limiter.Store = attemptStore{}

// Get counts one attempt.
func (s attemptStore) Get(ctx context.Context, key string, rate limiter.Rate) (limiter.Context, error) {
	return s.Increment(ctx, key, 1, rate)
}

// Increment counts several attempts at once.
func (s attemptStore) Increment(ctx context.Context, key string, count int64, rate limiter.Rate) (limiter.Context, error) {
	ceiling := rate.Limit
	if s.steady {
		ceiling = math.MaxInt64
	}

	counted, err := s.ask(ctx, rate, spendAttempts, []byte(key), count, rate.Period, ceiling)
	if errors.Is(err, pgx.ErrNoRows) {
		return s.Peek(ctx, key, rate)
	}

	return counted, err
}

// Peek says what is left without counting.
func (s attemptStore) Peek(ctx context.Context, key string, rate limiter.Rate) (limiter.Context, error) {
	counted, err := s.ask(ctx, rate, peekAttempts, []byte(key))
	if errors.Is(err, pgx.ErrNoRows) {
		return untouched(rate), nil
	}

	return counted, err
}

// Reset forgets what was counted.
func (s attemptStore) Reset(ctx context.Context, key string, rate limiter.Rate) (limiter.Context, error) {
	_, err := s.db.Pool.Exec(ctx, forgetAttempts, []byte(key))

	return untouched(rate), err
}

func (s attemptStore) ask(ctx context.Context, rate limiter.Rate, sql string, args ...any) (limiter.Context, error) {
	var (
		spent int64
		left  float64
	)

	if err := s.db.Pool.QueryRow(ctx, sql, args...).Scan(&spent, &left); err != nil {
		return limiter.Context{}, err
	}

	now := moment.Now()

	return common.GetContextFromState(now, rate, now.Add(time.Duration(left*float64(time.Second))), spent), nil
}

func untouched(rate limiter.Rate) limiter.Context {
	now := moment.Now()

	return common.GetContextFromState(now, rate, now.Add(rate.Period), 0)
}
