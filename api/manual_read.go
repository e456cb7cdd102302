package api

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// chapters are the contract in the order in which a person reads it.
type chapters struct {
	Title, Summary, Description string
	Chapters                    []chapter
}

// chapter is what belongs to one tag.
type chapter struct {
	Name, Anchor string
	Operations   []described
}

// described is one operation as the page shows it.
type described struct {
	Anchor, Method, Path, Summary, Description, Role, Scope string

	Open       bool
	Parameters []member
	Body       []member
	Example    string
	Answers    []answered
}

type answered struct {
	Status, Description string
	Members             []member
}

// member is one member of a body, or a parameter.
type member struct {
	Name, Type, In, Description string

	Required bool
	Members  []member
}

// methods are in the order in which a person looks for them.
var methods = []string{"get", "post", "put", "patch", "delete"}

// readChapters reads a contract that the tests have judged.
func readChapters(contract []byte) chapters {
	var parsed yaml.Node

	if err := yaml.Unmarshal(contract, &parsed); err != nil || len(parsed.Content) == 0 {
		return chapters{}
	}

	d := tree{parsed.Content[0]}
	read := chapters{
		Title: d.text("info", "title"), Summary: d.text("info", "summary"), Description: d.text("info", "description"),
	}

	for path, item := range d.at("paths").members() {
		for _, method := range methods {
			if operation := item.at(method); operation.node != nil {
				read.add(operation.text("tags", "0"), d.describe(method, path, item, operation))
			}
		}
	}

	return read
}

func (c *chapters) add(tag string, operation described) {
	for i := range c.Chapters {
		if c.Chapters[i].Name == tag {
			c.Chapters[i].Operations = append(c.Chapters[i].Operations, operation)
			return
		}
	}

	c.Chapters = append(c.Chapters, chapter{
		Name: tag, Anchor: strings.ToLower(strings.ReplaceAll(tag, " ", "-")), Operations: []described{operation},
	})
}

func (t tree) describe(method, path string, item, operation tree) described {
	body := operation.at("requestBody", "content", "application/json")
	made := described{
		Anchor: operation.text("operationId"), Method: strings.ToUpper(method), Path: Prefix + path,
		Summary: operation.text("summary"), Description: operation.text("description"),
		Role: operation.text("x-role"), Scope: operation.text("x-scope"),
		Open: operation.at("security").node != nil,
		Body: t.membersOf(body.at("schema")), Example: example(body.at("example")),
	}

	for _, list := range []tree{item.at("parameters"), operation.at("parameters")} {
		for _, entry := range list.elements() {
			parameter := t.resolve(entry)
			made.Parameters = append(made.Parameters, member{
				Name: parameter.text("name"), In: parameter.text("in"), Description: parameter.text("description"),
				Required: parameter.text("required") == "true", Type: t.typeOf(parameter.at("schema")),
			})
		}
	}

	for status, entry := range operation.at("responses").members() {
		if status == "default" {
			continue
		}

		response := t.resolve(entry)
		made.Answers = append(made.Answers, answered{
			Status: status, Description: response.text("description"),
			Members: t.membersOf(response.at("content", "application/json", "schema")),
		})
	}

	return made
}

// membersOf lists the members of an object's schema, those of everything that it is composed of included. A schema that holds
// itself, some way down, is not opened a second time; above are those that are open.
func (t tree) membersOf(schema tree, above ...*yaml.Node) []member {
	schema = t.resolve(schema)
	if slices.Contains(above, schema.node) {
		return nil
	}

	above = append(slices.Clip(above), schema.node)

	if items := schema.at("items"); items.node != nil {
		return t.membersOf(items, above...)
	}

	required := map[string]bool{}
	for _, name := range schema.at("required").elements() {
		required[name.node.Value] = true
	}

	var members []member

	for _, part := range schema.at("allOf").elements() {
		members = append(members, t.membersOf(part, above...)...)
	}

	for name, property := range schema.at("properties").members() {
		resolved := t.resolve(property)
		members = append(members, member{
			Name: name, Type: t.typeOf(property), Required: required[name],
			Description: cmp.Or(property.text("description"), resolved.text("description")),
			Members:     t.membersOf(resolved, above...),
		})
	}

	return members
}

// typeOf says in a word or two what a value looks like.
func (t tree) typeOf(schema tree) string {
	schema = t.resolve(schema)

	var words []string
	for _, value := range schema.at("enum").elements() {
		words = append(words, value.node.Value)
	}

	for _, kind := range schema.at("type").elements() {
		words = append(words, kind.node.Value)
	}

	if constant := schema.text("const"); constant != "" {
		words = append(words, constant)
	}

	kind := cmp.Or(strings.Join(words, " | "), schema.text("type"))
	if kind == "array" {
		return strings.TrimSpace("array of " + t.typeOf(schema.at("items")))
	}

	if format := schema.text("format"); format != "" {
		return kind + " (" + format + ")"
	}

	return cmp.Or(kind, "object")
}

func example(node tree) string {
	var value any
	if node.node == nil || node.node.Decode(&value) != nil {
		return ""
	}

	written, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return ""
	}

	return string(written)
}
