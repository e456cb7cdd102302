package forms

import (
	"slices"

	"golang.org/x/text/unicode/norm"
)

// noSchema is the version of an endpoint without a schema: every field is welcome as it was sent.
const noSchema = 0

// rulesFor returns the rules that a new submission of this family is accepted by.
func rulesFor(endpoint *Endpoint, family Family) Rules {
	return Rules{
		Version: RuleVersion, Schema: endpoint.schema.number(), Family: family,
		OrderIgnored: family == FamilyForm && endpoint.Idempotency.Order == OrderIgnored,
		Honeypot:     norm.NFC.String(endpoint.Honeypot),
	}
}

// number is the version, also of no schema.
func (s *Schema) number() int {
	if s == nil {
		return noSchema
	}

	return s.Version
}

// normalize brings the fields that were sent into the form that the rules store and fingerprint; schema is that of the
// rules, or nil. Text is in NFC already; what the rules call a honeypot is no content.
func normalize(rules Rules, schema *Schema, sent Fields) Fields {
	if slices.ContainsFunc(sent, rules.traps) {
		sent = slices.DeleteFunc(slices.Clone(sent), rules.traps)
	}

	if schema == nil {
		return sent
	}

	return schema.Normalize(sent)
}

// traps says whether the field is the honeypot of the rules.
func (r Rules) traps(field Field) bool { return r.Honeypot != "" && field.Name == r.Honeypot }

// trapped says whether something was filled into the honeypot of the rules.
func (r Rules) trapped(sent Fields) bool {
	return slices.ContainsFunc(sent, func(field Field) bool { return r.traps(field) && filledIn(field.Value) })
}

// validate reports everything that the schema refuses in a submission, in the first language of the wishes that we have.
// Whatever the schema says, a submission says something.
func (s *Submission) validate(wishes ...string) error {
	if s.schema != nil && len(s.sent) > 0 {
		if err := s.schema.Validate(s.Fields, LanguageFor(wishes...)); err != nil {
			return err
		}
	}

	if len(s.Fields) == 0 {
		return errEmpty
	}

	return nil
}
