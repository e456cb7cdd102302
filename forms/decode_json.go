package forms

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"formonce/internal/fault"
)

const (
	// longestNumber and largestExponent keep every number within PostgreSQL's numeric, and short when it is written out.
	longestNumber   = 1000
	largestExponent = 1000
)

var errNoObject = malformed(`The JSON has to be an object, such as {"email": "…"}.`)

// jsonReader reads a JSON body (RFC 8259) once, from left to right. It returns an error at once for what makes the body
// unreadable; what only makes a value unfit to be stored is a problem, and it reads on.
type jsonReader struct {
	decoder  *jsontext.Decoder
	maxDepth int
	// field is the member of the body's object whose value is being read, for the errors that name it.
	field   string
	compact []byte
	problem problem
}

func newJSONReader(body []byte, maxDepth int) *jsonReader {
	return &jsonReader{decoder: newJSONDecoder(body), maxDepth: maxDepth}
}

// newJSONDecoder leaves to its caller what the decoder could only refuse as a fault of syntax: text that is no UTF-8 has
// another status, and duplicate names are looked for in NFC.
func newJSONDecoder(text []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(text),
		jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

func parseJSON(into *collector, body []byte, _ map[string]string) (Family, error) {
	reader := newJSONReader(bytes.TrimPrefix(body, byteOrderMark), into.limits.JSONDepth)

	kind := reader.decoder.PeekKind()
	if kind != '{' && kind != 0 {
		return FamilyJSON, errNoObject
	}

	err := reader.members(func(name string, nameProblem problem) error {
		reader.field = name

		value, valueProblem, err := reader.value()
		if err == nil {
			into.add(name, nameProblem, value, valueProblem)

			reader.field = ""
		}

		return err
	})
	if err == nil {
		err = reader.end()
	}

	return FamilyJSON, err
}

// value reads one value, as a Field has it.
func (r *jsonReader) value() (Value, problem, error) {
	r.problem = fits

	if r.decoder.PeekKind() == '"' {
		raw, err := r.decoder.ReadValue()
		if err != nil {
			return Value{}, fits, r.unreadable()
		}

		text, problem := jsonText(raw)

		return Value{text: text}, problem, nil
	}

	r.compact = r.compact[:0]
	err := r.append()

	return Value{string(r.compact), true}, r.problem, err
}

// end makes sure that nothing but white space follows.
func (r *jsonReader) end() error {
	if _, err := r.decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return r.unreadable()
	}

	return nil
}

// append reads one value and appends its compact text.
func (r *jsonReader) append() error {
	switch r.decoder.PeekKind() {
	case '{':
		return r.appendObject()
	case '[':
		return r.appendArray()
	}

	raw, err := r.decoder.ReadValue()
	if err != nil {
		return r.unreadable()
	}

	if raw.Kind() == '"' {
		r.appendText(jsonText(raw))
		return nil
	}

	r.note(numberProblem(raw))
	r.compact = append(r.compact, raw...)

	return nil
}

func (r *jsonReader) appendObject() error {
	r.compact = append(r.compact, '{')
	opened := len(r.compact)

	err := r.members(func(name string, nameProblem problem) error {
		r.separate(opened)
		r.appendText(name, nameProblem)
		r.compact = append(r.compact, ':')

		return r.append()
	})
	r.compact = append(r.compact, '}')

	return err
}

func (r *jsonReader) appendArray() error {
	r.compact = append(r.compact, '[')
	opened := len(r.compact)

	err := r.inside(']', func() error {
		r.separate(opened)

		return r.append()
	})
	r.compact = append(r.compact, ']')

	return err
}

// separate appends the comma that stands before every element but the first.
func (r *jsonReader) separate(opened int) {
	if len(r.compact) > opened {
		r.compact = append(r.compact, ',')
	}
}

func (r *jsonReader) appendText(text string, found problem) {
	r.note(found)
	r.compact = appendQuoted(r.compact, text)
}

// note keeps the first problem of the value.
func (r *jsonReader) note(found problem) {
	if r.problem == fits {
		r.problem = found
	}
}

// members reads an object and calls each with every name, when the name's value is next. Names that are equal in NFC are
// one name given twice.
func (r *jsonReader) members(each func(name string, nameProblem problem) error) error {
	seen := map[string]struct{}{}

	return r.inside('}', func() error {
		raw, err := r.decoder.ReadValue()
		if err != nil {
			return r.unreadable()
		}

		name, nameProblem := jsonText(raw)
		if _, twice := seen[name]; twice && nameProblem == fits {
			return malformed("A JSON object has two members of the same name. Send each name once; " +
				"several values go into an array.").In(shownName(cmp.Or(r.field, name)))
		}

		seen[name] = struct{}{}

		return each(name, nameProblem)
	})
}

// inside reads an object or an array and calls each for every element, until the closing token.
func (r *jsonReader) inside(closing jsontext.Kind, each func() error) error {
	if r.decoder.StackDepth() >= r.maxDepth {
		return malformed(fmt.Sprintf("The JSON is nested deeper than %d levels. Make it flatter.", r.maxDepth))
	}

	if _, err := r.decoder.ReadToken(); err != nil {
		return r.unreadable()
	}

	for r.decoder.PeekKind() != closing {
		if err := each(); err != nil {
			return err
		}
	}

	if _, err := r.decoder.ReadToken(); err != nil {
		return r.unreadable()
	}

	return nil
}

// unreadable names the place only: the decoder's own error quotes what the visitor wrote.
func (r *jsonReader) unreadable() *fault.Fault {
	return malformed(fmt.Sprintf("The body is no valid JSON: it breaks off or has a fault after byte %d. "+
		"Write it with a JSON library.", r.decoder.InputOffset()))
}

// jsonText returns the text of a JSON string in NFC and what is wrong with it.
func jsonText(raw jsontext.Value) (string, problem) {
	text, ok := unquote(raw)
	if !ok {
		return text, notUTF8
	}

	return normalText(text)
}

// unquote returns what a JSON string says; false means that U+FFFD stands in it for a lone surrogate or invalid UTF-8.
func unquote(raw jsontext.Value) (string, bool) {
	if bytes.IndexByte(raw, '\\') < 0 {
		text := string(raw[1 : len(raw)-1])
		return text, utf8.ValidString(text)
	}

	text, err := jsontext.AppendUnquote(nil, raw)

	return string(text), err == nil
}

// numberProblem looks at a JSON value that is neither text nor a container; true, false and null are always fit.
func numberProblem(raw jsontext.Value) problem {
	if len(raw) > longestNumber {
		return hugeNumber
	}

	at := bytes.IndexAny(raw, "eE")
	if at < 0 || raw.Kind() != '0' {
		return fits
	}

	exponent, err := strconv.Atoi(string(raw[at+1:]))
	if err != nil || exponent > largestExponent || exponent < -largestExponent {
		return hugeNumber
	}

	return fits
}
