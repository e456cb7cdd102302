package forms_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"formonce/forms"
)

const (
	goodKey = "0123456789abcdef"
	uuidKey = "6fa459ea-ee8a-3ca4-894e-db77e160355e"
)

// controlsWith are the controls of a body that holds each of these keys in a field of its own.
func controlsWith(keys ...string) forms.Controls {
	var body strings.Builder

	for _, key := range keys {
		body.WriteString("_idempotency=" + strings.NewReplacer("%", "%25", "&", "%26", "+", "%2B").Replace(key) + "&")
	}

	parsed, _ := decode(urlEncoded, body.String()+"a=1")

	return parsed.Controls
}

func TestTheKeyIsOneInHeaderAndField(t *testing.T) {
	t.Parallel()

	const (
		invalid = "invalid_idempotency_key"
		other   = "fedcba9876543210"
	)

	quoted := `"` + goodKey + `"`

	cases := []struct {
		name    string
		headers []string
		fields  []string
		key     string
		refused string
	}{
		{"none", nil, nil, "", ""},
		{"in the header", []string{goodKey}, nil, goodKey, ""},
		{"in the field", nil, []string{goodKey}, goodKey, ""},
		{"in both", []string{goodKey}, []string{goodKey}, goodKey, ""},
		{"quoted in the header", []string{quoted}, nil, goodKey, ""},
		{"quoted in the field", nil, []string{quoted}, goodKey, ""},
		{"quoted in one and bare in the other", []string{quoted}, []string{goodKey}, goodKey, ""},
		{"twice in the body", nil, []string{goodKey, goodKey}, goodKey, ""},
		{"twice in the body, once quoted", nil, []string{goodKey, quoted}, goodKey, ""},
		{"twice in the body, once empty", nil, []string{"", goodKey, ""}, goodKey, ""},
		{"different in header and field", []string{goodKey}, []string{other}, "", invalid},
		{"twice in the body and different", nil, []string{goodKey, other}, "", invalid},
		{"two headers", []string{goodKey, other}, nil, "", invalid},
		{"two equal headers", []string{goodKey, goodKey}, nil, "", invalid},
		{"an empty header", []string{""}, nil, "", invalid},
		{"an empty field", nil, []string{""}, "", invalid},
		{"an empty field beside a header", []string{goodKey}, []string{""}, "", invalid},
		{"an empty header beside a field", []string{""}, []string{goodKey}, "", invalid},
	}

	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()

			key, ok, err := forms.IdempotencyKey(c.headers, controlsWith(c.fields...), forms.KeyFormatAny)
			if key != c.key || ok != (c.key != "") || outcome(err) != c.refused {
				t.Errorf("got %q, %t and %q", key, ok, outcome(err))
			}
		})
	}
}

func TestAKeyHasSixteenTo255PrintableCharacters(t *testing.T) {
	t.Parallel()

	cases := map[string]string{ // the key as sent, and its bare form, or "" when it is refused
		goodKey:                        goodKey,
		uuidKey:                        uuidKey,
		"c2l4dGVlbiBvciBtb3Jl+/==":     "c2l4dGVlbiBvciBtb3Jl+/==",
		"c2l4dGVlbiBvciBtb3Jl-_":       "c2l4dGVlbiBvciBtb3Jl-_",
		"1714982400123-k3j9x0p2":       "1714982400123-k3j9x0p2",
		strings.Repeat("~", 255):       strings.Repeat("~", 255),
		`ab"cdefghijklmnop`:            `ab"cdefghijklmnop`,
		`ab\cdefghijklmnop`:            `ab\cdefghijklmnop`,
		`"0123456789\"\\abcd"`:         `0123456789"\abcd`,
		"0123456789abcde":              "",
		strings.Repeat("~", 256):       "",
		`"0123456789abcde"`:            "",
		"0123456789 abcdef":            "",
		` ` + goodKey:                  "",
		goodKey + "\n":                 "",
		goodKey + "\x7f":               "",
		goodKey + "\x00":               "",
		goodKey + "é":                  "",
		`"` + goodKey:                  "",
		goodKey + `"`:                  "",
		`"` + goodKey + `\"`:           "",
		`"` + goodKey + `"; a=1`:       "",
		`"` + goodKey + `\x"`:          "",
		`"` + goodKey + `" "x"`:        "",
		`"0123456789 abcdef"`:          "",
		`"`:                            "",
		`""`:                           "",
		`"\`:                           "",
		strings.Repeat("k", 1_000_000): "",
	}

	for sent, bare := range cases {
		for where, controls := range map[string]forms.Controls{"header": {}, "field": {Key: sent, HasKey: true}} {
			headers := []string{sent}
			if controls.HasKey {
				headers = nil
			}

			key, ok, err := forms.IdempotencyKey(headers, controls, forms.KeyFormatAny)
			if key != bare || ok != (bare != "") || (err != nil) != (bare == "") {
				t.Errorf("%.40q in the %s: got %.40q, %t, %v", sent, where, key, ok, err)
			}
		}
	}
}

func TestAnEndpointMayAskForUUIDs(t *testing.T) {
	t.Parallel()

	for sent, taken := range map[string]bool{
		uuidKey: true, strings.ToUpper(uuidKey): true, `"` + uuidKey + `"`: true,
		goodKey: false, strings.ReplaceAll(uuidKey, "-", ""): false, "{" + uuidKey + "}": false, uuidKey + "0": false,
		"urn:uuid:" + uuidKey: false, strings.Replace(uuidKey, "6", "g", 1): false,
	} {
		_, ok, err := forms.IdempotencyKey([]string{sent}, forms.Controls{}, forms.KeyFormatUUID)
		if ok != taken || (err == nil) != taken {
			t.Errorf("%s: got %t and %v", sent, ok, err)
		}
	}
}

func TestAJSONKeyHasToBeText(t *testing.T) {
	t.Parallel()

	for _, value := range []string{"1234567890123456", "null", "true", `["` + goodKey + `"]`, `"\ud800` + goodKey + `"`} {
		parsed, err := decode(jsonType, `{"a":"1","_idempotency":`+value+`}`)
		if err != nil {
			t.Fatal(value, err)
		}

		_, _, err = forms.IdempotencyKey(nil, parsed.Controls, forms.KeyFormatAny)
		if outcome(err) != "invalid_idempotency_key" {
			t.Errorf("%s: got %q", value, outcome(err))
		}
	}
}

func TestABadKeyDoesNotHideAnUnreadableBody(t *testing.T) {
	t.Parallel()

	for body, want := range map[string]string{
		"_idempotency=&_idempotency=x&_idempotency=y&a=%zz": "malformed_body",
		"_idempotency=":         "empty_submission",
		"_idempotency=short&a=": "",
	} {
		if _, err := decode(urlEncoded, body); outcome(err) != want {
			t.Errorf("%s: got %q, want %q", body, outcome(err), want)
		}
	}
}

func TestEveryKeyOfEveryEndpointHasItsOwnHash(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.StringOfN(rapid.RuneFrom([]rune("ab\x00")), 0, 4, -1)
		endpointA, keyA := draw.Draw(t, "endpoint"), draw.Draw(t, "key")
		endpointB, keyB := draw.Draw(t, "other endpoint"), draw.Draw(t, "other key")

		hashA, hashB := forms.KeyHash(endpointA, keyA), forms.KeyHash(endpointB, keyB)
		if len(hashA) != 32 || bytes.Equal(hashA, hashB) != (endpointA == endpointB && keyA == keyB) {
			t.Fatalf("%x and %x", hashA, hashB)
		}
	})
}
