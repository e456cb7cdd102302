package forms_test

import (
	"strings"
	"testing"

	"formonce/forms"
	"formonce/internal/fault"
)

func TestEachRuleRefusesWhatItIsFor(t *testing.T) {
	t.Parallel()

	type f = forms.SchemaField

	long := strings.Repeat("a", 65)
	digits := strings.Repeat("9", 1001)

	cases := []struct {
		field f
		// good and bad are JSON values apart by blanks; bad is refused for the rule.
		good, bad []string
		rule      string
	}{
		{f{Type: forms.TypeText}, []string{`"x"`, `"two\nlines"`, `""`}, []string{`5`, `true`, `{}`, `[]`, `["x"]`}, "type"},
		{f{Type: forms.TypeText, Required: true}, []string{`"x"`}, []string{`""`, `"  "`, `null`}, "required"},
		{f{Type: forms.TypeText, MinLength: 2}, []string{`"ab"`, `"日本"`, `""`}, []string{`"a"`, `" a "`, `"😀"`}, "min_length"},
		{f{Type: forms.TypeMultiline, MaxLength: 3}, []string{`"a\r\nb"`, `"日本語"`}, []string{`"abcd"`}, "max_length"},
		{f{Type: forms.TypeText, Pattern: "a|bc"}, []string{`"a"`, `"bc"`}, []string{`"ab"`, `"abc"`, `"ac"`, `"a\n"`[:4] + `b"`}, "pattern"},
		{
			f{Type: forms.TypeEmail},
			[]string{`"a@b.example"`, `"a+b@xn--bcher-kva.example"`, `"ü@b.example"`, `"o'x@b.co"`},
			[]string{
				`"a"`, `"a@b"`, `"@b.example"`, `"a@"`, `"a b@c.example"`, `"a@b.example, c@d.example"`, `"A <a@b.example>"`, `"a@1.2.3.4"`,
				`"a@[1.2.3.4]"`, `"a@b..example"`, `"a@-b.example"`, `"a@b.example."`, `"` + long + `@b.example"`, `5`, `"a@b_c.example"`,
			},
			"type",
		},
		{
			f{Type: forms.TypePhone},
			[]string{`"030 1234567"`, `"+49 30 1234567"`, `"+12125550123"`, `"0049301234567"`},
			[]string{`"+49 1"`, `"12"`, `"call me"`, `"+999 123456"`, `301234567`, `"+1 555 1234567890"`},
			"type",
		},
		{
			f{Type: forms.TypeURL},
			[]string{`"https://a.example"`, `"http://a.example:80/x?y=z#f"`, `"HTTPS://A.example"`},
			[]string{
				`"a.example"`, `"ftp://a.example"`, `"javascript:alert(1)"`, `"https://"`, `"https://u:p@a.example"`, `"https://a b.example"`,
				`"https:a.example"`, `"//a.example"`, `"https:\\\\a.example"`, `"https://a.example/\u0007"`,
			},
			"type",
		},
		{
			f{Type: forms.TypeNumber},
			[]string{`"1"`, `1`, `"-1.5"`, `".5"`, `"1e3"`, `"007"`, `1E-2`, `"12345678901234567890.123"`},
			[]string{`"1,5"`, `"1.000,5"`, `"+1"`, `"1."`, `"0x10"`, `"1e"`, `"1e9999"`, `"NaN"`, `"1_000"`, `"٣"`, `true`, `"` + digits + `"`, `"-"`, `"."`},
			"type",
		},
		{
			f{Type: forms.TypeInteger},
			[]string{`"12"`, `-12`, `"0"`, `123456789012345678901234567890`},
			[]string{`"1.0"`, `1.5`, `"1e3"`, `1e3`, `"--1"`, `"1 2"`, `"-"`},
			"type",
		},
		{f{Type: forms.TypeNumber, Min: "0.1"}, []string{`"0.10"`, `1`}, []string{`"0.09999999999999999999"`, `-1`}, "min"},
		{f{Type: forms.TypeInteger, Max: "9007199254740993"}, []string{`"9007199254740993"`}, []string{`9007199254740994`}, "max"},
		{f{Type: forms.TypeNumber, Step: "0.01"}, []string{`"0.30"`, `1e2`, `0.07`}, []string{`"0.301"`}, "step"},
		{f{Type: forms.TypeNumber, Min: "1", Step: "2"}, []string{`1`, `5`}, []string{`2`, `1.5`}, "step"},
		{
			f{Type: forms.TypeDate},
			[]string{`"2024-02-29"`, `"1999-12-31"`},
			[]string{`"2025-02-29"`, `"2026-13-01"`, `"2026-1-1"`, `"01.02.2026"`, `"2026-01-01T00:00"`, `20260101`, `"2026/01/01"`},
			"type",
		},
		{f{Type: forms.TypeDate, Min: "2026-01-01"}, []string{`"2026-01-01"`}, []string{`"2025-12-31"`}, "min"},
		{f{Type: forms.TypeDate, Max: "2026-01-01"}, []string{`"2026-01-01"`}, []string{`"2026-01-02"`}, "max"},
		{
			f{Type: forms.TypeTime},
			[]string{`"00:00"`, `"23:59:59"`},
			[]string{`"24:00"`, `"9:05"`, `"12:60"`, `"12"`, `"1:00 pm"`, `"12:00:00.5"`, `"12:00:0"`},
			"type",
		},
		{f{Type: forms.TypeTime, Min: "08:00", Max: "09:00"}, []string{`"08:00:00"`, `"09:00:00"`}, []string{`"07:59:59"`}, "min"},
		{f{Type: forms.TypeTime, Max: "09:00"}, []string{`"09:00:00"`}, []string{`"09:00:01"`}, "max"},
		{f{Type: forms.TypeSelect, Options: sampleOptions}, []string{`"a"`, `1`, `""`}, []string{`"A"`, `"c"`, `"a,b"`}, "option"},
		{f{Type: forms.TypeMultiselect, Options: sampleOptions}, []string{`["a","b"]`, `"a"`, `[]`, `["a",""]`}, []string{`["c"]`, `[["a"]]`, `{"a":1}`, `[2]`}, "option"},
		{f{Type: forms.TypeMultiselect, Options: sampleOptions}, []string{`["a"]`}, []string{`["a","a"]`, `["1",1]`}, "repeated"},
		{f{Type: forms.TypeMultiselect, Options: sampleOptions, MinChoices: 2}, []string{`["a","b"]`, `[]`}, []string{`["a"]`, `"a"`}, "min_choices"},
		{f{Type: forms.TypeMultiselect, Options: sampleOptions, MaxChoices: 1}, []string{`["a"]`}, []string{`["a","b"]`}, "max_choices"},
		{f{Type: forms.TypeMultiselect, Options: sampleOptions, Required: true}, []string{`["a"]`}, []string{`[]`, `""`, `[""]`, `null`}, "required"},
		{f{Type: forms.TypeCheckbox}, []string{`true`, `"off"`, `""`}, []string{`"maybe"`, `2`, `{}`}, "type"},
		{f{Type: forms.TypeCheckbox, Required: true}, []string{`"on"`}, []string{`false`, `"0"`, `""`}, "required"},
		{f{Type: forms.TypeConsent, ConsentText: "Yes."}, []string{`true`, `false`, `""`}, []string{`"maybe"`, `{"agreed":true,"text":"No."}`}, "type"},
		{f{Type: forms.TypeConsent, ConsentText: "Yes.", Required: true}, []string{`"on"`, `1`}, []string{`false`, `""`, `null`}, "consent"},
		{f{Type: forms.TypeRating}, []string{`1`, `"5"`}, []string{`1.5`, `"good"`, `"★"`}, "type"},
		{f{Type: forms.TypeRating, RatingMax: 3}, []string{`3`}, []string{`4`, `99999999999999999999`}, "max"},
		{f{Type: forms.TypeRating}, []string{`1`}, []string{`0`, `-1`}, "min"},
		{f{Type: forms.TypeCountry}, []string{`"de"`, `"FR"`, `"Gb"`}, []string{`"DEU"`, `"XX"`, `"D"`, `"D "`, `"é"`, `276`, `"AD AE"`}, "type"},
		{f{Type: forms.TypeHidden, MaxLength: 3}, []string{`"abc"`, `{"a":"bcdef"}`, `12345`}, []string{`"abcd"`}, "max_length"},
		{f{Type: forms.TypeFile}, []string{`""`}, []string{`"photo.png"`, `{}`}, "type"},
	}

	for _, c := range cases {
		c.field.Key = "f"
		schema := ready(t, c.field)

		for _, good := range c.good {
			if got := judge(schema, member("f", good)); got != "" {
				t.Errorf("%+v: %s is refused: %s", c.field, good, got)
			}
		}

		for _, bad := range c.bad {
			if got := judge(schema, member("f", bad)); got != "f "+c.rule {
				t.Errorf("%+v: %s: got %q, want %s", c.field, bad, got, c.rule)
			}
		}
	}
}

func TestEveryIssueIsReportedAtOnceInTheOrderOfTheSchema(t *testing.T) {
	t.Parallel()

	schema := ready(t,
		forms.SchemaField{Key: "name", Type: forms.TypeText, Required: true},
		forms.SchemaField{Key: "email", Type: forms.TypeEmail, Required: true},
		forms.SchemaField{Key: "code", Type: forms.TypeText, MinLength: 5, Pattern: "[0-9]+", PatternMessage: "Digits, please."},
		forms.SchemaField{Key: "age", Type: forms.TypeInteger},
	)
	schema.Unknown = forms.UnknownRefuse

	sent := text("zip", "1", "age", "1", "age", "2", "code", "abc", "email", "x", "zip", "2", "a[]", "")

	const want = "name required, email type, code min_length, code pattern, age repeated, zip unknown, a[] unknown"

	err := schema.Validate(schema.Normalize(sent), "en")
	if got := refusals(err); got != want {
		t.Errorf("got %s", got)
	}

	failed := fault.As(err)
	if failed.Code != "validation_failed" || failed.Kind != fault.Unprocessable || failed.Issues[3].Message != "Digits, please." {
		t.Errorf("got %+v", failed)
	}

	if failed.Issues[0].Case != "missing" || failed.Issues[1].Case != "email" {
		t.Errorf("got %+v", failed.Issues)
	}
}

func TestARequiredFieldIsMissingOrEmpty(t *testing.T) {
	t.Parallel()

	for _, of := range schemaTypes {
		field := forms.SchemaField{Key: "f", Type: of, Required: true}

		switch of {
		case forms.TypeSelect, forms.TypeMultiselect:
			field.Options = sampleOptions
		case forms.TypeConsent:
			field.ConsentText = "Yes."
		}

		schema := ready(t, field)

		for kind, sent := range map[string]forms.Fields{"missing": text("x", "1"), "empty": text("f", "")} {
			err := schema.Validate(schema.Normalize(sent), "en")
			if err == nil || len(fault.As(err).Issues) != 1 || fault.As(err).Issues[0].Case != kind {
				t.Errorf("%s, %s: got %+v", of, kind, fault.As(err).Issues)
			}
		}
	}
}

func TestOnlyAMultiselectRepeats(t *testing.T) {
	t.Parallel()

	for _, of := range schemaTypes {
		field := forms.SchemaField{Key: "f", Type: of}

		switch of {
		case forms.TypeSelect, forms.TypeMultiselect:
			field.Options = sampleOptions
		case forms.TypeConsent:
			field.ConsentText = "Yes."
		}

		want := "f repeated"
		if of == forms.TypeMultiselect || of == forms.TypeCheckbox || of == forms.TypeConsent {
			want = "" // boxes become one, see Normalize
		}

		sent := append(member("f", goodValues[of][0]), member("f", `"true"`)...)
		if of == forms.TypeFile {
			sent[0].Value = forms.Text("x")
		}

		if got := judge(ready(t, field), sent); got != want {
			t.Errorf("%s: got %q, want %q", of, got, want)
		}
	}
}
