package edge_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"formonce/internal/edge"
	"formonce/internal/fault"
)

var perMinute = edge.Rate{Limit: 3, Window: time.Minute}

func local(t *testing.T, memory int) *edge.Limits {
	t.Helper()

	limits, err := edge.NewLimits(edge.LimitsOptions{Log: slog.New(slog.DiscardHandler), Memory: memory})
	if err != nil {
		t.Fatal(err)
	}

	return limits
}

func TestARequestOverTheLimitIsRefusedUntilTheWindowEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limits := local(t, 10)

		time.Sleep(500 * time.Millisecond) // Windows need not begin with a whole second.

		for i := range int64(5) {
			got := limits.Take(t.Context(), "client", perMinute, "a")
			want := edge.Decision{
				Name: "client", Allowed: i < 3, Limit: 3, Window: time.Minute, Remaining: max(2-i, 0), Reset: time.Minute,
			}

			if got != want {
				t.Errorf("request %d: %+v", i, got)
			}
		}

		time.Sleep(20 * time.Second)

		refused := limits.Take(t.Context(), "client", perMinute, "a")
		if refused.Allowed || refused.Reset < 40*time.Second || refused.Reset > 41*time.Second {
			t.Errorf("in the middle of the window: %+v", refused)
		}

		time.Sleep(refused.Reset)

		if got := limits.Take(t.Context(), "client", perMinute, "a"); !got.Allowed || got.Remaining != 2 {
			t.Errorf("after the time that was asked for: %+v", got)
		}
	})
}

func TestLimitsAndKeysCountEachForItself(t *testing.T) {
	t.Parallel()

	limits := local(t, 10)
	once := edge.Rate{Limit: 1, Window: time.Hour}

	for _, take := range [][2]string{{"client", "a"}, {"client", "b"}, {"endpoint", "a"}} {
		if got := limits.Take(t.Context(), take[0], once, take[1]); !got.Allowed {
			t.Errorf("%v: %+v", take, got)
		}
	}

	if got := limits.Take(t.Context(), "client", once, "a"); got.Allowed {
		t.Errorf("the second of one: %+v", got)
	}
}

func TestNoRateIsNoLimit(t *testing.T) {
	t.Parallel()

	limits := local(t, 10)
	if got := limits.Take(t.Context(), "client", edge.Rate{}, "a"); !got.Allowed || limits.Size() != 0 {
		t.Errorf("%+v", got)
	}
}

func TestRequestsAtOnceAreEachCounted(t *testing.T) {
	t.Parallel()

	limits := local(t, 10)

	var (
		all     sync.WaitGroup
		allowed atomic.Int64
	)

	for range 50 {
		all.Go(func() {
			for range 50 {
				if limits.Take(t.Context(), "client", edge.Rate{Limit: 1000, Window: time.Hour}, "a").Allowed {
					allowed.Add(1)
				}
			}
		})
	}

	all.Wait()

	if allowed.Load() != 1000 {
		t.Errorf("%d of 2500 were allowed", allowed.Load())
	}
}

// It does not run beside others, since it looks at the heap.
//
//nolint:paralleltest // See above.
func TestAMillionClientsLeaveMemoryBoundedAndABusyOneCounted(t *testing.T) {
	const (
		clients = 1_000_000
		most    = 10_000
		room    = 16 << 20
	)

	limits := local(t, most)
	before := heap()
	busy := edge.Decision{}
	ctx := t.Context()

	for i := range clients {
		addr := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
		limits.Take(ctx, "client", perMinute, edge.ClientKey(addr))

		if i%(most/2) == 0 {
			busy = limits.Take(ctx, "client", edge.Rate{Limit: 100, Window: time.Hour}, "busy")
		}
	}

	if limits.Size() != most {
		t.Errorf("%d counters", limits.Size())
	}

	if grown := heap() - before; grown > room {
		t.Errorf("the heap grew by %d bytes", grown)
	}

	if busy.Allowed {
		t.Error("a client that kept sending lost its counter")
	}

	runtime.KeepAlive(limits)
}

func heap() int64 {
	runtime.GC()

	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)

	return int64(stats.HeapAlloc)
}

func TestTheHeadersSayWhatIsLeft(t *testing.T) {
	t.Parallel()

	h := http.Header{}
	edge.WriteLimitHeaders(h,
		edge.Decision{Name: "client", Allowed: true, Limit: 60, Window: time.Minute, Remaining: 59, Reset: 41500 * time.Millisecond},
		edge.Decision{Name: "off", Allowed: true},
		edge.Decision{Name: "endpoint", Limit: 600, Window: time.Hour, Reset: time.Second},
	)

	if got := h.Get("RateLimit-Policy"); got != `"client";q=60;w=60, "endpoint";q=600;w=3600` {
		t.Errorf("RateLimit-Policy: %s", got)
	}

	if got := h.Get("RateLimit"); got != `"client";r=59;t=42, "endpoint";r=0;t=1` {
		t.Errorf("RateLimit: %s", got)
	}

	h = http.Header{}
	if edge.WriteLimitHeaders(h, edge.Decision{Name: "off", Allowed: true}); len(h) != 0 {
		t.Errorf("headers without a limit: %v", h)
	}
}

func TestARefusalSaysHowLongToWait(t *testing.T) {
	t.Parallel()

	got := edge.Decision{Name: "client", Limit: 60, Window: time.Minute, Reset: 41500 * time.Millisecond}.Fault()
	want := map[string]any{"scope": "client", "limit": int64(60), "window_seconds": int64(60), "retry_after_seconds": int64(42)}

	if got.Kind != fault.Limited || got.Code != "rate_limit_exceeded" || got.RetryAfter != 42*time.Second ||
		!strings.Contains(got.Message, "42 seconds") || fmt.Sprint(got.Details) != fmt.Sprint(want) {
		t.Errorf("%+v", got)
	}

	if at := (edge.Decision{Limit: 1, Window: time.Second}).Fault(); at.RetryAfter != time.Second {
		t.Errorf("at the very end of a window: %v", at.RetryAfter)
	}
}
