package api

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

// SchemaText is a text that may also be written as a number or as true or false, whose spelling is kept. What is a number
// in JSON is shown as one.
type SchemaText string //nolint:recvcheck // What is written is a value, what is read into is a place.

// SchemaTexts are texts of which a single one may be written without a list.
type SchemaTexts []string

var errNoScalar = errors.New("it has to be a text, a number, true or false")

// UnmarshalJSONFrom reads a JSON scalar.
func (t *SchemaText) UnmarshalJSONFrom(from *jsontext.Decoder) error {
	raw, err := from.ReadValue()
	if err != nil {
		return err
	}

	text, err := scalar(raw)
	*t = SchemaText(text)

	return err
}

func scalar(raw jsontext.Value) (string, error) {
	switch raw.Kind() {
	case '"':
		text, err := jsontext.AppendUnquote(nil, raw)
		return string(text), err
	case '0', 't', 'f':
		return string(raw), nil
	case 'n':
		return "", nil
	}

	return "", errNoScalar
}

// MarshalJSONTo writes a number as such.
func (t SchemaText) MarshalJSONTo(to *jsontext.Encoder) error {
	if raw := jsontext.Value(t); raw.IsValid() && raw.Kind() == '0' {
		return to.WriteValue(raw)
	}

	return to.WriteToken(jsontext.String(string(t)))
}

// UnmarshalYAML keeps the spelling of the file: a date or a time is no moment here.
func (t *SchemaText) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.ScalarNode {
		return fmt.Errorf("line %d: %w", node.Line, errNoScalar)
	}

	*t = SchemaText(node.Value)

	return nil
}

// MarshalYAML writes a number as such.
func (t SchemaText) MarshalYAML() (any, error) {
	if raw := jsontext.Value(t); raw.IsValid() && raw.Kind() == '0' {
		return &yaml.Node{Kind: yaml.ScalarNode, Value: string(t)}, nil
	}

	return string(t), nil
}

// UnmarshalJSONFrom reads a JSON scalar or a list of them.
func (t *SchemaTexts) UnmarshalJSONFrom(from *jsontext.Decoder) error {
	raw, err := from.ReadValue()
	if err != nil {
		return err
	}

	*t = nil

	if raw.Kind() == 'n' {
		return nil
	}

	if raw.Kind() != '[' {
		text, err := scalar(raw)
		*t = SchemaTexts{text}

		return err
	}

	var many []jsontext.Value
	if err := json.Unmarshal(raw, &many); err != nil {
		return err
	}

	for _, one := range many {
		text, err := scalar(one)
		if err != nil {
			return err
		}

		*t = append(*t, text)
	}

	return nil
}

// UnmarshalYAML reads a scalar or a list of them.
func (t *SchemaTexts) UnmarshalYAML(node *yaml.Node) error {
	nodes := []*yaml.Node{node}
	if node.Kind == yaml.SequenceNode {
		nodes = node.Content
	}

	*t = nil

	for _, one := range nodes {
		var text SchemaText
		if err := text.UnmarshalYAML(one); err != nil {
			return err
		}

		*t = append(*t, string(text))
	}

	return nil
}

// UnmarshalJSONFrom reads a text, or an object with value and label.
func (o *SchemaOption) UnmarshalJSONFrom(from *jsontext.Decoder) error {
	if from.PeekKind() != '{' {
		var text SchemaText

		err := text.UnmarshalJSONFrom(from)
		*o = SchemaOption{Value: string(text)}

		return err
	}

	var plain struct {
		Value SchemaText `json:"value"`
		Label string     `json:"label"`
	}

	err := json.UnmarshalDecode(from, &plain)
	*o = SchemaOption{Value: string(plain.Value), Label: plain.Label}

	return err
}

// UnmarshalYAML reads a text, or a mapping with value and label.
func (o *SchemaOption) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*o = SchemaOption{Value: node.Value}
		return nil
	}

	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: an option is a text, or has value and label", node.Line)
	}

	*o = SchemaOption{}
	places := map[string]*string{"value": &o.Value, "label": &o.Label}

	for i := 0; i+1 < len(node.Content); i += 2 {
		name, value := node.Content[i], node.Content[i+1]

		place, known := places[name.Value]
		if !known {
			return fmt.Errorf("line %d: field %s not found in an option", name.Line, name.Value)
		}

		if value.Kind != yaml.ScalarNode {
			return fmt.Errorf("line %d: %w", value.Line, errNoScalar)
		}

		*place = value.Value
	}

	return nil
}
