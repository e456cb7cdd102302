package forms

import (
	"mime"
	"strings"

	"formonce/internal/fault"
)

// Family says how the order of a body counts.
type Family string

// The two families. In a form body (urlencoded, multipart, name=value text) order and repeats are part of the content; in
// a JSON body the order of members is not.
const (
	FamilyForm Family = "form"
	FamilyJSON Family = "json"
)

// Body is a request's body as it arrived.
type Body struct {
	// ContentType is the value of the header, empty when there was none.
	ContentType string
	// Bytes are the whole body; the caller has capped them.
	Bytes []byte
}

// Parsed is a body taken apart.
type Parsed struct {
	Family Family
	// Fields are the visitor's own, in the order in which they were sent, names and texts in NFC.
	Fields Fields
	// Controls are what the control fields said.
	Controls Controls
}

// parser reads a body of one type into the collector, and stops with a Fault at the first fault of syntax.
type parser func(into *collector, body []byte, parameters map[string]string) (Family, error)

var parsers = map[string]parser{
	"application/x-www-form-urlencoded": parseURLEncoded,
	"multipart/form-data":               parseMultipart,
	"application/json":                  parseJSON,
	"text/plain":                        parseText,
}

// readableCharsets are the spellings of UTF-8 and of its subset ASCII, in lower case. No charset means UTF-8.
var readableCharsets = map[string]bool{"": true, "utf-8": true, "utf8": true, "us-ascii": true, "ascii": true}

var (
	errMediaType = fault.New(fault.UnsupportedMedia, "unsupported_media_type",
		"Send the form as application/x-www-form-urlencoded, multipart/form-data, application/json or text/plain, "+
			"and name that type in the header Content-Type.")
	errCharset = fault.New(fault.UnsupportedMedia, "unsupported_media_type",
		"Send the form in UTF-8. Other character sets are not taken.")
	errEmpty = fault.New(fault.Unprocessable, "empty_submission",
		"Nothing was filled in. Send at least one field; fields whose names begin with _ do not count.")
)

// Decode takes a body apart by its content type. ownHoneypot is the endpoint's own honeypot name, or empty; unless its name
// is a reserved one, it is among the fields.
//
// The errors are Faults of the ingest contract: unsupported_media_type; malformed_body for a body that cannot be read to
// its end, whatever else is wrong with it; then the first field, in the order of the body, that breaks a limit or is no
// text; then empty_submission. A field with an empty value is a field. Controls are filled as far as they were read also
// beside an error. A bad idempotency key is reported by IdempotencyKey, not here.
func Decode(body Body, ownHoneypot string, limits Limits) (Parsed, error) {
	parse, parameters, err := parserFor(body.ContentType)
	if err != nil {
		return Parsed{}, err
	}

	into := newCollector(ownHoneypot, limits)
	family, err := parse(into, body.Bytes, parameters)
	parsed := Parsed{Family: family, Fields: into.fields, Controls: into.finish()}

	switch {
	case err != nil:
		return parsed, err
	case into.refusal != nil:
		return parsed, into.refusal
	case len(into.fields) == 0:
		return parsed, errEmpty
	}

	return parsed, nil
}

func parserFor(contentType string) (parser, map[string]string, error) {
	mediaType, parameters, err := mime.ParseMediaType(contentType)
	if err != nil {
		return nil, nil, errMediaType
	}

	parse, ok := parsers[mediaType]
	if !ok {
		return nil, nil, errMediaType
	}

	if !readableCharsets[strings.ToLower(parameters["charset"])] {
		return nil, nil, errCharset
	}

	return parse, parameters, nil
}

func malformed(sentence string) *fault.Fault {
	return fault.New(fault.Invalid, "malformed_body", sentence)
}
