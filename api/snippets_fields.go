package api

import (
	"cmp"
	"strconv"
	"strings"

	"formonce/forms"
)

// usualFields are those of an endpoint that has published no schema.
var usualFields = []forms.SchemaField{
	{Key: "name", Type: forms.TypeText, Label: "Name", Required: true},
	{Key: "email", Type: forms.TypeEmail, Label: "E-mail", Required: true},
	{Key: "message", Type: forms.TypeMultiline, Label: "Message", Required: true},
}

// snippetField is a field as a form of HTML has it.
type snippetField struct {
	Key, Label string
	// Input is a type of input elements, or textarea, select or checkboxes.
	Input    string
	Required bool
	Options  []forms.Option
	// Example is a value that the field takes, as far as that can be told from its rules.
	Example string
	// Many fields take several values.
	Many bool
}

// inputs are how a form asks for the types of fields, and what fits them. A file is not among them: none is taken yet.
var inputs = map[forms.FieldType]struct {
	input   string
	example func(forms.SchemaField) string
}{
	forms.TypeText:        {"text", exampleText},
	forms.TypeMultiline:   {"textarea", exampleText},
	forms.TypeEmail:       {"email", always("ada@example.com")},
	forms.TypePhone:       {"tel", always("+14155552671")},
	forms.TypeURL:         {"url", always("https://example.com/")},
	forms.TypeNumber:      {"number", leastOr("1")},
	forms.TypeInteger:     {"number", leastOr("1")},
	forms.TypeDate:        {"date", leastOr("2026-08-24")},
	forms.TypeTime:        {"time", leastOr("12:00")},
	forms.TypeSelect:      {"select", firstOption},
	forms.TypeMultiselect: {"checkboxes", firstOption},
	forms.TypeCheckbox:    {"checkbox", always("true")},
	forms.TypeConsent:     {"checkbox", always("true")},
	forms.TypeRating:      {"number", best},
	forms.TypeCountry:     {"text", always("DE")},
	forms.TypeHidden:      {"hidden", func(f forms.SchemaField) string { return strings.Join(f.Default, "") }},
}

func snippetFields(fields []forms.SchemaField) []snippetField {
	var made []snippetField

	for _, field := range fields {
		shown, known := inputs[field.Type]
		if !known {
			continue
		}

		label := field.Label
		if field.Type == forms.TypeConsent {
			label = cmp.Or(field.ConsentText, label)
		}

		made = append(made, snippetField{
			Key: field.Key, Label: cmp.Or(label, field.Key), Input: shown.input,
			// Plain HTML shows every field, so it cannot insist on one that is there only sometimes.
			Required: field.Required && field.Shown == nil,
			Options:  labelled(field.Options), Example: shown.example(field), Many: field.Type == forms.TypeMultiselect,
		})
	}

	return made
}

func labelled(options []forms.Option) []forms.Option {
	made := make([]forms.Option, len(options))
	for i, option := range options {
		made[i] = forms.Option{Value: option.Value, Label: cmp.Or(option.Label, option.Value)}
	}

	return made
}

func always(example string) func(forms.SchemaField) string {
	return func(forms.SchemaField) string { return example }
}

func leastOr(usual string) func(forms.SchemaField) string {
	return func(field forms.SchemaField) string { return cmp.Or(field.Min, usual) }
}

func firstOption(field forms.SchemaField) string {
	if len(field.Options) == 0 {
		return ""
	}

	return field.Options[0].Value
}

func best(field forms.SchemaField) string {
	return strconv.Itoa(cmp.Or(field.RatingMax, forms.DefaultRatingMax))
}

// exampleText is a text of a length that the field takes.
func exampleText(field forms.SchemaField) string {
	text := "Ada Lovelace"
	if field.Type == forms.TypeMultiline {
		text = "Hello, I have a question."
	}

	for len(text) < field.MinLength {
		text += " " + text
	}

	if field.MaxLength > 0 && len(text) > field.MaxLength {
		text = text[:field.MaxLength]
	}

	return text
}
