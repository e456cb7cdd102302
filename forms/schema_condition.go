package forms

import (
	"math/big"
	"slices"
)

// conditionRules are a Condition made ready: field is the place of the field it looks at.
type conditionRules struct {
	field    int
	compare  func(c *conditionRules, texts []string) bool
	values   []string
	bound    *big.Rat
	all, any []conditionRules
}

// comparisons is the one table of how conditions compare the texts of a field, none when it is absent.
var comparisons = map[Comparison]func(c *conditionRules, texts []string) bool{
	IsEqual:    (*conditionRules).isOneOf,
	IsOneOf:    (*conditionRules).isOneOf,
	IsNotEqual: func(c *conditionRules, texts []string) bool { return !c.isOneOf(texts) },
	IsPresent:  func(_ *conditionRules, texts []string) bool { return len(texts) > 0 },
	IsAbsent:   func(_ *conditionRules, texts []string) bool { return len(texts) == 0 },
	IsGreater:  func(c *conditionRules, texts []string) bool { return c.compareTo(texts) > 0 },
	IsLess:     func(c *conditionRules, texts []string) bool { return c.compareTo(texts) < 0 },
}

// compileCondition returns nil for no condition. One that Check refuses holds always, so that nothing is lost by it.
func (s *Schema) compileCondition(condition *Condition, keys map[string]int) *conditionRules {
	if condition == nil {
		return nil
	}

	made := &conditionRules{
		values: condition.Values,
		all:    s.compileConditions(condition.All, keys), any: s.compileConditions(condition.Any, keys),
	}

	if at, known := keys[condition.Field]; known {
		made.field, made.compare = at, comparisons[condition.Is]

		if opposite, ok := ofUnticked[condition.Is]; ok && isBoxType(s.Fields[at].Type) && isFalse(condition.Values) {
			made.compare = comparisons[opposite]
		}
	}

	if len(condition.Values) > 0 {
		made.bound = rational(condition.Values[0])
	}

	return made
}

// ofUnticked says how a box is compared with false: one that is not ticked is false whether it was sent or not.
var ofUnticked = map[Comparison]Comparison{IsEqual: IsAbsent, IsNotEqual: IsPresent}

func isFalse(values []string) bool { return len(values) == 1 && values[0] == "false" }

func isBoxType(of FieldType) bool { return of == TypeCheckbox || of == TypeConsent }

func (s *Schema) compileConditions(conditions []Condition, keys map[string]int) []conditionRules {
	made := make([]conditionRules, len(conditions))
	for i := range conditions {
		made[i] = *s.compileCondition(&conditions[i], keys)
	}

	return made
}

// holds asks texts for what stands in the fields it looks at.
func (c *conditionRules) holds(texts func(field int) []string) bool {
	holds := func(part conditionRules) bool { return part.holds(texts) }

	switch {
	case len(c.all) > 0:
		return !slices.ContainsFunc(c.all, func(part conditionRules) bool { return !holds(part) })
	case len(c.any) > 0:
		return slices.ContainsFunc(c.any, holds)
	case c.compare == nil:
		return true
	}

	return c.compare(c, texts(c.field))
}

func (c *conditionRules) isOneOf(texts []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return slices.Contains(c.values, text) })
}

// compareTo is 0 for what cannot be compared. Numbers are compared by their value, dates and times as texts.
func (c *conditionRules) compareTo(texts []string) int {
	if len(texts) != 1 || len(c.values) != 1 {
		return 0
	}

	if c.bound != nil {
		if number := rational(texts[0]); number != nil {
			return number.Cmp(c.bound)
		}

		return 0
	}

	text, bound := withSeconds(texts[0]), withSeconds(c.values[0])

	switch {
	case text < bound:
		return -1
	case text > bound:
		return 1
	}

	return 0
}

// looksAt calls each with the place of every field that the condition looks at.
func (c *conditionRules) looksAt(each func(field int)) {
	if c == nil {
		return
	}

	for _, part := range slices.Concat(c.all, c.any) {
		part.looksAt(each)
	}

	if c.compare != nil {
		each(c.field)
	}
}

// showOrder returns nil when no field has a condition to be shown.
func showOrder(fields []fieldRules) []int {
	if !slices.ContainsFunc(fields, func(rules fieldRules) bool { return rules.shown != nil }) {
		return nil
	}

	order := make([]int, 0, len(fields))
	seen := make([]bool, len(fields))

	var visit func(field int)

	visit = func(field int) {
		if seen[field] {
			return
		}

		seen[field] = true
		fields[field].shown.looksAt(visit)
		order = append(order, field)
	}

	for field := range fields {
		visit(field)
	}

	return order
}
