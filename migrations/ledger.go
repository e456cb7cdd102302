package migrations

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3/database"
)

const (
	createLedger = `
CREATE TABLE schema_migrations (
    version    bigint      PRIMARY KEY,
    name       text        NOT NULL,
    checksum   text        NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
)`
	ledgerExists = `SELECT to_regclass('schema_migrations') IS NOT NULL`
	readLedger   = `SELECT version, name, checksum, applied_at FROM schema_migrations ORDER BY version`
	addToLedger  = `INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)`
	// undefinedTable is the SQLSTATE of a table that is not there (PostgreSQL, appendix A).
	undefinedTable = "42P01"
)

// ledger keeps goose's record of what was applied in schema_migrations, with the checksum of each file beside it. Goose
// writes to it in the transaction of the migration itself. The version 0 that goose expects at the bottom is not a row.
type ledger struct{ steps []Migration }

var _ database.StoreExtender = ledger{}

func (ledger) Tablename() string { return "schema_migrations" }

func (ledger) TableExists(ctx context.Context, db database.DBTxConn) (bool, error) {
	var exists bool

	if err := db.QueryRowContext(ctx, ledgerExists).Scan(&exists); err != nil {
		return false, fmt.Errorf("the list of applied migrations cannot be looked for: %w", err)
	}

	return exists, nil
}

func (ledger) CreateVersionTable(ctx context.Context, db database.DBTxConn) error {
	if _, err := db.ExecContext(ctx, createLedger); err != nil {
		return fmt.Errorf("the list of applied migrations cannot be made: %w", err)
	}

	return nil
}

func (l ledger) Insert(ctx context.Context, db database.DBTxConn, req database.InsertRequest) error {
	if req.Version == 0 {
		return nil
	}

	at := slices.IndexFunc(l.steps, func(m Migration) bool { return m.Version == req.Version })
	if at < 0 {
		return fmt.Errorf("migration %d is not built into this program", req.Version)
	}

	step := l.steps[at]
	if _, err := db.ExecContext(ctx, addToLedger, step.Version, step.Name, step.Checksum); err != nil {
		return fmt.Errorf("the migration cannot be noted as applied: %w", err)
	}

	return nil
}

// Delete refuses, because migrations only go forward.
func (ledger) Delete(context.Context, database.DBTxConn, int64) error {
	return database.ErrNotImplemented
}

func (l ledger) GetMigration(
	ctx context.Context, db database.DBTxConn, version int64,
) (*database.GetMigrationResult, error) {
	applied, err := l.read(ctx, db)
	if err != nil {
		return nil, err
	}

	for _, m := range applied {
		if m.Version == version {
			return &database.GetMigrationResult{Timestamp: *m.AppliedAt, IsApplied: true}, nil
		}
	}

	return nil, database.ErrVersionNotFound
}

func (l ledger) GetLatestVersion(ctx context.Context, db database.DBTxConn) (int64, error) {
	applied, err := l.read(ctx, db)
	if err != nil {
		return 0, err
	}

	return latest(applied), nil
}

func (l ledger) ListMigrations(
	ctx context.Context, db database.DBTxConn,
) ([]*database.ListMigrationsResult, error) {
	applied, err := l.read(ctx, db)
	if err != nil {
		return nil, err
	}

	list := []*database.ListMigrationsResult{{Version: 0, IsApplied: true}}
	for _, m := range applied {
		list = append(list, &database.ListMigrationsResult{Version: m.Version, IsApplied: true})
	}

	slices.Reverse(list)

	return list, nil
}

func (ledger) read(ctx context.Context, db database.DBTxConn) ([]Migration, error) {
	rows, err := db.QueryContext(ctx, readLedger)
	if err != nil {
		return nil, unreadable(err)
	}

	defer func() { _ = rows.Close() }()

	return scan(rows)
}

// recorded reads what the database says was applied; a database that was never migrated has nothing to say.
func recorded(ctx context.Context, db Querier) ([]Migration, error) {
	rows, err := db.Query(ctx, readLedger)
	if err == nil {
		defer rows.Close()

		var applied []Migration
		if applied, err = scan(rows); err == nil {
			return applied, nil
		}
	}

	var failed *pgconn.PgError
	if errors.As(err, &failed) && failed.Code == undefinedTable {
		return nil, nil
	}

	return nil, err
}

// rowReader is what the rows of database/sql and of pgx have in common.
type rowReader interface {
	Next() bool
	Scan(dest ...any) error
	Err() error
}

func scan(rows rowReader) ([]Migration, error) {
	var applied []Migration

	for rows.Next() {
		var (
			step Migration
			at   time.Time
		)

		if err := rows.Scan(&step.Version, &step.Name, &step.Checksum, &at); err != nil {
			return nil, unreadable(err)
		}

		step.AppliedAt = &at
		applied = append(applied, step)
	}

	if err := rows.Err(); err != nil {
		return nil, unreadable(err)
	}

	return applied, nil
}

func unreadable(err error) error {
	return fmt.Errorf("the list of applied migrations cannot be read: %w", err)
}
