package loop_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"formonce/internal/loop"
	"formonce/internal/report"
)

const (
	interval = time.Minute
	planted  = "pl4nted-value"
)

func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }

func TestTheFirstPassComesAtOnceAndTheOthersAfterTheInterval(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		started := time.Now()

		var at []time.Duration

		loop.Every(ctx, "test", interval, silent(), func(context.Context) error {
			if at = append(at, time.Since(started)); len(at) == 50 {
				cancel()
			}

			return nil
		})

		if at[0] != 0 {
			t.Errorf("the first pass came after %v", at[0])
		}

		different := map[time.Duration]bool{}

		for i := 1; i < len(at); i++ {
			gap := at[i] - at[i-1]
			different[gap] = true

			if gap < interval*9/10 || gap > interval*11/10 {
				t.Errorf("a pause of %v", gap)
			}
		}

		if len(different) < 2 {
			t.Error("all pauses are the same")
		}
	})
}

func TestASlowPassIsNeverJoinedByASecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		running, passes := 0, 0

		loop.Every(ctx, "test", interval, silent(), func(context.Context) error {
			running++
			passes++

			if running != 1 {
				t.Errorf("%d passes at once", running)
			}

			time.Sleep(5 * interval)

			if running--; passes == 3 {
				cancel()
			}

			return nil
		})
	})
}

func TestAFailingOrPanickingPassIsToldAndDoesNotEndTheLoop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())

		var (
			printed bytes.Buffer
			told    []error
			passes  int
		)

		loop.Every(ctx, "the-loop", interval, slog.New(slog.NewTextHandler(&printed, nil)), func(context.Context) error {
			switch passes++; passes {
			case 1:
				return errors.New(planted)
			case 2:
				panic(planted)
			}

			cancel()

			return ctx.Err()
		}, func(_ context.Context, err error) { told = append(told, err) })

		var panicked *report.Panicked
		if passes != 3 || len(told) != 2 || !errors.As(told[1], &panicked) {
			t.Errorf("%d passes, told %v", passes, told)
		}

		if got := printed.String(); strings.Count(got, "loop=the-loop") != 2 || strings.Contains(got, planted) {
			t.Errorf("printed:\n%s", got)
		}
	})
}

func TestAFailureThatStaysIsToldOnceAndSoIsItsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())

		var (
			printed      bytes.Buffer
			told, passes int
		)

		loop.Every(ctx, "test", interval, slog.New(slog.NewTextHandler(&printed, nil)), func(context.Context) error {
			switch passes++; {
			case passes > 20:
				cancel()
			case passes <= 10 || passes > 15:
				return io.ErrUnexpectedEOF
			}

			return nil
		}, func(context.Context, error) { told++ })

		if failed, recovered := strings.Count(printed.String(), "level=ERROR"), strings.Count(printed.String(), "level=INFO"); told != 2 || failed != 2 || recovered != 1 {
			t.Errorf("told %d times, printed:\n%s", told, printed.String())
		}
	})
}

func TestTheLoopEndsInTheMiddleOfAPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), interval/2)
		defer cancel()

		started := time.Now()
		loop.Every(ctx, "test", interval, silent(), func(context.Context) error { return nil })

		if took := time.Since(started); took != interval/2 {
			t.Errorf("it took %v", took)
		}
	})
}
