package forms

// Limits bound what one submission may hold. Characters are Unicode code points of the stored text, not bytes.
type Limits struct {
	// Fields is the number of fields, repeats counted, control fields not.
	Fields int
	// NameChars is the length of a field's name.
	NameChars int
	// ValueChars is the length of a text, or of a JSON value in its compact spelling.
	ValueChars int
	// JSONDepth is how deep objects and arrays may stand in each other; the body's own object is the first level.
	JSONDepth int
}

// DefaultLimits are those of an installation that sets none.
func DefaultLimits() Limits {
	return Limits{Fields: 100, NameChars: 128, ValueChars: 16_384, JSONDepth: 16}
}

const (
	shortestEndpointID = 3
	longestEndpointID  = 64
)

// ValidEndpointID says whether s has the form of an endpoint id: 3 to 64 characters of a-z, 0-9, - and _, with a letter
// or digit at both ends. It does not say that there is such an endpoint.
func ValidEndpointID(s string) bool {
	if len(s) < shortestEndpointID || len(s) > longestEndpointID {
		return false
	}

	for i := range len(s) {
		if !isSlugLetter(s[i]) && s[i] != '-' && s[i] != '_' {
			return false
		}
	}

	return isSlugLetter(s[0]) && isSlugLetter(s[len(s)-1])
}

func isSlugLetter(b byte) bool { return 'a' <= b && b <= 'z' || '0' <= b && b <= '9' }
