package forms

import (
	"fmt"
	"regexp"

	"github.com/go-json-experiment/json/jsontext"
)

// sizes looks at the limits of the type, and whether a value can be within all of them.
func (c *schemaCheck) sizes(field *SchemaField, kind fieldKind) {
	for _, limit := range []struct {
		member string
		value  int
	}{
		{"min_length", field.MinLength},
		{"max_length", field.MaxLength},
		{"min_choices", field.MinChoices},
		{"max_choices", field.MaxChoices},
		{"rating_max", field.RatingMax},
		{"max_files", field.MaxFiles},
		{"max_file_bytes", int(field.MaxFileBytes)},
	} {
		if limit.value < 0 {
			c.refusef(limit.member, "limit", "A limit is not negative.")
		}
	}

	if field.MaxLength > 0 && field.MinLength > field.MaxLength {
		c.refusef("min_length", "min_above_max", "The shortest length is above the longest.")
	}

	if field.MaxChoices > 0 && field.MinChoices > field.MaxChoices || field.MinChoices > len(field.Options) {
		c.refusef("min_choices", "min_above_max", "No visitor could choose so many options.")
	}

	if field.RatingMax > maxRating {
		c.refusef("rating_max", "limit", "The best rating is %d at most.", maxRating)
	}

	if kind.takes&takesFiles != 0 {
		c.fileTypes(field)
	}

	c.bounds(field, kind)
}

var mediaType = regexp.MustCompile(`\A[a-z0-9][a-z0-9.+-]*/(\*|[a-z0-9][a-z0-9.+-]*)\z`)

func (c *schemaCheck) fileTypes(field *SchemaField) {
	if len(field.FileTypes) > maxFileTypes {
		c.refusef("file_types", "limit", "A field names %d file types at most.", maxFileTypes)
	}

	for i, name := range field.FileTypes {
		if !mediaType.MatchString(name) {
			c.refusef(fmt.Sprintf("file_types[%d]", i), "file_type", "A file type is written as image/png or image/*.")
		}
	}
}

// bounds looks at the limits that are written as values of the type are.
func (c *schemaCheck) bounds(field *SchemaField, kind fieldKind) {
	if kind.takes&takesBounds == 0 {
		return
	}

	isBound := func(text string) bool { return kind.is(nil, Text(text)) }
	if kind.takes&takesNumbers != 0 {
		isBound = isJSONNumber
	}

	good := true

	for _, bound := range []struct{ member, text string }{{"min", field.Min}, {"max", field.Max}} {
		if bound.text != "" && !isBound(bound.text) {
			good = false

			c.refusef(bound.member, "limit", "A bound of this field is written as its values are, such as %s.", boundExample[field.Type])
		}
	}

	if field.Step != "" && (!isJSONNumber(field.Step) || rational(field.Step).Sign() <= 0) {
		c.refusef("step", "limit", "A step is a number above 0, such as 0.01.")
	}

	if good && field.Min != "" && field.Max != "" && above(kind, field.Min, field.Max) {
		c.refusef("min", "min_above_max", "The lowest value is above the highest.")
	}
}

var boundExample = map[FieldType]string{TypeNumber: "12.5", TypeInteger: "12", TypeDate: "2026-03-31", TypeTime: "14:30"}

func above(kind fieldKind, low, high string) bool {
	if kind.takes&takesNumbers != 0 {
		return rational(low).Cmp(rational(high)) > 0
	}

	return withSeconds(low) > withSeconds(high)
}

// isJSONNumber says whether the text is a number as JSON spells it, of a size that is cheap to compare.
func isJSONNumber(text string) bool {
	value := jsontext.Value(text)

	return isDecimal(text) && value.Kind() == '0' && value.IsValid()
}

// defaults sends each field what it would show at first, with nothing around it.
func (c *schemaCheck) defaults() {
	for i := range c.schema.Fields {
		alone := c.schema.Fields[i]
		alone.Required, alone.Shown, alone.RequiredWhen = false, nil, nil

		one := &Schema{Fields: []SchemaField{alone}, Region: c.schema.Region}
		sent := make(Fields, len(alone.Default))

		for j, text := range alone.Default {
			sent[j] = Field{alone.Key, Text(text)}
		}

		if one.Validate(one.Normalize(sent), fallback) != nil {
			c.path = fmt.Sprintf("fields[%d].", i)
			c.refusef("default", "default", "The field would refuse its own default. Take one that its rules allow.")
		}
	}
}
