package tenants

import (
	"crypto/rand"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// slugChars leaves room for a suffix below the 64 characters that a slug may have.
const slugChars = 48

var slugPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{1,62}[a-z0-9]$`)

func validSlug(text string) bool { return slugPattern.MatchString(text) }

// spelled are letters that no accent can be taken off.
var spelled = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ı", "i")

// slugFrom makes a slug from a name: "Müller & Söhne" becomes muller-sohne. A name without enough letters of ours gets a
// random one.
func slugFrom(name string) string {
	var made strings.Builder

	for _, r := range norm.NFKD.String(spelled.Replace(strings.ToLower(name))) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			made.WriteRune(r)
		case unicode.Is(unicode.Mn, r) || r == '\'' || r == '’':
			// An accent or an apostrophe stands inside a word.
		case made.Len() > 0 && !strings.HasSuffix(made.String(), "-"):
			made.WriteByte('-')
		}
	}

	slug := made.String()
	if len(slug) > slugChars {
		slug = slug[:slugChars]
	}

	slug = strings.Trim(slug, "-")
	if !validSlug(slug) {
		return withSuffix("tenant")
	}

	return slug
}

// withSuffix adds 6 characters that nobody chose, for a slug that is taken.
func withSuffix(slug string) string { return slug + "-" + strings.ToLower(rand.Text()[:6]) }
