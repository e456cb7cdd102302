package migrations

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"formonce/internal/postgres"
)

// lockKey is the word "formonce" in ASCII. Advisory locks belong to one database, so nobody else's runner is met.
const lockKey = 0x666f726d6f6e6365

// lock makes runners take turns. It waits inside PostgreSQL and not by asking again and again, and it goes with the
// session of a runner that is killed. It is not goose's own lock, because goose looks for pending files and makes the
// table of its record before it takes that one, so that two first runs would meet there.
func lock(ctx context.Context, config *pgx.ConnConfig) (*pgx.Conn, error) {
	config = config.Copy()
	// The wait lasts as long as another runner's work, whatever limit the role has.
	config.RuntimeParams["statement_timeout"] = "0"
	config.RuntimeParams["lock_timeout"] = "0"

	conn, err := postgres.Connect(ctx, config)
	if err != nil {
		return nil, err
	}

	if _, err = conn.Exec(ctx, "SELECT pg_advisory_lock($1)", int64(lockKey)); err != nil {
		unlock(ctx, conn)

		return nil, fmt.Errorf("the lock that lets one process migrate at a time was not obtained: %w", err)
	}

	return conn, nil
}

// unlock gives the lock back by ending its session, also after ctx has ended.
func unlock(ctx context.Context, conn *pgx.Conn) { _ = conn.Close(context.WithoutCancel(ctx)) }

// limited lets a migration run as long as it needs, and lets it give up soon on a table that somebody else holds: while
// it waited for that lock, every later query of the table would queue up behind it.
func limited(config *pgx.ConnConfig) *pgx.ConnConfig {
	config = config.Copy()
	config.RuntimeParams["statement_timeout"] = "0"
	config.RuntimeParams["lock_timeout"] = "10s"

	return config
}
