package forms

import (
	"strings"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"
)

const (
	// maxQuery and maxQueryTerms bound what one search asks for; the rest of a longer one is left out.
	maxQuery      = 1_000
	maxQueryTerms = 40
)

// searched is what the words and the fields of a Filter ask for.
type searched struct {
	// query is the text of a tsquery, empty when nothing is searched for.
	query string
	// only is a submission that was named by its id, or zero.
	only uuid.UUID
	// nothing: what was asked for has no letter and no digit, so no submission can have it.
	nothing bool
}

// search reads what a person typed: words in any order, all of which must be there. The last word may be the beginning
// of one, unless something stands behind it. name=value is a field with exactly that value too, and an id is its
// submission. It takes any text, and none is an error.
func search(tenantID uuid.UUID, filter Filter) searched {
	typed := strings.ToValidUTF8(filter.Query, " ")

	only, err := ParseID(strings.TrimSpace(typed))
	if err == nil {
		typed = ""
	}

	said := vocabularyOf(tenantID)
	asked := said.piecesOf(shortened(typed))

	if len(asked) == 0 && strings.TrimSpace(typed) != "" {
		return searched{nothing: true}
	}

	for _, field := range filter.Fields {
		asked = append(asked, lexeme(said.fieldIs(norm.NFC.String(field.Name), norm.NFC.String(field.Value))))
	}

	if len(asked) > 0 && filter.EndpointID != "" {
		asked = append(asked, lexeme(said.inEndpoint(filter.EndpointID)))
	}

	return searched{query: strings.Join(asked, " & "), only: only}
}

func shortened(text string) string {
	runes := []rune(text)

	return string(runes[:min(len(runes), maxQuery)])
}

// piecesOf turns each piece between blanks into what it asks for.
func (v vocabulary) piecesOf(typed string) []string {
	var asked []string

	ended := strings.TrimRight(typed, " \t\r\n") != typed
	pieces := strings.Fields(typed)

	for i, piece := range pieces {
		words := v.wordsOf(piece, i == len(pieces)-1 && !ended)
		name, value, isField := strings.Cut(piece, "=")

		if isField && name != "" && value != "" {
			exact := lexeme(v.fieldIs(norm.NFC.String(name), norm.NFC.String(value)))
			words = []string{either(exact, words)}
		}

		asked = append(asked, words...)
		if len(asked) >= maxQueryTerms {
			return asked[:maxQueryTerms]
		}
	}

	return asked
}

// wordsOf are the words of a piece; open when somebody may still be typing it.
func (v vocabulary) wordsOf(piece string, open bool) []string {
	var asked []string

	for part := range runsOf(piece) {
		switch {
		case part.dense && len(part.runes) > 1:
			for _, pair := range part.pairs() {
				asked = append(asked, lexeme(v.word(pair)))
			}
		case part.dense, open && part.last:
			asked = append(asked, lexeme(v.word(part.word()))+":*")
		default:
			asked = append(asked, lexeme(v.word(part.word())))
		}
	}

	return asked[:min(len(asked), maxQueryTerms)]
}

func either(exact string, words []string) string {
	if len(words) == 0 {
		return exact
	}

	return "(" + exact + " | (" + strings.Join(words, " & ") + "))"
}
