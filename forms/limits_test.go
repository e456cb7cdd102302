package forms_test

import (
	"strings"
	"testing"

	"formonce/forms"
)

func TestAnEndpointIDHasThreeToSixtyFourSlugLetters(t *testing.T) {
	t.Parallel()

	for id, valid := range map[string]bool{
		"abc": true, "a-c": true, "a_c": true, "0-9": true, "contact-form": true, strings.Repeat("a", 64): true,
		"": false, "ab": false, strings.Repeat("a", 65): false, "-bc": false, "ab-": false, "_bc": false, "ab_": false,
		"Abc": false, "a.c": false, "a c": false, "a/c": false, "äbc": false, "a\x00c": false, "abc\n": false,
	} {
		if forms.ValidEndpointID(id) != valid {
			t.Errorf("%q: want %t", id, valid)
		}
	}
}
