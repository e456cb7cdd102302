package api

import (
	"iter"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// tree is a place in a YAML document, which need not exist: whatever is asked of nothing is empty.
type tree struct{ node *yaml.Node }

// at goes down by the names of members and the places of elements.
func (t tree) at(names ...string) tree {
	for _, name := range names {
		t = t.step(name)
	}

	return t
}

func (t tree) step(name string) tree {
	for key, value := range t.members() {
		if key == name {
			return value
		}
	}

	place, err := strconv.Atoi(name)
	if elements := t.elements(); err == nil && place < len(elements) {
		return elements[place]
	}

	return tree{}
}

func (t tree) text(names ...string) string {
	if found := t.at(names...); found.node != nil && found.node.Kind == yaml.ScalarNode {
		return strings.TrimSpace(found.node.Value)
	}

	return ""
}

// members are those of a mapping, in the order of the document.
func (t tree) members() iter.Seq2[string, tree] {
	return func(yield func(string, tree) bool) {
		if t.node == nil || t.node.Kind != yaml.MappingNode {
			return
		}

		for i := 0; i+1 < len(t.node.Content); i += 2 {
			if !yield(t.node.Content[i].Value, tree{t.node.Content[i+1]}) {
				return
			}
		}
	}
}

func (t tree) elements() []tree {
	if t.node == nil || t.node.Kind != yaml.SequenceNode {
		return nil
	}

	elements := make([]tree, len(t.node.Content))
	for i, node := range t.node.Content {
		elements[i] = tree{node}
	}

	return elements
}

// resolve follows a reference of one place into the document t.
func (t tree) resolve(place tree) tree {
	if target, is := strings.CutPrefix(place.text("$ref"), "#/"); is {
		return t.at(strings.Split(target, "/")...)
	}

	return place
}
