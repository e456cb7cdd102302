package forms_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"formonce/forms"
)

// anyText draws texts that tempt an encoder: quotes, control characters, characters outside the first plane.
func anyText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringN(0, 12, -1),
		rapid.StringOfN(rapid.RuneFrom([]rune("a\"\\/<>&\x00\x01\x1f\x7f\u2028\uFFFD\uE000😀{}[],:")), 0, 8, -1),
	)
}

// anyJSON draws JSON values up to a few levels deep, with members in any order and none twice.
func anyJSON(levels int) *rapid.Generator[string] {
	scalar := rapid.SampledFrom([]string{
		"0", "-1", "1.50", "1E+2", "12345678901234567890", "true", "false", "null", `"x"`, `"\u0001\""`, `"😀"`, `""`,
	})
	if levels == 0 {
		return scalar
	}

	return rapid.OneOf(scalar, rapid.Custom(func(t *rapid.T) string {
		list := rapid.SliceOfN(anyJSON(levels-1), 0, 3).Draw(t, "elements")

		return "[" + strings.Join(list, ",") + "]"
	}), rapid.Custom(func(t *rapid.T) string {
		names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "", "é", "\uE000", "😀", "a b"}), 0, 4,
			rapid.ID[string]).Draw(t, "names")

		members := make([]string, len(names))
		for i, name := range names {
			members[i] = `"` + name + `":` + anyJSON(levels-1).Draw(t, "value")
		}

		return "{" + strings.Join(members, ",") + "}"
	}))
}

func anyValue() *rapid.Generator[forms.Value] {
	return rapid.OneOf(rapid.Map(anyText(), forms.Text), rapid.Map(anyJSON(3), forms.JSON))
}

func anyFields() *rapid.Generator[forms.Fields] {
	return rapid.Custom(func(t *rapid.T) forms.Fields {
		fields := make(forms.Fields, rapid.IntRange(0, 6).Draw(t, "count"))
		for i := range fields {
			name := rapid.OneOf(rapid.SampledFrom([]string{"a", "b", "email"}), anyText()).Draw(t, "name")
			fields[i] = forms.Field{Name: forms.Text(name).String(), Value: anyValue().Draw(t, "value")}
		}

		return fields
	})
}

func TestStoredFieldsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		fields := anyFields().Draw(t, "fields")
		stored := forms.EncodeFields(fields)

		if !json.Valid(stored) || !utf8.Valid(stored) || strings.Contains(string(stored), `\u0000`) {
			t.Fatalf("%s is nothing that PostgreSQL keeps", stored)
		}

		again, err := forms.DecodeFields(stored)
		if err != nil || !slices.Equal(again, fields) {
			t.Fatalf("%q became %q, %v", fields, again, err)
		}
	})
}

func TestTheStorageFormIsAnArrayOfSingleMembers(t *testing.T) {
	t.Parallel()

	fields := append(text("email", "a@b.c", "topics", "x", "topics", "y\n\"\x01<"), member("n", "1.50")...)

	const want = `[{"email":"a@b.c"},{"topics":"x"},{"topics":"y\n\"\u0001<"},{"n":1.50}]`
	if got := string(forms.EncodeFields(fields)); got != want {
		t.Errorf("got %s", got)
	}

	if got, err := json.Marshal(fields); err != nil || !json.Valid(got) {
		t.Errorf("got %s and %v", got, err)
	}

	if got := string(forms.EncodeFields(nil)); got != "[]" {
		t.Errorf("no fields are %s", got)
	}
}

func TestStoredFieldsAreReadWithWhiteSpace(t *testing.T) {
	t.Parallel()

	got, err := forms.DecodeFields([]byte(` [ {"a" : "x"} , {"b": {"c": [1, 2]}} ] `))
	if want := append(text("a", "x"), member("b", `{"c":[1,2]}`)...); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q and %v", got, err)
	}
}

func TestDamagedStoredFieldsAreAnErrorThatQuotesNothing(t *testing.T) {
	t.Parallel()

	for _, stored := range []string{
		"", "null", "{}", "[", `["planted"]`, `[{}]`, `[{"planted":1,"b":2}]`, `[{"planted"}]`, `[{"a":"planted"}`,
		`[{"a":"planted"}]x`, `[{"a":"\ud800"}]`, `[{"\ud800":"planted"}]`, `[{"a":{"b":1,"b":2}}]`, "[{\"a\":\"\xff\"}]", `[{1:2}]`,
	} {
		if got, err := forms.DecodeFields([]byte(stored)); err == nil || strings.Contains(err.Error(), "planted") {
			t.Errorf("%s: got %q and %v", stored, got, err)
		}
	}
}

func TestValuesAreTextOrJSON(t *testing.T) {
	t.Parallel()

	cases := []struct {
		value   forms.Value
		isText  bool
		text    string
		written string
	}{
		{forms.Value{}, true, "", `""`},
		{forms.Text("1"), true, "1", `"1"`},
		{forms.Text("a\x00b\xff"), true, "a\uFFFDb\uFFFD", "\"a\uFFFDb\uFFFD\""},
		{forms.JSON("1"), false, "1", "1"},
		{forms.JSON(` { "b" : "\u0041", "a": 1.0 } `), false, `{"b":"A","a":1.0}`, `{"b":"A","a":1.0}`},
		{forms.JSON(`"x"`), true, "x", `"x"`},
		{forms.JSON(`{"a":1} x`), true, `{"a":1} x`, `"{\"a\":1} x"`},
		{forms.JSON(`["\u0000"]`), true, `["\u0000"]`, `"[\"\\u0000\"]"`},
		{forms.JSON(``), true, ``, `""`},
	}

	for _, c := range cases {
		if c.value.IsText() != c.isText || c.value.String() != c.text || string(c.value.AppendJSON(nil)) != c.written {
			t.Errorf("got %t, %q and %s, want %+v", c.value.IsText(), c.value.String(), c.value.AppendJSON(nil), c)
		}
	}

	if forms.Text("1") == forms.JSON("1") {
		t.Error("a text equals a number")
	}
}
