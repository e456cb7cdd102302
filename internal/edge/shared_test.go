package edge_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"

	"formonce/internal/edge"
)

// node is one process's limits that share a Redis, with what it logs and measures.
type node struct {
	*edge.Limits

	printed *page
	metrics *prometheus.Registry
}

func newNode(t *testing.T, url string) *node {
	t.Helper()

	n := &node{printed: &page{}, metrics: prometheus.NewRegistry()}

	var err error

	n.Limits, err = edge.NewLimits(edge.LimitsOptions{
		Log: slog.New(slog.NewJSONHandler(n.printed, nil)), Metrics: n.metrics, Memory: 1000, RedisURL: url,
		Secret: []byte("a secret of the test"),
	})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})

	return n
}

func (n *node) take(t *testing.T) edge.Decision {
	t.Helper()

	return n.Take(t.Context(), "client", edge.Rate{Limit: 100, Window: time.Hour}, "192.0.2.1")
}

func (n *node) metric(t *testing.T, name string) float64 {
	t.Helper()

	families, err := n.metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}

	for _, family := range families {
		if family.GetName() == name {
			return family.GetMetric()[0].GetGauge().GetValue() + family.GetMetric()[0].GetCounter().GetValue()
		}
	}

	t.Fatalf("no metric %s", name)

	return 0
}

func (n *node) remains(t *testing.T, want int64) {
	t.Helper()

	if got := n.take(t); got.Remaining != want || !got.Allowed {
		t.Errorf("%d remain, not %d", got.Remaining, want)
	}
}

func TestProcessesThatShareARedisCountTogether(t *testing.T) {
	t.Parallel()

	s := newServer(t)
	s.start(t)

	one, other := newNode(t, s.url()), newNode(t, s.url())

	one.remains(t, 99)
	other.remains(t, 98)
	one.remains(t, 97)

	if one.metric(t, "formonce_rate_limit_fallback_total") != 0 || one.printed.String() != "" {
		t.Errorf("a fallback without a failure:\n%s", one.printed)
	}
}

func TestNoClientsAddressCanBeReadInRedis(t *testing.T) {
	t.Parallel()

	s := newServer(t)
	s.start(t)
	newNode(t, s.url()).take(t)

	client := redis.NewClient(&redis.Options{Network: "unix", Addr: s.socket})
	defer func() { _ = client.Close() }()

	keys, err := client.Keys(t.Context(), "*").Result()
	if err != nil || len(keys) != 1 || !strings.HasPrefix(keys[0], "formonce:limit:client:") || strings.Contains(keys[0], "192.0.2") {
		t.Errorf("%v, %v", keys, err)
	}

	if left, err := client.PTTL(t.Context(), keys[0]).Result(); err != nil || left <= 0 || left > time.Hour {
		t.Errorf("the counter stays for %v, %v", left, err)
	}
}

func TestARedisThatIsKilledAndComesBackIsLeftAndTakenUpAgain(t *testing.T) {
	t.Parallel()

	s := newServer(t)
	s.start(t)

	n, other := newNode(t, s.url()), newNode(t, s.url())
	n.PauseFor(0)
	n.remains(t, 99)

	s.kill()
	n.remains(t, 99)
	n.remains(t, 98)

	if n.metric(t, "formonce_rate_limit_fallback") != 1 || n.metric(t, "formonce_rate_limit_fallback_total") != 2 {
		t.Error("the metrics do not show the fallback")
	}

	s.start(t)
	n.remains(t, 99)
	other.remains(t, 98)
	n.remains(t, 97)

	if n.metric(t, "formonce_rate_limit_fallback") != 0 {
		t.Error("the metric does not show the recovery")
	}

	lines := n.printed.lines(t)
	if len(lines) != 2 || lines[0]["level"] != "WARN" || lines[1]["level"] != "INFO" || strings.Contains(n.printed.String(), "192.0.2") {
		t.Errorf("logged:\n%s", n.printed)
	}
}

func TestARedisThatIsDownAtTheStartIsTakenUpLater(t *testing.T) {
	t.Parallel()

	s := newServer(t)

	n := newNode(t, s.url())
	n.PauseFor(0)
	n.remains(t, 99)
	n.remains(t, 98)

	s.start(t)
	n.remains(t, 99)
	newNode(t, s.url()).remains(t, 98)
}

func TestARedisThatHangsIsWaitedForOnceAndNotByEveryRequest(t *testing.T) {
	t.Parallel()

	s := newServer(t)
	s.start(t)

	n := newNode(t, s.url())
	n.PauseFor(time.Hour)
	n.remains(t, 99)

	s.signal(t, syscall.SIGSTOP)

	started := time.Now()

	for range 50 {
		if !n.take(t).Allowed {
			t.Fatal("a request was refused")
		}
	}

	if took := time.Since(started); took > 2*time.Second {
		t.Errorf("50 requests took %v, as if each had waited", took)
	}

	s.signal(t, syscall.SIGCONT)

	if strings.Count(n.printed.String(), "\n") != 1 {
		t.Errorf("logged:\n%s", n.printed)
	}
}

func TestRequestsAtOnceMeetOneProbeOnly(t *testing.T) {
	t.Parallel()

	s := newServer(t)
	n := newNode(t, s.url())
	n.PauseFor(time.Hour)
	n.take(t)

	var (
		all     sync.WaitGroup
		allowed atomic.Int64
	)

	for range 50 {
		all.Go(func() {
			for range 4 {
				if n.take(t).Allowed {
					allowed.Add(1)
				}
			}
		})
	}

	all.Wait()

	if allowed.Load() != 99 || strings.Count(n.printed.String(), "\n") != 1 {
		t.Errorf("%d were allowed; logged:\n%s", allowed.Load(), n.printed)
	}
}

func TestAClientThatGoesAwayIsNoFailureOfRedis(t *testing.T) {
	t.Parallel()

	s := newServer(t)
	s.start(t)

	n := newNode(t, s.url())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	if got := n.Take(ctx, "client", edge.Rate{Limit: 100, Window: time.Hour}, "192.0.2.1"); !got.Allowed {
		t.Errorf("%+v", got)
	}

	n.remains(t, 98)

	if n.metric(t, "formonce_rate_limit_fallback_total") != 0 {
		t.Error("Redis was left alone")
	}
}

func TestSharedLimitsWithoutASecretOrAnAddressAreRefused(t *testing.T) {
	t.Parallel()

	for _, options := range []edge.LimitsOptions{
		{Memory: 10, RedisURL: "redis://cache:6379"},
		{Memory: 10, RedisURL: "http://" + planted, Secret: []byte("a secret")},
		{Memory: 0},
	} {
		if _, err := edge.NewLimits(options); err == nil || strings.Contains(err.Error(), planted) {
			t.Errorf("got %v", err)
		}
	}
}
