package forms

import (
	"iter"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxWord is the length in runes from which on two words with the same beginning are one for the search.
const maxWord = 48

// dense are the scripts that are written without blanks. Their text is cut into pairs of characters, each with the one
// after it, so that a name is found without knowing where a word begins.
var dense = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

const (
	prolongedSound = 'ー' // belongs to no script, and stands within words of Katakana
	voiced         = '\u3099'
	semiVoiced     = '\u309A'
)

// letters are those that have no accent to take away and are typed without it all the same.
var letters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th",
	"ħ", "h", "ı", "i", "ς", "σ")

// fold writes text so that what people take for the same word is the same word: no case, no accents, no second width.
func fold(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}

	plain := strings.Map(func(r rune) rune {
		if isAccent(r) {
			return -1
		}

		return unicode.ToLower(r)
	}, norm.NFKD.String(text))

	return norm.NFC.String(letters.Replace(plain))
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] > unicode.MaxASCII {
			return false
		}
	}

	return true
}

// isAccent leaves the marks alone that make another letter: those of Kana and of the Indian scripts.
func isAccent(r rune) bool {
	return unicode.Is(unicode.Mn, r) && r != voiced && r != semiVoiced &&
		unicode.In(r, unicode.Inherited, unicode.Arabic, unicode.Hebrew)
}

// run is a part of a text without a gap, and of one manner of writing.
type run struct {
	runes []rune
	dense bool
	// last: the text ends with it, so whoever types may be in the middle of it.
	last bool
}

// runsOf cuts a text into its runs. What is no letter, digit or mark stands between two of them.
func runsOf(text string) iter.Seq[run] {
	return func(yield func(run) bool) {
		var open run

		for _, r := range fold(text) {
			isDense := r > unicode.MaxASCII && (r == prolongedSound || unicode.In(r, dense...))
			within := isDense || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)

			if len(open.runes) > 0 && (!within || isDense != open.dense) {
				if !yield(open) {
					return
				}

				open.runes = open.runes[:0] // Whoever got the run has made words of it.
			}

			if within {
				open.runes, open.dense = append(open.runes, r), isDense
			}
		}

		if len(open.runes) > 0 {
			open.last = true
			yield(open)
		}
	}
}

// indexed are the words under which a run is found: itself, or its pairs and its last character, so that each character
// begins one of them.
func (r run) indexed() []string {
	if !r.dense {
		return []string{r.word()}
	}

	return append(r.pairs(), string(r.runes[len(r.runes)-1:]))
}

func (r run) word() string { return string(r.runes[:min(len(r.runes), maxWord)]) }

func (r run) pairs() []string {
	made := make([]string, 0, len(r.runes))
	for i := range len(r.runes) - 1 {
		made = append(made, string(r.runes[i:i+2]))
	}

	return made
}
