package forms

// noSchema is the version of an endpoint without a schema: every field is welcome as it was sent.
const noSchema = 0

// rulesFor returns the rules that a new submission of this family is accepted by.
func rulesFor(endpoint *Endpoint, family Family) Rules {
	return Rules{
		Version: RuleVersion, Schema: noSchema, Family: family,
		OrderIgnored: family == FamilyForm && endpoint.Idempotency.Order == OrderIgnored,
	}
}

// normalize brings the fields into the form that the rules' schema version stores and fingerprints. Text is in NFC
// already, and without a schema nothing else is known about it.
func normalize(_ Rules, fields Fields) Fields { return fields }

// validate reports every field that the rules' schema version refuses. Without a schema there is none.
func validate(_ Rules, _ Fields) error { return nil }
