package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"formonce/internal/id"
)

const (
	connections = 8 // that insert one submission a transaction at the same time
	gathered    = 64
)

// insertion takes one submission or many in one statement, as an acceptance does.
const insertion = `
INSERT INTO {table} (tenant_id, id, received_at, schema_version, rule_version, field_count, order_ignored,
    endpoint_id, family, status, key_hash, fingerprint, fields)
SELECT tenant, id, received, 0, 1, 9, false, endpoint, 'form', status, key_hash, fingerprint, fields::json
FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::bytea[], $7::bytea[], $8::text[])
    AS s (tenant, id, received, endpoint, status, key_hash, fingerprint, fields)
ON CONFLICT (tenant_id, endpoint_id, key_hash) WHERE key_hash IS NOT NULL DO NOTHING`

// way is how submissions come: one a transaction over several connections, or gathered over one.
type way struct {
	name               string
	workers, submitted int
}

var ways = []way{{"one by one", connections, 1}, {"gathered", 1, gathered}}

// measureInsertion lets the candidates take turns, round after round, so that whatever else the machine does falls on
// all of them; each one's rate is set against the first one's of the same round.
func measureInsertion(ctx context.Context, out io.Writer, pool *pgxpool.Pool, c *corpus, o options) error {
	candidates := slices.Concat(listLayouts, timeLayouts, expressionLayouts)

	for i, candidate := range candidates {
		if err := build(ctx, pool, insertTable(i), min(o.prefill, o.rows), candidate.indexes); err != nil {
			return err
		}
	}

	ready := make([]submission, 20_000)
	for i := range ready {
		ready[i] = c.next(time.Now())
	}

	rates, err := rounds(ctx, pool, ready, len(candidates), o)
	if err != nil {
		return err
	}

	if err = printInsertion(ctx, out, pool, candidates, rates); err != nil {
		return err
	}

	for i := range candidates {
		if err = execute(ctx, pool, insertTable(i), []string{`DROP TABLE {table}`}); err != nil {
			return err
		}
	}

	return nil
}

func insertTable(candidate int) string { return fmt.Sprintf("insert_%d", candidate) }

// rounds returns the rates by way, candidate and round.
func rounds(ctx context.Context, pool *pgxpool.Pool, ready []submission, candidates int, o options) ([][][]float64, error) {
	rates := make([][][]float64, len(ways))
	for w := range ways {
		rates[w] = make([][]float64, candidates)
	}

	for round := range o.rounds {
		for w, how := range ways {
			for turn := range candidates {
				// Each round begins elsewhere, so that no candidate always follows the same neighbour.
				i := (turn + round) % candidates

				rate, err := insertFor(ctx, pool, insertTable(i), how, ready, o.interval)
				if err != nil {
					return nil, err
				}

				rates[w][i] = append(rates[w][i], rate)
			}
		}
	}

	return rates, nil
}

// insertFor inserts for the given time and returns the submissions a second.
func insertFor(
	ctx context.Context, pool *pgxpool.Pool, table string, how way, ready []submission, interval time.Duration,
) (float64, error) {
	var (
		group  sync.WaitGroup
		stored atomic.Int64
		next   atomic.Int64
		failed = make([]error, how.workers)
		began  = time.Now()
	)

	for worker := range how.workers {
		group.Go(func() {
			for time.Since(began) < interval && failed[worker] == nil {
				from := int(next.Add(int64(how.submitted))) % (len(ready) - how.submitted)
				failed[worker] = insert(ctx, pool, table, ready[from:from+how.submitted])

				stored.Add(int64(how.submitted))
			}
		})
	}

	group.Wait()

	for _, err := range failed {
		if err != nil {
			return 0, err
		}
	}

	return float64(stored.Load()) / time.Since(began).Seconds(), nil
}

func insert(ctx context.Context, pool *pgxpool.Pool, table string, rows []submission) error {
	n := len(rows)
	tenants, ids, received := make([]uuid.UUID, n), make([]uuid.UUID, n), make([]time.Time, n)
	endpoints, statuses, fields := make([]string, n), make([]string, n), make([]string, n)
	keys, fingerprints := make([][]byte, n), make([][]byte, n)

	for i, row := range rows {
		// A prepared submission comes round again; its id and its key must be new ones, and keys come in no order.
		fresh, key := id.New(), uuid.New()
		tenants[i], ids[i], received[i] = row.tenant, fresh, time.Now()
		endpoints[i], statuses[i], fields[i] = row.endpoint, row.status, row.fields
		keys[i], fingerprints[i] = append(key[:], row.keyHash[:16]...), row.fingerprint
	}

	_, err := pool.Exec(ctx, named(insertion, table), tenants, ids, received, endpoints, statuses, keys, fingerprints, fields)
	if err != nil {
		return fmt.Errorf("submissions cannot be inserted into %s: %w", table, err)
	}

	return nil
}

func printInsertion(
	ctx context.Context, out io.Writer, pool *pgxpool.Pool, candidates []layout, rates [][][]float64,
) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "\nINSERTION (medians)\t%s/s\tratio\t%s/s\tratio\tbytes a row: table and indexes\n", ways[0].name, ways[1].name)

	for i, candidate := range candidates {
		found, err := sizes(ctx, pool, insertTable(i))
		if err != nil {
			return err
		}

		fmt.Fprint(table, candidate.name)

		for w := range ways {
			fmt.Fprintf(table, "\t%.0f\t%.2f", median(rates[w][i]), median(ratios(rates[w][i], rates[w][0])))
		}

		fmt.Fprint(table, "\t")

		for _, one := range found {
			fmt.Fprintf(table, "%s %.0f  ", one.name, one.bytes)
		}

		fmt.Fprintln(table)
	}

	return table.Flush()
}

func ratios(rates, yardstick []float64) []float64 {
	found := make([]float64, len(rates))
	for i := range rates {
		found[i] = rates[i] / yardstick[i]
	}

	return found
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))

	return sorted[len(sorted)/2]
}
