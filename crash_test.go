package main_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"formonce/internal/pgtest"
	"formonce/internal/postgres"
)

var (
	crashRounds = flag.Int("crash.rounds", 10, "how often each of the crash tests kills")
	crashSeed   = flag.Uint64("crash.seed", 0, "the seed of the moments of killing; 0 draws one")
)

const (
	crashClients = 16
	// progress is how many more receipts have to be out before the next kill is thought of, so that every round kills
	// under load.
	progress = 2 * crashClients
	// longestWait is the latest moment of a kill after that.
	longestWait = 300 * time.Millisecond
)

// load is a crowd of clients that send one keyed submission after the other, each until it has a receipt for it.
type load struct {
	*service

	stop     chan struct{}
	clients  sync.WaitGroup
	receipts atomic.Int64
	// refused is how many times a client was asked to come back later.
	refused atomic.Int64

	mu   sync.Mutex
	ids  map[string]string // of the submission, by key
	seen []string          // what should not have happened
}

func (s *service) load() *load {
	s.Helper()

	l := &load{service: s, stop: make(chan struct{}), ids: map[string]string{}}

	for client := range crashClients {
		l.clients.Go(func() { l.submit(client) })
	}

	return l
}

func (l *load) submit(client int) {
	for n := 0; ; n++ {
		select {
		case <-l.stop:
			return
		default:
			// Every third is sent once more, as by a client that has lost its receipt.
			l.insist(fmt.Sprintf("crash-client-%02d-%06d", client, n), 1+n%3/2)
		}
	}
}

// insist sends one submission until it has the number of receipts that are wanted.
func (l *load) insist(key string, wanted int) {
	for wanted > 0 {
		got, err := l.send("POST", "/f/contact-form", "n="+key, contentType, formType, keyHeader, key)
		if err == nil && got.status == 202 {
			l.note(key, got)

			wanted--

			continue
		}

		l.judge(got, err)
		time.Sleep(10 * time.Millisecond)
	}
}

// note keeps the receipt, which has to be the same whenever the key was answered.
func (l *load) note(key string, got reply) {
	submissionID, _ := got.object()["submission_id"].(string)

	l.mu.Lock()
	defer l.mu.Unlock()

	if earlier, ok := l.ids[key]; ok && earlier != submissionID {
		l.seen = append(l.seen, fmt.Sprintf("%s got the receipts %s and %s", key, earlier, submissionID))
	}

	l.ids[key] = submissionID
	l.receipts.Add(1)
}

// judge takes a broken connection as it comes; an answer has to be one that asks for a retry.
func (l *load) judge(got reply, err error) {
	if err != nil {
		return
	}

	l.refused.Add(1)

	if got.status != 503 || got.header.Get("Retry-After") == "" {
		l.mu.Lock()
		defer l.mu.Unlock()

		l.seen = append(l.seen, fmt.Sprintf("an answer %d %s, Retry-After %q", got.status, got.code(), got.header.Get("Retry-After")))
	}
}

// rounds waits for progress and for a random moment, kills and revives, again and again, and lets the clients finish.
func (l *load) rounds(kill, revive func()) {
	l.Helper()

	seed := *crashSeed
	if seed == 0 {
		seed = rand.Uint64()
	}

	l.Logf("run again with -crash.seed=%d", seed)

	moments := rand.New(rand.NewPCG(seed, 0))

	for range *crashRounds {
		before := l.receipts.Load()
		l.eventually("progress", func() bool { return l.receipts.Load() >= before+progress })
		time.Sleep(time.Duration(moments.Int64N(int64(longestWait))))
		kill()
		revive()
	}

	close(l.stop)
	l.clients.Wait()
}

// wantExactlyOnce holds the receipts against the rows: one row for each key, with the id that every receipt named, and
// no row beside them.
func (l *load) wantExactlyOnce(databaseURL string) {
	l.Helper()

	for _, wrong := range l.seen {
		l.Error(wrong)
	}

	rows := rowsByKey(l.T, databaseURL)

	for key, ids := range rows {
		if len(ids) != 1 || l.ids[key] != ids[0] {
			l.Errorf("%s has the rows %v, its receipts name %q", key, ids, l.ids[key])
		}
	}

	for key, submissionID := range l.ids {
		if len(rows[key]) == 0 {
			l.Errorf("%s has the receipt %s and no row", key, submissionID)
		}
	}

	l.Logf("%d keys, %d receipts, %d times asked to come back", len(l.ids), l.receipts.Load(), l.refused.Load())
}

// rowsByKey finds the ids of the stored submissions by the key, which is also their content.
func rowsByKey(t *testing.T, databaseURL string) map[string][]string {
	t.Helper()

	conn, err := pgx.Connect(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}

	defer func() { _ = conn.Close(context.Background()) }()

	rows, err := conn.Query(t.Context(), "SELECT 'sub_' || replace(id::text, '-', ''), fields->0->>'n' FROM submissions")
	if err != nil {
		t.Fatal(err)
	}

	var (
		submissionID, key string
		found             = map[string][]string{}
	)

	_, err = pgx.ForEachRow(rows, []any{&submissionID, &key}, func() error {
		found[key] = append(found[key], submissionID)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	return found
}

func TestAKilledServiceLosesAndDoublesNothing(t *testing.T) {
	s := install(t, nil)
	s.start()
	s.furnish()

	load, round := s.load(), 0
	load.rounds(func() {
		// In every other round PostgreSQL is killed as well, and has no time to write what it holds in memory.
		if round++; round%2 == 0 {
			if err := syscall.Kill(s.postmaster(), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}

		s.kill()
	}, func() { s.start() })

	if status := s.terminate(); status != 0 {
		t.Errorf("the service ended with status %d", status)
	}

	database, err := postgres.JoinOrStart(t.Context(), postgres.EmbeddedOptions{
		DataDir: s.folder + "/data", BinDir: os.Getenv("PG_BIN_DIR"),
	})
	if err != nil {
		t.Fatal(err)
	}

	load.wantExactlyOnce(database.URL())

	if err := database.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestACrashedDatabaseLosesAndDoublesNothing(t *testing.T) {
	database := pgtest.Server(t, true)
	s := install(t, external(database.URL()))
	s.start()
	s.furnish()

	load := s.load()
	load.rounds(
		func() {
			if err := database.Stop(postgres.Immediate); err != nil {
				t.Fatal(err)
			}

			// The service has to say so before the database comes back.
			before := load.refused.Load()
			s.eventually("a client is asked to come back", func() bool { return load.refused.Load() > before })
		},
		func() {
			if err := database.Start(); err != nil {
				t.Fatal(err)
			}
		})

	load.wantExactlyOnce(database.URL())

	if status := s.terminate(); status != 0 {
		t.Errorf("the service ended with status %d", status)
	}
}
