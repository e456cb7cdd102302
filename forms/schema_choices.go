package forms

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

var (
	boxTicked   = Value{"true", true}
	boxUnticked = Value{"false", true}
)

// boxWords are the texts that forms and scripts send for a box; on is what HTML sends for one without a value.
var boxWords = map[string]Value{
	"on": boxTicked, "true": boxTicked, "yes": boxTicked, "1": boxTicked, "checked": boxTicked,
	"off": boxUnticked, "false": boxUnticked, "no": boxUnticked, "0": boxUnticked, "unchecked": boxUnticked,
}

func normalBox(_ *fieldRules, value Value) Value {
	word := strings.ToLower(strings.TrimSpace(value.text))
	if known, ok := boxWords[word]; ok {
		return known
	}

	if word == "" {
		return Value{}
	}

	return value
}

func isBox(_ *fieldRules, value Value) bool { return value == boxTicked || value == boxUnticked }

// normalConsent turns a tick into what was agreed to, so that it stands in the submission itself.
func normalConsent(rules *fieldRules, value Value) Value {
	if value = normalBox(rules, value); value == boxTicked {
		return rules.agreement
	}

	return value
}

func isConsent(rules *fieldRules, value Value) bool {
	return value == rules.agreement || value == boxUnticked
}

// ticked says whether a normalised box or consent is ticked.
func (r *fieldRules) ticked(value Value) bool {
	return value == boxTicked || r.isConsent && value == r.agreement
}

func agreementOf(field *SchemaField) Value {
	object := append([]byte(`{"agreed":true,"text":`), Text(field.ConsentText).AppendJSON(nil)...)
	object = append(object, `,"version":`...)
	object = append(object, Text(field.ConsentVersion).AppendJSON(nil)...)

	return Value{string(append(object, '}')), true}
}

// normalChoice turns a number or a truth value that spells an option into that option.
func normalChoice(rules *fieldRules, value Value) Value {
	if value.IsText() {
		return trimmed(rules, value)
	}

	if _, ok := rules.options[value.text]; ok && !isContainer(value.text) {
		return Value{text: value.text}
	}

	return value
}

// normalChoices keeps an array an array, since its order is part of the content.
func normalChoices(rules *fieldRules, value Value) Value {
	elements, ok := elementsOf(value)
	if !ok {
		return normalChoice(rules, value)
	}

	array := []byte{'['}

	for i, element := range elements {
		if i > 0 {
			array = append(array, ',')
		}

		array = normalChoice(rules, element).AppendJSON(array)
	}

	return Value{string(append(array, ']')), true}
}

// elementsOf returns the elements of an array; false means that the value is none.
func elementsOf(value Value) ([]Value, bool) {
	if value.IsText() || !strings.HasPrefix(value.text, "[") {
		return nil, false
	}

	var elements []Value

	decoder := newJSONDecoder([]byte(value.text))
	_ = nextIs(decoder, '[')

	for kind := decoder.PeekKind(); kind != ']' && kind != jsontext.KindInvalid; kind = decoder.PeekKind() {
		raw, err := decoder.ReadValue()
		if err != nil {
			return nil, false
		}

		element, ok := storedValue(raw)
		if !ok {
			return nil, false
		}

		elements = append(elements, element)
	}

	return elements, true
}

// choices returns what is chosen: the elements of arrays and the other values, without those that are empty.
func choices(values []Value) []Value {
	var chosen []Value

	for _, value := range values {
		if elements, ok := elementsOf(value); ok {
			chosen = append(chosen, elements...)
		} else {
			chosen = append(chosen, value)
		}
	}

	return slices.DeleteFunc(chosen, Value.isEmpty)
}

// isEmpty says whether the value is nothing that a person gave.
func (v Value) isEmpty() bool {
	return v == Value{} || v == Value{"null", true}
}
