package forms

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"github.com/google/uuid"
)

const (
	// maxTerms bounds the terms of one submission, well below what a tsvector can hold. What comes after them is not found.
	maxTerms = 4_000
	// markedBy is how many bytes of a tenant's id begin its terms. Two tenants with the same ones only read past each other.
	markedBy = 3
	// hashedTo is how many bytes of a hash stand for a field with its value.
	hashedTo = 9
)

// vocabulary writes the terms of one tenant.
type vocabulary struct{ mark string }

func vocabularyOf(tenantID uuid.UUID) vocabulary {
	return vocabulary{base64.RawURLEncoding.EncodeToString(tenantID[len(tenantID)-markedBy:])}
}

func (v vocabulary) word(text string) string { return v.mark + text }

// inEndpoint is a term of every submission of the endpoint. No word begins with its sign.
func (v vocabulary) inEndpoint(endpointID string) string { return v.mark + "@" + endpointID }

// fieldIs is the term of a field with exactly this value, of one length however long the value is.
func (v vocabulary) fieldIs(name, value string) string {
	hash := sha256.Sum256([]byte(name + "\x00" + value))

	return v.mark + "=" + base64.RawURLEncoding.EncodeToString(hash[:hashedTo])
}

// termsOf are all terms under which a submission is found, each once.
func termsOf(s *Submission) []string {
	said := vocabularyOf(s.TenantID)
	terms := []string{said.inEndpoint(s.EndpointID)}
	seen := map[string]bool{}

	add := func(term string) {
		if !seen[term] && len(terms) < maxTerms {
			seen[term] = true
			terms = append(terms, term)
		}
	}

	for _, field := range s.Fields {
		add(said.fieldIs(field.Name, field.Value.String()))
	}

	addWords := func(text string) {
		for part := range runsOf(text) {
			for _, word := range part.indexed() {
				add(said.word(word))
			}

			if len(terms) >= maxTerms {
				return
			}
		}
	}

	for _, text := range []string{s.ReplyTo, s.Subject} {
		addWords(text)
	}

	for _, field := range s.Fields {
		addWords(field.Value.String())
	}

	return terms
}

var quotes = strings.NewReplacer(`\`, `\\`, `'`, `''`)

// lexeme writes a term as it stands in the text of a tsvector or a tsquery.
func lexeme(term string) string { return "'" + quotes.Replace(term) + "'" }

// vectorOf is the text of the tsvector that holds the terms.
func vectorOf(terms []string) string {
	quoted := make([]string, len(terms))
	for i, term := range terms {
		quoted[i] = lexeme(term)
	}

	return strings.Join(quoted, " ")
}
