package forms_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"formonce/forms"
)

func TestEachTypeHasOneSpelling(t *testing.T) {
	t.Parallel()

	const agreed = `{"agreed":true,"text":"Yes \"I\" do.","version":"2"}`

	cases := []struct {
		of         forms.FieldType
		sent, want string
	}{
		{forms.TypeText, `" a  b\t"`, `"a  b"`},
		{forms.TypeText, `5`, `5`},
		{forms.TypeMultiline, `"a\r\nb\rc\n"`, `"a\nb\nc"`},
		{forms.TypeEmail, `" Ada.L@BÜCHER.Example "`, `"Ada.L@xn--bcher-kva.example"`},
		{forms.TypeEmail, `"Ada@EXAMPLE.com"`, `"Ada@example.com"`},
		{forms.TypeEmail, `"nobody"`, `"nobody"`},
		{forms.TypeEmail, `"a@b c"`, `"a@b c"`},
		{forms.TypePhone, `" 030 / 1234 567"`, `"+49301234567"`},
		{forms.TypePhone, `"+1 (212) 555-0123 ext. 45"`, `"+12125550123;ext=45"`},
		{forms.TypePhone, `"call me"`, `"call me"`},
		{forms.TypeURL, `" https://A.example/ "`, `"https://A.example/"`},
		{forms.TypeNumber, `" 1.50 "`, `"1.50"`},
		{forms.TypeNumber, `1.50`, `1.50`},
		{forms.TypeNumber, `"1,5"`, `"1,5"`},
		{forms.TypeInteger, `" 12345678901234567890 "`, `"12345678901234567890"`},
		{forms.TypeDate, `" 2026-01-02"`, `"2026-01-02"`},
		{forms.TypeDate, `"02.01.2026"`, `"02.01.2026"`},
		{forms.TypeTime, `"12:30 "`, `"12:30"`},
		{forms.TypeSelect, `" a "`, `"a"`},
		{forms.TypeSelect, `1`, `"1"`},
		{forms.TypeSelect, `true`, `"true"`},
		{forms.TypeSelect, `2`, `2`},
		{forms.TypeMultiselect, `[ " a", 1, 2 ]`, `["a","1",2]`},
		{forms.TypeMultiselect, `"b "`, `"b"`},
		{forms.TypeCheckbox, `"on"`, `true`},
		{forms.TypeCheckbox, `" Yes"`, `true`},
		{forms.TypeCheckbox, `0`, `false`},
		{forms.TypeCheckbox, `" "`, `""`},
		{forms.TypeCheckbox, `"maybe"`, `"maybe"`},
		{forms.TypeConsent, `"on"`, agreed},
		{forms.TypeConsent, `true`, agreed},
		{forms.TypeConsent, agreed, agreed},
		{forms.TypeConsent, `"off"`, `false`},
		{forms.TypeConsent, `{"agreed":true}`, `{"agreed":true}`},
		{forms.TypeRating, `" 4"`, `"4"`},
		{forms.TypeCountry, `" de"`, `"DE"`},
		{forms.TypeCountry, `"xx"`, `"xx"`},
		{forms.TypeHidden, `" as sent "`, `" as sent "`},
		{forms.TypeFile, `"x"`, `"x"`},
	}

	for _, c := range cases {
		field := forms.SchemaField{Key: "f", Type: c.of}
		if c.of == forms.TypeSelect || c.of == forms.TypeMultiselect {
			field.Options = sampleOptions
		}

		if c.of == forms.TypeConsent {
			field.ConsentText, field.ConsentVersion = `Yes "I" do.`, "2"
		}

		got := ready(t, field).Normalize(member("f", c.sent))
		if want := `[{"f":` + c.want + `}]`; string(forms.EncodeFields(got)) != want {
			t.Errorf("%s: %s became %s, want %s", c.of, c.sent, forms.EncodeFields(got), want)
		}
	}
}

func TestNormalizeKeepsOrderAndLeavesOutWhatDoesNotCount(t *testing.T) {
	t.Parallel()

	schema := ready(t,
		forms.SchemaField{Key: "name", Type: forms.TypeText},
		forms.SchemaField{Key: "topics", Type: forms.TypeMultiselect, Options: sampleOptions},
		forms.SchemaField{Key: "box", Type: forms.TypeCheckbox},
		forms.SchemaField{Key: "why", Type: forms.TypeText, Shown: &forms.Condition{Field: "box", Is: forms.IsEqual, Values: []string{"false"}}},
	)

	sent := append(text("x", " 1 ", "topics[]", "b", "box", "0", "name", "Ada", "topics[]", " a", "box", "1", "why", "because"),
		member("name", "null")...)
	before := slices.Clone(sent)

	const want = `[{"x":" 1 "},{"topics":"b"},{"box":true},{"name":"Ada"},{"topics":"a"}]`
	if got := schema.Normalize(sent); string(forms.EncodeFields(got)) != want {
		t.Errorf("got %s", forms.EncodeFields(got))
	}

	if !slices.Equal(sent, before) {
		t.Error("what was sent was changed")
	}

	schema.Unknown = forms.UnknownDrop
	if got := schema.Normalize(sent); got[0].Name == "x" {
		t.Error("an unknown field was not dropped")
	}
}

func TestNormalizingTwiceIsNormalizingOnce(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		schema := anySchema().Draw(t, "schema")
		sent := fieldsFor(schema).Draw(t, "sent")

		once := schema.Normalize(sent)
		if twice := schema.Normalize(once); !slices.Equal(once, twice) {
			t.Fatalf("%s became %s, then %s", forms.EncodeFields(sent), forms.EncodeFields(once), forms.EncodeFields(twice))
		}

		stored, err := forms.DecodeFields(forms.EncodeFields(once))
		if err != nil || !slices.Equal(stored, once) {
			t.Fatalf("%s was stored as %s: %v", forms.EncodeFields(once), forms.EncodeFields(stored), err)
		}
	})
}

// FuzzSchema sends anything to a schema that has a field of every type.
func FuzzSchema(f *testing.F) {
	var fields []forms.SchemaField

	for _, of := range schemaTypes {
		field := forms.SchemaField{Key: string(of), Type: of}

		switch of {
		case forms.TypeSelect, forms.TypeMultiselect:
			field.Options = sampleOptions
		case forms.TypeConsent:
			field.ConsentText = "Yes."
		case forms.TypeNumber:
			field.Min, field.Max, field.Step = "1", "1e3", "0.25"
		case forms.TypeText:
			field.Pattern, field.MinLength = "a.*", 2
		}

		fields = append(fields, field)

		for _, good := range goodValues[of] {
			f.Add(string(of), good)
		}
	}

	schema := ready(f, fields...)
	schema.Unknown = forms.UnknownRefuse

	f.Add("phone", `"+4900030"`)
	f.Add("number", `"-1e-1000"`)
	f.Add("email", `"\"a b\"@[::1]"`)

	f.Fuzz(func(t *testing.T, name, raw string) {
		sent := forms.Fields{{Name: forms.Text(name).String(), Value: forms.JSON(raw)}}

		once := schema.Normalize(sent)
		if !slices.Equal(once, schema.Normalize(once)) {
			t.Fatalf("%q: %q is not idempotent", name, raw)
		}

		if err := schema.Validate(once, "ja"); err != nil && refusals(err) == "" {
			t.Fatalf("%q: %q is refused without an issue: %v", name, raw, err)
		}
	})
}

func TestNoRefusalHoldsWhatWasSubmitted(t *testing.T) {
	t.Parallel()

	const planted = "pl4nted"

	for _, of := range schemaTypes {
		field := forms.SchemaField{Key: "f", Type: of, MinLength: 0}

		switch of {
		case forms.TypeSelect, forms.TypeMultiselect:
			field.Options = sampleOptions
		case forms.TypeConsent:
			field.ConsentText = "Yes."
		case forms.TypeText, forms.TypeMultiline, forms.TypeHidden:
			field.MaxLength = 3
		}

		schema := ready(t, field)

		err := schema.Validate(schema.Normalize(text("f", planted)), "en")
		if err == nil {
			t.Errorf("%s takes anything", of)
			continue
		}

		whole, marshalErr := json.Marshal(err)
		if marshalErr != nil || bytes.Contains(whole, []byte(planted)) || strings.Contains(err.Error(), planted) {
			t.Errorf("%s: %s", of, whole)
		}
	}
}
