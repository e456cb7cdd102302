package forms_test

import (
	"fmt"
	"strings"
	"testing"

	"formonce/forms"
)

func TestASchemaThatCannotBeUsedIsRefusedWithEveryReason(t *testing.T) {
	t.Parallel()

	type f = forms.SchemaField

	when := func(field string, is forms.Comparison, values ...string) *forms.Condition {
		return &forms.Condition{Field: field, Is: is, Values: values}
	}
	deep := &forms.Condition{All: []forms.Condition{{All: []forms.Condition{{Any: []forms.Condition{{All: []forms.Condition{*when("b", forms.IsPresent)}}}}}}}}

	// The other field of each case is b, a select of a, b, 1, true and ü; c is a checkbox.
	cases := []struct {
		field        f
		member, rule string
	}{
		{f{Key: "a", Type: "color"}, "type", "unknown_type"},
		{f{Key: "", Type: forms.TypeText}, "key", "key"},
		{f{Key: "_a", Type: forms.TypeText}, "key", "key"},
		{f{Key: "a b", Type: forms.TypeText}, "key", "key"},
		{f{Key: strings.Repeat("a", 65), Type: forms.TypeText}, "key", "key"},
		{f{Key: "botcheck", Type: forms.TypeText}, "key", "key"},
		{f{Key: "b", Type: forms.TypeText}, "key", "duplicate_key"},
		{f{Key: "a", Type: forms.TypeText, Label: strings.Repeat("ü", 201)}, "label", "text"},
		{f{Key: "a", Type: forms.TypeText, Help: "\x00"}, "help", "text"},
		{f{Key: "a", Type: forms.TypeText, MinLength: 5, MaxLength: 4}, "min_length", "min_above_max"},
		{f{Key: "a", Type: forms.TypeText, MinLength: -1}, "min_length", "limit"},
		{f{Key: "a", Type: forms.TypeText, Min: "1"}, "min", "not_for_type"},
		{f{Key: "a", Type: forms.TypeText, Options: sampleOptions}, "options", "not_for_type"},
		{f{Key: "a", Type: forms.TypeText, RatingMax: 3, MaxFiles: 1}, "rating_max", "not_for_type, fields[2].max_files not_for_type"},
		{f{Key: "a", Type: forms.TypeText, Pattern: "(a"}, "pattern", "pattern"},
		{f{Key: "a", Type: forms.TypeText, Pattern: "a)|(b"}, "pattern", "pattern"},
		{f{Key: "a", Type: forms.TypeText, Pattern: "(?=a)"}, "pattern", "pattern"},
		{f{Key: "a", Type: forms.TypeText, Pattern: `(a)\1`}, "pattern", "pattern"},
		{f{Key: "a", Type: forms.TypeText, Pattern: "((a{1000}){1000}){1000}"}, "pattern", "pattern"},
		{f{Key: "a", Type: forms.TypeText, Pattern: "[0-9]+", Default: []string{"x"}}, "default", "default"},
		{f{Key: "a", Type: forms.TypeText, Default: []string{"x", "y"}}, "default", "default"},
		{f{Key: "a", Type: forms.TypeNumber, Min: "5", Max: "4.9"}, "min", "min_above_max"},
		{f{Key: "a", Type: forms.TypeNumber, Min: "x", Max: ".5"}, "min", "limit, fields[2].max limit"},
		{f{Key: "a", Type: forms.TypeNumber, Step: "0"}, "step", "limit"},
		{f{Key: "a", Type: forms.TypeNumber, Step: "-1"}, "step", "limit"},
		{f{Key: "a", Type: forms.TypeNumber, Step: "x"}, "step", "limit"},
		{f{Key: "a", Type: forms.TypeDate, Min: "2026-02-30"}, "min", "limit"},
		{f{Key: "a", Type: forms.TypeDate, Min: "2026-02-02", Max: "2026-02-01"}, "min", "min_above_max"},
		{f{Key: "a", Type: forms.TypeTime, Min: "09:00", Max: "08:59:59"}, "min", "min_above_max"},
		{f{Key: "a", Type: forms.TypeSelect}, "options", "options"},
		{f{Key: "a", Type: forms.TypeSelect, Options: []forms.Option{{Value: ""}}}, "options[0].value", "option"},
		{f{Key: "a", Type: forms.TypeSelect, Options: []forms.Option{{Value: " a"}}}, "options[0].value", "option"},
		{f{Key: "a", Type: forms.TypeSelect, Options: []forms.Option{{Value: "u\u0308"}}}, "options[0].value", "option"},
		{f{Key: "a", Type: forms.TypeSelect, Options: []forms.Option{{Value: "a"}, {Value: "a"}}}, "options[1].value", "duplicate_option"},
		{f{Key: "a", Type: forms.TypeSelect, Options: sampleOptions, Default: []string{"z"}}, "default", "default"},
		{f{Key: "a", Type: forms.TypeMultiselect, Options: sampleOptions, MinChoices: 6}, "min_choices", "min_above_max"},
		{f{Key: "a", Type: forms.TypeMultiselect, Options: sampleOptions, MinChoices: 2, MaxChoices: 1}, "min_choices", "min_above_max"},
		{f{Key: "a", Type: forms.TypeConsent}, "consent_text", "missing"},
		{f{Key: "a", Type: forms.TypeConsent, ConsentText: "x", Default: []string{"true"}}, "default", "not_for_type"},
		{f{Key: "a", Type: forms.TypeRating, RatingMax: 101}, "rating_max", "limit"},
		{f{Key: "a", Type: forms.TypeFile, FileTypes: []string{"png"}}, "file_types[0]", "file_type"},
		{f{Key: "a", Type: forms.TypeText, Shown: when("z", forms.IsPresent)}, "shown.field", "unknown_field"},
		{f{Key: "a", Type: forms.TypeText, Shown: when("a", forms.IsPresent)}, "shown.field", "self"},
		{f{Key: "a", Type: forms.TypeText, RequiredWhen: when("b", "like")}, "required_when.is", "unknown_value"},
		{f{Key: "a", Type: forms.TypeText, Shown: when("b", forms.IsPresent, "a")}, "shown.value", "condition"},
		{f{Key: "a", Type: forms.TypeText, Shown: when("b", forms.IsEqual)}, "shown.value", "condition"},
		{f{Key: "a", Type: forms.TypeText, Shown: when("b", forms.IsEqual, "z")}, "shown.value", "condition"},
		{f{Key: "a", Type: forms.TypeText, Shown: when("b", forms.IsGreater, "a")}, "shown.is", "condition"},
		{f{Key: "a", Type: forms.TypeText, Shown: when("c", forms.IsEqual, "on")}, "shown.value", "condition"},
		{f{Key: "a", Type: forms.TypeText, Shown: &forms.Condition{}}, "shown", "condition"},
		{f{Key: "a", Type: forms.TypeText, Shown: &forms.Condition{Field: "b", All: []forms.Condition{*when("b", forms.IsPresent)}}}, "shown", "condition"},
		{f{Key: "a", Type: forms.TypeText, Shown: &forms.Condition{Any: []forms.Condition{*when("z", forms.IsPresent)}}}, "shown.any[0].field", "unknown_field"},
		{f{Key: "a", Type: forms.TypeText, Shown: deep}, "shown", "condition"},
	}

	for _, c := range cases {
		schema := &forms.Schema{Fields: []f{
			{Key: "b", Type: forms.TypeSelect, Options: sampleOptions}, {Key: "c", Type: forms.TypeCheckbox}, c.field,
		}}

		err := schema.Check()
		if got := refusals(err); got != "fields[2]."+c.member+" "+c.rule {
			t.Errorf("%+v: got %q, want %s %s", c.field, got, c.member, c.rule)
		}
	}
}

func TestAWholeSchemaHasItsOwnLimits(t *testing.T) {
	t.Parallel()

	many := &forms.Schema{Unknown: "burn", Region: "de"}
	for i := range 101 {
		many.Fields = append(many.Fields, forms.SchemaField{Key: fmt.Sprint("f", i), Type: forms.TypeText})
	}

	if got := refusals(many.Check()); got != "fields too_many, unknown_fields unknown_value, default_region unknown_value" {
		t.Errorf("got %s", got)
	}

	brackets := &forms.Schema{Fields: []forms.SchemaField{
		{Key: "a[]", Type: forms.TypeText}, {Key: "a", Type: forms.TypeMultiselect, Options: sampleOptions},
	}}
	if got := refusals(brackets.Check()); got != "fields[1].key duplicate_key" {
		t.Errorf("got %s", got)
	}
}

func TestFieldsThatShowEachOtherAreRefused(t *testing.T) {
	t.Parallel()

	on := func(key string) *forms.Condition {
		return &forms.Condition{Any: []forms.Condition{{Field: key, Is: forms.IsPresent}}}
	}

	circle := &forms.Schema{Fields: []forms.SchemaField{
		{Key: "a", Type: forms.TypeText, Shown: on("b")},
		{Key: "b", Type: forms.TypeText, Shown: on("c")},
		{Key: "c", Type: forms.TypeText, Shown: on("a")},
		{Key: "d", Type: forms.TypeText, Shown: on("a")},
	}}
	if got := refusals(circle.Check()); !strings.Contains(got, "shown circle") {
		t.Errorf("got %q", got)
	}

	// What is required may depend on each other: both or none.
	both := &forms.Schema{Fields: []forms.SchemaField{
		{Key: "a", Type: forms.TypeText, RequiredWhen: on("b")}, {Key: "b", Type: forms.TypeText, RequiredWhen: on("a")},
	}}
	if err := both.Check(); err != nil {
		t.Errorf("got %s", refusals(err))
	}
}

func TestASchemaThatNobodyCheckedHarmsNothing(t *testing.T) {
	t.Parallel()

	wild := &forms.Schema{Fields: []forms.SchemaField{
		{Key: "a", Type: "color", Pattern: "(", Shown: &forms.Condition{Field: "b", Is: "like"}},
		{Key: "b", Type: forms.TypeNumber, Min: "x", Step: "0", Shown: &forms.Condition{Field: "a", Is: forms.IsPresent}},
	}}

	if got := judge(wild, text("a", "1", "b", "2")); got != "" {
		t.Errorf("got %s", got)
	}
}
