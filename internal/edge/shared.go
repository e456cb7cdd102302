package edge

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
	"github.com/ulule/limiter/v3"
	redisstore "github.com/ulule/limiter/v3/drivers/store/redis"
)

const (
	// redisPatience is all that a request waits for Redis.
	redisPatience = 100 * time.Millisecond
	// redisPause is how long Redis is left alone after a failure; then one request tries it, for all others.
	redisPause = 3 * time.Second

	redisPrefix = "formonce:limit"
	// keyBytes of a MAC are kept: enough that two clients never share a counter.
	keyBytes = 16
	// keyPurpose separates this use of the secret from every other.
	keyPurpose = "rate limit key, version 1:"
)

// sharedStore counts in Redis, and says so when it cannot.
//
// Keys are client addresses and the like. Redis sees the first 16 bytes of their HMAC-SHA256, since a plain hash of an
// IPv4 address is found out by trying all of them.
type sharedStore struct {
	client *redis.Client
	log    *slog.Logger
	secret []byte
	pause  time.Duration

	// store loads its scripts when it is made, so it is made at the first use that Redis answers.
	making sync.Mutex
	store  atomic.Pointer[limiter.Store]

	// tryAt is the time, in nanoseconds, before which Redis is left alone; 0 while it works.
	tryAt atomic.Int64

	down  prometheus.Gauge
	calls prometheus.Counter
}

func newSharedStore(options LimitsOptions) (*sharedStore, error) {
	settings, err := redisOptions(options.RedisURL)
	if err != nil {
		return nil, err
	}

	s := &sharedStore{
		client: redis.NewClient(impatient(settings)), log: options.Log, secret: options.Secret, pause: redisPause,
		down: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "formonce_rate_limit_fallback",
			Help: "1 while Redis cannot be reached and this process counts for itself.",
		}),
		calls: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "formonce_rate_limit_fallback_total",
			Help: "Requests that were counted in this process because Redis could not be reached.",
		}),
	}
	if options.Metrics != nil {
		options.Metrics.MustRegister(s.down, s.calls)
	}

	return s, nil
}

// redisOptions has every call end with its context, without second tries, and nothing sent that older servers do not know.
func redisOptions(address string) (*redis.Options, error) {
	o, err := redis.ParseURL(address)
	if err != nil {
		return nil, errors.New("REDIS_URL must be a Redis address such as redis://:password@host:6379/0")
	}

	// The client would otherwise write lines of its own to the standard error, about what is told here anyway.
	logging.Disable()

	o.ContextTimeoutEnabled = true
	o.MaxRetries = -1
	o.DialerRetries = 1
	o.DisableIdentity = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}

	return o, nil
}

// impatient has every call end in redisPatience.
func impatient(o *redis.Options) *redis.Options {
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = redisPatience, redisPatience, redisPatience, redisPatience

	return o
}

// PingRedis asks the Redis of a REDIS_URL for a sign of life, once, and for as long as ctx lets it.
func PingRedis(ctx context.Context, address string) error {
	o, err := redisOptions(address)
	if err != nil {
		return err
	}

	client := redis.NewClient(o)
	_, err = client.Ping(ctx).Result()

	return errors.Join(err, client.Close())
}

// take counts the request, or says that the caller has to count it.
func (s *sharedStore) take(ctx context.Context, name, key string, rate limiter.Rate) (limiter.Context, bool) {
	try, probe := s.mayTry()
	if !try {
		s.calls.Inc()

		return limiter.Context{}, false
	}

	// A client that goes away is no failure of Redis.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), redisPatience)
	defer cancel()

	counted, err := s.ask(ctx, name+":"+s.hidden(key), rate)
	if err != nil {
		s.failed(ctx, err)
		s.calls.Inc()

		return limiter.Context{}, false
	}

	if probe {
		s.recovered(ctx)
	}

	return counted, true
}

// mayTry lets everybody through while Redis works, and one request after each pause, the probe, while it does not.
func (s *sharedStore) mayTry() (try, probe bool) {
	at := s.tryAt.Load()
	if at == 0 {
		return true, false
	}

	now := time.Now()
	probe = now.UnixNano() >= at && s.tryAt.CompareAndSwap(at, now.Add(s.pause).UnixNano())

	return probe, probe
}

func (s *sharedStore) ask(ctx context.Context, key string, rate limiter.Rate) (limiter.Context, error) {
	store, err := s.ready(ctx)
	if err != nil {
		return limiter.Context{}, err
	}

	counted, err := store.Get(ctx, key, rate)
	if err != nil {
		return limiter.Context{}, fmt.Errorf("counting in Redis: %w", err)
	}

	return counted, nil
}

func (s *sharedStore) hidden(key string) string {
	mac := hmac.New(sha256.New, s.secret)
	_, _ = mac.Write([]byte(keyPurpose + key))

	return hex.EncodeToString(mac.Sum(nil)[:keyBytes])
}

func (s *sharedStore) ready(ctx context.Context) (limiter.Store, error) {
	if made := s.store.Load(); made != nil {
		return *made, nil
	}

	s.making.Lock()
	defer s.making.Unlock()

	if made := s.store.Load(); made != nil {
		return *made, nil
	}

	// Those who waited here while Redis did not answer have no time left to ask it again.
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("waiting for Redis: %w", err)
	}

	made, err := redisstore.NewStoreWithOptions(s.client, limiter.StoreOptions{Prefix: redisPrefix})
	if err != nil {
		return nil, fmt.Errorf("preparing Redis: %w", err)
	}

	s.store.Store(&made)

	return made, nil
}

// failed logs the change of state once, however many requests meet it. The error's text is safe: Redis is sent nothing
// but MACs and numbers.
func (s *sharedStore) failed(ctx context.Context, err error) {
	if s.tryAt.Swap(time.Now().Add(s.pause).UnixNano()) != 0 {
		return
	}

	s.down.Set(1)
	s.log.LogAttrs(ctx, slog.LevelWarn, "Redis does not answer; each process counts requests for itself until it does. "+
		"Check REDIS_URL and the server.", slog.String("error", err.Error()))
}

// recovered is the probe's to say, since a request that Redis answered may have set out before another one failed.
func (s *sharedStore) recovered(ctx context.Context) {
	s.tryAt.Store(0)
	s.down.Set(0)
	s.log.LogAttrs(ctx, slog.LevelInfo, "Redis answers again; requests are counted for all processes together.")
}

func (s *sharedStore) close() error {
	if err := s.client.Close(); err != nil {
		return fmt.Errorf("closing the connections to Redis: %w", err)
	}

	return nil
}
