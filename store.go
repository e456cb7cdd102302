package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"formonce/forms"
	"formonce/internal/config"
	"formonce/internal/postgres"
	"formonce/migrations"
	"formonce/tenants"
)

// stopWithin bounds the end of a PostgreSQL that a command started for itself.
const stopWithin = 10 * time.Second

// store is what the commands beside serve work with.
type store struct {
	config    *config.Config
	db        *postgres.DB
	tenants   *tenants.Registry
	directory *forms.Directory
	inbox     *forms.Inbox
	schemas   *forms.Schemas
}

// server is where the database is: the one of DATABASE_URL, or that of the data folder, which runs already or was started
// for this command.
type server struct {
	url      string
	embedded *postgres.Embedded
}

func findServer(ctx context.Context, settings *config.Config, log *slog.Logger) (*server, error) {
	if settings.DatabaseURL != "" {
		return &server{url: settings.DatabaseURL}, nil
	}

	embedded, err := postgres.JoinOrStart(ctx, postgres.EmbeddedOptions{
		DataDir: settings.DataDir, BinDir: settings.PGBinDir, Log: log,
	})
	if err != nil {
		return nil, err
	}

	return &server{url: embedded.URL(), embedded: embedded}, nil
}

// leave stops what was started, also after an interruption.
func (s *server) leave(ctx context.Context) error {
	if s.embedded == nil {
		return nil
	}

	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()

	return s.embedded.Stop(ctx)
}

// open connects. The program's own database is brought up to date on the way; another one is only ever migrated by who
// asks for it.
func (s *server) open(ctx context.Context) (*postgres.DB, error) {
	if s.embedded != nil {
		if err := migrations.Apply(ctx, s.url); err != nil {
			return nil, err
		}
	}

	db, err := postgres.Open(ctx, postgres.Options{URL: s.url, MaxConns: 2, ApplicationName: "formonce command"})
	if err != nil {
		return nil, err
	}

	if err := migrations.Check(ctx, db.Pool); err != nil {
		db.Close()

		return nil, err
	}

	return db, nil
}

// withServer does the work while the database's server runs.
func (c *console) withServer(ctx context.Context, do func(*config.Config, *server) error) (err error) {
	settings, err := c.settings()
	if err != nil {
		return fmt.Errorf("the settings cannot be used:\n%w", err)
	}

	found, err := findServer(ctx, settings, c.logger(settings))
	if err != nil {
		return err
	}

	defer func() {
		if failed := found.leave(ctx); err == nil {
			err = failed
		}
	}()

	return do(settings, found)
}

// withStore does the work with a database that has this program's tables.
func (c *console) withStore(ctx context.Context, do func(*store) error) error {
	return c.withServer(ctx, func(settings *config.Config, found *server) error {
		db, err := found.open(ctx)
		if err != nil {
			return err
		}

		defer db.Close()

		return do(storeOver(settings, db))
	})
}

func storeOver(settings *config.Config, db *postgres.DB) *store {
	return &store{
		config: settings, db: db,
		tenants: tenants.NewRegistry(db), directory: forms.NewDirectory(db), inbox: forms.NewInbox(db),
		schemas: forms.NewSchemas(db),
	}
}
