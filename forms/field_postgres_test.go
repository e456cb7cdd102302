package forms_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"formonce/forms"
	"formonce/internal/pgtest"
)

// A row that holds what jsonb cannot be made of would fail every later search over its endpoint, not only itself.
func TestPostgreSQLKeepsEveryStorageFormAndMakesJSONBOfIt(t *testing.T) {
	db, ctx := pgtest.New(t), t.Context()

	check := func(t rapid.TB, fields forms.Fields) {
		var kept []byte

		err := db.Pool.QueryRow(ctx, "SELECT $1::json::text FROM (SELECT $1::json::jsonb::text AS read) s WHERE read <> ''",
			string(forms.EncodeFields(fields))).Scan(&kept)
		if err != nil {
			t.Fatalf("%q: %v", fields, err)
		}

		if again, err := forms.DecodeFields(kept); err != nil || !slices.Equal(again, fields) {
			t.Fatalf("%q came back as %s, %v", fields, kept, err)
		}
	}

	for _, raw := range []string{
		"1e1000", "-1e1000", "1e-1000", "-0", "0e0", strings.Repeat("9", 1000), "0." + strings.Repeat("9", 998),
		strings.Repeat("9", 995) + "e1000", "0." + strings.Repeat("1", 992) + "e-999", `["\uffff\u007f\u0001"]`, nested(200),
	} {
		parsed, err := forms.Decode(forms.Body{ContentType: jsonType, Bytes: []byte(`{"a":` + raw + `}`)}, "",
			forms.Limits{Fields: 1, NameChars: 1, ValueChars: 16_384, JSONDepth: 500})
		if err != nil {
			t.Fatalf("%.40s: %v", raw, err)
		}

		check(t, parsed.Fields)
	}

	rapid.Check(t, func(t *rapid.T) { check(t, anyFields().Draw(t, "fields")) })
}
