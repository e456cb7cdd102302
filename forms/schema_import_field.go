package forms

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// formats are the types for the formats of strings.
var formats = map[string]FieldType{
	"": TypeText, "email": TypeEmail, "idn-email": TypeEmail, "uri": TypeURL, "iri": TypeURL, "url": TypeURL, "date": TypeDate,
}

// fieldImport reads one field.
type fieldImport struct {
	*schemaImport

	field *SchemaField
	kind  fieldKind
	tree  *jsonTree
	extra *jsonTree
}

func (m *schemaImport) field(key string, tree *jsonTree, required bool) {
	if !keyPattern.MatchString(key) {
		m.notef("%s was left out: its name cannot be a key.", shownName(key))
		return
	}

	extra := tree.get(extras)

	of := FieldType(extra.get("type").string())
	if _, known := fieldKinds[of]; !known {
		of = m.typeOf(key, tree)
	}

	if of == "" {
		m.notef("%s was left out: a field holds a text, a number, a truth value or a choice.", key)
		return
	}

	reading := &fieldImport{schemaImport: m, tree: tree, extra: extra, kind: fieldKinds[of], field: &SchemaField{
		Key: key, Type: of, Label: tree.get("title").string(), Help: tree.get("description").string(),
		Required: required || extra.get("required").is('t'),
	}}

	for _, member := range tree.members {
		reading.keyword(member.name, member.value)
	}

	reading.extras()
	reading.unevenStep()
	m.schema.Fields = append(m.schema.Fields, *reading.field)
}

// typeOf guesses the type of a field that another program described.
func (m *schemaImport) typeOf(key string, tree *jsonTree) FieldType {
	switch typeName(tree) {
	case "boolean":
		return TypeCheckbox
	case "array":
		if len(offered(m.resolve(tree.get("items")))) > 0 {
			return TypeMultiselect
		}

		return ""
	case "object":
		return ""
	}

	if len(offered(tree)) > 0 {
		return TypeSelect
	}

	switch typeName(tree) {
	case "integer":
		return TypeInteger
	case "number":
		return TypeNumber
	}

	format := tree.get("format").string()

	of, known := formats[format]
	if !known {
		m.notef("%s: the format %s was left out.", key, format)

		return TypeText
	}

	return of
}

// typeName is the one type that is not null, if there is one.
func typeName(tree *jsonTree) string {
	names := slices.DeleteFunc(tree.get("type").strings(), func(name string) bool { return name == "null" })
	if len(names) == 1 {
		return names[0]
	}

	return tree.get("type").string()
}

// offered returns the options that a value is chosen from.
func offered(tree *jsonTree) []Option {
	var options []Option

	for _, text := range tree.get("enum").strings() {
		options = append(options, Option{Value: text})
	}

	for _, name := range []string{"oneOf", "anyOf"} {
		for _, choice := range tree.get(name).elements {
			if text, ok := choice.get("const").scalar(); ok {
				options = append(options, Option{Value: text, Label: choice.get("title").string()})
			}
		}
	}

	return options
}

// keywords are those that have a place in a field; what the type does not take is noted.
var keywords = map[string]struct {
	needs setting
	read  func(m *fieldImport, value *jsonTree)
}{
	"type":      {},
	"format":    {},
	"minLength": {takesLength, func(m *fieldImport, v *jsonTree) { m.field.MinLength = v.count() }},
	"maxLength": {takesLength, func(m *fieldImport, v *jsonTree) { m.field.MaxLength = v.count() }},
	"pattern":   {takesPattern, (*fieldImport).pattern},
	"minimum":   {takesNumbers | takesRating, func(m *fieldImport, v *jsonTree) { m.bound(&m.field.Min, v) }},
	"maximum":   {takesNumbers | takesRating, func(m *fieldImport, v *jsonTree) { m.bound(&m.field.Max, v) }},
	"multipleOf": {takesNumbers, func(m *fieldImport, v *jsonTree) {
		m.field.Step = v.text
	}},
	"enum":        {takesOptions, (*fieldImport).options},
	"oneOf":       {takesOptions, (*fieldImport).options},
	"anyOf":       {takesOptions, (*fieldImport).options},
	"items":       {takesChoices, (*fieldImport).options},
	"uniqueItems": {takesChoices, func(*fieldImport, *jsonTree) {}},
	"minItems":    {takesChoices, func(m *fieldImport, v *jsonTree) { m.field.MinChoices = v.count() }},
	"maxItems":    {takesChoices, func(m *fieldImport, v *jsonTree) { m.field.MaxChoices = v.count() }},
	"default":     {takesDefault, (*fieldImport).defaults},
	"const":       {takesDefault | takesConsent, (*fieldImport).constant},
}

func (m *fieldImport) keyword(name string, value *jsonTree) {
	if slices.Contains(unsaid, name) {
		return
	}

	known, ok := keywords[name]

	switch {
	case !ok || known.needs != 0 && m.kind.takes&known.needs == 0:
		m.leaveOut(name)
	case known.read != nil:
		known.read(m, value)
	}
}

func (m *fieldImport) leaveOut(name string) {
	m.notef("%s: the rule %s was left out.", m.field.Key, name)
}

// bound leaves those of a rating to rating_max.
func (m *fieldImport) bound(to *string, value *jsonTree) {
	if m.kind.takes&takesNumbers != 0 {
		*to = value.text
	}
}

// pattern turns an expression that may match anywhere in the text into one for the whole text.
func (m *fieldImport) pattern(value *jsonTree) {
	pattern := value.string()
	inside, isAnchored := cutAround(pattern, anchored, anchoredEnd)

	switch {
	case isAnchored && compiles(inside):
		m.field.Pattern = inside
	case !compiles(pattern):
		m.leaveOut("pattern")
	case spansAll(pattern):
		m.field.Pattern = pattern[1 : len(pattern)-1]
	default:
		m.field.Pattern = `(?s:.*)(?:` + pattern + `)(?s:.*)`
	}
}

func cutAround(text, before, after string) (string, bool) {
	text, hasBefore := strings.CutPrefix(text, before)
	text, hasAfter := strings.CutSuffix(text, after)

	return text, hasBefore && hasAfter
}

func compiles(pattern string) bool {
	_, err := regexp.Compile(pattern)

	return err == nil
}

// spansAll says whether the expression is ^ and $ around something that they both belong to.
func spansAll(pattern string) bool {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || parsed.Op != syntax.OpConcat || pattern[0] != '^' || pattern[len(pattern)-1] != '$' {
		return false
	}

	first, last := parsed.Sub[0], parsed.Sub[len(parsed.Sub)-1]

	return first.Op == syntax.OpBeginText && last.Op == syntax.OpEndText && compiles(pattern[1:len(pattern)-1])
}

func (m *fieldImport) options(*jsonTree) {
	if m.kind.takes&takesChoices != 0 {
		m.field.Options = offered(m.resolve(m.tree.get("items")))
	} else {
		m.field.Options = offered(m.tree)
	}
}

func (m *fieldImport) defaults(value *jsonTree) {
	if text, ok := value.scalar(); ok && text != "" {
		m.field.Default = []string{text}
	} else {
		m.field.Default = value.strings()
	}
}

// constant carries over what a box has to be, which Required says.
func (m *fieldImport) constant(value *jsonTree) {
	if !isBoxType(m.field.Type) || !value.is('t') || !m.field.Required {
		m.leaveOut("const")
	}
}

// unevenStep leaves out a step that JSON Schema counts from 0 and we would count from the lowest value.
func (m *fieldImport) unevenStep() {
	step, low := rational(m.field.Step), rational(m.field.Min)
	if m.extra.get("step").kind == 0 && step != nil && low != nil && step.Sign() > 0 && !onStep(low, nil, step) {
		m.field.Step = ""
		m.leaveOut("multipleOf")
	}
}

// extras reads what exportField has no keyword for.
func (m *fieldImport) extras() {
	for _, text := range []struct {
		to   *string
		name string
	}{
		{&m.field.Min, "min"},
		{&m.field.Max, "max"},
		{&m.field.Step, "step"},
		{&m.field.Pattern, "pattern"},
		{&m.field.PatternMessage, "pattern_message"},
		{&m.field.ConsentText, "consent_text"},
		{&m.field.ConsentVersion, "consent_version"},
	} {
		if given := m.extra.get(text.name).string(); given != "" {
			*text.to = given
		}
	}

	m.field.RatingMax = m.extra.get("rating_max").count()
	m.field.MaxFileBytes = int64(m.extra.get("max_file_bytes").count())
	m.field.MaxFiles = m.extra.get("max_files").count()
	m.field.FileTypes = m.extra.get("file_types").strings()
	m.field.Shown = importCondition(m.extra.get("shown"))
	m.field.RequiredWhen = importCondition(m.extra.get("required_when"))
}

func importCondition(tree *jsonTree) *Condition {
	if !tree.is('{') {
		return nil
	}

	return &Condition{
		Field: tree.get("field").string(), Is: Comparison(tree.get("is").string()), Values: tree.get("values").strings(),
		All: importConditions(tree.get("all")), Any: importConditions(tree.get("any")),
	}
}

func importConditions(tree *jsonTree) []Condition {
	var made []Condition

	for _, element := range tree.elements {
		if part := importCondition(element); part != nil {
			made = append(made, *part)
		}
	}

	return made
}
