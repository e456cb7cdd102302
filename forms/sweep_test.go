package forms_test

import "testing"

func TestASweepTakesWhatExpiredAndNothingElse(t *testing.T) {
	h := newHouse(t)

	if _, err := h.db.Pool.Exec(t.Context(), `
		INSERT INTO tombstones (tenant_id, endpoint_id, key_hash, expires_at)
		SELECT $1, 'contact-form', int4send(n), now() + make_interval(days => CASE WHEN n <= 12000 THEN -1 ELSE 1 END)
		FROM generate_series(1, 12010) AS n`, h.tenant.ID); err != nil {
		t.Fatal(err)
	}

	errs := make([]error, 4)
	together(4, func(i int) { errs[i] = h.inbox.Sweep(h.Context()) })

	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}

	if got := h.count("SELECT count(*) FROM tombstones"); got != 10 {
		t.Fatalf("%d tombstones are left, want the 10 that still hold", got)
	}
}
