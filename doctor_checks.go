package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/getsentry/sentry-go"

	"formonce/internal/config"
	"formonce/internal/edge"
	"formonce/internal/postgres"
	"formonce/migrations"
)

const (
	// clockLimit is how far the service's clock may be from the database's: ids and times are made by the one, leases
	// and expiries by the other.
	clockLimit = 2 * time.Second
	// answerLimit bounds each conversation of a check.
	answerLimit = 3 * time.Second
	// notOurs are the permission bits that let other accounts write.
	notOurs fs.FileMode = 0o022
)

func checkDataFolder(_ context.Context, p *patient) (string, error) {
	if p.settings.DatabaseURL != "" {
		return "Not used, since DATABASE_URL and SECRET_KEY are set.", nil
	}

	dir := p.settings.DataDir

	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "It is made by the first start.", nil
	}

	if err != nil {
		return "", fmt.Errorf("DATA_DIR cannot be looked at, make it reachable for this account: %w", err)
	}

	if !info.IsDir() {
		return "", errors.New("DATA_DIR is not a folder; name another one or move the file away")
	}

	if info.Mode().Perm()&notOurs != 0 {
		return "", fmt.Errorf("other accounts can write into DATA_DIR; run: chmod go-w %s", dir)
	}

	probe, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return "", fmt.Errorf("this account cannot write into DATA_DIR, give the folder to it: %w", err)
	}

	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		return "", fmt.Errorf("a file that was just made in DATA_DIR cannot be removed, look at the folder's permissions: %w", err)
	}

	if err := config.CheckSecret(dir); err != nil {
		return "", err
	}

	return "This account can write into it and others cannot.", nil
}

func checkMigrations(ctx context.Context, p *patient) (string, error) {
	err := migrations.Check(ctx, p.db.Pool)
	if errors.Is(err, migrations.ErrBehind) && p.server.embedded != nil {
		return "The next start brings the database up to date.", nil
	}

	if err != nil {
		return "", err
	}

	return "The database is up to date.", nil
}

func checkClock(ctx context.Context, p *patient) (string, error) {
	var there time.Time

	before := time.Now()
	if err := p.db.Pool.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&there); err != nil {
		return "", fmt.Errorf("the database does not tell the time: %w", err)
	}

	return compareClocks(before, there, time.Now())
}

// compareClocks takes the moments before and after the question: the answer is from some time in between.
func compareClocks(before, there, after time.Time) (string, error) {
	apart := max(before.Sub(there), there.Sub(after), 0)
	if apart > clockLimit {
		return "", fmt.Errorf("this machine and the database are %s apart; let both keep time with NTP",
			apart.Round(100*time.Millisecond))
	}

	return "This machine and the database agree.", nil
}

func checkRedis(ctx context.Context, p *patient) (string, error) {
	if p.settings.RedisURL == "" {
		return "Not used: every process counts its limits for itself.", nil
	}

	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()

	if err := edge.PingRedis(ctx, p.settings.RedisURL); err != nil {
		return "", fmt.Errorf("the Redis of REDIS_URL does not answer, check its address and that it runs; "+
			"until then every process counts for itself: %w", err)
	}

	return "It answers.", nil
}

func checkMail(ctx context.Context, p *patient) (string, error) {
	if p.settings.SMTPURL == "" {
		return "Not used: mails go to the log, and formonce mail shows them.", nil
	}

	sender, err := smtpOf(p.settings)
	if err != nil {
		return "", err
	}

	ctx, cancel := context.WithTimeout(ctx, 2*answerLimit)
	defer cancel()

	if err := sender.Check(ctx); err != nil {
		return "", errors.New("the mail server of SMTP_URL does not let us in; check its address, the name and the password, " +
			"and that it offers TLS")
	}

	return "The mail server lets us in.", nil
}

func checkSentry(_ context.Context, p *patient) (string, error) {
	if p.settings.SentryDSN == "" {
		return "Not used: faults are only logged.", nil
	}

	dsn, err := sentry.NewDsn(p.settings.SentryDSN)
	if err != nil {
		return "", errors.New("SENTRY_DSN cannot be read; copy it from the project's settings in Sentry")
	}

	return "Faults are reported to " + dsn.GetHost() + ", as ids only.", nil
}

// checkListenAddress takes a service that runs already for a good sign, and whatever else holds the address for a fault.
func checkListenAddress(ctx context.Context, p *patient) (string, error) {
	addr := p.settings.ListenAddr

	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err == nil {
		return addr + " is free.", listener.Close()
	}

	if answersHealthz(ctx, addr) {
		return "A service answers on " + addr + ".", nil
	}

	return "", fmt.Errorf("the service cannot listen on %s: end the program that does, or set LISTEN_ADDR: %s",
		addr, postgres.Describe(err))
}

func answersHealthz(ctx context.Context, addr string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, config.PublicURLOf(addr)+"/healthz", http.NoBody)
	if err != nil {
		return false
	}

	answer, err := (&http.Client{Timeout: answerLimit}).Do(request)
	if err != nil {
		return false
	}

	defer func() { _ = answer.Body.Close() }()

	return answer.StatusCode == http.StatusOK
}
