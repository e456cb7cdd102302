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
		Version: RuleVersion, Schema: noSchema, Family: family,
		OrderIgnored: family == FamilyForm && endpoint.Idempotency.Order == OrderIgnored,
		Honeypot:     norm.NFC.String(endpoint.Honeypot),
	}
}

// normalize brings the fields that were sent into the form that the rules store and fingerprint. Text is in NFC already,
// and without a schema nothing else is known about it; what the rules call a honeypot is no content.
func normalize(rules Rules, sent Fields) Fields {
	if !slices.ContainsFunc(sent, rules.traps) {
		return sent
	}

	return slices.DeleteFunc(slices.Clone(sent), rules.traps)
}

// traps says whether the field is the honeypot of the rules.
func (r Rules) traps(field Field) bool { return r.Honeypot != "" && field.Name == r.Honeypot }

// trapped says whether something was filled into the honeypot of the rules.
func (r Rules) trapped(sent Fields) bool {
	return slices.ContainsFunc(sent, func(field Field) bool { return r.traps(field) && filledIn(field.Value) })
}

// validate reports every field that the rules' schema version refuses. Without a schema there is none, but a submission
// says something in any case.
func validate(_ Rules, fields Fields) error {
	if len(fields) == 0 {
		return errEmpty
	}

	return nil
}
