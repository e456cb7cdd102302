package forms_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"formonce/forms"
	"formonce/internal/postgres"
)

// asManagement sends one statement under the role of the management side.
func (h *house) asManagement(statement string) error {
	return h.db.InScope(h.Context(), h.tenant.ID, func(ctx context.Context, s *postgres.Scope) error {
		_, err := s.Tx.Exec(ctx, statement)
		return err
	})
}

func spell(changes []forms.SchemaChange) string {
	lines := make([]string, len(changes))
	for i, change := range changes {
		lines[i] = strings.TrimSpace(fmt.Sprintf("%s %s %s", change.Field, change.Member, change.Kind))
	}

	return strings.Join(lines, "; ")
}

// TestAChangeIsStricterWhenSomethingIsRefusedThatWasTaken is the table of what publishing means to visitors.
func TestAChangeIsStricterWhenSomethingIsRefusedThatWasTaken(t *testing.T) {
	t.Parallel()

	text := forms.SchemaField{Key: "a", Type: forms.TypeText}
	with := func(change func(*forms.SchemaField)) *forms.Schema {
		field := text
		change(&field)

		return of(field)
	}
	options := func(values ...string) *forms.Schema {
		field := forms.SchemaField{Key: "a", Type: forms.TypeSelect}
		for _, value := range values {
			field.Options = append(field.Options, forms.Option{Value: value})
		}

		return of(field)
	}

	for _, row := range []struct {
		then, now *forms.Schema
		want      string
	}{
		{of(text), of(text), ""},
		{of(), of(text), "a  added"},
		{of(text), of(), "a  removed"},
		{of(), with(func(f *forms.SchemaField) { f.Required = true }), "a  added; a required stricter"},
		{of(text), with(func(f *forms.SchemaField) { f.Type = forms.TypeEmail }), "a type retyped"},
		{of(text), with(func(f *forms.SchemaField) { f.Label = "A" }), "a label relabelled"},
		{of(text), with(func(f *forms.SchemaField) { f.Required = true }), "a required stricter"},
		{with(func(f *forms.SchemaField) { f.Required = true }), of(text), "a required looser"},
		{of(text), with(func(f *forms.SchemaField) { f.MaxLength = 5 }), "a max_length stricter"},
		{with(func(f *forms.SchemaField) { f.MaxLength = 5 }), with(func(f *forms.SchemaField) { f.MaxLength = 40 }), "a max_length looser"},
		{with(func(f *forms.SchemaField) { f.MinLength = 5 }), with(func(f *forms.SchemaField) { f.MinLength = 40 }), "a min_length stricter"},
		{with(func(f *forms.SchemaField) { f.Pattern = "x" }), with(func(f *forms.SchemaField) { f.Pattern = "y" }), "a pattern changed"},
		{options("x", "y"), options("x", "y", "z"), "a options looser"},
		{options("x", "y"), options("x"), "a options stricter"},
		{options("x", "y"), options("x", "z"), "a options stricter; a options looser"},
		{options("x", "y"), options("y", "x"), "a options relabelled"},
		{of(text), &forms.Schema{Fields: of(text).Fields, Unknown: forms.UnknownRefuse}, "unknown_fields stricter"},
		{&forms.Schema{Unknown: forms.UnknownRefuse}, &forms.Schema{Unknown: forms.UnknownDrop}, "unknown_fields looser"},
		{&forms.Schema{}, &forms.Schema{Unknown: forms.UnknownDrop, Region: "DE"}, "unknown_fields changed; default_region changed"},
	} {
		if got := spell(forms.ChangesBetween(row.then, row.now)); got != row.want {
			t.Errorf("got %q, want %q", got, row.want)
		}
	}
}

// TestTwoSchemasAreTheSameWhenNothingChanged keeps the comparison by members complete: a member that it does not know would
// make a draft that differs and changes nothing.
func TestTwoSchemasAreTheSameWhenNothingChanged(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		one, other := anySchema().Draw(t, "one"), anySchema().Draw(t, "other")
		if rapid.Bool().Draw(t, "alike") {
			*other = *one
			other.Fields = append([]forms.SchemaField{}, one.Fields...)

			if len(other.Fields) > 0 {
				other.Fields[0].Help += "?"
			}
		}

		for _, pair := range [][2]*forms.Schema{{one, other}, {one, one}, {other, other}} {
			same, err := forms.SameSchema(pair[0], pair[1])
			if err != nil {
				t.Fatal(err)
			}

			if changes := forms.ChangesBetween(pair[0], pair[1]); same != (len(changes) == 0) {
				t.Fatalf("the same: %v, and changes %q", same, spell(changes))
			}
		}

		stored, err := forms.EncodeSchema(one)
		if err != nil {
			t.Fatal(err)
		}

		read, err := forms.DecodeSchema(stored, 7)
		if err != nil || len(forms.ChangesBetween(one, read)) > 0 || read.Version != 7 {
			t.Fatalf("read from %s with %v: %q", stored, err, spell(forms.ChangesBetween(one, read)))
		}
	})
}

// TestOldStoredSchemasAreRead holds a row of the first release as it stands in databases.
func TestOldStoredSchemasAreRead(t *testing.T) {
	t.Parallel()

	const stored = `{"Fields":[{"Key":"email","Type":"email","Label":"E-mail","Help":"h","Required":true,"MinLength":3,` +
		`"MaxLength":90,"Pattern":".*","PatternMessage":"p"},{"Key":"n","Type":"number","Min":"1","Max":"9","Step":"2"},` +
		`{"Key":"t","Type":"multiselect","Options":[{"Value":"a","Label":"A"}],"MinChoices":1,"MaxChoices":2,"Default":["a"]},` +
		`{"Key":"c","Type":"consent","ConsentText":"x","ConsentVersion":"1"},{"Key":"r","Type":"rating","RatingMax":7},` +
		`{"Key":"f","Type":"file","MaxFileBytes":9,"MaxFiles":2,"FileTypes":["image/*"]},{"Key":"w","Type":"text",` +
		`"Shown":{"Field":"n","Is":"equals","Values":["1"]},"RequiredWhen":{"All":[{"Field":"r","Is":"present"}]}}],` +
		`"Unknown":"drop","Region":"DE"}`

	read, err := forms.DecodeSchema([]byte(stored), 1)
	if err != nil {
		t.Fatal(err)
	}

	again, err := forms.EncodeSchema(read)
	if err != nil || string(again) != stored {
		t.Errorf("it is written again as %s, %v", again, err)
	}
}
