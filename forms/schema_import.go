package forms

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"formonce/internal/fault"
)

const (
	maxDocumentBytes = 256 << 10
	maxDocumentDepth = 32
	// maxReferences bounds a chain of references, which may be a circle.
	maxReferences = 16
)

func refusedDocument(sentence string) *fault.Fault {
	return fault.New(fault.Unprocessable, "invalid_json_schema", sentence)
}

// SchemaFromJSONSchema reads a schema from a JSON Schema 2020-12 document whose root is an object, with a note for
// everything that it could not carry over: the notes are sentences that name the field. What JSONSchema wrote comes back
// equal, without notes. The errors are the Faults invalid_json_schema and, from Check, invalid_schema. Nothing is fetched:
// only references inside the document are followed.
func SchemaFromJSONSchema(document []byte) (*Schema, []string, error) {
	if len(document) > maxDocumentBytes {
		return nil, nil, refusedDocument(fmt.Sprintf("The document is larger than %d KiB. Make it smaller.", maxDocumentBytes>>10))
	}

	root, err := parseTree(document, maxDocumentDepth)
	if err != nil {
		return nil, nil, refusedDocument(fmt.Sprintf(
			"The document is no JSON text, or is nested deeper than %d levels. Write it with a JSON library.", maxDocumentDepth))
	}

	if err := mustBeJSONSchema(document); err != nil {
		return nil, nil, err
	}

	reading := &schemaImport{root: root, schema: &Schema{}}
	reading.whole()

	if len(reading.schema.Fields) == 0 {
		return nil, nil, refusedDocument("The document describes no field. Give its root an object's properties.")
	}

	if err := reading.schema.Check(); err != nil {
		return nil, reading.notes, err
	}

	return reading.schema, reading.notes, nil
}

// errRemote is why the compiler stops.
var errRemote = errors.New("references to other documents are not followed")

// noLoader keeps the compiler from reading files and the network.
type noLoader struct{}

// Load refuses.
func (noLoader) Load(string) (any, error) { return nil, errRemote }

// anyPattern takes every expression: nothing is matched while a document is read, and those of another dialect are noted
// field by field.
type anyPattern string

// MatchString is there for the compiler's sake.
func (p anyPattern) MatchString(string) bool { return true }

func (p anyPattern) String() string { return string(p) }

func mustBeJSONSchema(document []byte) error {
	const place = "https://schema.invalid/imported.json"

	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return refusedDocument("The document is no JSON text. Write it with a JSON library.")
	}

	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noLoader{})
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseRegexpEngine(func(text string) (jsonschema.Regexp, error) { return anyPattern(text), nil })

	err = compiler.AddResource(place, parsed)
	if err == nil {
		_, err = compiler.Compile(place)
	}

	if err == nil {
		return nil
	}

	if _, ok := errors.AsType[*jsonschema.LoadURLError](err); ok {
		return refusedDocument("The document refers to another one. Copy what it needs into its $defs.")
	}

	return refusedDocument("The document is no JSON Schema of the draft 2020-12. Check it with a validator.")
}

// schemaImport reads a schema from a document.
type schemaImport struct {
	root   *jsonTree
	schema *Schema
	notes  []string
}

func (m *schemaImport) notef(format string, args ...any) {
	m.notes = append(m.notes, fmt.Sprintf(format, args...))
}

// unsaid are keywords that describe and do not rule.
var unsaid = []string{
	"$schema", "$id", "$comment", "$defs", "definitions", "$ref", "$anchor", "$dynamicAnchor", "$vocabulary", "examples", "title",
	"description", "deprecated", "readOnly", "writeOnly", extras,
}

func (m *schemaImport) whole() {
	root := m.resolve(m.root)

	for _, member := range root.members {
		known := slices.Contains(unsaid, member.name) || slices.Contains(
			[]string{"type", "properties", "required", "additionalProperties", "unevaluatedProperties"}, member.name)
		if !known {
			m.notef("The rule %s of the whole document was left out.", member.name)
		}
	}

	extra := root.get(extras)
	m.schema.Region = extra.get("default_region").string()
	m.schema.Unknown = UnknownFields(extra.get("unknown_fields").string())

	for _, name := range []string{"additionalProperties", "unevaluatedProperties"} {
		switch others := root.get(name); {
		case others.is('f'):
			m.schema.Unknown = UnknownRefuse
		case others.is('{'):
			m.notef("The rule %s for fields without a name was left out.", name)
		}
	}

	required := root.get("required").strings()
	for _, member := range inOrder(root.get("properties").members, extra.get("order").strings()) {
		m.field(member.name, m.resolve(member.value), slices.Contains(required, member.name))
	}

	for _, name := range required {
		if !slices.ContainsFunc(m.schema.Fields, func(field SchemaField) bool { return field.Key == name }) {
			m.notef("%s is required and was left out, since there is no such field.", name)
		}
	}
}

// inOrder puts the members that order names before the others.
func inOrder(members []treeMember, order []string) []treeMember {
	place := func(name string) int {
		if at := slices.Index(order, name); at >= 0 {
			return at
		}

		return len(order)
	}

	sorted := slices.Clone(members)
	slices.SortStableFunc(sorted, func(a, b treeMember) int { return place(a.name) - place(b.name) })

	return sorted
}

// resolve follows references inside the document; what stands beside one goes before what it refers to.
func (m *schemaImport) resolve(tree *jsonTree) *jsonTree {
	for range maxReferences {
		pointer, ok := strings.CutPrefix(tree.get("$ref").string(), "#")
		if !ok {
			return tree
		}

		target := m.at(pointer)
		if target == nil {
			return tree
		}

		merged := &jsonTree{kind: '{'}

		for _, member := range tree.members {
			if member.name != "$ref" {
				merged.members = append(merged.members, member)
			}
		}

		for _, member := range target.members {
			if merged.get(member.name).kind == 0 {
				merged.members = append(merged.members, member)
			}
		}

		tree = merged
	}

	return &jsonTree{}
}

var pointerEscapes = strings.NewReplacer("~1", "/", "~0", "~")

// at follows a JSON Pointer (RFC 6901); nil when nothing is there.
func (m *schemaImport) at(pointer string) *jsonTree {
	tree := m.root

	parts := strings.Split(pointer, "/")
	if parts[0] != "" {
		return nil // the name of an anchor
	}

	for _, part := range parts[1:] {
		tree = tree.get(pointerEscapes.Replace(part))
	}

	if tree.kind == 0 {
		return nil
	}

	return tree
}
