package forms_test

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"formonce/forms"
)

var (
	formRules    = forms.Rules{Version: forms.RuleVersion, Family: forms.FamilyForm}
	ignoredRules = forms.Rules{Version: forms.RuleVersion, Family: forms.FamilyForm, OrderIgnored: true}
	jsonRules    = forms.Rules{Version: forms.RuleVersion, Family: forms.FamilyJSON}
)

// fingerprintOf reads a body as the service does and hashes its fields.
func fingerprintOf(t *testing.T, rules forms.Rules, body string) [32]byte {
	t.Helper()

	contentType := urlEncoded
	if rules.Family == forms.FamilyJSON {
		contentType = jsonType
	}

	parsed, err := decode(contentType, body)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}

	return forms.Fingerprint("contact", rules, parsed.Fields)
}

func TestWhatIsTheSameContent(t *testing.T) {
	t.Parallel()

	cases := []struct {
		name  string
		rules forms.Rules
		a, b  string
		same  bool
	}{
		{"the same form", formRules, "a=1&b=2", "a=1&b=2", true},
		{"another spelling of a form", formRules, "a=%31&b=+", "&a=1&b=%20", true},
		{"composed and decomposed", formRules, "a=%C3%BC", "a=u%CC%88", true},
		{"order of a form", formRules, "a=1&b=2", "b=2&a=1", false},
		{"order of repeats", formRules, "a=1&a=2", "a=2&a=1", false},
		{"one repeat more", formRules, "a=1", "a=1&a=1", false},
		{"a value that moved to the name", formRules, "ab=c", "a=bc", false},
		{"a field that became part of a value", formRules, "a=1&b=2", "a=1%26b%3D2", false},
		{"an empty field", formRules, "a=1", "a=1&b=", false},
		{"capitals", formRules, "a=x", "a=X", false},
		{"blanks at the end", formRules, "a=x", "a=x+", false},
		{"control fields", formRules, "a=1", "a=1&_next=/x&_idempotency=0123456789abcdef&altcha=t&_foo=1&_gotcha=", true},
		{"order that is ignored", ignoredRules, "a=1&b=2&a=3", "b=2&a=3&a=1", true},
		{"repeats where order is ignored", ignoredRules, "a=1&b=2", "a=1&b=2&a=1", false},
		{"values that changed places where order is ignored", ignoredRules, "a=1&b=2", "a=2&b=1", false},
		{"order of members", jsonRules, `{"a":1,"b":2}`, `{"b":2,"a":1}`, true},
		{"order of members further down", jsonRules, `{"a":[{"x":{"p":1,"q":2},"y":0}]}`, `{"a":[{"y":0,"x":{"q":2,"p":1}}]}`, true},
		{"order of members beyond the first plane", jsonRules, `{"a":{"\uE000":1,"😀":2}}`, `{"a":{"😀":2,"\uE000":1}}`, true},
		{"white space and escapes", jsonRules, `{"a":["\u0041\/"]}`, " { \"a\" : [ \"A/\" ] } ", true},
		{"composed and decomposed JSON", jsonRules, `{"a":["\u00fc"]}`, `{"a":["u\u0308"]}`, true},
		{"order of an array", jsonRules, `{"a":[1,2]}`, `{"a":[2,1]}`, false},
		{"order of an array of objects", jsonRules, `{"a":[{"b":1},{"c":2}]}`, `{"a":[{"c":2},{"b":1}]}`, false},
		{"text and number", jsonRules, `{"a":"1"}`, `{"a":1}`, false},
		{"text and null", jsonRules, `{"a":"null"}`, `{"a":null}`, false},
		{"text and the same JSON", jsonRules, `{"a":"[1]"}`, `{"a":[1]}`, false},
		{"text and number further down", jsonRules, `{"a":["1"]}`, `{"a":[1]}`, false},
		{"spellings of a number", jsonRules, `{"a":1}`, `{"a":1.0}`, false},
		{"long numbers", jsonRules, `{"a":[12345678901234567890]}`, `{"a":[12345678901234567891]}`, false},
		{"JSON control fields", jsonRules, `{"a":1}`, `{"_next":"/x","a":1,"_foo":{}}`, true},
	}

	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()

			if same := fingerprintOf(t, c.rules, c.a) == fingerprintOf(t, c.rules, c.b); same != c.same {
				t.Errorf("%s and %s: got %t", c.a, c.b, same)
			}
		})
	}
}

func TestEndpointFamilyAndRulesArePartOfTheFingerprint(t *testing.T) {
	t.Parallel()

	fields := text("a", "1")
	later := formRules
	later.Version++

	seen := map[[32]byte]bool{
		forms.Fingerprint("contact", formRules, fields):    true,
		forms.Fingerprint("feedback", formRules, fields):   true,
		forms.Fingerprint("contact", ignoredRules, fields): true,
		forms.Fingerprint("contact", jsonRules, fields):    true,
		forms.Fingerprint("contact", later, fields):        true,
	}
	if len(seen) != 5 {
		t.Errorf("got %d fingerprints, want 5", len(seen))
	}

	ordered := jsonRules
	ordered.OrderIgnored = true

	if forms.Fingerprint("contact", jsonRules, fields) != forms.Fingerprint("contact", ordered, fields) {
		t.Error("the order of form bodies changes the fingerprint of a JSON body")
	}
}

// The stored fingerprints of a release have to mean the same in the next one. When this fails, RuleVersion has to grow
// and the earlier rules have to stay.
func TestTheFingerprintOfVersionOneNeverChanges(t *testing.T) {
	t.Parallel()

	for body, want := range map[string]string{
		"email=a%40b.c&topics=x&topics=y":                "91c46d4a6fb633ee2051f0d2c81ecc691c5881b0cb2c296c6efefefb58a16be2",
		`{"z":{"b":[1.0,"ü"],"a":null},"email":"a@b.c"}`: "8cb82945733491f874bd99e9938dcb48cacb463d8134f8b743507ee248e350f1",
	} {
		rules := formRules
		if strings.HasPrefix(body, "{") {
			rules = jsonRules
		}

		got := fingerprintOf(t, rules, body)
		if hex.EncodeToString(got[:]) != want {
			t.Errorf("%s: got %x", body, got)
		}
	}
}

func TestFingerprintsAreEqualExactlyForEqualFields(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		a := anyFields().Draw(t, "fields")
		b := slices.Clone(a)

		if rapid.Bool().Draw(t, "changed") {
			b = changed(t, a)
		}

		same := forms.Fingerprint("contact", formRules, a) == forms.Fingerprint("contact", formRules, b)
		if same != slices.Equal(a, b) {
			t.Fatalf("%q and %q: got %t", a, b, same)
		}
	})
}

// changed changes one thing, or nothing where there is nothing to change.
func changed(t *rapid.T, fields forms.Fields) forms.Fields {
	changed := slices.Clone(fields)
	if len(changed) == 0 {
		return append(changed, forms.Field{Name: "a"})
	}

	i := rapid.IntRange(0, len(changed)-1).Draw(t, "which")

	switch rapid.IntRange(0, 4).Draw(t, "how") {
	case 0:
		changed[i].Name = forms.Text(anyText().Draw(t, "new name")).String()
	case 1:
		changed[i].Value = anyValue().Draw(t, "new value")
	case 2:
		changed = slices.Delete(changed, i, i+1)
	case 3:
		changed = slices.Insert(changed, i, changed[i])
	case 4:
		changed[0], changed[i] = changed[i], changed[0]
	}

	return changed
}

func TestIgnoredOrderMakesEveryOrderEqualAndNothingElse(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		a := anyFields().Draw(t, "fields")

		if forms.Fingerprint("contact", ignoredRules, a) != forms.Fingerprint("contact", ignoredRules, shuffled(t, a)) {
			t.Fatalf("%q: the order counts", a)
		}

		b := changed(t, a)
		same := forms.Fingerprint("contact", ignoredRules, a) == forms.Fingerprint("contact", ignoredRules, b)

		if same != slices.Equal(shuffledBack(a), shuffledBack(b)) {
			t.Fatalf("%q and %q: got %t", a, b, same)
		}
	})
}

func shuffled(t *rapid.T, fields forms.Fields) forms.Fields {
	if len(fields) == 0 {
		return fields
	}

	return rapid.Permutation(fields).Draw(t, "order")
}

// shuffledBack writes each field as a line and sorts the lines, which is another way to ignore the order.
func shuffledBack(fields forms.Fields) []string {
	lines := make([]string, len(fields))
	for i, field := range fields {
		lines[i] = string(forms.EncodeFields(forms.Fields{field}))
	}

	slices.Sort(lines)

	return lines
}

func TestTheOrderOfMembersNeverCountsAtAnyDepth(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "é", "\uE000", "😀", "z"}), 2, 5, rapid.ID[string]).
			Draw(t, "names")
		other := rapid.Permutation(names).Draw(t, "order")

		// Each level holds the same members, in one order here and in another there.
		write := func(order []string) string {
			var object func(levels int) string

			object = func(levels int) string {
				members := make([]string, len(order))
				for i, name := range order {
					members[i] = `"` + name + `":["` + name + `",1]`
					if levels > 0 && name == names[0] {
						members[i] = `"` + name + `":` + object(levels-1)
					}
				}

				return "{" + strings.Join(members, ",") + "}"
			}

			return object(3)
		}

		hash := func(body string) [32]byte {
			parsed, err := decode(jsonType, body)
			if err != nil {
				t.Fatal(body, err)
			}

			return forms.Fingerprint("contact", jsonRules, parsed.Fields)
		}

		if hash(write(names)) != hash(write(other)) {
			t.Fatalf("%s and %s differ", write(names), write(other))
		}
	})
}
