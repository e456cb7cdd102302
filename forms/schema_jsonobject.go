package forms

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// jsonObject is an object whose members keep their order, for a reader's sake. The methods but put leave out what is empty.
type jsonObject []jsonMember

type jsonMember struct {
	name  string
	value any
}

// MarshalJSONTo writes the members in their order.
func (o *jsonObject) MarshalJSONTo(to *jsontext.Encoder) error {
	if err := to.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}

	for _, member := range *o {
		if err := to.WriteToken(jsontext.String(member.name)); err != nil {
			return err
		}

		if err := json.MarshalEncode(to, member.value); err != nil {
			return err
		}
	}

	return to.WriteToken(jsontext.EndObject)
}

func (o *jsonObject) put(name string, value any) { *o = append(*o, jsonMember{name, value}) }

func (o *jsonObject) text(name, text string) {
	if text != "" {
		o.put(name, text)
	}
}

func (o *jsonObject) count(name string, n int) {
	if n != 0 {
		o.put(name, n)
	}
}

// number writes a number as it is spelled.
func (o *jsonObject) number(name, text string) {
	if isJSONNumber(text) {
		o.put(name, jsontext.Value(text))
	}
}

func (o *jsonObject) list(name string, texts []string) {
	if len(texts) > 0 {
		o.put(name, texts)
	}
}

func (o *jsonObject) object(name string, object jsonObject) {
	if len(object) > 0 {
		o.put(name, object)
	}
}

func (o *jsonObject) condition(name string, condition *Condition) {
	if condition != nil {
		o.put(name, exportCondition(condition))
	}
}

func exportCondition(condition *Condition) jsonObject {
	var made jsonObject

	made.text("field", condition.Field)
	made.text("is", string(condition.Is))
	made.list("values", condition.Values)

	for _, joined := range []struct {
		name  string
		parts []Condition
	}{{"all", condition.All}, {"any", condition.Any}} {
		if len(joined.parts) == 0 {
			continue
		}

		parts := make([]jsonObject, len(joined.parts))
		for i := range joined.parts {
			parts[i] = exportCondition(&joined.parts[i])
		}

		made.put(joined.name, parts)
	}

	return made
}

// defaults writes numbers and truth values as such.
func (o *jsonObject) defaults(field *SchemaField) {
	switch {
	case len(field.Default) == 0:
	case field.Type == TypeMultiselect:
		o.put("default", field.Default)
	case isPlainDefault(field.Type, field.Default[0]):
		o.put("default", jsontext.Value(field.Default[0]))
	default:
		o.put("default", field.Default[0])
	}
}

func isPlainDefault(of FieldType, text string) bool {
	if of == TypeCheckbox {
		return text == "true" || text == "false"
	}

	return fieldKinds[of].takes&(takesNumbers|takesRating) != 0 && isJSONNumber(text)
}
