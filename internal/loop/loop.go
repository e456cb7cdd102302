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
// (a panic as a *report.Panicked); the loop goes on. What a pass returns because ctx has ended is no failure.
func Every(
	ctx context.Context, name string, interval time.Duration, log *slog.Logger,
	pass func(ctx context.Context) error, hooks ...func(ctx context.Context, err error),
) {
	for ctx.Err() == nil {
		if err := guarded(ctx, pass); err != nil && ctx.Err() == nil {
			log.LogAttrs(ctx, slog.LevelError, "A pass of a loop failed; the next one comes after the usual pause.",
				slog.String("loop", name), slog.String("error", report.Describe(err)))

			for _, hook := range hooks {
				hook(ctx, err)
			}
		}

		pause(ctx, jittered(interval))
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
