package forms

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	jsonSchemaDialect = "https://json-schema.org/draft/2020-12/schema"
	// extras is the member for what JSON Schema has no word for.
	extras = "x-formonce"
)

// jsonShapes are the types of JSON, with the format if there is one, in which a script sends the values of a type. A
// hidden field may be anything.
var jsonShapes = map[FieldType]struct{ is, format string }{
	TypeText: {is: "string"}, TypeMultiline: {is: "string"}, TypeEmail: {"string", "email"}, TypePhone: {is: "string"},
	TypeURL: {"string", "uri"}, TypeNumber: {is: "number"}, TypeInteger: {is: "integer"}, TypeDate: {"string", "date"},
	TypeTime: {is: "string"}, TypeSelect: {is: "string"}, TypeMultiselect: {is: "array"}, TypeCheckbox: {is: "boolean"},
	TypeConsent: {is: "boolean"}, TypeRating: {is: "integer"}, TypeCountry: {is: "string"}, TypeFile: {is: "string"},
}

// JSONSchema writes the schema as a JSON Schema 2020-12 document about the JSON body of a submission, as far as its fields
// are given: an empty text is one that is not. What JSON Schema has no word for stands in x-formonce, so that
// SchemaFromJSONSchema reads an equal schema from it, but for the version.
func (s *Schema) JSONSchema() ([]byte, error) {
	var (
		properties, extra jsonObject
		required          []string
	)

	order := make([]string, 0, len(s.Fields))

	for i := range s.Fields {
		field := &s.Fields[i]
		properties.put(field.Key, exportField(field))

		order = append(order, field.Key)

		if demanded(field) {
			required = append(required, field.Key)
		}
	}

	extra.list("order", order)
	extra.text("default_region", s.Region)
	extra.text("unknown_fields", string(s.Unknown))

	var document jsonObject

	document.text("$schema", jsonSchemaDialect)
	document.text("type", "object")
	document.put("properties", properties)
	document.list("required", required)

	if s.Unknown == UnknownRefuse {
		document.put("additionalProperties", false)
	}

	document.object(extras, extra)

	return json.Marshal(document, jsontext.WithIndent("  "))
}

// demanded says whether every body has to have the field.
func demanded(field *SchemaField) bool {
	return field.Required && field.Shown == nil && field.Type != TypeFile
}

func exportField(field *SchemaField) jsonObject {
	var property, extra jsonObject

	shape := jsonShapes[field.Type]
	property.text("type", shape.is)
	property.text("format", shape.format)
	property.text("title", field.Label)
	property.text("description", field.Help)
	property.defaults(field)
	extra.text("type", string(field.Type))

	if field.Required && !demanded(field) {
		extra.put("required", true)
	}

	if demanded(field) && isBoxType(field.Type) {
		property.put("const", true)
	}

	property.count("minLength", field.MinLength)
	property.count("maxLength", field.MaxLength)
	exportPattern(field, &property, &extra)
	exportBounds(field, &property, &extra)
	exportOptions(field, &property)

	extra.text("pattern_message", field.PatternMessage)
	extra.text("consent_text", field.ConsentText)
	extra.text("consent_version", field.ConsentVersion)
	extra.count("rating_max", field.RatingMax)
	extra.count("max_file_bytes", int(field.MaxFileBytes))
	extra.count("max_files", field.MaxFiles)
	extra.list("file_types", field.FileTypes)
	extra.condition("shown", field.Shown)
	extra.condition("required_when", field.RequiredWhen)
	property.object(extras, extra)

	return property
}

// foreignSyntax begins what RE2 knows and the expressions of JSON Schema (ECMA-262) do not.
var foreignSyntax = []string{`(?i`, `(?s`, `(?m`, `(?U`, `(?-`, `(?P`, `(?<`, `\A`, `\z`, `\Q`, `\a`, `\C`, `\x{`, `[:`, `\p`, `\P`}

func exportPattern(field *SchemaField, property, extra *jsonObject) {
	isForeign := slices.ContainsFunc(foreignSyntax, func(part string) bool { return strings.Contains(field.Pattern, part) })

	switch {
	case field.Pattern == "":
	case isForeign:
		extra.text("pattern", field.Pattern)
	default:
		property.text("pattern", anchored+field.Pattern+anchoredEnd)
	}
}

// anchored and anchoredEnd stand around an expression that has to match the whole text.
const anchored, anchoredEnd = "^(?:", ")$"

func exportBounds(field *SchemaField, property, extra *jsonObject) {
	kind := fieldKinds[field.Type]
	if kind.takes&takesRating != 0 {
		property.put("minimum", 1)
		property.put("maximum", cmp.Or(field.RatingMax, DefaultRatingMax))

		return
	}

	if kind.takes&takesNumbers == 0 {
		extra.text("min", field.Min)
		extra.text("max", field.Max)

		return
	}

	property.number("minimum", field.Min)
	property.number("maximum", field.Max)

	if step := rational(field.Step); step != nil {
		// JSON Schema counts from 0, as we do without a Min.
		if low := rational(field.Min); low == nil || onStep(low, nil, step) {
			property.number("multipleOf", field.Step)
		} else {
			extra.text("step", field.Step)
		}
	}
}

func exportOptions(field *SchemaField, property *jsonObject) {
	offered := property

	var items jsonObject
	if field.Type == TypeMultiselect {
		offered = &items

		items.text("type", "string")
	}

	labelled := slices.ContainsFunc(field.Options, func(option Option) bool { return option.Label != "" })
	values := make([]string, len(field.Options))
	choices := make([]jsonObject, len(field.Options))

	for i, option := range field.Options {
		values[i] = option.Value
		choices[i].text("const", option.Value)
		choices[i].text("title", option.Label)
	}

	if labelled {
		offered.put("oneOf", choices)
	} else {
		offered.list("enum", values)
	}

	if field.Type == TypeMultiselect {
		property.put("items", items)
		property.put("uniqueItems", true)
		property.count("minItems", field.MinChoices)
		property.count("maxItems", field.MaxChoices)
	}
}
