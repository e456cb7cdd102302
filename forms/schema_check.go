package forms

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"formonce/internal/fault"
)

// What a schema may hold. A submission has room for no more fields than these.
const (
	maxSchemaFields  = 100
	maxSchemaOptions = 500
	maxLabelChars    = 200
	maxHelpChars     = 1000
	maxPatternChars  = 500
	maxConsentChars  = 5000
	maxRating        = 100
	maxFileTypes     = 50
)

var keyPattern = regexp.MustCompile(`\A[A-Za-z0-9][A-Za-z0-9_.\[\]-]{0,63}\z`)

// Check reports everything that is wrong with the schema, as one Fault invalid_schema with an Issue for each, and readies
// the schema for use. The Issue's field is a path such as fields[2].pattern.
func (s *Schema) Check() error {
	check := &schemaCheck{schema: s, keys: make(map[string]int, len(s.Fields))}
	check.whole()

	for i := range s.Fields {
		check.key(i)
	}

	for i := range s.Fields {
		check.field(i)
	}

	check.circles()

	if len(check.issues) == 0 {
		check.defaults()
	}

	if len(check.issues) > 0 {
		failed := fault.New(fault.Unprocessable, "invalid_schema", "This schema cannot be used. Correct the issues that are listed.")
		failed.Issues = check.issues

		return failed
	}

	s.rules = s.compile()

	return nil
}

// schemaCheck collects what is wrong with a schema.
type schemaCheck struct {
	schema *Schema
	keys   map[string]int
	issues []fault.Issue
	// path is the field that is looked at.
	path string
	at   int
}

func (c *schemaCheck) refusef(member, rule, format string, args ...any) {
	c.issues = append(c.issues, fault.Issue{Field: c.path + member, Rule: rule, Message: fmt.Sprintf(format, args...)})
}

func (c *schemaCheck) whole() {
	s := c.schema
	if len(s.Fields) > maxSchemaFields {
		c.refusef("fields", "too_many", "A schema has %d fields at most.", maxSchemaFields)
	}

	if !slices.Contains([]UnknownFields{"", UnknownKeep, UnknownDrop, UnknownRefuse}, s.Unknown) {
		c.refusef("unknown_fields", "unknown_value", "Unknown fields are treated as keep, drop or refuse.")
	}

	if s.Region != "" && !knownCountry(s.Region) {
		c.refusef("default_region", "unknown_value", "The default region is a country of two capital letters, such as DE.")
	}
}

// key looks at the names under which the field would be sent.
func (c *schemaCheck) key(at int) {
	field := &c.schema.Fields[at]
	c.path = fmt.Sprintf("fields[%d].", at)

	names := []string{field.Key}
	if field.Type == TypeMultiselect {
		names = append(names, field.Key+"[]")
	}

	_, isControl := controlNames[field.Key]

	switch {
	case !keyPattern.MatchString(field.Key):
		c.refusef("key", "key", "A key has 1 to 64 letters a-z, digits and - _ . [ ], and begins with a letter or a digit.")
	case isControl:
		c.refusef("key", "key", "This name controls the form and is never stored. Take another one.")
	}

	for _, name := range names {
		if _, taken := c.keys[name]; taken {
			c.refusef("key", "duplicate_key", "Another field has this key already. Keys are unique within a schema.")
			return
		}
	}

	for _, name := range names {
		c.keys[name] = at
	}
}

func (c *schemaCheck) field(at int) {
	field := &c.schema.Fields[at]
	c.path, c.at = fmt.Sprintf("fields[%d].", at), at

	kind, known := fieldKinds[field.Type]
	if !known {
		c.refusef("type", "unknown_type", "There is no such type. The types are %s.", typeNames())
		return
	}

	c.texts(field)
	c.misplaced(field, kind)

	if kind.takes&takesPattern != 0 {
		c.pattern(field)
	}

	if kind.takes&takesOptions != 0 {
		c.options(field)
	}

	c.sizes(field, kind)
	c.condition("shown", field.Shown)
	c.condition("required_when", field.RequiredWhen)
}

func typeNames() string {
	names := make([]string, 0, len(fieldKinds))
	for name := range fieldKinds {
		names = append(names, string(name))
	}

	slices.Sort(names)

	return strings.Join(names, ", ")
}

// texts looks at what people read.
func (c *schemaCheck) texts(field *SchemaField) {
	for _, text := range []struct {
		member, value string
		most          int
	}{
		{"label", field.Label, maxLabelChars},
		{"help", field.Help, maxHelpChars},
		{"pattern", field.Pattern, maxPatternChars},
		{"pattern_message", field.PatternMessage, maxLabelChars},
		{"consent_text", field.ConsentText, maxConsentChars},
		{"consent_version", field.ConsentVersion, maxLabelChars},
	} {
		if longerThan(text.value, text.most) || !storable(text.value) {
			c.refusef(text.member, "text", "This text has %d characters at most, all of them readable.", text.most)
		}
	}

	if field.Type == TypeConsent && strings.TrimSpace(field.ConsentText) == "" {
		c.refusef("consent_text", "missing", "Write down what the visitor agrees to.")
	}
}

// storable says whether the text can be kept as it is.
func storable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r'
	})
}

// settings are the members that only some types have.
var settings = []struct {
	member string
	of     setting
	isSet  func(field *SchemaField) bool
}{
	{"min_length", takesLength, func(f *SchemaField) bool { return f.MinLength != 0 }},
	{"max_length", takesLength, func(f *SchemaField) bool { return f.MaxLength != 0 }},
	{"min", takesBounds, func(f *SchemaField) bool { return f.Min != "" }},
	{"max", takesBounds, func(f *SchemaField) bool { return f.Max != "" }},
	{"step", takesNumbers, func(f *SchemaField) bool { return f.Step != "" }},
	{"pattern", takesPattern, func(f *SchemaField) bool { return f.Pattern != "" }},
	{"pattern_message", takesPattern, func(f *SchemaField) bool { return f.PatternMessage != "" }},
	{"options", takesOptions, func(f *SchemaField) bool { return len(f.Options) > 0 }},
	{"min_choices", takesChoices, func(f *SchemaField) bool { return f.MinChoices != 0 }},
	{"max_choices", takesChoices, func(f *SchemaField) bool { return f.MaxChoices != 0 }},
	{"default", takesDefault, func(f *SchemaField) bool { return len(f.Default) > 0 }},
	{"consent_text", takesConsent, func(f *SchemaField) bool { return f.ConsentText != "" }},
	{"consent_version", takesConsent, func(f *SchemaField) bool { return f.ConsentVersion != "" }},
	{"rating_max", takesRating, func(f *SchemaField) bool { return f.RatingMax != 0 }},
	{"max_file_bytes", takesFiles, func(f *SchemaField) bool { return f.MaxFileBytes != 0 }},
	{"max_files", takesFiles, func(f *SchemaField) bool { return f.MaxFiles != 0 }},
	{"file_types", takesFiles, func(f *SchemaField) bool { return len(f.FileTypes) > 0 }},
}

func (c *schemaCheck) misplaced(field *SchemaField, kind fieldKind) {
	for _, one := range settings {
		if kind.takes&one.of == 0 && one.isSet(field) {
			c.refusef(one.member, "not_for_type", "A field of type %s has no %s. Leave it out.", field.Type, one.member)
		}
	}
}

func (c *schemaCheck) pattern(field *SchemaField) {
	// Alone it has to be an expression too, so that it cannot close the group that is put around it.
	if _, err := regexp.Compile(field.Pattern); err != nil {
		c.refusef("pattern", "pattern", "This is no RE2 expression (%s). Look-around and back references are not known.", reason(err))
		return
	}

	if _, err := regexp.Compile(wholly(field.Pattern)); err != nil {
		c.refusef("pattern", "pattern", "This expression is too large. Make it simpler.")
	}
}

// reason is the part of an expression's error that does not quote it.
func reason(err error) string {
	text := strings.TrimPrefix(err.Error(), "error parsing regexp: ")
	what, _, _ := strings.Cut(text, ":")

	return what
}

func (c *schemaCheck) options(field *SchemaField) {
	if len(field.Options) == 0 || len(field.Options) > maxSchemaOptions {
		c.refusef("options", "options", "Offer 1 to %d options.", maxSchemaOptions)
	}

	seen := make(map[string]struct{}, len(field.Options))

	for i, option := range field.Options {
		member := fmt.Sprintf("options[%d]", i)

		switch _, twice := seen[option.Value]; {
		case option.Value == "" || longerThan(option.Value, maxLabelChars) || option.Value != normalOption(option.Value):
			c.refusef(member+".value", "option",
				"An option has a value of 1 to %d characters, in NFC and without white space at its ends.", maxLabelChars)
		case twice:
			c.refusef(member+".value", "duplicate_option", "Another option has this value already.")
		}

		if longerThan(option.Label, maxLabelChars) || !storable(option.Label) {
			c.refusef(member+".label", "text", "This text has %d characters at most, all of them readable.", maxLabelChars)
		}

		seen[option.Value] = struct{}{}
	}
}

// normalOption is an option as a visitor's choice of it is normalised.
func normalOption(value string) string {
	return strings.TrimSpace(norm.NFC.String(Text(value).text))
}
