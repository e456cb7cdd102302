package forms

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/singleflight"

	"formonce/internal/fault"
	"formonce/internal/postgres"
	"formonce/tenants"
)

const (
	knownEndpoints = 100_000
	// Unknown ids have a store of their own, so that guessing pushes no real endpoint out.
	unknownEndpoints = 10_000
	// FollowEvery is how often Follow should run for a change to count within a second.
	FollowEvery = 250 * time.Millisecond
	// trustFor bounds how long the cache is believed after the last look at the changes.
	trustFor = time.Second
	// followWindow is how far back Follow looks: longer than any transaction that changes an endpoint may last.
	followWindow = 30 * time.Second
	// believeFor bounds how long an endpoint is remembered without a new look at it. Until then a change may be missed
	// whose announcement got lost: by a command that was killed before it, or by a database whose clock was set.
	believeFor = time.Minute
	// followWithin bounds one look at the changes, since a database behind a broken network does not even fail.
	followWithin = 3 * time.Second
	// joinFor bounds the age of a load that one more caller waits for, since what it has read may be as old.
	joinFor = trustFor / 2
)

// Lookup finds the endpoint that a visitor posts to, from memory when it can. It believes its memory only while Follow
// keeps up with the changes, so without Follow it is merely slow, never wrong.
type Lookup struct {
	db      *postgres.DB
	tenants *tenants.Registry
	shelf   *versionShelf

	known   *lru.Cache[string, opened]
	unknown *lru.Cache[string, opened]
	loading singleflight.Group

	// generation grows with every change that Follow sees. A load that began before a change must not be remembered
	// after it, so remembering and forgetting exclude each other.
	remember   sync.Mutex
	generation int64

	now        func() time.Duration // the age of the Lookup, by the clock that nobody sets
	followedAt atomic.Int64         // in nanoseconds, by now
	lastSeen   map[string]time.Time
}

// opened is an endpoint with what its tenant decides about it. Of an unknown id it holds no endpoint.
type opened struct {
	endpoint   *Endpoint
	tenantSlug string
	suspended  bool
	readAt     time.Duration
}

// NewLookup returns a Lookup with an empty memory.
func NewLookup(db *postgres.DB, registry *tenants.Registry) *Lookup {
	known, _ := lru.New[string, opened](knownEndpoints) // fails only for a size below one
	unknown, _ := lru.New[string, opened](unknownEndpoints)
	born := time.Now()

	made := &Lookup{
		db: db, tenants: registry, shelf: newVersionShelf(db), known: known, unknown: unknown,
		now: func() time.Duration { return time.Since(born) },
	}
	made.followedAt.Store(-int64(followWindow))

	return made
}

// Find returns the endpoint with this id, which the caller must not change. The errors are the Faults
// invalid_endpoint_id, endpoint_not_found, endpoint_closed (the endpoint comes with it) and storage_unavailable.
func (l *Lookup) Find(ctx context.Context, endpointID string) (*Endpoint, error) {
	found, err := l.open(ctx, endpointID)
	if err != nil {
		return nil, err
	}

	return found.usable()
}

// FindUnder is Find for an address that names the tenant too, by its slug or its id.
func (l *Lookup) FindUnder(ctx context.Context, tenant, endpointID string) (*Endpoint, error) {
	found, err := l.open(ctx, endpointID)
	if err != nil {
		return nil, err
	}

	if tenant != found.tenantSlug && tenant != found.endpoint.OwnerID() {
		return nil, errEndpointNotFound
	}

	return found.usable()
}

func (o opened) usable() (*Endpoint, error) {
	if o.suspended || o.endpoint.Closed {
		return o.endpoint, fault.New(fault.Gone, "endpoint_closed",
			"This form does not take submissions any more. Ask its owner for another way.")
	}

	return o.endpoint, nil
}

func (l *Lookup) open(ctx context.Context, endpointID string) (opened, error) {
	if !ValidEndpointID(endpointID) {
		return opened{}, fault.New(fault.NotFound, "invalid_endpoint_id",
			"This is no endpoint id: it has 3 to 64 characters of a-z, 0-9, - and _. Check the form's action.")
	}

	found, ok := l.recall(endpointID)
	if !ok {
		var err error
		if found, err = l.ask(ctx, endpointID); err != nil {
			return opened{}, err
		}
	}

	if found.endpoint == nil {
		return opened{}, errEndpointNotFound
	}

	return found, nil
}

// recall is what the memory says, as long as it can be believed.
func (l *Lookup) recall(endpointID string) (opened, bool) {
	if l.behind() > trustFor {
		return opened{}, false
	}

	for _, memory := range []*lru.Cache[string, opened]{l.known, l.unknown} {
		if found, ok := memory.Get(endpointID); ok && l.now()-found.readAt <= believeFor {
			return found, true
		}
	}

	return opened{}, false
}

// behind is how long ago Follow last looked.
func (l *Lookup) behind() time.Duration { return l.now() - time.Duration(l.followedAt.Load()) }

// ask reads the endpoint, once for all who ask at about the same time.
func (l *Lookup) ask(ctx context.Context, endpointID string) (opened, error) {
	flight := fmt.Sprintf("%s@%d", endpointID, l.now()/joinFor)

	loaded, err, _ := l.loading.Do(flight, func() (any, error) {
		// The load serves everyone who waits for it, so it does not end with the one who began it.
		shared, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()

		return l.load(shared, endpointID)
	})
	if err != nil {
		return opened{}, err
	}

	found, _ := loaded.(opened) // load returns nothing else

	return found, nil
}

func (l *Lookup) load(ctx context.Context, endpointID string) (opened, error) {
	began := l.now()

	l.remember.Lock()
	before := l.generation
	l.remember.Unlock()

	memory := l.known
	found, err := l.read(ctx, endpointID)

	if errors.Is(err, pgx.ErrNoRows) {
		memory, err = l.unknown, nil
	}

	if err != nil {
		return opened{}, postgres.Fault("look an endpoint up", err)
	}

	found.readAt = began
	l.unlessChanged(before, func() { memory.Add(endpointID, found) })

	return found, nil
}

func (l *Lookup) unlessChanged(since int64, remember func()) {
	l.remember.Lock()
	defer l.remember.Unlock()

	if l.generation == since {
		remember()
	}
}

func (l *Lookup) read(ctx context.Context, endpointID string) (opened, error) {
	var tenantID uuid.UUID

	err := l.db.Pool.QueryRow(ctx,
		"SELECT tenant_id FROM endpoint_directory WHERE endpoint_id = $1 AND tenant_id IS NOT NULL", endpointID).
		Scan(&tenantID)
	if err != nil {
		return opened{}, err
	}

	endpoint, err := get(l.db.Gorm.WithContext(ctx), tenantID, endpointID)
	if err != nil {
		return opened{}, err
	}

	endpoint.schema, err = l.shelf.get(ctx, tenantID, endpointID, endpoint.SchemaVersion)
	if err != nil {
		return opened{}, err
	}

	tenant, err := l.tenants.Get(ctx, tenantID)
	endpoint.language = tenant.DefaultLanguage

	return opened{endpoint: &endpoint, tenantSlug: tenant.Slug, suspended: tenant.Status != tenants.Active}, err
}

// Follow is one look at what changed in the directory of endpoints: what changed is forgotten. It must run alone, and
// every FollowEvery.
func (l *Lookup) Follow(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, followWithin)
	defer cancel()

	began := l.now()

	rows, err := l.db.Pool.Query(ctx,
		"SELECT endpoint_id, changed_at FROM endpoint_directory WHERE changed_at > clock_timestamp() - $1::interval",
		followWindow)
	if err != nil {
		return postgres.Fault("follow changed endpoints", err)
	}

	seen := map[string]time.Time{}

	var (
		changed   string
		changedAt time.Time
	)

	_, err = pgx.ForEachRow(rows, []any{&changed, &changedAt}, func() error {
		seen[changed] = changedAt
		return nil
	})
	if err != nil {
		return postgres.Fault("follow changed endpoints", err)
	}

	l.forget(seen)
	l.followedAt.Store(int64(began))

	return nil
}

func (l *Lookup) forget(seen map[string]time.Time) {
	l.remember.Lock()
	defer l.remember.Unlock()

	if l.behind() > followWindow/2 {
		l.generation++
		l.known.Purge()
		l.unknown.Purge()
	}

	for endpointID, changedAt := range seen {
		if !l.lastSeen[endpointID].Equal(changedAt) {
			l.generation++
			l.known.Remove(endpointID)
			l.unknown.Remove(endpointID)
		}
	}

	l.lastSeen = seen
}
