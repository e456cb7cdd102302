package forms_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"formonce/forms"
	"formonce/internal/fault"
)

// ready returns a schema of these fields that was checked.
func ready(t testing.TB, fields ...forms.SchemaField) *forms.Schema {
	t.Helper()

	made := &forms.Schema{Fields: fields, Region: "DE"}
	if err := made.Check(); err != nil {
		t.Fatalf("%v: %+v", err, fault.As(err).Issues)
	}

	return made
}

// refusals are the issues of an error, each as "field rule".
func refusals(err error) string {
	found, ok := errors.AsType[*fault.Fault](err)
	if !ok {
		return ""
	}

	said := make([]string, len(found.Issues))
	for i, issue := range found.Issues {
		said[i] = issue.Field + " " + issue.Rule
	}

	return strings.Join(said, ", ")
}

func judge(schema *forms.Schema, sent forms.Fields) string {
	return refusals(schema.Validate(schema.Normalize(sent), "en"))
}

// sampleOptions tempt whoever looks options up: one is a number, one a truth value.
var sampleOptions = []forms.Option{{Value: "a", Label: "A & co."}, {Value: "b"}, {Value: "1"}, {Value: "true"}, {Value: "ü"}}

// perType draws the settings that a type has.
var perType = map[forms.FieldType]func(t *rapid.T, field *forms.SchemaField){
	forms.TypeText:      lengths,
	forms.TypeMultiline: lengths,
	forms.TypeEmail:     lengths,
	forms.TypePhone:     func(*rapid.T, *forms.SchemaField) {},
	forms.TypeURL:       lengths,
	forms.TypeNumber:    numbers,
	forms.TypeInteger:   numbers,
	forms.TypeDate: func(t *rapid.T, field *forms.SchemaField) {
		field.Min = rapid.SampledFrom([]string{"", "2020-02-29"}).Draw(t, "min")
		field.Max = rapid.SampledFrom([]string{"", "2026-12-31"}).Draw(t, "max")
	},
	forms.TypeTime: func(t *rapid.T, field *forms.SchemaField) {
		field.Min = rapid.SampledFrom([]string{"", "08:00", "08:00:01"}).Draw(t, "min")
		field.Max = rapid.SampledFrom([]string{"", "20:00"}).Draw(t, "max")
	},
	forms.TypeSelect: func(_ *rapid.T, field *forms.SchemaField) { field.Options = sampleOptions },
	forms.TypeMultiselect: func(t *rapid.T, field *forms.SchemaField) {
		field.Options = sampleOptions
		field.MinChoices = rapid.IntRange(0, 2).Draw(t, "least")
		field.MaxChoices = rapid.SampledFrom([]int{0, 2, 3}).Draw(t, "most")
		field.Default = rapid.SampledFrom([][]string{nil, {"a", "1"}}).Draw(t, "default")
	},
	forms.TypeCheckbox: func(t *rapid.T, field *forms.SchemaField) {
		field.Default = rapid.SampledFrom([][]string{nil, {"true"}, {"on"}}).Draw(t, "default")
	},
	forms.TypeConsent: func(t *rapid.T, field *forms.SchemaField) {
		field.ConsentText = "I agree to \"everything\"."
		field.ConsentVersion = rapid.SampledFrom([]string{"", "2026-01"}).Draw(t, "version")
	},
	forms.TypeRating: func(t *rapid.T, field *forms.SchemaField) {
		field.RatingMax = rapid.SampledFrom([]int{0, 5, 10}).Draw(t, "best")
		field.Default = rapid.SampledFrom([][]string{nil, {"3"}}).Draw(t, "default")
	},
	forms.TypeCountry: func(*rapid.T, *forms.SchemaField) {},
	forms.TypeHidden:  lengths,
	forms.TypeFile: func(t *rapid.T, field *forms.SchemaField) {
		field.MaxFiles = rapid.IntRange(0, 3).Draw(t, "files")
		field.MaxFileBytes = rapid.Int64Range(0, 1<<40).Draw(t, "bytes")
		field.FileTypes = rapid.SampledFrom([][]string{nil, {"image/*", "application/pdf"}}).Draw(t, "types")
	},
}

func lengths(t *rapid.T, field *forms.SchemaField) {
	field.MinLength = rapid.IntRange(0, 3).Draw(t, "shortest")
	field.MaxLength = rapid.SampledFrom([]int{0, 5, 20}).Draw(t, "longest")
	field.Pattern = rapid.SampledFrom([]string{"", "[a-z]+", "a|b", "(?i)abc", `\pL*`, "^x$", `.*\$`, `\A.*\z`}).Draw(t, "pattern")
	field.PatternMessage = rapid.SampledFrom([]string{"", "No."}).Draw(t, "message")
}

func numbers(t *rapid.T, field *forms.SchemaField) {
	field.Min = rapid.SampledFrom([]string{"", "0", "-3", "1"}).Draw(t, "min")
	field.Max = rapid.SampledFrom([]string{"", "12", "1E+2", "99999999999999999999"}).Draw(t, "max")
	field.Step = rapid.SampledFrom([]string{"", "1", "0.5", "2", "0.01"}).Draw(t, "step")
	field.Default = rapid.SampledFrom([][]string{nil, {"3"}}).Draw(t, "default")
}

var schemaTypes = []forms.FieldType{
	forms.TypeText, forms.TypeMultiline, forms.TypeEmail, forms.TypePhone, forms.TypeURL, forms.TypeNumber, forms.TypeInteger,
	forms.TypeDate, forms.TypeTime, forms.TypeSelect, forms.TypeMultiselect, forms.TypeCheckbox, forms.TypeConsent,
	forms.TypeRating, forms.TypeCountry, forms.TypeHidden, forms.TypeFile,
}

// anySchema draws schemas that Check takes; the conditions look at fields before their own.
func anySchema() *rapid.Generator[*forms.Schema] {
	return rapid.Custom(func(t *rapid.T) *forms.Schema {
		made := &forms.Schema{
			Unknown: rapid.SampledFrom([]forms.UnknownFields{"", forms.UnknownKeep, forms.UnknownDrop, forms.UnknownRefuse}).
				Draw(t, "unknown"),
			Region: rapid.SampledFrom([]string{"", "DE", "US"}).Draw(t, "region"),
		}

		for i := range rapid.IntRange(1, 6).Draw(t, "fields") {
			field := forms.SchemaField{
				Key:      fmt.Sprintf("f%d%s", i, rapid.SampledFrom([]string{"", "[x]", "-y.z"}).Draw(t, "suffix")),
				Type:     rapid.SampledFrom(schemaTypes).Draw(t, "type"),
				Label:    rapid.SampledFrom([]string{"", "Name <you>"}).Draw(t, "label"),
				Help:     rapid.SampledFrom([]string{"", "Help\nin lines"}).Draw(t, "help"),
				Required: rapid.Bool().Draw(t, "required"),
			}
			perType[field.Type](t, &field)

			if i > 0 {
				field.Shown = anyCondition(made.Fields, 2).Draw(t, "shown")
				field.RequiredWhen = anyCondition(made.Fields, 2).Draw(t, "when")
			}

			made.Fields = append(made.Fields, field)
		}

		if err := made.Check(); err != nil {
			if strings.Trim(strings.ReplaceAll(refusals(err), "default", ""), "fields[]0123456789., ") != "" {
				t.Fatalf("%v: %+v", err, fault.As(err).Issues)
			}

			for i := range made.Fields {
				made.Fields[i].Default = nil
			}

			if err := made.Check(); err != nil {
				t.Fatalf("%v: %+v", err, fault.As(err).Issues)
			}
		}

		return made
	})
}

func anyCondition(fields []forms.SchemaField, depth int) *rapid.Generator[*forms.Condition] {
	return rapid.Custom(func(t *rapid.T) *forms.Condition {
		kind := rapid.IntRange(0, 5).Draw(t, "kind")

		switch {
		case kind == 0 || kind == 1:
			return nil
		case kind == 2 && depth > 0:
			return joined(t, fields, depth, func(parts []forms.Condition) *forms.Condition { return &forms.Condition{All: parts} })
		case kind == 3 && depth > 0:
			return joined(t, fields, depth, func(parts []forms.Condition) *forms.Condition { return &forms.Condition{Any: parts} })
		}

		return anyComparison(t, fields)
	})
}

func joined(t *rapid.T, fields []forms.SchemaField, depth int, join func([]forms.Condition) *forms.Condition) *forms.Condition {
	var parts []forms.Condition

	for range rapid.IntRange(1, 2).Draw(t, "parts") {
		if part := anyCondition(fields, depth-1).Draw(t, "part"); part != nil {
			parts = append(parts, *part)
		}
	}

	if parts == nil {
		return nil
	}

	return join(parts)
}

func anyComparison(t *rapid.T, fields []forms.SchemaField) *forms.Condition {
	other := rapid.SampledFrom(fields).Draw(t, "other")
	made := &forms.Condition{Field: other.Key}

	switch other.Type {
	case forms.TypeNumber, forms.TypeInteger, forms.TypeRating:
		made.Is, made.Values = rapid.SampledFrom([]forms.Comparison{forms.IsGreater, forms.IsLess, forms.IsEqual}).Draw(t, "is"), []string{"2"}
	case forms.TypeDate:
		made.Is, made.Values = forms.IsGreater, []string{"2024-01-01"}
	case forms.TypeCheckbox, forms.TypeConsent:
		made.Is = rapid.SampledFrom([]forms.Comparison{forms.IsEqual, forms.IsNotEqual}).Draw(t, "is")
		made.Values = []string{rapid.SampledFrom([]string{"true", "false"}).Draw(t, "truth")}
	case forms.TypeSelect, forms.TypeMultiselect:
		made.Is, made.Values = forms.IsOneOf, []string{"a", "1"}
	default:
		made.Is = rapid.SampledFrom([]forms.Comparison{forms.IsPresent, forms.IsAbsent}).Draw(t, "is")
	}

	return made
}

// goodValues are ones that fields of the type take, in the spellings of people and scripts.
var goodValues = map[forms.FieldType][]string{
	forms.TypeText: {`" abc "`, `"a"`, `"x"`, `"b$"`}, forms.TypeMultiline: {`"abc\r\nabc"`, `"abc"`},
	forms.TypeEmail: {`"A@B.example"`, `" a@bücher.example"`}, forms.TypePhone: {`"+49 30 1234567"`, `"030/1234567"`, `"+12125550123 ext 4"`},
	forms.TypeURL: {`"https://a.example/x"`}, forms.TypeNumber: {`"2"`, `3`, `" 1.50 "`, `2.5e0`, `"007"`, `10`},
	forms.TypeInteger: {`"2"`, `3`, `12345678901234567890`, `"010"`}, forms.TypeDate: {`"2024-02-29"`, `"2025-01-01"`},
	forms.TypeTime: {`"12:30"`, `"08:00:01"`}, forms.TypeSelect: {`"a"`, `1`, `true`, `" ü"`},
	forms.TypeMultiselect: {`["a","b"]`, `"a"`, `["b",1," ü "]`, `"1"`}, forms.TypeCheckbox: {`"on"`, `true`, `"0"`, `1`},
	forms.TypeConsent: {`"yes"`, `true`, `false`}, forms.TypeRating: {`"3"`, `5`}, forms.TypeCountry: {`"de"`, `" FR "`},
	forms.TypeHidden: {`{"a":[1]}`, `"x"`, `"abc"`, `12`}, forms.TypeFile: {`""`},
}

// fieldsFor draws submissions to the schema: good values, other values, repeats, and names that it does not know.
func fieldsFor(schema *forms.Schema) *rapid.Generator[forms.Fields] {
	return rapid.Custom(func(t *rapid.T) forms.Fields {
		var sent forms.Fields

		for _, field := range schema.Fields {
			for range rapid.SampledFrom([]int{0, 1, 1, 1, 1, 2}).Draw(t, "times") {
				name := field.Key + rapid.SampledFrom([]string{"", "", "", "[]"}).Draw(t, "brackets")
				value := forms.JSON(rapid.SampledFrom(goodValues[field.Type]).Draw(t, "good"))

				if rapid.IntRange(0, 7).Draw(t, "odd") == 0 {
					value = anyValue().Draw(t, "any")
				}

				sent = append(sent, forms.Field{Name: name, Value: value})
			}
		}

		if rapid.IntRange(0, 3).Draw(t, "stray") == 0 {
			sent = append(sent, anyFields().Draw(t, "others")...)
		}

		return sent
	})
}

func messageOf(err error) string { return fault.As(err).Message }
