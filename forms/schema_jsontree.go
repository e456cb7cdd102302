package forms

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonTree is a JSON value whose members keep their order.
type jsonTree struct {
	kind jsontext.Kind
	// text is what a string says, or how another scalar is spelled.
	text     string
	members  []treeMember
	elements []*jsonTree
}

type treeMember struct {
	name  string
	value *jsonTree
}

var errNoTree = errors.New("this is no JSON text that can be read")

// parseTree reads one JSON text, no deeper than maxDepth.
func parseTree(document []byte, maxDepth int) (*jsonTree, error) {
	decoder := jsontext.NewDecoder(strings.NewReader(string(document)))

	tree, err := readTree(decoder, maxDepth)
	if err != nil {
		return nil, err
	}

	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errNoTree
	}

	return tree, nil
}

func readTree(from *jsontext.Decoder, depth int) (*jsonTree, error) {
	kind := from.PeekKind()
	made := &jsonTree{kind: kind}

	if kind != '{' && kind != '[' {
		err := made.readScalar(from)

		return made, err
	}

	if depth == 0 {
		return nil, errNoTree
	}

	if _, err := from.ReadToken(); err != nil {
		return nil, errNoTree
	}

	for next := from.PeekKind(); next != '}' && next != ']'; next = from.PeekKind() {
		name := ""

		if kind == '{' {
			token, err := from.ReadToken()
			if err != nil {
				return nil, errNoTree
			}

			name = token.String()
		}

		value, err := readTree(from, depth-1)
		if err != nil {
			return nil, err
		}

		if kind == '{' {
			made.members = append(made.members, treeMember{name, value})
		} else {
			made.elements = append(made.elements, value)
		}
	}

	_, err := from.ReadToken()

	return made, err
}

func (t *jsonTree) readScalar(from *jsontext.Decoder) error {
	raw, err := from.ReadValue()
	if err != nil || numberProblem(raw) != fits && t.kind == '0' {
		return errNoTree
	}

	t.text = string(raw)
	if t.kind != '"' {
		return nil
	}

	text, ok := unquote(raw)
	if !ok {
		return errNoTree
	}

	t.text = text

	return nil
}

// get returns the member with that name, or one that is nothing: the look-ups below all say so of it.
func (t *jsonTree) get(name string) *jsonTree {
	for _, member := range t.members {
		if member.name == name {
			return member.value
		}
	}

	return &jsonTree{}
}

func (t *jsonTree) is(kind jsontext.Kind) bool { return t.kind == kind }

// string returns the text of a string, else nothing.
func (t *jsonTree) string() string {
	if t.kind != '"' {
		return ""
	}

	return t.text
}

// scalar returns a text, a number or a truth value as a text.
func (t *jsonTree) scalar() (string, bool) {
	return t.text, t.kind == '"' || t.kind == '0' || t.kind == 't' || t.kind == 'f'
}

// strings returns the scalars of an array.
func (t *jsonTree) strings() []string {
	var texts []string

	for _, element := range t.elements {
		if text, ok := element.scalar(); ok {
			texts = append(texts, text)
		}
	}

	return texts
}

// count returns a whole number, which JSON Schema lets end in .0; 0 for anything else.
func (t *jsonTree) count() int {
	number := rational(t.text)
	if t.kind != '0' || number == nil || !number.IsInt() {
		return 0
	}

	n, err := strconv.Atoi(number.Num().String())
	if err != nil {
		return 0
	}

	return n
}
