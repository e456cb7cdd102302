package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/spf13/cobra"

	"formonce/forms"
	"formonce/integrations"
	"formonce/internal/config"
	"formonce/internal/loop"
	"formonce/internal/postgres"
	"formonce/internal/report"
	"formonce/migrations"
	"formonce/tenants"
)

// drainWithin is what is left to requests in flight when the service is asked to stop. The rest of the ten seconds that a
// supervisor usually waits is for the database.
const drainWithin = 6 * time.Second

// sweepEvery is how often what has expired is removed. It is out of force at once; this is only about room.
const sweepEvery = time.Hour

// role is a part of the work that a process may take on, so that the work can be split over machines.
type role string

const (
	roleWeb    role = "web"    // answers visitors
	roleWorker role = "worker" // does what has to be done in the background
)

// serveOptions are what a caller of serve decides beside the settings.
type serveOptions struct {
	Roles []role
	// Demo makes the demo tenant and prints how to use it.
	Demo bool
	// Out takes what is meant for a person, Log what is meant for machines.
	Out io.Writer
	Log *slog.Logger
	// Outbox enqueues what an accepted submission owes.
	Outbox forms.Outbox
}

// service is the running whole: every part that was started, and how to stop it again.
type service struct {
	cfg  *config.Config
	opts serveOptions

	metrics  *prometheus.Registry
	reporter *report.Reporter
	db       *postgres.DB
	listener net.Listener
	public   *url.URL
	faults   chan error

	stops []func(context.Context) error
}

// serve runs the service until ctx ends or a part of it fails. It builds the parts in order and stops those that it
// built in reverse.
func serve(ctx context.Context, cfg *config.Config, opts serveOptions) (err error) {
	s := &service{cfg: cfg, opts: opts, metrics: prometheus.NewRegistry(), faults: make(chan error, 2)}

	defer func() { err = errors.Join(err, s.stop()) }()

	for _, part := range []struct {
		of    role // empty for what every process needs
		start func(context.Context) error
	}{
		{"", s.startReports},
		{"", s.startDatabase},
		{roleWorker, s.startJobs},
		{roleWeb, s.listen},
		{roleWorker, s.startMail},
		{roleWeb, s.startHTTP},
		{"", s.startMetrics},
		{roleWeb, s.showDemo},
	} {
		if part.of != "" && !slices.Contains(opts.Roles, part.of) {
			continue
		}

		if err := part.start(ctx); err != nil {
			return err
		}
	}

	opts.Log.Info("serving", slog.String("address", s.address()), slog.Any("roles", opts.Roles), slog.String("version", version))

	select {
	case <-ctx.Done():
		opts.Log.Info("stopping")
		return nil
	case err := <-s.faults:
		return err
	}
}

func serveCommand(c *console) *cobra.Command {
	var (
		demo  bool
		named []string
	)

	command := c.leaf("serve", "Take submissions until it is told to stop",
		"formonce serve\nLISTEN_ADDR=0.0.0.0:8080 DATABASE_URL=postgres://… SECRET_KEY=… formonce serve --role web",
		func(command *cobra.Command, _ []string) error {
			roles, err := parseRoles(named)
			if err != nil {
				return err
			}

			settings, err := c.settings()
			if err != nil {
				return fmt.Errorf("the settings cannot be used:\n%w", err)
			}

			log := slog.New(slog.NewJSONHandler(c.err, &slog.HandlerOptions{Level: settings.LogLevel}))

			return serve(command.Context(), settings, serveOptions{
				Roles: roles, Demo: demo, Out: c.out, Log: log, Outbox: integrations.Outbox{},
			})
		})

	command.Flags().BoolVar(&demo, "demo", false, "make a demo tenant once, and print how to use it (role web)")
	command.Flags().StringSliceVar(&named, "role", []string{string(roleWeb), string(roleWorker)},
		"what this process does: web, worker, or both")

	return command
}

func parseRoles(named []string) ([]role, error) {
	roles := make([]role, len(named))

	for i, name := range named {
		if roles[i] = role(name); roles[i] != roleWeb && roles[i] != roleWorker {
			return nil, misuse("the roles of --role are web and worker, joined by a comma")
		}
	}

	if len(roles) == 0 {
		return nil, misuse("name a role after --role: web, worker, or both joined by a comma")
	}

	return roles, nil
}

// address is where the public routes are served; empty for a process that serves none.
func (s *service) address() string {
	if s.listener == nil {
		return ""
	}

	return s.listener.Addr().String()
}

func (s *service) onStop(stop func(context.Context) error) { s.stops = append(s.stops, stop) }

func (s *service) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), drainWithin)
	defer cancel()

	var faults []error
	for _, stop := range slices.Backward(s.stops) {
		faults = append(faults, stop(ctx))
	}

	return errors.Join(faults...)
}

func (s *service) startReports(context.Context) error {
	s.metrics.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))

	reporter, err := report.New(s.cfg.SentryDSN, version)
	if err != nil {
		return fmt.Errorf("SENTRY_DSN cannot be used: %w", err)
	}

	s.reporter = reporter
	s.onStop(func(context.Context) error {
		reporter.Flush(time.Second)
		return nil
	})

	return nil
}

// startDatabase brings up the database, or joins the one that is given, and refuses one whose migrations are not ours.
func (s *service) startDatabase(ctx context.Context) error {
	databaseURL, migrate := s.cfg.DatabaseURL, s.cfg.AutoMigrate

	if databaseURL == "" {
		embedded, err := postgres.StartEmbedded(ctx, postgres.EmbeddedOptions{
			DataDir: s.cfg.DataDir, BinDir: s.cfg.PGBinDir, Log: s.opts.Log,
		})
		if err != nil {
			return err
		}

		// The database is stopped last, and with time of its own: an interrupted stop costs a recovery.
		s.onStop(func(ctx context.Context) error { return embedded.Stop(context.WithoutCancel(ctx)) })

		databaseURL, migrate = embedded.URL(), true
	}

	if migrate {
		if err := migrations.Apply(ctx, databaseURL); err != nil {
			return err
		}
	}

	db, err := postgres.Open(ctx, postgres.Options{URL: databaseURL, ApplicationName: "formonce serve"})
	if err != nil {
		return err
	}

	s.db = db
	s.onStop(func(context.Context) error {
		db.Close()
		return nil
	})

	return migrations.Check(ctx, db.Pool)
}

// startJobs begins what every process with the role worker may do at the same time as any other.
func (s *service) startJobs(context.Context) error {
	inbox := forms.NewInbox(s.db)
	s.startLoop("sweep", sweepEvery, inbox.Sweep)
	s.startLoop("fill the search", forms.IndexEvery, inbox.Index)

	eraser := forms.NewEraser(s.db, s.opts.Log)
	s.startLoop("erase what is past its retention", forms.RetainEvery, eraser.Retain)
	s.startLoop("erase removed endpoints", forms.FinishEndpointsEvery, eraser.FinishEndpoints)

	purge := purger{tenants: tenants.NewRegistry(s.db), directory: forms.NewDirectory(s.db)}
	s.startLoop("erase closed tenants and accounts", purgeEvery, purge.pass)

	return nil
}

// startLoop runs a background pass until the service stops, and waits for its end then.
func (s *service) startLoop(name string, every time.Duration, pass func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})

	go func() {
		defer close(ended)

		loop.Every(ctx, name, every, s.opts.Log, pass, func(ctx context.Context, err error) {
			s.reporter.Error(ctx, err, report.IDs{Route: name})
		})
	}()

	s.onStop(func(context.Context) error {
		cancel()
		<-ended

		return nil
	})
}

// showDemo makes the demo tenant once and says how to use it.
func (s *service) showDemo(ctx context.Context) error {
	if !s.opts.Demo {
		return nil
	}

	facts, err := makeDemo(ctx, storeOver(s.cfg, s.db))
	if err != nil {
		return err
	}

	return facts.show(s.opts.Out, s.public.String())
}
