package forms_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"formonce/forms"
	"formonce/internal/pgtest"
	"formonce/internal/postgres"
	"formonce/tenants"
)

// finds says how many submissions a person finds who types this.
func (h *house) finds(typed string) int {
	h.Helper()

	page, err := h.inbox.List(h.Context(), h.tenant.ID, forms.Filter{Query: typed, Limit: 100})
	if err != nil {
		h.Fatalf("%q: %v", typed, err)
	}

	return len(page.Submissions)
}

func TestTheSearchFindsWhatAPersonWouldExpect(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	endpoint := h.endpoint("", nil)
	receipt := h.mustReceive(endpoint, post{kind: jsonBody, body: `{
		"name": "Zoë Łukasz-O'Brien", "email": "Zoe.Lukasz@Example.com", "town": "Straße 12, ＴＯＫＹＯ",
		"kana": "山田太郎です がんばれ", "thai": "สวัสดีครับ", "hindi": "नमस्ते", "greek": "Ὀδυσσεύς", "arabic": "مُحَمَّد",
		"phone": "+49 30 123456", "n": 12345678901234567890, "both": "Go言語"}`})
	h.mustReceive(endpoint, post{body: "name=somebody+else&_subject=Quarterly+report"})
	h.index()

	for typed, want := range map[string]int{
		"zoe": 1, "ZOË": 1, "zo": 1, "zo ": 0, "lukasz": 1, "Łukasz": 1, "obrien": 0, "o'brien": 1, "brien zoe": 1,
		"zoe else": 0, "zoe.lukasz@example.com": 1, "example": 1, "strasse": 1, "STRASSE 12": 1, "tokyo": 1,
		"山田": 1, "田太": 1, "太郎": 1, "郎": 1, "山": 1, "山田 太郎": 1, "山郎": 0, "頑張": 0, "がん": 1, "かん": 0,
		"สวัสดี": 1, "ครับ": 1, "नमस्ते": 1, "नम": 1, "οδυσσευς": 1, "محمد": 1,
		"123456": 1, "12345678901234567890": 1, "go": 1, "言語": 1, "go言語": 1,
		"name=somebody": 0, "email=Zoe.Lukasz@Example.com": 1, "phone=+49": 0, "report": 1, "quarterly rep": 1,
		"": 2, "   ": 2, "!?": 0, "—": 0, "zoe !": 1, "'": 0, `\`: 0,
	} {
		if got := h.finds(typed); got != want {
			t.Errorf("%q finds %d, want %d", typed, got, want)
		}
	}

	if got := h.finds(" " + forms.PublicID(receipt.SubmissionID) + " "); got != 1 {
		t.Errorf("its id finds %d", got)
	}

	for value, want := range map[string]int{"+49 30 123456": 1, "+49 30": 0} {
		page, err := h.inbox.List(t.Context(), h.tenant.ID, forms.Filter{Fields: []forms.FieldIs{{Name: "phone", Value: value}}})
		if err != nil || len(page.Submissions) != want {
			t.Errorf("the phone %q finds %d, %v", value, len(page.Submissions), err)
		}
	}
}

// FuzzAnyTextCanBeSearchedFor keeps every text from being an error, and lets it find a submission that says just this.
func FuzzAnyTextCanBeSearchedFor(f *testing.F) {
	for _, seed := range []string{
		"", "a", "a b", "a=b", "=", "'", `\`, `'a':* | !b & (c <-> d)`, "山", "山田 x", "\x00", "\xff\xfe", "é=ß", "a\u0301",
		strings.Repeat("word ", 500), strings.Repeat("山", 3_000), strings.Repeat("long", 300), "ﷺ", "İ", "\u0345", "ー", "が",
		"sub_01980f2d6c1a7cc09d5d4d5a5b8f2a11", "\u0308", "日本語 and ไทย=ครับ", "ǅ", "ẞ", "\u1fb3", "\U0001F600",
	} {
		f.Add(seed)
	}

	db := pgtest.New(f)
	inbox, tenantID := forms.NewInbox(db), uuid.New()

	f.Fuzz(func(t *testing.T, typed string) {
		_, err := inbox.List(context.Background(), tenantID, forms.Filter{
			Query: typed, Fields: []forms.FieldIs{{Name: typed, Value: typed}}, Tag: typed, EndpointID: strings.ToValidUTF8(typed, ""),
		})
		if err != nil {
			t.Fatalf("%q: %v", typed, err)
		}

		vector, query := forms.SearchOf(typed)
		if query == "" {
			return
		}

		var found bool
		if err := db.Pool.QueryRow(context.Background(), "SELECT $1::tsvector @@ $2::tsquery", vector, query).Scan(&found); err != nil {
			t.Fatalf("%q: %v", typed, err)
		}

		if !found {
			t.Fatalf("%q does not find itself: %s in %s", typed, query, vector)
		}
	})
}

// TestTheSearchUsesItsIndexAndTheRoleAloneCouldNot compares the function with the same question under the role itself, by
// what the statistics of the transaction say was used.
func TestTheSearchUsesItsIndexAndTheRoleAloneCouldNot(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	h.words(20_000)

	const countScans = "SELECT pg_stat_get_xact_numscans('submission_search_terms'::regclass)"

	scans := func(query string) (used int) {
		err := h.db.InScope(t.Context(), h.tenant.ID, func(ctx context.Context, s *postgres.Scope) error {
			var before, after int
			if err := s.Tx.QueryRow(ctx, countScans).Scan(&before); err != nil {
				return err
			}

			if _, err := s.Tx.Exec(ctx, query); err != nil {
				return err
			}

			err := s.Tx.QueryRow(ctx, countScans).Scan(&after)
			used = after - before

			return err
		})
		if err != nil {
			t.Fatal(err)
		}

		return used
	}

	const all = "'00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'"

	for query, want := range map[string]int{
		"SELECT search_submissions('rare', " + all + ", 51)":                               1,
		"SELECT search_submissions('nowhere', " + all + ", 51)":                            1,
		"SELECT search_submissions('often', " + all + ", 51)":                              0,
		"SELECT id FROM submission_search WHERE terms @@ 'rare' ORDER BY id DESC LIMIT 51": 0,
	} {
		if got := scans(query); got != want {
			t.Errorf("%s used the index %d times, want %d", query, got, want)
		}
	}
}

// words fills the search of the tenant with n submissions that have the word often each third time and rare eight times.
func (h *house) words(n int) {
	h.Helper()

	for _, statement := range []string{
		`INSERT INTO submissions (tenant_id, id, received_at, schema_version, rule_version, field_count, order_ignored, endpoint_id,
    family, status, fingerprint, fields)
SELECT id, lpad(to_hex(n), 32, '0')::uuid, now(), 0, 1, 0, false, 'x', 'form', 'accepted', '', '[]'
FROM tenants, generate_series(1, %[1]d) AS n`,
		`INSERT INTO submission_search SELECT tenant_id, id, CASE WHEN n %% 3 = 0 THEN 'often' WHEN n %% (%[1]d / 8) = 1 THEN 'rare'
    ELSE 'some' || n END::tsvector
FROM (SELECT tenant_id, id, row_number() OVER (ORDER BY id) AS n FROM submissions) AS numbered`,
		`VACUUM ANALYZE submission_search`,
	} {
		if strings.Contains(statement, "%[1]d") {
			statement = fmt.Sprintf(statement, n)
		}

		if _, err := h.db.Pool.Exec(h.Context(), statement); err != nil {
			h.Fatal(err)
		}
	}
}

// TestTheSearchFindsNothingOfAnotherTenant asks the function itself, whose owner no policy stops.
func TestTheSearchFindsNothingOfAnotherTenant(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	h.words(1_200)

	ask := func(tx pgx.Tx, word string) (found int) {
		err := tx.QueryRow(t.Context(), `SELECT count(*) FROM search_submissions($1, '00000000-0000-0000-0000-000000000000',
			'ffffffff-ffff-ffff-ffff-ffffffffffff', 100000)`, word).Scan(&found)
		if err != nil {
			t.Fatal(err)
		}

		return found
	}

	stranger, err := tenants.NewRegistry(h.db).Create(t.Context(),
		tenants.NewTenant{Name: "Beta", Email: "bob@beta.example", Password: "correct horse battery"})
	if err != nil {
		t.Fatal(err)
	}

	for _, word := range []string{"often", "rare"} {
		for tenantID, want := range map[uuid.UUID]bool{h.tenant.ID: true, stranger.Tenant.ID: false} {
			err := h.db.InScope(t.Context(), tenantID, func(_ context.Context, s *postgres.Scope) error {
				if got := ask(s.Tx, word) > 0; got != want {
					t.Errorf("%s finds something: %v", word, got)
				}

				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}

		err := postgres.InTx(t.Context(), h.db.Pool, func(tx pgx.Tx) error {
			if got := ask(tx, word); got != 0 {
				t.Errorf("without a tenant %s finds %d", word, got)
			}

			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}

	if n := h.count("SELECT count(*) FROM pg_proc, aclexplode(proacl) WHERE proname = 'search_submissions' AND grantee = 0"); n != 0 {
		t.Error("everybody may call the function")
	}
}

// TestNothingIsMissingFromTheSearch commits late what was received early, imports, kills a pass in the middle, erases
// meanwhile, and runs passes side by side.
func TestNothingIsMissingFromTheSearch(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	endpoint := h.endpoint("", nil)
	h.mustReceive(endpoint, post{body: "a=hello"})
	h.index()

	late, err := h.db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	defer func() { _ = late.Rollback(t.Context()) }()

	_, err = late.Exec(t.Context(), `
INSERT INTO submissions SELECT (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(), 'key_hash', NULL,
    'received_at', now() - interval '30 seconds'))).* FROM submissions AS s`)
	if err != nil {
		t.Fatal(err)
	}

	h.mustReceive(endpoint, post{body: "a=hello"})
	h.index()

	if got := h.finds("hello"); got != 2 {
		t.Fatalf("before the late one is there, %d are found", got)
	}

	if err := late.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}

	h.index()

	if got := h.finds("hello"); got != 3 {
		t.Fatalf("with the late one, %d are found", got)
	}

	old := imagined(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), endpoint.ID, "hello")
	if err := h.inbox.Import(t.Context(), h.tenant.ID, []forms.Submission{old}); err != nil {
		t.Fatal(err)
	}

	h.index()

	if got := h.finds("hello"); got != 4 {
		t.Fatalf("with an old one that was imported, %d are found", got)
	}
}

func TestPassesThatAreKilledOrMeetLeaveNothingOut(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	ids := h.many(h.endpoint("", nil), 2_000, forms.StatusAccepted)

	h.all(12, func(i int) error {
		switch i % 3 {
		case 0:
			killed, kill := context.WithTimeout(t.Context(), time.Duration(i)*5*time.Millisecond)
			defer kill()

			_ = h.inbox.Index(killed) // It ends in the middle, or does not.

			return nil
		case 1:
			return h.inbox.Index(t.Context())
		default:
			return h.inbox.Erase(t.Context(), h.tenant.ID, ids[i])
		}
	})

	h.index()

	if got := h.count("SELECT count(*) FROM submission_search"); got != h.submissions() || got != 2_000-4 {
		t.Errorf("%d of %d are in the search", got, h.submissions())
	}
}
