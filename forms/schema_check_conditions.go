package forms

import (
	"fmt"
	"slices"
	"strings"
)

const (
	maxConditionDepth = 4
	maxConditionParts = 50
)

func (c *schemaCheck) condition(member string, condition *Condition) {
	if condition == nil {
		return
	}

	if parts, depth := measure(condition); depth > maxConditionDepth || parts > maxConditionParts {
		c.refusef(member, "condition", "A condition has %d parts at most, at most %d levels deep.", maxConditionParts, maxConditionDepth)
		return
	}

	c.conditionPart(member, condition)
}

func measure(condition *Condition) (parts, depth int) {
	parts = 1

	for _, below := range [][]Condition{condition.All, condition.Any} {
		for i := range below {
			p, d := measure(&below[i])
			parts, depth = parts+p, max(depth, d)
		}
	}

	return parts, depth + 1
}

func (c *schemaCheck) conditionPart(member string, condition *Condition) {
	kinds := 0
	for _, isSet := range []bool{condition.Field != "", len(condition.All) > 0, len(condition.Any) > 0} {
		if isSet {
			kinds++
		}
	}

	if kinds != 1 {
		c.refusef(member, "condition", "A condition names a field, or has all, or has any: one of them.")
		return
	}

	if condition.Field != "" {
		c.comparison(member, condition)
		return
	}

	if condition.Is != "" || len(condition.Values) > 0 {
		c.refusef(member, "condition", "A condition that joins others compares nothing itself.")
	}

	for i := range condition.All {
		c.conditionPart(fmt.Sprintf("%s.all[%d]", member, i), &condition.All[i])
	}

	for i := range condition.Any {
		c.conditionPart(fmt.Sprintf("%s.any[%d]", member, i), &condition.Any[i])
	}
}

func (c *schemaCheck) comparison(member string, condition *Condition) {
	at, known := c.keys[condition.Field]

	switch {
	case !known || c.schema.Fields[at].Key != condition.Field:
		c.refusef(member+".field", "unknown_field", "The condition looks at a field that the schema does not have.")
		return
	case at == c.at:
		c.refusef(member+".field", "self", "A field cannot depend on itself.")
		return
	}

	values, known := valueCounts[condition.Is]
	if !known {
		c.refusef(member+".is", "unknown_value",
			"A condition compares by equals, not_equals, one_of, present, absent, greater or less.")
		return
	}

	if n := len(condition.Values); n < values.least || n > values.most {
		c.refusef(member+".value", "condition", "This comparison takes %d to %d values.", values.least, values.most)
		return
	}

	c.compared(member, condition, &c.schema.Fields[at])
}

// valueCounts is how many values a comparison takes.
var valueCounts = map[Comparison]struct{ least, most int }{
	IsEqual: {1, 1}, IsNotEqual: {1, 1}, IsOneOf: {1, maxSchemaOptions}, IsPresent: {}, IsAbsent: {}, IsGreater: {1, 1}, IsLess: {1, 1},
}

// compared looks for comparisons that could never hold, which are slips of the pen.
func (c *schemaCheck) compared(member string, condition *Condition, other *SchemaField) {
	kind := fieldKinds[other.Type]
	isOrder := condition.Is == IsGreater || condition.Is == IsLess

	if isOrder && kind.takes&(takesBounds|takesRating) == 0 || isBoxType(other.Type) && condition.Is == IsOneOf {
		c.refusef(member+".is", "condition", "A field of type %s is not compared in this way.", other.Type)
		return
	}

	for _, value := range condition.Values {
		good := !strings.ContainsRune(value, 0)

		switch {
		case kind.takes&takesOptions != 0:
			good = slices.ContainsFunc(other.Options, func(option Option) bool { return option.Value == value })
		case isBoxType(other.Type):
			good = value == "true" || value == "false"
		case isOrder:
			good = kind.is(nil, Text(value))
		}

		if !good {
			c.refusef(member+".value", "condition", "The other field never holds this value.")
		}
	}
}

// circles looks for fields that are shown by what is shown by them.
func (c *schemaCheck) circles() {
	const (
		open = iota + 1
		closed
	)

	state := make([]int, len(c.schema.Fields))

	var visit func(at int) bool

	visit = func(at int) bool {
		if state[at] != 0 {
			return state[at] == open
		}

		state[at] = open
		circle := slices.ContainsFunc(fieldsIn(c.schema.Fields[at].Shown), func(key string) bool {
			other, known := c.keys[key]

			return known && other != at && visit(other)
		})
		state[at] = closed

		return circle
	}

	for at := range c.schema.Fields {
		if visit(at) {
			c.path = fmt.Sprintf("fields[%d].", at)
			c.refusef("shown", "circle", "The field is shown by a field that is shown by it. Break the circle.")
		}
	}
}

// fieldsIn returns the keys of the fields that the condition looks at.
func fieldsIn(condition *Condition) []string {
	if condition == nil {
		return nil
	}

	var keys []string

	if condition.Field != "" {
		keys = append(keys, condition.Field)
	}

	for _, part := range slices.Concat(condition.All, condition.Any) {
		keys = append(keys, fieldsIn(&part)...)
	}

	return keys
}
