package forms_test

import (
	"strings"
	"testing"

	"formonce/forms"
)

func member(name, raw string) forms.Fields {
	return forms.Fields{{Name: name, Value: forms.JSON(raw)}}
}

func TestJSONBodiesKeepOrderNestingAndNumbers(t *testing.T) {
	runDecodeCases(t, jsonType, []decodeCase{
		{name: "order stays", body: `{"b":"1","a":"2"}`, fields: text("b", "1", "a", "2")},
		{name: "escapes", body: `{"a":"\u00fc\n\"\ud83d\ude00\/"}`, fields: text("a", "ü\n\"😀/")},
		{name: "text becomes NFC", body: `{"nai\u0308ve":"u\u0308"}`, fields: text("na\u00efve", "\u00fc")},
		{name: "a long number keeps its digits", body: `{"a":12345678901234567890}`, fields: member("a", "12345678901234567890")},
		{name: "a number keeps its spelling", body: `{"a":-0.10E+2}`, fields: member("a", "-0.10E+2")},
		{name: "a number of 400 digits", body: `{"a":` + strings.Repeat("9", 400) + `}`, fields: member("a", strings.Repeat("9", 400))},
		{name: "null is a value", body: `{"a":null}`, fields: member("a", "null")},
		{
			name: "an object stays one, in its order", body: "{\"a\": {\"z\" : [ 1 , {\"b\":true} ],\n\"c\":\"x\"} }",
			fields: member("a", `{"z":[1,{"b":true}],"c":"x"}`),
		},
		{name: "an empty array is a value", body: `{"a":[]}`, fields: member("a", "[]")},
		{name: "nested text becomes NFC", body: `{"a":{"u\u0308":["o\u0308"]}}`, fields: member("a", `{"ü":["ö"]}`)},
		{name: "a byte order mark", body: "\uFEFF{\"a\":\"1\"}", fields: text("a", "1")},
		{name: "white space around", body: " \r\n\t{\"a\":\"1\"} \n", fields: text("a", "1")},
		{name: "a prototype is reserved like every name with _", body: `{"__proto__":{"x":1},"a":"1"}`, fields: text("a", "1")},
		{name: "a constructor is a name", body: `{"constructor":"1"}`, fields: text("constructor", "1")},
		{name: "sixteen levels", body: nested(16), fields: member("a", strings.Repeat("[", 15)+strings.Repeat("]", 15))},
		{name: "seventeen levels", body: nested(17), refused: "malformed_body"},
		{name: "ten thousand levels", body: nested(10_000), refused: "malformed_body"},
		{name: "an array", body: `[{"a":1}]`, refused: "malformed_body"},
		{name: "a string", body: `"a"`, refused: "malformed_body"},
		{name: "null", body: `null`, refused: "malformed_body"},
		{name: "no JSON", body: `a=1`, refused: "malformed_body"},
		{name: "nothing", body: ``, refused: "malformed_body"},
		{name: "an empty object", body: `{}`, refused: "empty_submission"},
		{name: "cut off", body: `{"a":"1"`, refused: "malformed_body"},
		{name: "cut off in a text", body: `{"a":"1`, refused: "malformed_body"},
		{name: "cut off in an array", body: `{"a":[1,`, refused: "malformed_body"},
		{name: "wrongly closed", body: `{"a":[1}}`, refused: "malformed_body"},
		{name: "a comma at the end", body: `{"a":1,}`, refused: "malformed_body"},
		{name: "a comment", body: `{"a":1/*x*/}`, refused: "malformed_body"},
		{name: "a second value", body: `{"a":1}{"b":2}`, refused: "malformed_body"},
		{name: "something behind", body: `{"a":1} x`, refused: "malformed_body"},
		{name: "a control character in text", body: "{\"a\":\"\n\"}", refused: "malformed_body"},
		{name: "a wrong escape", body: `{"a":"\x"}`, refused: "malformed_body"},
		{name: "a leading zero", body: `{"a":01}`, refused: "malformed_body"},
		{name: "NaN", body: `{"a":NaN}`, refused: "malformed_body"},
		{name: "a name that is no text", body: `{1:2}`, refused: "malformed_body"},
		{name: "a name twice", body: `{"a":1,"b":2,"a":1}`, refused: "malformed_body a"},
		{name: "a name twice, once escaped", body: `{"a":1,"\u0061":1}`, refused: "malformed_body a"},
		{name: "a name twice in NFC", body: `{"\u00fc":1,"u\u0308":1}`, refused: "malformed_body ü"},
		{name: "a name twice further down", body: `{"a":[{"b":{"c":1,"c":2}}]}`, refused: "malformed_body a"},
		{name: "a control field twice", body: `{"a":1,"_next":"/","_next":"/"}`, refused: "malformed_body _next"},
		{name: "a fault of syntax goes before a text that is none", body: `{"a":"\ud800","b":}`, refused: "malformed_body"},
	})
}

func TestJSONTextThatCannotBeKeptNamesItsField(t *testing.T) {
	runDecodeCases(t, jsonType, []decodeCase{
		{name: "NUL", body: `{"a":"\u0000"}`, refused: "invalid_field_value a"},
		{name: "NUL further down", body: `{"a":[{"b":"x\u0000"}]}`, refused: "invalid_field_value a"},
		{name: "NUL in a name further down", body: `{"a":{"x\u0000":1}}`, refused: "invalid_field_value a"},
		{name: "NUL in a name", body: `{"a\u0000":1}`, refused: "invalid_field_name a\uFFFD"},
		{name: "a high surrogate alone", body: `{"a":"\ud83d"}`, refused: "invalid_field_value a"},
		{name: "a low surrogate alone", body: `{"a":"\ude00x"}`, refused: "invalid_field_value a"},
		{name: "surrogates in the wrong order", body: `{"a":["\ude00\ud83d"]}`, refused: "invalid_field_value a"},
		{name: "a lone surrogate in a name", body: `{"a\ud83d":1}`, refused: "invalid_field_name a\uFFFD"},
		{name: "no UTF-8", body: "{\"a\":\"\xff\"}", refused: "invalid_field_value a"},
		{name: "no UTF-8 further down", body: "{\"a\":{\"b\":\"\xc3\"}}", refused: "invalid_field_value a"},
		{name: "a name that is no UTF-8", body: "{\"\xff\":1}", refused: "invalid_field_name \uFFFD"},
		{name: "an empty name", body: `{"":1}`, refused: "invalid_field_name "},
		{name: "empty names further down are fine", body: `{"a":{"":1}}`, fields: member("a", `{"":1}`)},
		{name: "a huge exponent", body: `{"a":1e1001}`, refused: "invalid_field_value a"},
		{name: "a tiny exponent", body: `{"a":[1E-99999999999999999999]}`, refused: "invalid_field_value a"},
		{name: "a number of 1,001 digits", body: `{"a":` + strings.Repeat("9", 1001) + `}`, refused: "invalid_field_value a"},
		{name: "the largest number", body: `{"a":1e1000}`, fields: member("a", "1e1000")},
	})
}

// nested is an object whose arrays make it this deep in all.
func nested(levels int) string {
	return `{"a":` + strings.Repeat("[", levels-1) + strings.Repeat("]", levels-1) + `}`
}
