package forms

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// RuleVersion is the version of the rules in this file. It changes with every change of what Fingerprint hashes, and the
// rules of all earlier versions stay, since stored rows name them.
const RuleVersion = 1

// Rules are what a submission was accepted by, as its stored row names them. They are comparable.
type Rules struct {
	// Version is the RuleVersion.
	Version int
	// Schema is the version of the endpoint's schema that normalised the fields. The hash does not hold it: a schema
	// counts by what it makes of the fields.
	Schema int
	Family Family
	// OrderIgnored makes the order of a form body's fields no part of its content. It has no meaning for JSON.
	OrderIgnored bool
	// Honeypot is the endpoint's own honeypot, whose field is no content. The hash does not hold it: the field is left out
	// before.
	Honeypot string
}

const (
	kindText = 't'
	kindJSON = 'j'
)

// Fingerprint hashes the content of a submission, so that a retry can be told from another submission under the same
// key. It is SHA-256 over the rule version, the endpoint, the family, the rule for order, and the fields, each part with
// its length before it, so that no two contents have one encoding.
//
// In a form body the order and the repeats count; with OrderIgnored the repeats alone. In a JSON body the order of
// members does not count at any depth (RFC 8785 gives the one that is hashed), the order of arrays and the exact text of
// numbers do. Text never equals a JSON value of another kind. The fields have to be normalised by the rules' schema.
func Fingerprint(endpointID string, rules Rules, fields Fields) [32]byte {
	const overhead = 64 // the parts around the fields, and those of one field

	size := overhead + len(endpointID)
	for _, field := range fields {
		size += overhead + len(field.Name) + len(field.Value.text)
	}

	encoded := append(make([]byte, 0, size), "formonce"...)
	encoded = binary.BigEndian.AppendUint32(encoded, uint32(rules.Version)) //nolint:gosec // a small constant
	encoded = appendSized(encoded, endpointID)
	encoded = appendSized(encoded, string(rules.Family))
	encoded = append(encoded, orderRule(rules))
	encoded = binary.BigEndian.AppendUint64(encoded, uint64(len(fields)))

	for _, field := range canonicalOrder(rules, fields) {
		encoded = appendSized(encoded, field.Name)
		encoded = appendValue(encoded, rules.Family, field.Value)
	}

	return sha256.Sum256(encoded)
}

func orderRule(rules Rules) byte {
	if rules.Family == FamilyForm && rules.OrderIgnored {
		return 'i'
	}

	return 's'
}

func canonicalOrder(rules Rules, fields Fields) Fields {
	if rules.Family == FamilyForm && !rules.OrderIgnored {
		return fields
	}

	ordered := slices.Clone(fields)
	slices.SortFunc(ordered, func(a, b Field) int {
		return cmp.Or(compareUTF16(a.Name, b.Name), cmp.Compare(a.Value.text, b.Value.text),
			cmp.Compare(kindOf(a.Value), kindOf(b.Value)))
	})

	return ordered
}

// compareUTF16 orders strings by their UTF-16 code units, as RFC 8785 orders members. That is the order of the UTF-8
// bytes, but for the code points above U+FFFF: their surrogates stand before U+E000 to U+FFFF.
func compareUTF16(a, b string) int {
	const (
		leadOfE000  = 0xEE
		leadOf10000 = 0xF0
	)

	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		if x == y {
			continue
		}

		if x >= leadOfE000 && y >= leadOfE000 && (x >= leadOf10000) != (y >= leadOf10000) {
			return cmp.Compare(y, x)
		}

		return cmp.Compare(x, y)
	}

	return cmp.Compare(len(a), len(b))
}

func kindOf(value Value) byte {
	if value.isJSON {
		return kindJSON
	}

	return kindText
}

func appendValue(dst []byte, family Family, value Value) []byte {
	dst = append(dst, kindOf(value))

	if !value.isJSON || family != FamilyJSON || !isContainer(value.text) {
		return appendSized(dst, value.text)
	}

	// It fails for what is no JSON, which no Value holds, and would return the text as it is.
	canonical, _ := jsontext.AppendFormat(nil, value.text, jsontext.ReorderRawObjects(true))

	return appendSized(dst, string(canonical))
}

func isContainer(text string) bool { return text != "" && (text[0] == '{' || text[0] == '[') }

// appendSized puts the length before the part, so that parts cannot run into each other.
func appendSized(dst []byte, part string) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(len(part)))

	return append(dst, part...)
}
