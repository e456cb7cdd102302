// Formonce is a hosted form service: a tenant points any HTML form at an endpoint, and every submission is accepted exactly
// once.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"formonce/internal/config"
)

// version is set when a release is built, with -ldflags "-X main.version=v1.2.3".
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks for an orderly end. From then on a second one ends the process at once.
	context.AfterFunc(ctx, stop)

	status := run(ctx, os.Args[1:], &console{
		in: os.Stdin, out: os.Stdout, err: os.Stderr,
		settings: config.FromEnvironment, settleTime: settleWithin,
	})

	stop()
	os.Exit(status)
}
