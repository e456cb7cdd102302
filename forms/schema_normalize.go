package forms

import "slices"

// Normalize brings fields into the form that is fingerprinted and stored: texts without white space around them, each type
// in its one spelling, consent with what was agreed to. Left out are what is null, what the rule for unknown fields drops,
// and fields that are not shown. It never fails and is idempotent: what it cannot read stays as it was sent, and Validate
// refuses it. It does not change the fields that it is given.
func (s *Schema) Normalize(fields Fields) Fields {
	rules := s.ready()
	normal := make(Fields, 0, len(fields))
	boxes := make([]int, len(rules.fields)) // one more than the place of the box in normal

	for _, field := range fields {
		at, known := rules.byName[field.Name]
		if !known {
			if s.Unknown != UnknownDrop {
				normal = append(normal, field)
			}

			continue
		}

		if field.Value == (Value{"null", true}) {
			continue
		}

		asked := &rules.fields[at]
		field = Field{asked.Key, asked.kind.normal(asked, field.Value)}

		if asked.isBox && asked.kind.is(asked, field.Value) {
			if boxes[at] > 0 {
				normal[boxes[at]-1].Value = eitherTicked(asked, normal[boxes[at]-1].Value, field.Value)
				continue
			}

			boxes[at] = len(normal) + 1
		}

		normal = append(normal, field)
	}

	return rules.dropUnshown(normal)
}

// eitherTicked makes one of the two values that many frameworks send for a box: that of a hidden field beside it, which
// says what an unticked box is, and that of the box.
func eitherTicked(rules *fieldRules, first, second Value) Value {
	if rules.ticked(first) {
		return first
	}

	return second
}

func (r *schemaRules) dropUnshown(fields Fields) Fields {
	if r.order == nil {
		return fields
	}

	shown := r.look(fields).shown

	return slices.DeleteFunc(fields, func(field Field) bool {
		at, known := r.byName[field.Name]

		return known && !shown[at]
	})
}

// sight is what stands in the known fields of a submission, by their place in the schema.
type sight struct {
	rules  *schemaRules
	values [][]Value
	shown  []bool
}

func (r *schemaRules) look(fields Fields) *sight {
	seen := &sight{rules: r, values: make([][]Value, len(r.fields)), shown: make([]bool, len(r.fields))}

	for _, field := range fields {
		if at, known := r.byName[field.Name]; known {
			seen.values[at] = append(seen.values[at], field.Value)
		}
	}

	for i := range seen.shown {
		seen.shown[i] = r.order == nil
	}

	for _, at := range r.order {
		condition := r.fields[at].shown
		seen.shown[at] = condition == nil || condition.holds(seen.texts)
	}

	return seen
}

// texts returns what conditions compare; nothing for a field that is absent, which a box is unless it is ticked.
func (s *sight) texts(field int) []string {
	if !s.shown[field] {
		return nil
	}

	rules := &s.rules.fields[field]

	var texts []string

	for _, value := range choices(s.values[field]) {
		switch {
		case !rules.isBox:
			texts = append(texts, value.text)
		case rules.ticked(value):
			texts = append(texts, boxTicked.text)
		}
	}

	return texts
}
