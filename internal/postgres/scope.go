package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/gorm"
)

// beginScope is one round trip. The id is a UUID that this process has parsed, so it can stand in the text.
const beginScope = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL ROLE formonce_management; SET LOCAL formonce.tenant = '%s'"

// Scope is a transaction that sees and changes the rows of one owner only: row-level security refuses all others, whatever
// a query forgets to say. Both ways to use it share the one connection, so they are not for use at the same time.
type Scope struct {
	Tx   pgx.Tx
	Gorm *gorm.DB

	owner uuid.UUID
}

type scopeKey struct{ db *DB }

// InScope runs work in a read-committed transaction that is confined to the owner's rows: committed when work returns nil,
// rolled back on an error or a panic. Inside such a transaction of the same owner it joins it, by the context that work
// was given; the outermost one then commits or rolls back all of it.
func (db *DB) InScope(ctx context.Context, owner uuid.UUID, work func(ctx context.Context, s *Scope) error) error {
	if outer, found := ctx.Value(scopeKey{db}).(*Scope); found {
		if outer.owner != owner {
			return errors.New("a transaction that is confined to one owner cannot be joined for another")
		}

		return work(ctx, outer)
	}

	held, err := db.sql.Conn(ctx)
	if err != nil {
		return err
	}

	defer func() { _ = held.Close() }() // It only hands the connection back.

	conn, err := nativeOf(held)
	if err != nil {
		return err
	}

	begin := pgx.TxOptions{BeginQuery: fmt.Sprintf(beginScope, owner)}

	return pgx.BeginTxFunc(ctx, conn, begin, func(tx pgx.Tx) error {
		mapper := db.Gorm.Session(&gorm.Session{Context: ctx})
		mapper.Statement.ConnPool = held
		scope := &Scope{Tx: tx, Gorm: mapper, owner: owner}

		return work(context.WithValue(ctx, scopeKey{db}, scope), scope)
	})
}

// nativeOf is the connection below one of database/sql. It may be used for as long as that one is held.
func nativeOf(held *sql.Conn) (*pgx.Conn, error) {
	var native *pgx.Conn

	err := held.Raw(func(driverConn any) error {
		conn, ok := driverConn.(*stdlib.Conn)
		if !ok {
			return fmt.Errorf("the pool's connections are %T", driverConn)
		}

		native = conn.Conn()

		return nil
	})

	return native, err
}
