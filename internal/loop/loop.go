// Package loop runs a task of the background again and again.
package loop

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"formonce/internal/report"
)

// spread is the part of the interval by which two pauses may differ, so that machines that started together drift apart.
const spread = 0.1

// Every calls pass at once and then after each interval, give or take a tenth, until ctx ends; it returns when the last
// pass has. Two passes never overlap: the interval counts from the end of one to the start of the next.
//
// A pass that fails or panics is logged under the loop's name, by the types of its error only, and handed to the hooks
// (a panic as a *report.Panicked); the loop goes on. While passes fail in the same way, only the first of them is told,
// and so is the first that succeeds again: a loop that runs four times a second must not drown an outage in its log. What
// a pass returns because ctx has ended is no failure.
func Every(
	ctx context.Context, name string, interval time.Duration, log *slog.Logger,
	pass func(ctx context.Context) error, hooks ...func(ctx context.Context, err error),
) {
	failure := ""

	for ctx.Err() == nil {
		err := guarded(ctx, pass)
		if ctx.Err() != nil {
			return
		}

		if described := describe(err); described != failure {
			failure = described
			tell(ctx, name, log, err, hooks)
		}

		pause(ctx, jittered(interval))
	}
}

func describe(err error) string {
	if err == nil {
		return ""
	}

	return report.Describe(err)
}

func tell(ctx context.Context, name string, log *slog.Logger, err error, hooks []func(context.Context, error)) {
	if err == nil {
		log.LogAttrs(ctx, slog.LevelInfo, "A loop works again.", slog.String("loop", name))

		return
	}

	log.LogAttrs(ctx, slog.LevelError, "A pass of a loop failed; it is tried again after each pause.",
		slog.String("loop", name), slog.String("error", describe(err)))

	for _, hook := range hooks {
		hook(ctx, err)
	}
}

// guarded keeps a panic's text out of the error, since it may hold a submitted value.
func guarded(ctx context.Context, pass func(context.Context) error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("the pass did not end: %w", report.Recovered(value))
		}
	}()

	return pass(ctx)
}

func jittered(interval time.Duration) time.Duration {
	return time.Duration(float64(interval) * (1 - spread + 2*spread*rand.Float64()))
}

func pause(ctx context.Context, length time.Duration) {
	timer := time.NewTimer(length)
	defer timer.Stop()

	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
