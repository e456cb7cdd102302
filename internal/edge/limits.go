package edge

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/ulule/limiter/v3"
)

// LimitsOptions are what the limits need from outside. Log and Memory are required.
type LimitsOptions struct {
	Log *slog.Logger
	// Metrics takes the state of the fallback.
	Metrics prometheus.Registerer
	// Memory is how many counters are held in this process at most.
	Memory int
	// RedisURL is empty when this process counts for itself.
	RedisURL string
	// Secret is the key of the MAC under which clients are counted: the same in all processes that share a Redis, and
	// required with one.
	Secret []byte
}

// Limits count requests in fixed windows that begin with their first request, in this process or in a Redis that several
// share.
type Limits struct {
	local  *memoryStore
	shared *sharedStore // nil without a Redis
}

// NewLimits connects to nothing: a Redis that cannot be reached is met with local counters, whenever that happens.
func NewLimits(options LimitsOptions) (*Limits, error) {
	local, err := newMemoryStore(options.Memory)
	if err != nil {
		return nil, err
	}

	limits := &Limits{local: local}
	if options.RedisURL == "" {
		return limits, nil
	}

	if len(options.Secret) == 0 {
		return nil, errors.New("limits that are shared through Redis need a secret, so that no client's address can be read there")
	}

	limits.shared, err = newSharedStore(options)

	return limits, err
}

// Take counts one request of the key (of up to a hundred characters or so) against the limit of that name, and says
// whether it is allowed. It never fails: when the shared counters cannot be reached within 100 ms, those of this process
// count, at first from nothing.
func (l *Limits) Take(ctx context.Context, name string, rate Rate, key string) Decision {
	if rate.Limit <= 0 {
		return Decision{Name: name, Allowed: true}
	}

	counted := l.count(ctx, name, key, limiter.Rate{Period: rate.Window, Limit: rate.Limit})

	return Decision{
		Name: name, Allowed: !counted.Reached, Limit: rate.Limit, Window: rate.Window,
		Remaining: counted.Remaining, Reset: untilReset(counted.Reset, l.local.now(), rate.Window),
	}
}

// Close gives up the connections to Redis, if there are any.
func (l *Limits) Close() error {
	if l.shared == nil {
		return nil
	}

	return l.shared.close()
}

func (l *Limits) count(ctx context.Context, name, key string, rate limiter.Rate) limiter.Context {
	if l.shared != nil {
		if counted, ok := l.shared.take(ctx, name, key, rate); ok {
			return counted
		}
	}

	counted, _ := l.local.Get(ctx, name+":"+key, rate) // Memory does not fail.

	return counted
}

// untilReset adds the second that stores cut off when they give the end of a window in whole seconds, so that a client
// that waits this long is not refused again.
func untilReset(unix int64, now time.Time, window time.Duration) time.Duration {
	return min(max(time.Unix(unix+1, 0).Sub(now), 0), window)
}
