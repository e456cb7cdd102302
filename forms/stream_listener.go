package forms

import (
	"bytes"
	"context"
	"encoding/binary"
	"time"

	"github.com/google/uuid"
)

// listenerRoom is how many news may wait for a listener that is slow. One more ends it.
const listenerRoom = 256

// Listener hears the news of one tenant. It is for one goroutine.
type Listener struct {
	// Reset says that news may have been missed: whoever listens should read the list again.
	Reset bool

	feed     *Feed
	tenantID uuid.UUID
	news     chan News
	backlog  []News
	caughtUp map[uuid.UUID]struct{}
	position uuid.UUID
}

// Heard says what came of waiting for news.
type Heard int

// The outcomes of Listener.Next.
const (
	HeardNews    Heard = iota
	HeardNothing       // for as long as was waited
	HeardEnd           // the listener was too slow, or the service stops; another one goes on from Position
)

// catchUp collects what came in since the position, and a window before it.
func (l *Listener) catchUp(ctx context.Context, position string) error {
	since, ours := parsePosition(position)
	now := l.feed.present()
	age := now.Sub(timeOfID(since))

	if !ours || age > feedMemory || age < -feedMemory {
		l.Reset = true

		return nil
	}

	missed, err := l.feed.recent(ctx, l.tenantID, firstIDAt(timeOfID(since).Add(-feedWindow)), mostBacklog+1)
	if err != nil {
		return err
	}

	if len(missed) > mostBacklog {
		l.Reset = true

		return nil
	}

	l.backlog, l.position = missed, since
	l.caughtUp = make(map[uuid.UUID]struct{}, len(missed))

	for i := range missed {
		l.caughtUp[missed[i].ID] = struct{}{}
	}

	return nil
}

// timeOfID is when a UUIDv7 was made, in whole milliseconds.
func timeOfID(made uuid.UUID) time.Time {
	return time.UnixMilli(int64(binary.BigEndian.Uint64(made[:8]) >> 16)).UTC()
}

// Next waits for news, as long as is allowed or until ctx ends. News that are there already are
// heard, however short the wait.
func (l *Listener) Next(ctx context.Context, wait time.Duration) (News, Heard) {
	if len(l.backlog) > 0 {
		next := l.backlog[0]
		l.backlog = l.backlog[1:]
		l.advance(next.ID)

		return next, HeardNews
	}

	timer := time.NewTimer(wait)
	defer timer.Stop()

	for {
		next, what := l.await(ctx, timer.C)
		if _, again := l.caughtUp[next.ID]; again && what == HeardNews {
			continue
		}

		switch what {
		case HeardNews:
			l.advance(next.ID)
		case HeardNothing:
			l.advance(firstIDAt(l.feed.present()))
		case HeardEnd:
		}

		return next, what
	}
}

// await prefers news to a timer that has fired as well: a position moved on by the timer must not
// be past news that wait.
func (l *Listener) await(ctx context.Context, over <-chan time.Time) (News, Heard) {
	select {
	case next, open := <-l.news:
		return next, heard(open)
	case <-ctx.Done():
		return News{}, HeardEnd
	case <-over:
	}

	select {
	case next, open := <-l.news:
		return next, heard(open)
	default:
		return News{}, HeardNothing
	}
}

func heard(open bool) Heard {
	if open {
		return HeardNews
	}

	return HeardEnd
}

func (l *Listener) advance(to uuid.UUID) {
	if bytes.Compare(to[:], l.position[:]) > 0 {
		l.position = to
	}
}

// Position is where another listener goes on when this one ends now.
func (l *Listener) Position() string { return writePosition(l.position) }

// Close ends the listener. It may be called more than once.
func (l *Listener) Close() {
	l.feed.mu.Lock()
	defer l.feed.mu.Unlock()

	l.feed.dismiss(l)
}
