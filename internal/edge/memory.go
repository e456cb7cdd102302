package edge

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/ulule/limiter/v3"
	"github.com/ulule/limiter/v3/drivers/store/common"
)

// counter counts the requests of one window, which begins with its first request.
type counter struct {
	count int64
	ends  time.Time
}

// at is the counter that counts now: c while its window lasts, then a new one. There may be no c yet.
func (c *counter) at(now time.Time, rate limiter.Rate) *counter {
	if c != nil && now.Before(c.ends) {
		return c
	}

	return &counter{ends: now.Add(rate.Period)}
}

// memoryStore is a limiter.Store that never holds more than so many counters, however many clients there are. The
// counter that was unused for longest makes room, so a client that keeps sending keeps its own. It is safe for concurrent
// use.
type memoryStore struct {
	mu       sync.Mutex
	counters *simplelru.LRU[string, *counter]
	now      func() time.Time
}

var _ limiter.Store = (*memoryStore)(nil)

func newMemoryStore(most int) (*memoryStore, error) {
	counters, err := simplelru.NewLRU[string, *counter](most, nil)
	if err != nil {
		return nil, fmt.Errorf("the limits need room for at least one counter, set RATE_LIMIT_MEMORY: %w", err)
	}

	return &memoryStore{counters: counters, now: time.Now}, nil
}

// Get counts one request.
func (s *memoryStore) Get(ctx context.Context, key string, rate limiter.Rate) (limiter.Context, error) {
	return s.Increment(ctx, key, 1, rate)
}

// Increment counts several requests at once.
func (s *memoryStore) Increment(_ context.Context, key string, count int64, rate limiter.Rate) (limiter.Context, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	now := s.now()
	found, _ := s.counters.Get(key)

	current := found.at(now, rate)
	if current != found {
		s.counters.Add(key, current)
	}

	current.count += count

	return common.GetContextFromState(now, rate, current.ends, current.count), nil
}

// Peek counts nothing.
func (s *memoryStore) Peek(_ context.Context, key string, rate limiter.Rate) (limiter.Context, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	now := s.now()
	found, _ := s.counters.Peek(key)
	current := found.at(now, rate)

	return common.GetContextFromState(now, rate, current.ends, current.count), nil
}

// Reset forgets what was counted for the key.
func (s *memoryStore) Reset(ctx context.Context, key string, rate limiter.Rate) (limiter.Context, error) {
	s.mu.Lock()
	s.counters.Remove(key)
	s.mu.Unlock()

	return s.Peek(ctx, key, rate)
}

// size is how many counters are held.
func (s *memoryStore) size() int {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.counters.Len()
}
