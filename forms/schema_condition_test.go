package forms_test

import (
	"testing"

	"formonce/forms"
)

func TestConditionsCompareWhatIsShown(t *testing.T) {
	t.Parallel()

	type c = forms.Condition

	cases := []struct {
		when c
		// Submissions as name and value, one after the other.
		holds, fails []string
	}{
		{c{Field: "kind", Is: forms.IsEqual, Values: []string{"a"}}, []string{"kind", "a"}, []string{"kind", "b"}},
		{c{Field: "kind", Is: forms.IsEqual, Values: []string{"a"}}, []string{"kind", " a "}, nil},
		{c{Field: "kind", Is: forms.IsNotEqual, Values: []string{"a"}}, nil, []string{"kind", "a"}},
		{c{Field: "kind", Is: forms.IsOneOf, Values: []string{"a", "b"}}, []string{"kind", "b"}, []string{"kind", "1"}},
		{c{Field: "kind", Is: forms.IsPresent}, []string{"kind", "b"}, []string{"kind", ""}},
		{c{Field: "kind", Is: forms.IsAbsent}, []string{"kind", ""}, []string{"kind", "a"}},
		{c{Field: "many", Is: forms.IsEqual, Values: []string{"b"}}, []string{"many", "a", "many", "b"}, []string{"many", "a"}},
		{c{Field: "many", Is: forms.IsNotEqual, Values: []string{"b"}}, []string{"many[]", "a"}, []string{"many[]", "a", "many[]", "b"}},
		{c{Field: "box", Is: forms.IsEqual, Values: []string{"true"}}, []string{"box", "on"}, []string{"box", "off"}},
		{c{Field: "box", Is: forms.IsEqual, Values: []string{"false"}}, nil, []string{"box", "on"}},
		{c{Field: "box", Is: forms.IsEqual, Values: []string{"false"}}, []string{"box", "0"}, []string{"box", "1"}},
		{c{Field: "box", Is: forms.IsNotEqual, Values: []string{"false"}}, []string{"box", "1"}, nil},
		{c{Field: "box", Is: forms.IsPresent}, []string{"box", "1"}, []string{"box", "0"}},
		{c{Field: "ok", Is: forms.IsEqual, Values: []string{"true"}}, []string{"ok", "on"}, []string{"ok", "off"}},
		{c{Field: "n", Is: forms.IsGreater, Values: []string{"9.5"}}, []string{"n", "10"}, []string{"n", "9.50"}},
		{c{Field: "n", Is: forms.IsLess, Values: []string{"9.5"}}, []string{"n", "-10"}, []string{"n", "x"}},
		{c{Field: "n", Is: forms.IsLess, Values: []string{"9.5"}}, []string{"n", "1"}, nil},
		{c{Field: "day", Is: forms.IsGreater, Values: []string{"2026-01-31"}}, []string{"day", "2026-02-01"}, []string{"day", "2026-01-31"}},
		{c{Field: "hour", Is: forms.IsLess, Values: []string{"09:00"}}, []string{"hour", "08:59:59"}, []string{"hour", "09:00:00"}},
		{
			c{All: []c{{Field: "kind", Is: forms.IsPresent}, {Field: "box", Is: forms.IsPresent}}},
			[]string{"kind", "a", "box", "1"},
			[]string{"kind", "a"},
		},
		{
			c{Any: []c{{Field: "kind", Is: forms.IsPresent}, {Field: "box", Is: forms.IsPresent}}},
			[]string{"box", "1"},
			[]string{"box", "0"},
		},
	}

	for _, one := range cases {
		schema := ready(t,
			forms.SchemaField{Key: "asked", Type: forms.TypeText, RequiredWhen: &one.when},
			forms.SchemaField{Key: "shown", Type: forms.TypeText, Required: true, Shown: &one.when},
			forms.SchemaField{Key: "kind", Type: forms.TypeSelect, Options: sampleOptions},
			forms.SchemaField{Key: "many", Type: forms.TypeMultiselect, Options: sampleOptions},
			forms.SchemaField{Key: "box", Type: forms.TypeCheckbox},
			forms.SchemaField{Key: "ok", Type: forms.TypeConsent, ConsentText: "Yes."},
			forms.SchemaField{Key: "n", Type: forms.TypeNumber},
			forms.SchemaField{Key: "day", Type: forms.TypeDate},
			forms.SchemaField{Key: "hour", Type: forms.TypeTime},
		)

		if got := judge(schema, text(one.holds...)); got != "asked required, shown required" {
			t.Errorf("%+v with %q: got %q", one.when, one.holds, got)
		}

		if got := judge(schema, text(one.fails...)); one.fails != nil && got != "" && got != "n type" {
			t.Errorf("%+v with %q: got %q", one.when, one.fails, got)
		}
	}
}

func TestAFieldThatIsNotShownIsDroppedAndShowsNoOther(t *testing.T) {
	t.Parallel()

	// The fields stand in the opposite order to that in which they show each other.
	schema := ready(t,
		forms.SchemaField{Key: "c", Type: forms.TypeInteger, Required: true, Shown: &forms.Condition{Field: "b", Is: forms.IsPresent}},
		forms.SchemaField{Key: "b", Type: forms.TypeText, Shown: &forms.Condition{Field: "a", Is: forms.IsEqual, Values: []string{"yes"}}},
		forms.SchemaField{Key: "a", Type: forms.TypeText},
	)

	hidden := schema.Normalize(text("a", "no", "b", "x", "c", "not a number"))
	if got := string(forms.EncodeFields(hidden)); got != `[{"a":"no"}]` {
		t.Errorf("got %s", got)
	}

	if err := schema.Validate(hidden, "en"); err != nil {
		t.Errorf("got %s", refusals(err))
	}

	if got := judge(schema, text("a", "yes", "b", "x", "c", "not a number")); got != "c type" {
		t.Errorf("got %s", got)
	}

	// Fields that nobody normalised are judged alike.
	if err := schema.Validate(text("a", "no", "b", "x", "c", "not a number"), "en"); err != nil {
		t.Errorf("got %s", refusals(err))
	}
}
