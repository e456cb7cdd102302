package postgres_test

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"formonce/internal/pgtest"
	"formonce/internal/postgres"
)

func TestEveryConnectionHasItsLimits(t *testing.T) {
	t.Parallel()

	db := openAs(t, pgtest.Empty(t), "limits")

	for name, want := range map[string]string{
		"lock_timeout":                        "5s",
		"statement_timeout":                   "30s",
		"idle_in_transaction_session_timeout": "10s",
		"TimeZone":                            "UTC",
		"application_name":                    "limits",
		"transaction_isolation":               "read committed",
	} {
		var byPool, byGorm string

		err := db.Pool.QueryRow(t.Context(), "SELECT current_setting($1)", name).Scan(&byPool)
		errGorm := db.Gorm.WithContext(t.Context()).Raw("SELECT current_setting(?)", name).Scan(&byGorm).Error

		if err = errors.Join(err, errGorm); err != nil || byPool != want || byGorm != want {
			t.Errorf("%s is %q by the pool and %q by gorm, want %q (%v)", name, byPool, byGorm, want, err)
		}
	}
}

func TestALimitInTheURLWins(t *testing.T) {
	t.Parallel()

	address, err := url.Parse(pgtest.Empty(t))
	if err != nil {
		t.Fatal(err)
	}

	query := address.Query()
	query.Set("statement_timeout", "7s")
	address.RawQuery = query.Encode()

	var got string

	db := openAs(t, address.String(), "own")
	if err = db.Pool.QueryRow(t.Context(), "SHOW statement_timeout").Scan(&got); err != nil || got != "7s" {
		t.Fatalf("%q, %v", got, err)
	}
}

func TestGormTakesItsConnectionsFromThePool(t *testing.T) {
	t.Parallel()

	db, err := postgres.Open(t.Context(), postgres.Options{URL: pgtest.Empty(t), MaxConns: 1})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(db.Close)

	held, err := db.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	waiting, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()

	if err = db.Gorm.WithContext(waiting).Exec("SELECT 1").Error; err == nil {
		t.Fatal("gorm has a connection beside the pool's one")
	}

	held.Release()

	if err = db.Gorm.WithContext(t.Context()).Exec("SELECT 1").Error; err != nil {
		t.Fatal(err)
	}
}

type clocked struct {
	ID        int
	CreatedAt time.Time
}

// BeforeCreate would be found by a gorm that runs hooks.
func (*clocked) BeforeCreate(*gorm.DB) error { return errors.New("a hook ran") }

func TestGormRunsNoHooksAndItsClockIsThatOfTheDatabase(t *testing.T) {
	t.Parallel()

	db := openAs(t, pgtest.Empty(t), "clock")
	if _, err := db.Pool.Exec(t.Context(), "CREATE TABLE clockeds (id int PRIMARY KEY, created_at timestamptz)"); err != nil {
		t.Fatal(err)
	}

	row, read := clocked{ID: 1}, clocked{}
	err := errors.Join(db.Gorm.WithContext(t.Context()).Create(&row).Error, db.Gorm.WithContext(t.Context()).First(&read, 1).Error)

	if err != nil || !row.CreatedAt.Equal(read.CreatedAt) {
		t.Fatalf("%v was written and %v read: %v", row.CreatedAt, read.CreatedAt, err)
	}
}

func TestAURLThatCannotBeReadIsRefusedWithoutItsPassword(t *testing.T) {
	t.Parallel()

	for _, address := range []string{
		"postgres://u:" + planted + "/x@host/db",
		"postgres://u:" + planted + "%zz@host/db",
		"postgres://u:" + planted + "@host:notaport/db",
		"host=h password=" + planted + " sslmode=sometimes",
	} {
		_, err := postgres.Open(t.Context(), postgres.Options{URL: address})
		if err == nil || strings.Contains(err.Error(), planted) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestATransactionIsKeptWholeOrNotAtAll(t *testing.T) {
	t.Parallel()

	db := openAs(t, pgtest.Empty(t), "tx")
	if _, err := db.Pool.Exec(t.Context(), "CREATE TABLE kept (n int)"); err != nil {
		t.Fatal(err)
	}

	refused := errors.New("refused")

	for name, row := range map[string]struct {
		end  func()
		err  error
		want int
	}{
		"kept":     {func() {}, nil, 1},
		"refused":  {func() {}, refused, 0},
		"panicked": {func() { panic(refused) }, nil, 0},
	} {
		got := inserted(t, db, row.end, row.err)
		if got != row.want {
			t.Errorf("%s: %d rows, want %d", name, got, row.want)
		}
	}
}

// inserted returns how many rows a transaction that ends in this way leaves, and takes them away again.
func inserted(t *testing.T, db *postgres.DB, end func(), result error) int {
	t.Helper()

	func() {
		defer func() { _ = recover() }()

		err := postgres.InTx(t.Context(), db.Pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), "INSERT INTO kept VALUES (1)"); err != nil {
				t.Error(err)
			}

			end()

			return result
		})
		if !errors.Is(err, result) {
			t.Error(err)
		}
	}()

	tag, err := db.Pool.Exec(t.Context(), "DELETE FROM kept")
	if err != nil {
		t.Fatal(err)
	}

	return int(tag.RowsAffected())
}

func openAs(t *testing.T, address, name string) *postgres.DB {
	t.Helper()

	db, err := postgres.Open(t.Context(), postgres.Options{URL: address, ApplicationName: name})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(db.Close)

	return db
}
