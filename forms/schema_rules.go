package forms

import (
	"cmp"
	"math/big"
	"regexp"
	"strconv"
)

// schemaRules are a schema made ready: nothing is compiled or parsed while a submission waits.
type schemaRules struct {
	fields []fieldRules
	// byName has the names under which the known fields are sent: their keys, and key[] of those that take several values.
	byName map[string]int
	// order lists the fields so that each stands behind those that its Shown looks at; nil when all are always shown.
	order []int
}

// fieldRules are a field made ready.
type fieldRules struct {
	*SchemaField

	kind      fieldKind
	region    string
	isBox     bool
	isConsent bool
	isMany    bool
	pattern   *regexp.Regexp
	options   map[string]struct{}
	agreement Value
	// The bounds of numbers; nil without one.
	min, max, step      *big.Rat
	shown, requiredWhen *conditionRules
}

// ready returns the rules of the schema. One that nobody checked is compiled each time, and what Check would refuse in it
// does not count.
func (s *Schema) ready() *schemaRules {
	if s.rules != nil {
		return s.rules
	}

	return s.compile()
}

func (s *Schema) compile() *schemaRules {
	made := &schemaRules{fields: make([]fieldRules, len(s.Fields)), byName: make(map[string]int, len(s.Fields))}

	for i := range s.Fields {
		field := &s.Fields[i]
		made.byName[field.Key] = i

		if field.Type == TypeMultiselect {
			made.byName[field.Key+"[]"] = i
		}
	}

	for i := range s.Fields {
		made.fields[i] = s.compileField(&s.Fields[i], made.byName)
	}

	made.order = showOrder(made.fields)

	return made
}

func (s *Schema) compileField(field *SchemaField, keys map[string]int) fieldRules {
	kind, ok := fieldKinds[field.Type]
	if !ok {
		kind = fieldKinds[TypeHidden]
	}

	made := fieldRules{
		SchemaField: field, kind: kind, region: cmp.Or(s.Region, anyRegion),
		isBox:     isBoxType(field.Type),
		isConsent: field.Type == TypeConsent,
		isMany:    field.Type == TypeMultiselect,
		options:   make(map[string]struct{}, len(field.Options)),
		shown:     s.compileCondition(field.Shown, keys), requiredWhen: s.compileCondition(field.RequiredWhen, keys),
	}

	if field.Pattern != "" {
		made.pattern, _ = regexp.Compile(wholly(field.Pattern))
	}

	for _, option := range field.Options {
		made.options[option.Value] = struct{}{}
	}

	if made.isConsent {
		made.agreement = agreementOf(field)
	}

	switch {
	case field.Type == TypeRating:
		made.min, made.max = rational("1"), rational(strconv.Itoa(cmp.Or(field.RatingMax, DefaultRatingMax)))
	case kind.takes&takesNumbers != 0:
		made.min, made.max, made.step = rational(field.Min), rational(field.Max), rational(field.Step)
	}

	if made.step != nil && made.step.Sign() <= 0 {
		made.step = nil
	}

	return made
}

// wholly makes an expression match whole texts only.
func wholly(pattern string) string { return `\A(?:` + pattern + `)\z` }

// takes says whether the settings are ones that the field's type has.
func (r *fieldRules) takes(what setting) bool { return r.kind.takes&what != 0 }

// label is what people call the field.
func (r *fieldRules) label() string { return cmp.Or(r.Label, r.Key) }

// lowest and highest are the bounds of numbers as a sentence shows them, base is where steps are counted from.
func (r *fieldRules) lowest() string {
	if r.takes(takesRating) {
		return "1"
	}

	return r.Min
}

func (r *fieldRules) highest() string {
	if r.takes(takesRating) {
		return strconv.Itoa(cmp.Or(r.RatingMax, DefaultRatingMax))
	}

	return r.Max
}

func (r *fieldRules) base() string { return cmp.Or(r.Min, "0") }
