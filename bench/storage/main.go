// Storage measures what each index on submissions costs an acceptance and what it gives to the lists, the search and the
// export, so that the choice of docs/decisions/0007-how-submissions-are-stored.md can be checked and made again.
//
//	go run ./bench/storage -rows 1000000
//
// It works in a scratch database that it drops at the end; the default sizes take a few minutes, a million submissions a
// quarter of an hour. Ratios within one run hold; figures of two machines do not compare.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"os/signal"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"formonce/internal/postgres"
	"formonce/migrations"
)

// options are the sizes of one run.
type options struct {
	database string
	rows     int
	tenants  int
	prefill  int
	rounds   int
	interval time.Duration
}

func main() {
	var o options

	flag.StringVar(&o.database, "database", "", "URL of a server on which a scratch database may be made; empty starts one")
	flag.IntVar(&o.rows, "rows", 200_000, "submissions that the lists and the search run over")
	flag.IntVar(&o.tenants, "tenants", 200, "tenants that share the submissions; the first has most of them")
	flag.IntVar(&o.prefill, "prefill", 100_000, "submissions in each table before insertion is measured")
	flag.IntVar(&o.rounds, "rounds", 5, "rounds of insertion; the table shows medians; 0 leaves insertion out")
	flag.DurationVar(&o.interval, "interval", time.Second, "how long one insertion lasts in a round")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := bench(ctx, o, os.Stdout)

	stop()

	if err != nil {
		fmt.Fprintln(os.Stderr, "The measurement ended early:", err)
		os.Exit(1)
	}
}

// bench runs every measurement in a database of its own.
func bench(ctx context.Context, o options, out io.Writer) (err error) {
	address, stop, err := server(ctx, o.database)
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, stop()) }()

	pool, drop, err := scratch(ctx, address)
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, drop()) }()

	corpus := newCorpus(o.tenants)
	if err = describe(ctx, out, pool, o); err != nil {
		return err
	}

	if err = fill(ctx, out, pool, corpus, o.rows); err != nil {
		return err
	}

	if o.rounds > 0 {
		if err = measureInsertion(ctx, out, pool, corpus, o); err != nil {
			return err
		}
	}

	where, err := newPlace(ctx, pool, corpus)
	if err != nil {
		return err
	}

	if err = measureLists(ctx, out, pool, where); err != nil {
		return err
	}

	return measureSearch(ctx, out, pool, where)
}

// server returns the URL of the server to use, and what ends it when it was started here, with durable settings.
func server(ctx context.Context, given string) (string, func() error, error) {
	if given != "" {
		return given, func() error { return nil }, nil
	}

	folder, err := os.MkdirTemp("", "formonce-storage-")
	if err != nil {
		return "", nil, fmt.Errorf("there is no room for a scratch database: %w", err)
	}

	// Started as root, the server drops to an account that has to reach the folder; what it keeps there it protects itself.
	if err = os.Chmod(folder, 0o755); err != nil { //nolint:gosec // See above.
		return "", nil, fmt.Errorf("the folder of the scratch database cannot be opened up: %w", err)
	}

	embedded, err := postgres.StartEmbedded(ctx, postgres.EmbeddedOptions{DataDir: folder, Log: slog.Default()})
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(folder))
	}

	return embedded.URL(), func() error {
		return errors.Join(embedded.Stop(context.WithoutCancel(ctx)), os.RemoveAll(folder))
	}, nil
}

// scratch makes a migrated database and returns its pool and what drops it again.
func scratch(ctx context.Context, server string) (*pgxpool.Pool, func() error, error) {
	name := fmt.Sprintf("formonce_storage_%d", os.Getpid())

	if err := onServer(ctx, server, "CREATE DATABASE "+name); err != nil {
		return nil, nil, err
	}

	drop := func() error {
		return onServer(context.WithoutCancel(ctx), server, "DROP DATABASE "+name+" WITH (FORCE)")
	}

	pool, err := open(ctx, server, name)
	if err != nil {
		return nil, nil, errors.Join(err, drop())
	}

	return pool, func() error { pool.Close(); return drop() }, nil
}

func open(ctx context.Context, server, name string) (*pgxpool.Pool, error) {
	address, err := url.Parse(server)
	if err != nil {
		return nil, fmt.Errorf("the address of the server has to be a URL: %w", err)
	}

	address.Path = "/" + name
	if err = migrations.Apply(ctx, address.String()); err != nil {
		return nil, err
	}

	config, err := pgxpool.ParseConfig(address.String())
	if err != nil {
		return nil, fmt.Errorf("the URL of the server cannot be read: %w", err)
	}

	config.MaxConns = connections + 1
	// Both would hide what a single query costs. No limit of the role may cut a slow candidate short.
	config.ConnConfig.RuntimeParams["max_parallel_workers_per_gather"] = "0"
	config.ConnConfig.RuntimeParams["jit"] = "off"
	config.ConnConfig.RuntimeParams["statement_timeout"] = "0"

	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("the scratch database cannot be reached: %w", err)
	}

	return pool, nil
}

func onServer(ctx context.Context, server, statement string) error {
	conn, err := pgx.Connect(ctx, server)
	if err != nil {
		return fmt.Errorf("the server cannot be reached: %w", err)
	}

	defer func() { _ = conn.Close(ctx) }()

	if _, err = conn.Exec(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}

	return nil
}
