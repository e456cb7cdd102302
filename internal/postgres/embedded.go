package postgres

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// The superuser and the database of an embedded server; both exist in no other place than its own cluster.
const embeddedName = "formonce"

// EmbeddedOptions say where an embedded server keeps its data and finds its programs.
type EmbeddedOptions struct {
	// DataDir holds the cluster (postgres/), its password, its log, the lock against a second server and a note of the
	// programs that ran it last.
	DataDir string
	// BinDir is the folder of initdb and postgres (PG_BIN_DIR). Empty means: look on this machine.
	BinDir string
	// SearchIn are folders, or patterns of folders, to look in when BinDir is empty; nil means the PATH and the places
	// where the packages of the platforms install.
	SearchIn []string
	// SystemDir takes what an unprivileged account cannot reach in DataDir; empty means /var/lib/formonce.
	SystemDir string
	// Throwaway gives up durability for speed. For tests only.
	Throwaway bool
	// Log hears what an operator should know; nil means nobody does.
	Log *slog.Logger
}

// Embedded is a PostgreSQL server that this process runs as a child, or that it joined. A server that ends by itself is
// started again on the same URL.
type Embedded struct {
	options  EmbeddedOptions
	programs programs
	account  *account
	cluster  string
	password string
	address  address
	lock     *os.File

	process *process
	unkeep  context.CancelFunc // ends keep
	kept    chan struct{}
	once    sync.Once
	failed  error
}

// address is where a server listens: in a folder for its socket, or on a loopback port where folder is empty.
type address struct {
	folder string
	port   int
}

// StartEmbedded makes the cluster of DataDir when there is none, recovers one that was left by a killed process, and
// returns once the server takes connections. It refuses a DataDir that another process serves, and one of another major
// version. The server dies with this process; on systems other than Linux that is a best effort, and the next start ends
// what was left.
func StartEmbedded(ctx context.Context, options EmbeddedOptions) (*Embedded, error) {
	options, err := complete(options)
	if err != nil {
		return nil, err
	}

	lock, err := lockToServe(ctx, options.DataDir)
	if err != nil {
		return nil, err
	}

	return startLocked(ctx, options, lock)
}

// JoinOrStart is for commands beside the service: it joins the server that `serve` runs on DataDir, whose end Stop then
// leaves to its owner, or starts one for as long as the command needs it. Commands that start one wait for each other.
func JoinOrStart(ctx context.Context, options EmbeddedOptions) (*Embedded, error) {
	options, err := complete(options)
	if err != nil {
		return nil, err
	}

	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()

	for {
		lock, owner, err := tryLock(options.DataDir, roleCommand)
		if err != nil {
			return nil, err
		}

		if lock != nil {
			return startLocked(ctx, options, lock)
		}

		if owner.role != roleCommand {
			joined, err := join(ctx, options)
			if joined != nil || err != nil {
				return joined, err
			}
		}

		if !pause(ctx, 50*time.Millisecond) {
			return nil, owner.refusal(options.DataDir)
		}
	}
}

// URL is how to connect to the server as its superuser; it holds the password.
func (e *Embedded) URL() string { return e.urlOf(embeddedName) }

// Stop ends the server in an orderly way, and within the time of ctx in any case. After JoinOrStart joined a server it
// does nothing. It may be called again.
func (e *Embedded) Stop(ctx context.Context) error { return e.StopBy(ctx, Fast) }

// StopBy is Stop with a choice of how; a server that was joined stays.
func (e *Embedded) StopBy(ctx context.Context, how Shutdown) error {
	e.once.Do(func() {
		if e.process == nil {
			return
		}

		e.unkeep()
		<-e.kept

		e.process.end(ctx, how)
		e.failed = errors.Join(e.tidySocket(), unlockFile(e.lock))
	})

	return e.failed
}

// Shutdown is a way to stop a server, named as pg_ctl names them.
type Shutdown string

// The two ways: Fast ends sessions and writes a checkpoint, Immediate is a crash that the next start recovers from.
const (
	Fast      Shutdown = "fast"
	Immediate Shutdown = "immediate"
)

func complete(options EmbeddedOptions) (EmbeddedOptions, error) {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}

	if options.SystemDir == "" {
		options.SystemDir = "/var/lib/formonce"
	}

	dir, err := filepath.Abs(options.DataDir)
	if err != nil {
		return options, fmt.Errorf("DATA_DIR has no absolute path, set it to one: %w", err)
	}

	options.DataDir = dir

	if options.BinDir != "" {
		if options.BinDir, err = filepath.Abs(options.BinDir); err != nil {
			return options, fmt.Errorf("PG_BIN_DIR has no absolute path, set it to one: %w", err)
		}
	}

	if err := os.MkdirAll(dir, 0o700); err != nil {
		return options, fmt.Errorf("DATA_DIR cannot be made, choose a folder that can be written to: %w", err)
	}

	return options, nil
}

// startLocked owns the lock from here on: a server that does not start releases it.
func startLocked(ctx context.Context, options EmbeddedOptions, lock *os.File) (*Embedded, error) {
	server := &Embedded{options: options, lock: lock, kept: make(chan struct{})}

	err := server.prepare(ctx)
	if err == nil {
		err = server.run(ctx)
	}

	if err != nil {
		return nil, errors.Join(err, server.tidySocket(), unlockFile(lock))
	}

	kept, unkeep := context.WithCancel(context.WithoutCancel(ctx))
	server.unkeep = unkeep

	go server.keep(kept)

	return server, nil
}

// join returns nil without an error while the server of DataDir is not ready.
func join(ctx context.Context, options EmbeddedOptions) (*Embedded, error) {
	server := &Embedded{options: options}

	cluster, found, err := clusterOf(options.DataDir)
	if err != nil || !found {
		return nil, err
	}

	seen := readPidFile(cluster)
	if !seen.ready {
		return nil, nil //nolint:nilnil // Not yet is neither a server nor a fault.
	}

	server.cluster, server.address = cluster, seen.address

	if server.password, err = readPassword(options.DataDir); err != nil {
		return nil, err
	}

	if !server.isUp(ctx) {
		return nil, nil //nolint:nilnil // A server that is just being stopped: the caller looks again.
	}

	return server, nil
}

func (e *Embedded) urlOf(database string) string {
	built := url.URL{Scheme: "postgres", User: url.UserPassword(embeddedName, e.password), Path: "/" + database}
	query := url.Values{"sslmode": {"disable"}}

	if e.address.folder == "" {
		built.Host = net.JoinHostPort("127.0.0.1", strconv.Itoa(e.address.port))
	} else {
		query.Set("host", e.address.folder)
		query.Set("port", strconv.Itoa(e.address.port))
	}

	built.RawQuery = query.Encode()

	return built.String()
}

// pause waits, and says whether there is time left.
func pause(ctx context.Context, wait time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(wait):
		return true
	}
}
