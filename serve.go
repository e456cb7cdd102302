package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/spf13/cobra"

	"formonce/dashboard"
	"formonce/forms"
	"formonce/integrations"
	"formonce/internal/config"
	"formonce/internal/edge"
	"formonce/internal/loop"
	"formonce/internal/postgres"
	"formonce/internal/report"
	"formonce/migrations"
	"formonce/tenants"
	"formonce/web"
)

// drainWithin is what is left to requests in flight when the service is asked to stop. The rest of the ten seconds that a
// supervisor usually waits is for the database.
const drainWithin = 6 * time.Second

// serveOptions are what a caller of serve decides beside the settings.
type serveOptions struct {
	// Demo makes the demo tenant and prints how to use it.
	Demo bool
	// Out takes what is meant for a person, Log what is meant for machines.
	Out io.Writer
	Log *slog.Logger
	// Outbox stands in for that of the integrations; nil outside of tests.
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

	for _, start := range []func(context.Context) error{
		s.startReports,
		s.startDatabase,
		s.listen,
		s.startHTTP,
		s.startMetrics,
		s.showDemo,
	} {
		if err := start(ctx); err != nil {
			return err
		}
	}

	opts.Log.Info("serving", slog.String("address", s.listener.Addr().String()), slog.String("public_url", s.public.String()),
		slog.String("version", version))

	select {
	case <-ctx.Done():
		opts.Log.Info("stopping")
		return nil
	case err := <-s.faults:
		return err
	}
}

func serveCommand(c *console) *cobra.Command {
	demo := false
	command := c.leaf("serve", "Take submissions until it is told to stop",
		"formonce serve\nLISTEN_ADDR=0.0.0.0:8080 DATABASE_URL=postgres://… SECRET_KEY=… formonce serve",
		func(command *cobra.Command, _ []string) error {
			settings, err := c.settings()
			if err != nil {
				return fmt.Errorf("the settings cannot be used:\n%w", err)
			}

			log := slog.New(slog.NewJSONHandler(c.err, &slog.HandlerOptions{Level: settings.LogLevel}))

			return serve(command.Context(), settings, serveOptions{Demo: demo, Out: c.out, Log: log})
		})

	command.Flags().BoolVar(&demo, "demo", false, "make a demo tenant once, and print how to use it")

	return command
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

func (s *service) listen(ctx context.Context) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.cfg.ListenAddr)
	if err != nil {
		return fmt.Errorf("cannot listen on LISTEN_ADDR %s; free it or choose another: %w", s.cfg.ListenAddr, err)
	}

	s.listener = listener

	public := s.cfg.PublicURL
	if public == "" {
		public = config.PublicURLOf(listener.Addr().String())
	}

	s.public, err = url.Parse(public)

	return err
}

// startHTTP joins the domains to the surfaces and serves them.
func (s *service) startHTTP(ctx context.Context) error {
	secret, err := s.secret()
	if err != nil {
		return err
	}

	limits, err := edge.NewLimits(edge.LimitsOptions{
		Log: s.opts.Log, Metrics: s.metrics, Memory: s.cfg.RateLimitMemory, RedisURL: s.cfg.RedisURL, Secret: secret,
	})
	if err != nil {
		return err
	}

	outbox := s.opts.Outbox
	if outbox == nil {
		outbox = integrations.Outbox{}
	}

	lookup := forms.NewLookup(s.db, tenants.NewRegistry(s.db))
	s.startLoop("follow changed endpoints", forms.FollowEvery, lookup.Follow)

	visitors := web.New(web.Options{
		Lookup: lookup,
		Intake: forms.NewIntake(s.db, outbox, forms.Limits{
			Fields: s.cfg.MaxFields, NameChars: s.cfg.MaxFieldName, ValueChars: s.cfg.MaxFieldValue,
			JSONDepth: s.cfg.MaxJSONDepth,
		}, secret),
		Limits:     limits,
		ClientRate: edge.Rate(s.cfg.ClientRate), EndpointRate: edge.Rate(s.cfg.EndpointRate),
		MaxBody: s.cfg.MaxBodyBytes, PublicURL: s.public,
	})

	return s.startServer(ctx, s.listener, s.routes(visitors))
}

func (s *service) secret() ([]byte, error) {
	if s.cfg.SecretKey != "" {
		return []byte(s.cfg.SecretKey), nil
	}

	made, err := config.Secret(s.cfg.DataDir)

	return []byte(made), err
}

// routes is the table of everything that is served on the public address.
func (s *service) routes(visitors *web.Visitors) http.Handler {
	engine := edge.New(edge.Options{
		Log: s.opts.Log, Report: s.reporter, Metrics: s.metrics, TrustedHops: s.cfg.TrustedProxyHops,
		FailureWriters: map[string]edge.FailureWriter{"/f/": visitors.WriteFailure, "/p/": visitors.WriteFailure},
	})

	edge.Probes(engine, func(ctx context.Context) error { return migrations.Check(ctx, s.db.Pool) })

	if s.cfg.MetricsAddr == "" {
		edge.Metrics(engine, s.metrics)
	}

	visitors.Routes(engine)

	application := gin.WrapH(dashboard.Handler())
	engine.GET("/dashboard/*path", application)
	engine.HEAD("/dashboard/*path", application)
	engine.GET("/", func(c *gin.Context) { c.Redirect(http.StatusFound, "/dashboard/") })

	return engine
}

func (s *service) startServer(_ context.Context, listener net.Listener, handler http.Handler) error {
	server := edge.Server(listener.Addr().String(), handler, s.cfg.BodyTimeout, s.opts.Log)

	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.faults <- fmt.Errorf("the HTTP server ended: %w", err)
		}
	}()

	s.onStop(func(ctx context.Context) error {
		if err := server.Shutdown(ctx); err != nil {
			s.opts.Log.Warn("requests in flight were cut off")
			return server.Close()
		}

		return nil
	})

	return nil
}

func (s *service) startMetrics(ctx context.Context) error {
	if s.cfg.MetricsAddr == "" {
		return nil
	}

	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.cfg.MetricsAddr)
	if err != nil {
		return fmt.Errorf("cannot listen on METRICS_ADDR %s; free it or choose another: %w", s.cfg.MetricsAddr, err)
	}

	mux := http.NewServeMux()
	mux.Handle("GET /metrics", edge.MetricsHandler(s.metrics))

	return s.startServer(ctx, listener, mux)
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
