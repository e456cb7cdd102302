package forms

import (
	"bytes"
	"context"
	"encoding/hex"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/internal/fault"
	"formonce/internal/moment"
	"formonce/internal/postgres"
)

const (
	// FeedEvery is how often Follow should run.
	FeedEvery = 500 * time.Millisecond
	// feedWindow is how far behind the present each look begins: an id is made before its commit, so that a submission can
	// appear behind others. It covers the longest acceptance, and clocks of two machines that differ by 20 s.
	feedWindow = 30 * time.Second
	// feedMemory is for how long a listener that was away can go on where it was.
	feedMemory = time.Hour
	// mostBacklog bounds what a listener that was away is told; with more, reading the list again is the shorter way.
	mostBacklog = 1_000
	// mostRecent bounds what one look may find for one tenant.
	mostRecent = 20_000
	// mostListeners bounds the listeners of one tenant in one process.
	mostListeners = 100
)

// News is a submission that has arrived.
type News struct {
	ID         uuid.UUID
	EndpointID string
	ReceivedAt time.Time
	Status     Status
}

// Feed tells of submissions as they arrive, whichever process accepted them: it looks into the database, once for all who
// listen. Without Follow it is silent.
type Feed struct {
	db *postgres.DB

	mu        sync.Mutex
	audiences map[uuid.UUID]*audience
	closed    bool
	// looked is when the last look that succeeded began.
	looked time.Time
}

// audience are those who listen for one tenant, and what they were told within the window.
type audience struct {
	told      map[uuid.UUID]struct{}
	listeners map[*Listener]struct{}
}

// NewFeed returns a Feed of the submissions in db.
func NewFeed(db *postgres.DB) *Feed {
	return &Feed{db: db, audiences: map[uuid.UUID]*audience{}, looked: moment.Now()}
}

var errFeedClosed = postgres.ErrUnavailable

// Listen begins to collect the tenant's news. With the Position of an earlier Listener it begins with what came in since:
// nothing is left out, and what came in shortly before that position may be told again. A position that is too old, or none
// of ours, makes the Listener begin at the present with Reset set. The errors are the Faults storage_unavailable and
// too_many_listeners. Close the Listener in the end.
func (f *Feed) Listen(ctx context.Context, tenantID uuid.UUID, position string) (*Listener, error) {
	f.mu.Lock()
	from := f.begin()
	f.mu.Unlock()

	// What is there before the listener is known is not news to it; everything that comes to be seen later is.
	there, err := f.recent(ctx, tenantID, from, mostRecent)
	if err != nil {
		return nil, err
	}

	listener := &Listener{feed: f, tenantID: tenantID, news: make(chan News, listenerRoom), position: firstIDAt(f.present())}
	if err := f.admit(listener, there); err != nil {
		return nil, err
	}

	if position == "" {
		return listener, nil
	}

	if err := listener.catchUp(ctx, position); err != nil {
		listener.Close()

		return nil, err
	}

	return listener, nil
}

// begin is where a look begins.
func (f *Feed) begin() uuid.UUID { return firstIDAt(f.looked.Add(-feedWindow)) }

// present is the moment up to which everything was told, but for what the window covers.
func (f *Feed) present() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()

	return f.looked
}

func (f *Feed) admit(listener *Listener, there []News) error {
	f.mu.Lock()
	defer f.mu.Unlock()

	if f.closed {
		return errFeedClosed
	}

	hall := f.audiences[listener.tenantID]
	if hall == nil {
		hall = &audience{told: make(map[uuid.UUID]struct{}, len(there)), listeners: map[*Listener]struct{}{}}
		for i := range there {
			hall.told[there[i].ID] = struct{}{}
		}

		f.audiences[listener.tenantID] = hall
	}

	if len(hall.listeners) >= mostListeners {
		return fault.New(fault.Limited, "too_many_listeners",
			"This tenant has too many open streams. Close some of them, or try again later.").After(time.Minute)
	}

	hall.listeners[listener] = struct{}{}

	return nil
}

const recentSubmissions = `
SELECT id, endpoint_id, received_at, status FROM submissions WHERE tenant_id = $1 AND id >= $2 ORDER BY id LIMIT $3`

func (f *Feed) recent(ctx context.Context, tenantID, from uuid.UUID, most int) ([]News, error) {
	var found []News

	err := f.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		rows, err := s.Tx.Query(ctx, recentSubmissions, tenantID, from, most)
		if err == nil {
			found, err = pgx.CollectRows(rows, pgx.RowToStructByPos[News])
		}

		return err
	})

	return found, postgres.Fault("read recent submissions", err)
}

const newsOfAll = `
SELECT t.id, s.id, s.endpoint_id, s.received_at, s.status FROM unnest($1::uuid[]) AS t (id) CROSS JOIN LATERAL (
    SELECT id, endpoint_id, received_at, status FROM submissions WHERE tenant_id = t.id AND id >= $2 ORDER BY id LIMIT $3
) AS s`

// Follow is one look at what came in, for all who listen. It must run alone, and every FeedEvery.
func (f *Feed) Follow(ctx context.Context) error {
	began := moment.Now()

	f.mu.Lock()
	from := f.begin()
	listening := make([]uuid.UUID, 0, len(f.audiences))

	for tenantID := range f.audiences {
		listening = append(listening, tenantID)
	}

	if len(listening) == 0 {
		f.looked = began
	}
	f.mu.Unlock()

	if len(listening) == 0 {
		return nil
	}

	found, err := f.look(ctx, listening, from)
	if err != nil {
		return postgres.Fault("follow submissions", err)
	}

	f.mu.Lock()
	defer f.mu.Unlock()

	f.looked = began
	for tenantID, news := range found {
		f.tell(tenantID, news)
	}

	f.forget()

	return nil
}

func (f *Feed) look(ctx context.Context, listening []uuid.UUID, from uuid.UUID) (map[uuid.UUID][]News, error) {
	rows, err := f.db.Pool.Query(ctx, newsOfAll, listening, from, mostRecent+1)
	if err != nil {
		return nil, err
	}

	var (
		found    = map[uuid.UUID][]News{}
		tenantID uuid.UUID
		news     News
	)

	_, err = pgx.ForEachRow(rows, []any{&tenantID, &news.ID, &news.EndpointID, &news.ReceivedAt, &news.Status}, func() error {
		found[tenantID] = append(found[tenantID], news)

		return nil
	})

	return found, err
}

// tell passes on what is new to the tenant's listeners. Too much of it ends them: they go on where they were, and are asked
// to read the list instead.
func (f *Feed) tell(tenantID uuid.UUID, news []News) {
	hall := f.audiences[tenantID]
	if hall == nil {
		return
	}

	if len(news) > mostRecent {
		for listener := range hall.listeners {
			f.dismiss(listener)
		}

		return
	}

	for _, one := range news {
		if _, known := hall.told[one.ID]; known {
			continue
		}

		hall.told[one.ID] = struct{}{}

		for listener := range hall.listeners {
			select {
			case listener.news <- one:
			default:
				f.dismiss(listener)
			}
		}
	}
}

// forget drops what no later look can find again.
func (f *Feed) forget() {
	from := f.begin()

	for _, hall := range f.audiences {
		for told := range hall.told {
			if bytes.Compare(told[:], from[:]) < 0 {
				delete(hall.told, told)
			}
		}
	}
}

// dismiss ends a listener. Whoever calls it holds the lock.
func (f *Feed) dismiss(listener *Listener) {
	hall := f.audiences[listener.tenantID]
	if hall == nil {
		return
	}

	if _, listens := hall.listeners[listener]; !listens {
		return
	}

	delete(hall.listeners, listener)
	close(listener.news)

	if len(hall.listeners) == 0 {
		delete(f.audiences, listener.tenantID)
	}
}

// Close ends all listeners, now and to come, so that the server can stop.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()

	f.closed = true

	for _, hall := range f.audiences {
		for listener := range hall.listeners {
			f.dismiss(listener)
		}
	}
}

// writePosition and parsePosition know the one spelling of a place in the feed.
func writePosition(at uuid.UUID) string { return hex.EncodeToString(at[:]) }

func parsePosition(text string) (uuid.UUID, bool) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != len(uuid.UUID{}) {
		return uuid.UUID{}, false
	}

	return uuid.UUID(raw), true
}
