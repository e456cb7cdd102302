package forms_test

import (
	"fmt"
	"testing"

	"formonce/forms"
)

// BenchmarkSchema normalises and validates a form of twenty fields that holds one of every usual type.
func BenchmarkSchema(b *testing.B) {
	var (
		fields []forms.SchemaField
		sent   forms.Fields
	)

	add := func(field forms.SchemaField, value string) {
		field.Key = fmt.Sprintf("field_%d", len(fields))
		fields = append(fields, field)
		sent = append(sent, forms.Field{Name: field.Key, Value: forms.Text(value)})
	}

	for range 2 {
		add(forms.SchemaField{Type: forms.TypeText, Required: true, MaxLength: 100, Pattern: `[\pL ]+`}, " Ada Lovelace ")
		add(forms.SchemaField{Type: forms.TypeMultiline, MaxLength: 5000}, "Good morning,\r\nI have a question about your offer.")
		add(forms.SchemaField{Type: forms.TypeEmail, Required: true}, "Ada@Example.com")
		add(forms.SchemaField{Type: forms.TypeURL}, "https://example.com/x")
		add(forms.SchemaField{Type: forms.TypeNumber, Min: "0", Step: "0.01"}, "12.50")
		add(forms.SchemaField{Type: forms.TypeDate, Min: "2020-01-01"}, "2026-03-31")
		add(forms.SchemaField{Type: forms.TypeSelect, Options: sampleOptions}, "b")
		add(forms.SchemaField{Type: forms.TypeCountry}, "de")
		add(forms.SchemaField{Type: forms.TypeConsent, ConsentText: "I agree.", Required: true}, "on")
	}

	add(forms.SchemaField{Type: forms.TypePhone}, "030 1234567")
	add(forms.SchemaField{Type: forms.TypeText, Shown: &forms.Condition{Field: "field_6", Is: forms.IsEqual, Values: []string{"b"}}}, "x")

	schema := ready(b, fields...)

	b.ReportAllocs()

	for b.Loop() {
		if err := schema.Validate(schema.Normalize(sent), "en"); err != nil {
			b.Fatal(refusals(err))
		}
	}
}
