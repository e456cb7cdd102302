package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"formonce/api"
	"formonce/dashboard"
	"formonce/forms"
	"formonce/internal/config"
	"formonce/internal/edge"
	"formonce/internal/seal"
	"formonce/migrations"
	"formonce/tenants"
	"formonce/web"
)

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
func (s *service) startHTTP(context.Context) error {
	kept, err := s.cfg.Secret()
	if err != nil {
		return err
	}

	secret := []byte(kept)

	limits, err := edge.NewLimits(edge.LimitsOptions{
		Log: s.opts.Log, Metrics: s.metrics, Memory: s.cfg.RateLimitMemory, RedisURL: s.cfg.RedisURL, Secret: secret,
	})
	if err != nil {
		return err
	}

	s.onStop(func(context.Context) error { return limits.Close() })

	lookup := forms.NewLookup(s.db, tenants.NewRegistry(s.db))
	s.startLoop("follow changed endpoints", forms.FollowEvery, lookup.Follow)

	visitors := web.New(web.Options{
		Lookup:     lookup,
		Intake:     forms.NewIntake(s.db, s.opts.Outbox, limitsOf(s.cfg), secret),
		Limits:     limits,
		ClientRate: edge.Rate(s.cfg.ClientRate), EndpointRate: edge.Rate(s.cfg.EndpointRate),
		MaxBody: s.cfg.MaxBodyBytes, PublicURL: s.public,
	})

	feed := forms.NewFeed(s.db)
	s.startLoop("follow submissions", forms.FeedEvery, feed.Follow)

	management, err := s.management(limits, secret, feed)
	if err != nil {
		return err
	}

	s.startServer(s.listener, s.routes(visitors, management))

	// Before the server drains: a stream would go on for as long as that is given.
	s.onStop(func(context.Context) error {
		feed.Close()

		return nil
	})

	return nil
}

// management joins the domains to the API of members and programs.
func (s *service) management(limits *edge.Limits, secret []byte, feed *forms.Feed) (*api.API, error) {
	answers, err := seal.New(secret, "answers")
	if err != nil {
		return nil, err
	}

	entrance, err := tenants.NewEntrance(s.db, secret, s.public)
	if err != nil {
		return nil, err
	}

	entrance.Provider, err = tenants.NewProvider(s.db, entrance.Guard, entrance.SignIns, secret, tenants.ProviderOptions{
		Issuer: s.cfg.OIDCIssuer, ClientID: s.cfg.OIDCClientID, ClientSecret: s.cfg.OIDCClientSecret,
		Callback: s.public.JoinPath(api.OIDCCallback).String(), OpenSignUp: s.cfg.Signup == api.SignupOpen,
		Closed: s.cfg.Signup == "closed",
	})
	if err != nil {
		return nil, err
	}

	mailbox, err := tenants.NewMailbox(s.db, secret, s.public)
	if err != nil {
		return nil, err
	}

	entrance.NotifyBy(mailbox)

	registry, people := tenants.NewRegistry(s.db), tenants.NewPeople(s.db, entrance, mailbox)
	registry.Mailbox, people.Invitations.Closed = mailbox, s.cfg.Signup == "closed"

	kept := tenants.NewAnswers(s.db, answers)

	s.startLoop("tend the signing keys", sweepEvery, entrance.Keyring.Tend)
	s.startLoop("remove expired sessions", sweepEvery, entrance.Sweep)
	s.startLoop("remove kept answers", sweepEvery, kept.Sweep)

	return api.New(api.Options{
		Entrance: entrance, Keys: tenants.NewKeys(s.db), Answers: kept, Registry: registry, People: people,
		Exporter: forms.NewExporter(s.db), Reports: forms.NewReports(s.db), Feed: feed,
		Directory: forms.NewDirectory(s.db), Schemas: forms.NewSchemas(s.db), Inbox: forms.NewInbox(s.db).WithOutbox(s.opts.Outbox),
		Limits: limits, CallerRate: edge.Rate(s.cfg.CallerRate), PublicURL: s.public,
		Signup: s.cfg.Signup,
	}), nil
}

func limitsOf(settings *config.Config) forms.Limits {
	return forms.Limits{
		Fields: settings.MaxFields, NameChars: settings.MaxFieldName, ValueChars: settings.MaxFieldValue,
		JSONDepth: settings.MaxJSONDepth,
	}
}

// routes is the table of everything that is served on the public address.
func (s *service) routes(visitors *web.Visitors, management *api.API) http.Handler {
	writers := management.FailureWriters()
	writers["/f/"], writers["/p/"] = visitors.WriteFailure, visitors.WriteFailure

	engine := edge.New(edge.Options{
		Log: s.opts.Log, Report: s.reporter, Metrics: s.metrics, TrustedHops: s.cfg.TrustedProxyHops,
		FailureWriters: writers,
	})

	edge.Probes(engine, func(ctx context.Context) error { return migrations.Check(ctx, s.db.Pool) })

	if s.cfg.MetricsAddr == "" {
		edge.Metrics(engine, s.metrics)
	}

	visitors.Routes(engine)
	management.Routes(engine)

	reading := []string{http.MethodGet, http.MethodHead}
	application := gin.WrapH(dashboard.Handler())
	engine.Match(reading, dashboard.Path+"*page", application)
	engine.Match(reading, strings.TrimSuffix(dashboard.Path, "/"), application)
	engine.Match(reading, "/", func(c *gin.Context) { c.Redirect(http.StatusFound, dashboard.Path) })

	return engine
}

func (s *service) startServer(listener net.Listener, handler http.Handler) {
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

	s.startServer(listener, mux)

	return nil
}
