// Lists measures what the inbox asks of the database over very many submissions: that page 1,000 costs what page 1 costs,
// with every filter and search, and what row-level security adds to a list.
//
//	go run ./bench/lists -rows 1000000
//
// It works in a scratch database that is gone at the end. A million submissions take some minutes, most of which go into
// filling the search. Ratios within one run hold; figures of two machines do not compare.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"

	"formonce/forms"
	"formonce/internal/postgres"
	"formonce/migrations"
)

// options are the sizes of one run.
type options struct {
	rows   int
	rounds int
}

func main() {
	var o options

	flag.IntVar(&o.rows, "rows", 1_000_000, "submissions of the tenant that is measured")
	flag.IntVar(&o.rounds, "rounds", 101, "how often each list is asked; the table shows medians")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := bench(ctx, o, os.Stdout)

	stop()

	if err != nil {
		fmt.Fprintln(os.Stderr, "The measurement ended early:", err)
		os.Exit(1)
	}
}

// house is the inbox over the scratch database, with the one tenant that is measured.
type house struct {
	options

	db    *postgres.DB
	plain *postgres.DB // with connections of its own: a kept plan is made anew when the role changes
	sent  *sent

	inbox  *forms.Inbox
	tenant uuid.UUID
}

func bench(ctx context.Context, o options, out io.Writer) (err error) {
	folder, err := os.MkdirTemp("", "formonce-lists-")
	if err != nil {
		return fmt.Errorf("there is no room for a scratch database: %w", err)
	}

	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()

	// Started as root, the server drops to an account that has to reach the folder; what it keeps there it protects itself.
	if err = os.Chmod(folder, 0o755); err != nil { //nolint:gosec // See above.
		return fmt.Errorf("the folder of the scratch database cannot be opened up: %w", err)
	}

	server, err := postgres.StartEmbedded(ctx, postgres.EmbeddedOptions{
		DataDir: folder, BinDir: os.Getenv("PG_BIN_DIR"), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, server.Stop(context.WithoutCancel(ctx))) }()

	if err = migrations.Apply(ctx, server.URL()); err != nil {
		return err
	}

	h := &house{options: o, sent: &sent{}, tenant: uuid.Must(uuid.NewV7())}

	// Filling takes longer than any statement of the service may.
	opening := postgres.Options{URL: server.URL() + "&statement_timeout=0", Tracer: h.sent}

	if h.db, err = postgres.Open(ctx, opening); err != nil {
		return err
	}

	defer h.db.Close()

	if h.plain, err = postgres.Open(ctx, opening); err != nil {
		return err
	}

	defer h.plain.Close()

	h.inbox = forms.NewInbox(h.db)

	return h.measure(ctx, out)
}

func (h *house) measure(ctx context.Context, out io.Writer) error {
	for _, part := range []func(context.Context, io.Writer) error{h.fill, h.pages, h.security} {
		if err := part(ctx, out); err != nil {
			return err
		}
	}

	return nil
}

// pages compares the first page with a deep one, asked in turns.
func (h *house) pages(ctx context.Context, out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\nlist\tfirst page, ms\tdeep page, ms\tdeep/first\tits number\t")

	for _, asked := range lists {
		deep, number, err := h.deepest(ctx, asked)
		if err != nil {
			return err
		}

		later := asked.filter
		later.Cursor = deep

		first, second, err := h.compare(
			func() error { return h.list(ctx, asked.filter) },
			func() error { return h.list(ctx, later) },
		)
		if err != nil {
			return fmt.Errorf("%s: %w", asked.name, err)
		}

		fmt.Fprintf(table, "%s\t%.2f\t%.2f\t%.2f\t%d\t\n", asked.name, first, second, second/first, number)
	}

	return table.Flush()
}

func (h *house) list(ctx context.Context, filter forms.Filter) error {
	_, err := h.inbox.List(ctx, h.tenant, filter)

	return err
}

// compare asks the two in turns and returns the medians in milliseconds. The first few warm up and do not count.
func (h *house) compare(one, other func() error) (first, second float64, err error) {
	const warming = 8

	var took [2][]float64

	for round := range h.rounds + warming {
		for i, ask := range []func() error{one, other} {
			began := time.Now()
			if err := ask(); err != nil {
				return 0, 0, err
			}

			if round >= warming {
				took[i] = append(took[i], float64(time.Since(began).Microseconds())/1000)
			}
		}
	}

	return median(took[0]), median(took[1]), nil
}

func median(values []float64) float64 {
	slices.Sort(values)

	return values[len(values)/2]
}
