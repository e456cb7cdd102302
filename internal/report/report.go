package report

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/getsentry/sentry-go"
)

// ours is the module whose frames Sentry shows as the application's own.
const ours = "formonce"

// Reporter sends events to Sentry in the background. A nil one, and one without a DSN, does nothing.
type Reporter struct {
	client *sentry.Client
}

// New makes a Reporter for a DSN; an empty one gives a Reporter that does nothing. The release is shown with each event.
func New(dsn, release string) (*Reporter, error) {
	if dsn == "" {
		return &Reporter{}, nil
	}

	if release == "" {
		release = "unknown"
	}

	client, err := sentry.NewClient(sentry.ClientOptions{
		Dsn: dsn,
		// Both are given, since the client would otherwise look for them in the environment and in a Git checkout.
		Release:     release,
		Environment: "production",
		// Without its integrations the client adds no modules, no device, no lines of source.
		Integrations:         func([]sentry.Integration) []sentry.Integration { return nil },
		MaxBreadcrumbs:       -1,
		DisableClientReports: true,
		BeforeSend:           withoutHost,
	})
	if err != nil {
		return nil, errors.New("SENTRY_DSN is not a DSN of Sentry; copy it from the project's settings there")
	}

	return &Reporter{client: client}, nil
}

// withoutHost runs after the client has added the name of the machine.
func withoutHost(event *sentry.Event, _ *sentry.EventHint) *sentry.Event {
	event.ServerName = ""

	return event
}

// Error reports err: its types and codes, the stack of the call (of the panic, when err is a Panicked) and the ids.
func (r *Reporter) Error(ctx context.Context, err error, ids IDs) {
	if panicked, ok := errors.AsType[*Panicked](err); ok {
		r.send(ctx, sentry.LevelFatal, err, panicked.stack, ids)

		return
	}

	r.send(ctx, sentry.LevelError, err, stackOf(1), ids)
}

// Flush waits until everything reported so far was sent, at most for the timeout, and says whether it was.
func (r *Reporter) Flush(timeout time.Duration) bool {
	return r == nil || r.client == nil || r.client.Flush(timeout)
}

func (r *Reporter) send(ctx context.Context, level sentry.Level, err error, stack []uintptr, ids IDs) {
	if r == nil || r.client == nil || err == nil {
		return
	}

	event := sentry.NewEvent()
	event.Level = level
	event.Tags = maps.Collect(ids.All())
	event.Transaction = event.Tags["route"]
	event.Exception = exceptions(err, stack)

	// Without a scope nothing of the request or of a user can be added.
	r.client.CaptureEvent(event, &sentry.EventHint{Context: ctx}, nil)
}

// exceptions are in Sentry's order: the innermost error first, the outermost, which has the stack, last.
func exceptions(err error, stack []uintptr) []sentry.Exception {
	links := chain(err)
	made := make([]sentry.Exception, 0, len(links))

	for _, l := range slices.Backward(links) {
		made = append(made, sentry.Exception{Type: typeOf(l, err), Value: l.code})
	}

	made[len(made)-1].Stacktrace = &sentry.Stacktrace{Frames: framesOf(stack)}

	return made
}

// typeOf shows a panic under the type that was panicked with, by which Sentry groups.
func typeOf(l link, err error) string {
	if panicked, ok := errors.AsType[*Panicked](err); ok && l.typeName == "*report.Panicked" {
		return fmt.Sprintf("panic: %T", panicked.value)
	}

	return l.typeName
}

// framesOf are in Sentry's order: the innermost call last.
func framesOf(stack []uintptr) []sentry.Frame {
	var made []sentry.Frame

	walk(stack, func(f runtime.Frame) {
		module, function := splitFunction(f.Function)
		made = append(made, sentry.Frame{
			Module: module, Function: function, Filename: shortFile(f.File), Lineno: f.Line,
			InApp: module == ours || module == "main" || strings.HasPrefix(module, ours+"/"),
		})
	})

	slices.Reverse(made)

	return made
}

// splitFunction parts "formonce/internal/edge.(*x).y" after the package.
func splitFunction(full string) (module, function string) {
	folder, last := path.Split(full)
	name, function, found := strings.Cut(last, ".")

	if !found {
		return "", full
	}

	return folder + name, function
}
