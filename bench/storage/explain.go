package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// node is what is used of a plan that PostgreSQL explains as JSON.
type node struct {
	Type   string  `json:"Node Type"`
	Index  string  `json:"Index Name"`
	Rows   float64 `json:"Actual Rows"`
	Hit    int     `json:"Shared Hit Blocks"`
	Read   int     `json:"Shared Read Blocks"`
	Leaves []node  `json:"Plans"`
}

type explained struct {
	Plan         node    `json:"Plan"`
	Milliseconds float64 `json:"Execution Time"`
}

const (
	repeats = 5
	// A query that takes so long is not asked again.
	tooLong = 1_000.0
	// A query that nobody would wait for is given up, and counts as this long.
	givenUp = 10 * time.Second
)

// explain runs a query several times and returns the last plan with the median of the times. The first run, which warms
// the cache, counts only when it is the only one.
func explain(ctx context.Context, pool *pgxpool.Pool, query string) (explained, error) {
	var (
		last  explained
		times []float64
	)

	for run := range repeats + 1 {
		plan, err := explainOnce(ctx, pool, query)
		if err != nil {
			return last, err
		}

		last = plan
		if last.Milliseconds > tooLong {
			return last, nil
		}

		if run > 0 {
			times = append(times, last.Milliseconds)
		}
	}

	last.Milliseconds = median(times)

	return last, nil
}

func explainOnce(ctx context.Context, pool *pgxpool.Pool, query string) (explained, error) {
	bounded, cancel := context.WithTimeout(ctx, givenUp)
	defer cancel()

	var plans []explained

	err := pool.QueryRow(bounded, "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) "+query).Scan(&plans)

	switch {
	case err != nil && bounded.Err() != nil && ctx.Err() == nil:
		return explained{Plan: node{Type: "Scan given up"}, Milliseconds: float64(givenUp.Milliseconds())}, nil
	case err != nil:
		return explained{}, fmt.Errorf("%s: %w", query, err)
	case len(plans) != 1:
		return explained{}, fmt.Errorf("the server explained %d plans instead of one: %s", len(plans), query)
	}

	return plans[0], nil
}

// summary names the steps of a plan that read or sort, the outermost first.
func (n node) summary() string {
	var steps []string

	n.walk(func(n node) {
		switch {
		case n.Index != "":
			steps = append(steps, n.Type+" "+strings.TrimPrefix(n.Index, stored+"_"))
		case strings.Contains(n.Type, "Scan") || strings.Contains(n.Type, "Sort"):
			steps = append(steps, n.Type)
		}
	})

	return strings.Join(slices.Compact(steps), " < ")
}

func (n node) walk(visit func(node)) {
	visit(n)

	for _, leaf := range n.Leaves {
		leaf.walk(visit)
	}
}
