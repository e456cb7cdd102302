package forms

import (
	"errors"
	"io"
	"math"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Value is what stands in one field: text, or a JSON value that is no string (a number, true, false, null, an object, an
// array). Values are comparable: two are equal when they are of one kind and have the same spelling. The zero Value is
// the empty text.
type Value struct {
	text   string
	isJSON bool
}

// Text returns a Value that holds s. What no text may hold (NUL, bytes that are not UTF-8) becomes U+FFFD, so that every
// Value can be stored.
func Text(s string) Value {
	return Value{text: strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")}
}

// JSON returns the Value of a JSON text as Decode would read it: strings in NFC, no white space, the order of members and
// the spelling of numbers kept. A JSON string is text. What is no JSON, or none that can be stored, is kept as text too.
func JSON(raw string) Value {
	reader := newJSONReader([]byte(raw), math.MaxInt)

	value, problem, err := reader.value()
	if err != nil || problem != fits || reader.end() != nil {
		return Text(raw)
	}

	return value
}

// IsText says whether the value is text, and not a JSON value of another kind.
func (v Value) IsText() bool { return !v.isJSON }

// String returns the text itself, or the compact JSON text.
func (v Value) String() string { return v.text }

// AppendJSON appends the value as JSON: text as a string with no more escapes than needed, anything else as it is.
func (v Value) AppendJSON(dst []byte) []byte {
	if v.isJSON {
		return append(dst, v.text...)
	}

	return appendQuoted(dst, v.text)
}

// MarshalJSON writes what AppendJSON appends. It never fails.
func (v Value) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil), nil }

// Field is one name with one value. A name may stand in several fields of a submission.
type Field struct {
	Name  string
	Value Value
}

// Fields are the visitor's fields in the order in which they were sent.
type Fields []Field

// MarshalJSON writes the storage form of EncodeFields. It never fails.
func (f Fields) MarshalJSON() ([]byte, error) { return EncodeFields(f), nil }

// EncodeFields returns the form in which fields are stored, an array with one object for each field:
//
//	[{"email":"a@b.c"},{"topics":"x"},{"topics":"y"}]
//
// PostgreSQL takes it as json and, since it never holds \u0000 nor a number beyond its range, as jsonb.
func EncodeFields(fields Fields) []byte {
	const punctuation = len(`{"":""},`)

	size := len(`[]`)
	for _, field := range fields {
		size += len(field.Name) + len(field.Value.text) + punctuation
	}

	dst := append(make([]byte, 0, size), '[')

	for i, field := range fields {
		if i > 0 {
			dst = append(dst, ',')
		}

		dst = append(dst, '{')
		dst = appendQuoted(dst, field.Name)
		dst = append(dst, ':')
		dst = field.Value.AppendJSON(dst)
		dst = append(dst, '}')
	}

	return append(dst, ']')
}

// appendQuoted relies on every name and text being UTF-8, which Decode and Text see to.
func appendQuoted(dst []byte, text string) []byte {
	dst, _ = jsontext.AppendQuote(dst, text)

	return dst
}

// errStoredFields names no place and no text, since either could hold what a visitor wrote.
var errStoredFields = errors.New("the stored fields are not in the form that EncodeFields writes; restore the row")

// DecodeFields is the inverse of EncodeFields. White space between the tokens is taken too, so that what went through
// jsonb can be read. Its error never quotes the input.
func DecodeFields(stored []byte) (Fields, error) {
	decoder := newJSONDecoder(stored)
	if !nextIs(decoder, '[') {
		return nil, errStoredFields
	}

	fields := Fields{}

	for decoder.PeekKind() == '{' {
		field, err := decodeField(decoder)
		if err != nil {
			return nil, err
		}

		fields = append(fields, field)
	}

	if !nextIs(decoder, ']') {
		return nil, errStoredFields
	}

	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errStoredFields
	}

	return fields, nil
}

func decodeField(decoder *jsontext.Decoder) (Field, error) {
	if !nextIs(decoder, '{') {
		return Field{}, errStoredFields
	}

	raw, err := decoder.ReadValue()
	if err != nil {
		return Field{}, errStoredFields
	}

	name, ok := unquote(raw)
	if !ok {
		return Field{}, errStoredFields
	}

	raw, err = decoder.ReadValue()
	if err != nil {
		return Field{}, errStoredFields
	}

	value, ok := storedValue(raw)
	if !ok || !nextIs(decoder, '}') {
		return Field{}, errStoredFields
	}

	return Field{name, value}, nil
}

func storedValue(raw jsontext.Value) (Value, bool) {
	if raw.Kind() == '"' {
		text, ok := unquote(raw)

		return Value{text: text}, ok
	}

	compact, err := jsontext.AppendFormat(nil, raw, jsontext.PreserveRawStrings(true))

	return Value{string(compact), true}, err == nil
}

func nextIs(decoder *jsontext.Decoder, kind jsontext.Kind) bool {
	token, err := decoder.ReadToken()

	return err == nil && token.Kind() == kind
}
