// Package migrations holds the schema as SQL files and brings a database up to it.
//
// The files are named NNNN_name.sql and only ever go forward: a released file is never edited, a change is a new file,
// and the way back is a backup. Each file runs in one transaction together with the row of schema_migrations that keeps
// the SHA-256 of the file, so a file that fails leaves nothing, and one that was edited afterwards is noticed. The files
// in force are those built into the program; schema.golden shows the tables that they end in.
package migrations

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"formonce/internal/postgres"
)

// What can be wrong with the schema of a database, for errors.Is. The errors that carry these are whole sentences.
var (
	// ErrBehind means that this program has migrations that the database has not; `formonce migrate` applies them.
	ErrBehind = errors.New("the database is behind this program")
	// ErrAhead means that a newer release has migrated the database and this program cannot know what it finds there.
	ErrAhead = errors.New("the database was migrated by a newer formonce")
	// ErrChanged means that a file differs from what was applied under its name, so the schema is not what it says.
	ErrChanged = errors.New("an applied migration was changed afterwards")
)

// Migration is one step of the schema, known to this program or to the database or to both.
type Migration struct {
	// Version orders the steps and is the number that the file's name begins with.
	Version int64
	// Name is the file's name without its ending, such as 0001_tenants.
	Name string
	// AppliedAt is nil when the database does not have the step yet.
	AppliedAt *time.Time
	// Checksum is the SHA-256 of the file in lower-case hex; of the applied file once there is one.
	Checksum string
	// SQL is the text of the file, empty when this program does not know the step.
	SQL string
}

//go:embed *.sql
var files embed.FS

// known is read once: what is built into a program does not change while it runs.
var known = sync.OnceValues(func() ([]Migration, error) { return load(files) })

// Apply brings the database up to this program. It may be called again, and by several processes at once: one works and
// the others wait for it. It refuses a database that is ahead or changed (ErrAhead, ErrChanged) without touching it. When
// a file fails, nothing of that file is left and the files before it stay. The URL has to reach PostgreSQL itself or a
// pooler in session mode, because the lock against a second runner belongs to the session.
func Apply(ctx context.Context, databaseURL string) error {
	steps, err := known()
	if err != nil {
		return err
	}

	config, err := postgres.ParseURL(databaseURL)
	if err != nil {
		return err
	}

	conn, err := lock(ctx, config)
	if err != nil {
		return err
	}

	defer unlock(ctx, conn)

	applied, err := recorded(ctx, conn)
	if err != nil {
		return err
	}

	if err = compatible(steps, applied); err != nil {
		return err
	}

	return run(ctx, config, steps)
}

func run(ctx context.Context, config *pgx.ConnConfig, steps []Migration) error {
	db := stdlib.OpenDB(*limited(config))
	defer func() { _ = db.Close() }()

	provider, err := goose.NewProvider("", db, files,
		goose.WithStore(ledger{steps: steps}),
		goose.WithDisableGlobalRegistry(true),
		goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return fmt.Errorf("the migrations built into this program cannot be read: %w", err)
	}

	if _, err = provider.Up(ctx); err != nil {
		return explain(err)
	}

	return nil
}

// explain says which file failed and what that means for the database.
func explain(err error) error {
	if partial, ok := errors.AsType[*goose.PartialError](err); ok {
		return fmt.Errorf("migration %s failed and was rolled back; those before it are kept: %w",
			partial.Failed.Source.Path, partial.Err)
	}

	return fmt.Errorf("the database was not migrated: %w", err)
}

// Plan lists every step in the order of the versions, applied or not, and changes nothing. Steps that only the database
// knows are in the list too, without their SQL.
func Plan(ctx context.Context, databaseURL string) ([]Migration, error) {
	steps, err := known()
	if err != nil {
		return nil, err
	}

	config, err := postgres.ParseURL(databaseURL)
	if err != nil {
		return nil, err
	}

	conn, err := postgres.Connect(ctx, config)
	if err != nil {
		return nil, err
	}

	defer func() { _ = conn.Close(ctx) }()

	applied, err := recorded(ctx, conn)
	if err != nil {
		return nil, err
	}

	return merge(steps, applied), nil
}

// Querier is what Check needs of a pool or a connection of pgx.
type Querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Check returns nil when the database has exactly this program's migrations, and otherwise an error that says what to do
// and matches ErrBehind, ErrAhead or ErrChanged. It is one small query, cheap enough for every readiness probe.
func Check(ctx context.Context, db Querier) error {
	steps, err := known()
	if err != nil {
		return err
	}

	applied, err := recorded(ctx, db)
	if err != nil {
		return err
	}

	if err = compatible(steps, applied); err != nil {
		return err
	}

	return complete(steps, applied)
}

// load reads the files in the order of their names.
func load(fsys fs.FS) ([]Migration, error) {
	names, err := fs.Glob(fsys, "*.sql")
	if err != nil {
		return nil, fmt.Errorf("the migrations cannot be listed: %w", err)
	}

	steps := make([]Migration, 0, len(names))

	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("the migration %s cannot be read: %w", name, err)
		}

		digits, _, _ := strings.Cut(name, "_")

		version, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("the migration %s has to be named NNNN_name.sql: %w", name, err)
		}

		steps = append(steps, Migration{
			Version:  version,
			Name:     strings.TrimSuffix(name, ".sql"),
			Checksum: checksum(string(text)),
			SQL:      string(text),
		})
	}

	return steps, nil
}

// checksum disregards how a line ends, because a checkout may rewrite that.
func checksum(text string) string {
	sum := sha256.Sum256([]byte(strings.ReplaceAll(text, "\r\n", "\n")))

	return hex.EncodeToString(sum[:])
}
