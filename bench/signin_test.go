package bench

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/url"
	"testing"
	"time"

	"formonce/internal/fault"
	"formonce/internal/pgtest"
	"formonce/internal/postgres"
	"formonce/tenants"
)

const (
	signInTries = 200
	owner       = "ada@acme.example"
)

// BenchmarkSignInTiming measures 200 sign-ins of each kind that fails, by turns, and reports the median of each as a ratio to
// that of a wrong password: nobody must be able to tell by the clock whether an address is known. The ratios have to be
// within 5 % of 1.
//
//	go test -run '^$' -bench SignInTiming -benchtime 1x ./bench
func BenchmarkSignInTiming(b *testing.B) {
	db := pgtest.New(b)
	entrance := openEntrance(b, db)

	kinds := []struct{ name, email, password string }{
		{"wrong-password", owner, "a wrong password"},
		{"unknown-address", "nobody@acme.example", "a wrong password"},
		{"no-password", "passwordless@acme.example", "a wrong password"},
		{"locked", "locked@acme.example", "correct horse battery"},
	}

	took := map[string][]float64{}

	for b.Loop() {
		for range signInTries {
			// Whatever a place in the row costs or saves, each kind gets a share of it.
			for _, i := range rand.Perm(len(kinds)) {
				kind := kinds[i]
				began := time.Now()
				_, err := entrance.SignIns.SignIn(b.Context(), kind.email, kind.password, tenants.Client{})
				took[kind.name] = append(took[kind.name], time.Since(began).Seconds())

				if !fault.Has(err, "invalid_credentials") {
					b.Fatal(err)
				}
			}

			forgetTries(b, db)
		}
	}

	wrong := median(took[kinds[0].name])
	b.ReportMetric(wrong*1000, "wrong-password-ms")

	for _, kind := range kinds[1:] {
		b.ReportMetric(median(took[kind.name])/wrong, kind.name+"/wrong-password")
	}
}

func openEntrance(b *testing.B, db *postgres.DB) *tenants.Entrance {
	b.Helper()

	public, err := url.Parse("https://forms.example.com")
	if err != nil {
		b.Fatal(err)
	}

	entrance, err := tenants.NewEntrance(db, bytes.Repeat([]byte("s"), 32), public)
	if err != nil {
		b.Fatal(err)
	}

	registry := tenants.NewRegistry(db)

	for _, email := range []string{owner, "locked@acme.example"} {
		if _, err := registry.Create(b.Context(), tenants.NewTenant{Name: "Acme", Email: email, Password: "correct horse battery"}); err != nil {
			b.Fatal(err)
		}
	}

	for i := range 10 {
		if err := entrance.Guard.Spend(b.Context(), tenants.ActSignIn, "locked@acme.example", fmt.Sprint(i)); err != nil {
			b.Fatal(err)
		}
	}

	if _, err := db.Pool.Exec(b.Context(), "INSERT INTO logins (email) VALUES ('passwordless@acme.example')"); err != nil {
		b.Fatal(err)
	}

	return entrance
}

// forgetTries keeps every account but the locked one open: only that one has more than a few tries.
func forgetTries(b *testing.B, db *postgres.DB) {
	b.Helper()

	if _, err := db.Pool.Exec(b.Context(), "UPDATE attempts_spent SET spent = 1 WHERE spent < 10"); err != nil {
		b.Fatal(err)
	}
}
