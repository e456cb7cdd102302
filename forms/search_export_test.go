package forms

import "github.com/google/uuid"

// SearchOf returns the texts of the tsvector under which a submission that says this is found, and of the tsquery for it.
func SearchOf(said string) (vector, query string) {
	s := &Submission{TenantID: uuid.Max, Fields: Fields{{Name: "said", Value: Text(said)}}}

	return vectorOf(termsOf(s)), search(uuid.Max, Filter{Query: said}).query
}
