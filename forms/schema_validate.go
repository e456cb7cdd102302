package forms

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"formonce/internal/fault"
)

// The names of the rules, which programs compare.
const (
	ruleRequired   = "required"
	ruleConsent    = "consent"
	ruleType       = "type"
	ruleMinLength  = "min_length"
	ruleMaxLength  = "max_length"
	ruleMin        = "min"
	ruleMax        = "max"
	ruleStep       = "step"
	rulePattern    = "pattern"
	ruleOption     = "option"
	ruleMinChoices = "min_choices"
	ruleMaxChoices = "max_choices"
	ruleRepeated   = "repeated"
	ruleUnknown    = "unknown"
)

// Validate reports everything that normalised fields do wrong, as one Fault validation_failed with an Issue for each, in
// the order of the schema and then of the unknown fields. Its sentences are in the language that LanguageFor finds for the
// wishes. Nothing in the Fault is a submitted value.
func (s *Schema) Validate(fields Fields, wishes ...string) error {
	rules := s.ready()
	found := &findings{sight: rules.look(fields), wishes: wishes}

	for at := range rules.fields {
		if found.sight.shown[at] {
			found.judge(&rules.fields[at], found.sight.values[at])
		}
	}

	if s.Unknown == UnknownRefuse {
		found.refuseUnknown(fields)
	}

	return found.fault()
}

// findings are what a submission does wrong.
type findings struct {
	sight  *sight
	wishes []string
	issues []fault.Issue
	// language is that of the sentences, once the first of them is needed.
	language string
}

func (f *findings) sentence(name string, with blanks) string {
	if f.language == "" {
		f.language = LanguageFor(f.wishes...)
	}

	return sentence(f.language, name, with)
}

func (f *findings) fault() error {
	if len(f.issues) == 0 {
		return nil
	}

	failed := fault.New(fault.Unprocessable, "validation_failed", f.sentence("form", blanks{}))
	failed.Issues = f.issues

	return failed
}

// refuse adds an issue about a known field; kind tells the cases of one rule apart, and message names the sentence.
func (f *findings) refuse(rules *fieldRules, rule, kind, message, limit string) {
	f.issues = append(f.issues, fault.Issue{
		Field: rules.Key, Rule: rule, Case: kind,
		Message: f.sentence(message, blanks{label: rules.label(), limit: limit, base: rules.base()}),
	})
}

// limit adds an issue about a limit, whose message has the name of the rule.
func (f *findings) limit(rules *fieldRules, rule, limit string) {
	f.refuse(rules, rule, "", rule, limit)
}

func (f *findings) judge(rules *fieldRules, sent []Value) {
	values := given(rules, sent)
	required := rules.Required || rules.requiredWhen != nil && rules.requiredWhen.holds(f.sight.texts)

	switch {
	case len(values) == 0:
		if required {
			f.missing(rules, sent)
		}
	case rules.isMany:
		f.judgeChoices(rules, values)
	case len(sent) > 1:
		f.limit(rules, ruleRepeated, "")
	case !rules.kind.is(rules, values[0]):
		f.refuse(rules, ruleType, string(rules.Type), rules.kind.refusal, "")
	case rules.isBox:
		if required && !rules.ticked(values[0]) {
			f.missing(rules, sent)
		}
	case values[0].IsText():
		f.judgeText(rules, values[0].text)
		f.judgeSize(rules, values[0].text)
	default:
		f.judgeSize(rules, values[0].text)
	}
}

// given returns the values that are not empty, and of a multiselect what is chosen.
func given(rules *fieldRules, sent []Value) []Value {
	if rules.isMany {
		return choices(sent)
	}

	if !slices.ContainsFunc(sent, Value.isEmpty) {
		return sent
	}

	return slices.DeleteFunc(slices.Clone(sent), Value.isEmpty)
}

// missing tells a field that was not sent from one that was sent without anything in it, as Formspree's clients do.
func (f *findings) missing(rules *fieldRules, sent []Value) {
	kind := "empty"
	if len(sent) == 0 {
		kind = "missing"
	}

	switch rules.Type {
	case TypeConsent:
		f.refuse(rules, ruleConsent, kind, ruleConsent, "")
	case TypeCheckbox:
		f.refuse(rules, ruleRequired, kind, "required_checkbox", "")
	default:
		f.refuse(rules, ruleRequired, kind, ruleRequired, "")
	}
}

func (f *findings) judgeChoices(rules *fieldRules, chosen []Value) {
	seen := make(map[string]struct{}, len(chosen))

	for _, value := range chosen {
		seen[value.text] = struct{}{}

		if _, known := rules.options[value.text]; !known || !value.IsText() {
			f.limit(rules, ruleOption, "")
			return
		}
	}

	if len(seen) < len(chosen) {
		f.refuse(rules, ruleRepeated, "", "repeated_choice", "")
	}

	if len(chosen) < rules.MinChoices {
		f.limit(rules, ruleMinChoices, strconv.Itoa(rules.MinChoices))
	}

	if rules.MaxChoices > 0 && len(chosen) > rules.MaxChoices {
		f.limit(rules, ruleMaxChoices, strconv.Itoa(rules.MaxChoices))
	}
}

func (f *findings) judgeText(rules *fieldRules, text string) {
	if rules.MinLength > 0 && utf8.RuneCountInString(text) < rules.MinLength {
		f.limit(rules, ruleMinLength, strconv.Itoa(rules.MinLength))
	}

	if rules.MaxLength > 0 && longerThan(text, rules.MaxLength) {
		f.limit(rules, ruleMaxLength, strconv.Itoa(rules.MaxLength))
	}

	if rules.pattern != nil && !rules.pattern.MatchString(text) {
		f.limit(rules, rulePattern, "")

		if rules.PatternMessage != "" {
			f.issues[len(f.issues)-1].Message = rules.PatternMessage
		}
	}

	if rules.takes(takesOptions) {
		if _, known := rules.options[text]; !known {
			f.limit(rules, ruleOption, "")
		}
	}
}

func (f *findings) judgeSize(rules *fieldRules, text string) {
	if rules.takes(takesDates | takesTimes) {
		f.judgeMoment(rules, text)
		return
	}

	if rules.min == nil && rules.max == nil && rules.step == nil {
		return
	}

	number := rational(text)

	switch {
	case rules.min != nil && number.Cmp(rules.min) < 0:
		f.limit(rules, ruleMin, rules.lowest())
	case rules.max != nil && number.Cmp(rules.max) > 0:
		f.limit(rules, ruleMax, rules.highest())
	case rules.step != nil && !onStep(number, rules.min, rules.step):
		f.limit(rules, ruleStep, rules.Step)
	}
}

func (f *findings) judgeMoment(rules *fieldRules, text string) {
	kind := string(rules.Type)

	switch text = withSeconds(text); {
	case rules.Min != "" && text < withSeconds(rules.Min):
		f.refuse(rules, ruleMin, "", "min_"+kind, rules.Min)
	case rules.Max != "" && text > withSeconds(rules.Max):
		f.refuse(rules, ruleMax, "", "max_"+kind, rules.Max)
	}
}

// refuseUnknown names every unknown field once.
func (f *findings) refuseUnknown(fields Fields) {
	seen := map[string]struct{}{}

	for _, field := range fields {
		_, known := f.sight.rules.byName[field.Name]
		if _, twice := seen[field.Name]; known || twice {
			continue
		}

		seen[field.Name] = struct{}{}
		name := shownName(field.Name)
		f.issues = append(f.issues, fault.Issue{
			Field: name, Rule: ruleUnknown, Message: f.sentence(ruleUnknown, blanks{label: name}),
		})
	}
}
