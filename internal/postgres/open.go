// Package postgres opens the database, says what its errors mean, and runs a PostgreSQL of its own where there is none.
package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	driver "gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"formonce/internal/moment"
)

// connectLimit bounds one attempt to connect, so that a start against a silent address fails while someone is watching.
const connectLimit = 5 * time.Second

// errURL stands in for pgx's own error, which quotes parts of the URL and with them parts of a password.
var errURL = errors.New("the database URL cannot be read: write it as " +
	"postgres://user:password@host:5432/database?sslmode=require, with special characters of the password percent-encoded")

// limits are set on every connection, so that no forgotten query or lock holds the service up. A value that the URL sets
// itself wins.
var limits = map[string]string{
	"lock_timeout":                        "5s",
	"statement_timeout":                   "30s",
	"idle_in_transaction_session_timeout": "10s",
	"TimeZone":                            "UTC",
}

// DB is one pool of connections with two ways to use it: named SQL through Pool, plain reads and writes through Gorm.
type DB struct {
	Pool *pgxpool.Pool
	Gorm *gorm.DB

	sql *sql.DB // over Pool, for what gorm needs a connection of its own
}

// Options say which database to open and how many connections it may take.
type Options struct {
	URL string
	// MaxConns is the size of the pool; zero means four for each processor.
	MaxConns int32
	// ApplicationName is what pg_stat_activity shows for the connections.
	ApplicationName string
	// Tracer is told of every statement, when it is not nil.
	Tracer pgx.QueryTracer
}

// Open connects and asks the database for a sign of life, for ten seconds at most. Its errors never hold a password.
func Open(ctx context.Context, options Options) (*DB, error) {
	config, err := poolConfig(options)
	if err != nil {
		return nil, err
	}

	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("the pool of database connections cannot be made: %w", err)
	}

	waiting, cancel := context.WithTimeout(ctx, 2*connectLimit)
	defer cancel()

	if err = pool.Ping(waiting); err != nil {
		pool.Close()

		return nil, silent(err)
	}

	over := stdlib.OpenDBFromPool(pool)

	mapper, err := mapperOver(over)
	if err != nil {
		pool.Close()

		return nil, err
	}

	return &DB{Pool: pool, Gorm: mapper, sql: over}, nil
}

// ParseURL reads the URL of a database. Its error holds no part of it.
func ParseURL(databaseURL string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return nil, errURL
	}

	return config, nil
}

// Connect opens one connection, for what has to hold on to one. Its errors never hold a password.
func Connect(ctx context.Context, config *pgx.ConnConfig) (*pgx.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, silent(err)
	}

	return conn, nil
}

func silent(err error) error {
	return fmt.Errorf("the database does not answer, check its address and that it runs: %w", err)
}

// Close waits for connections in use and closes them all. A DB that was closed answers every use with an error.
func (db *DB) Close() { db.Pool.Close() }

// InTx runs work in one read-committed transaction: committed when work returns nil, rolled back on an error or a panic.
func InTx(ctx context.Context, pool *pgxpool.Pool, work func(tx pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, pool, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, work)
}

func poolConfig(options Options) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(options.URL)
	if err != nil {
		return nil, errURL
	}

	config.MaxConns = options.MaxConns
	if config.MaxConns <= 0 {
		config.MaxConns = int32(4 * runtime.GOMAXPROCS(0)) //nolint:gosec // No machine has 500 million processors.
	}

	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectLimit
	}

	config.ConnConfig.Tracer = options.Tracer

	params := maps.Clone(limits)
	if options.ApplicationName != "" {
		params["application_name"] = options.ApplicationName
	}

	maps.Copy(params, config.ConnConfig.RuntimeParams)
	config.ConnConfig.RuntimeParams = params

	return config, nil
}

// mapperOver takes away from gorm all that works behind a reader's back: its transactions, hooks, clock and log, which
// would print values.
func mapperOver(over *sql.DB) (*gorm.DB, error) {
	mapper, err := gorm.Open(driver.New(driver.Config{Conn: over}), &gorm.Config{
		SkipDefaultTransaction: true,
		DisableAutomaticPing:   true,
		Logger:                 logger.Discard,
		NowFunc:                moment.Now,
	})
	if err != nil {
		return nil, fmt.Errorf("gorm cannot be set up over the pool: %w", err)
	}

	return mapper.Session(&gorm.Session{SkipHooks: true}), nil
}
