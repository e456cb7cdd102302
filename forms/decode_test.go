package forms_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"formonce/forms"
	"formonce/internal/fault"
)

const (
	urlEncoded = "application/x-www-form-urlencoded"
	plainText  = "text/plain"
	jsonType   = "application/json"
)

func decode(contentType, body string) (forms.Parsed, error) {
	return forms.Decode(forms.Body{ContentType: contentType, Bytes: []byte(body)}, "", forms.DefaultLimits())
}

// text makes fields of texts: name, value, name, value.
func text(pairs ...string) forms.Fields {
	fields := forms.Fields{}
	for pair := range slices.Chunk(pairs, 2) {
		fields = append(fields, forms.Field{Name: pair[0], Value: forms.Text(pair[1])})
	}

	return fields
}

// outcome is the code of the fault and the field that it names, or "" when there is none.
func outcome(err error) string {
	if err == nil {
		return ""
	}

	f := fault.As(err)
	if len(f.Issues) > 0 {
		return f.Code + " " + f.Issues[0].Field
	}

	return f.Code
}

// decodeCase is a body and either the fields that it holds or the code of its refusal with the field at fault.
type decodeCase struct {
	name    string
	body    string
	fields  forms.Fields
	refused string
}

func runDecodeCases(t *testing.T, contentType string, cases []decodeCase) {
	t.Helper()

	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			parsed, err := decode(contentType, c.body)
			if outcome(err) != c.refused {
				t.Fatalf("got the refusal %q, want %q", outcome(err), c.refused)
			}

			if err == nil && !slices.Equal(parsed.Fields, c.fields) {
				t.Fatalf("got %q, want %q", parsed.Fields, c.fields)
			}
		})
	}
}

func TestURLEncodedBodiesKeepNamesOrderAndRepeats(t *testing.T) {
	runDecodeCases(t, urlEncoded, []decodeCase{
		{name: "order and repeats stay", body: "topics=x&a=1&topics=y", fields: text("topics", "x", "a", "1", "topics", "y")},
		{
			name: "names stay as sent", body: "topics%5B%5D=1&a[b][]=2&car.color=3&first+name=4&größe=5",
			fields: text("topics[]", "1", "a[b][]", "2", "car.color", "3", "first name", "4", "größe", "5"),
		},
		{name: "plus is a blank and %2B a plus", body: "a=1+2%2B3", fields: text("a", "1 2+3")},
		{name: "an empty value is a value", body: "a=", fields: text("a", "")},
		{name: "a name without = has an empty value", body: "a&b=1", fields: text("a", "", "b", "1")},
		{name: "later = belong to the value", body: "a=b=c", fields: text("a", "b=c")},
		{name: "empty pairs are skipped", body: "&&a=1&&", fields: text("a", "1")},
		{name: "a semicolon parts nothing", body: "a=1;b=2", fields: text("a", "1;b=2")},
		{name: "line breaks stay", body: "a=1%0D%0A2", fields: text("a", "1\r\n2")},
		{name: "lower-case escapes", body: "a=%c3%bc", fields: text("a", "ü")},
		{name: "text becomes NFC", body: "nai%CC%88ve=nai%CC%88ve", fields: text("na\u00efve", "na\u00efve")},
		{name: "an empty name", body: "=x", refused: "invalid_field_name "},
		{name: "a cut escape", body: "a=%4", refused: "malformed_body"},
		{name: "a wrong escape", body: "a=%zz", refused: "malformed_body"},
		{name: "a wrong escape in a name", body: "%=1", refused: "malformed_body"},
		{name: "a wrong escape after too long a name", body: strings.Repeat("n", 129) + "=1&b=%", refused: "malformed_body"},
		{name: "no UTF-8", body: "a=%FF", refused: "invalid_field_value a"},
		{name: "a name that is no UTF-8", body: "a%FFb=1", refused: "invalid_field_name a\uFFFDb"},
		{name: "an encoded surrogate", body: "a=%ED%A0%80", refused: "invalid_field_value a"},
		{name: "NUL", body: "a=x%00y", refused: "invalid_field_value a"},
		{name: "NUL in a name", body: "a%00=x", refused: "invalid_field_name a\uFFFD"},
		{name: "a line break in a name", body: "a%0A=x", refused: "invalid_field_name a\uFFFD"},
		{name: "the first of two faults is reported", body: "a=%FF&=x", refused: "invalid_field_value a"},
		{name: "nothing", body: "", refused: "empty_submission"},
		{name: "control fields alone", body: "_next=/thanks&_gotcha=&_unknown=1", refused: "empty_submission"},
	})
}

func TestTextBodiesAreLinesOrAnObject(t *testing.T) {
	runDecodeCases(t, plainText, []decodeCase{
		{name: "lines of a browser", body: "a=1\r\nb=2\r\na=3\r\n", fields: text("a", "1", "b", "2", "a", "3")},
		{name: "lines of a script", body: "a=1\nb=x = y", fields: text("a", "1", "b", "x = y")},
		{name: "nothing is decoded", body: "a=1+1%20\r\n", fields: text("a", "1+1%20")},
		{
			name: "a value of several lines", body: "m=one\r\ntwo\r\n\r\nfour\r\nb=2\r\n",
			fields: text("m", "one\r\ntwo\r\n\r\nfour", "b", "2"),
		},
		{name: "a value that ends in a line break", body: "m=one\r\n\r\nb=2\r\n", fields: text("m", "one\r\n", "b", "2")},
		{name: "blank lines before the first", body: "\r\n\na=1", fields: text("a", "1")},
		{name: "an object", body: " \r\n{\"a\":\"1\"}", fields: text("a", "1")},
		{name: "an object after a byte order mark", body: "\uFEFF{\"a\":\"1\"}", fields: text("a", "1")},
		{name: "lines after a byte order mark", body: "\uFEFFa=1", fields: text("a", "1")},
		{name: "a damaged object", body: "{a=1", refused: "malformed_body"},
		{name: "a first line without =", body: "hello\r\na=1", refused: "malformed_body"},
		{name: "an empty name", body: "=1", refused: "invalid_field_name "},
		{name: "no UTF-8", body: "a=\xff", refused: "invalid_field_value a"},
		{name: "nothing", body: "", refused: "empty_submission"},
		{name: "line breaks alone", body: "\r\n\r\n", refused: "empty_submission"},
	})
}

func TestTheContentTypeDecidesHowABodyIsRead(t *testing.T) {
	t.Parallel()

	const refused = "unsupported_media_type"

	cases := []struct {
		contentType, body, refused string
		family                     forms.Family
	}{
		{urlEncoded, "a=1", "", forms.FamilyForm},
		{"Application/X-WWW-Form-URLEncoded; Charset=UTF-8", "a=1", "", forms.FamilyForm},
		{urlEncoded + ";", "a=1", "", forms.FamilyForm},
		{jsonType, `{"a":1}`, "", forms.FamilyJSON},
		{`application/json; charset="utf-8"`, `{"a":1}`, "", forms.FamilyJSON},
		{"text/plain;charset=UTF-8", "a=1", "", forms.FamilyForm},
		{"text/plain;charset=UTF-8", `{"a":1}`, "", forms.FamilyJSON},
		{"text/plain; charset=us-ascii", "a=1", "", forms.FamilyForm},
		{
			"multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--b--\r\n", "",
			forms.FamilyForm,
		},
		{"", "", refused, ""},
		{"", "a=1", refused, ""},
		{"text/html", "a=1", refused, ""},
		{"application/xml", "<a/>", refused, ""},
		{"application/ld+json", `{"a":1}`, refused, ""},
		{"multipart/mixed; boundary=b", "", refused, ""},
		{"text/plain; charset=iso-8859-1", "a=1", refused, ""},
		{"application/json; charset=utf-16", `{"a":1}`, refused, ""},
		{"application/json; charset", `{"a":1}`, refused, ""},
		{"application/json; charset=utf-8; charset=latin1", `{"a":1}`, refused, ""},
		{"json", `{"a":1}`, refused, ""},
		{"application/json, text/plain", `{"a":1}`, refused, ""},
	}

	for _, c := range cases {
		t.Run(c.contentType, func(t *testing.T) {
			t.Parallel()

			parsed, err := decode(c.contentType, c.body)
			if outcome(err) != c.refused || err == nil && parsed.Family != c.family {
				t.Fatalf("got the family %q and the refusal %q, want %q and %q",
					parsed.Family, outcome(err), c.family, c.refused)
			}
		})
	}
}

func TestLimitsAreInCharactersAndNameTheField(t *testing.T) {
	t.Parallel()

	limits := forms.Limits{Fields: 3, NameChars: 4, ValueChars: 5, JSONDepth: 3}

	cases := []struct{ name, contentType, body, refused string }{
		{"as many fields as allowed", urlEncoded, "a=1&b=2&c=3", ""},
		{"control fields do not count", urlEncoded, "a=1&_next=/&b=2&_x=1&_gotcha=&c=3&altcha=t", ""},
		{"one field more", urlEncoded, "a=1&b=2&c=3&d=4", "too_many_fields"},
		{"repeats count", urlEncoded, "a=1&a=2&a=3&a=4", "too_many_fields"},
		{"one member more", jsonType, `{"a":1,"b":2,"c":3,"d":4}`, "too_many_fields"},
		{"the longest name", urlEncoded, "äöüß=1", ""},
		{"a longer name", urlEncoded, "äöüß+=1", "field_name_too_long äöüß "},
		{"the longest value", urlEncoded, "a=äöüß😀", ""},
		{"a longer value", urlEncoded, "a=äöüß😀.", "field_value_too_long a"},
		{"characters count after they are composed", urlEncoded, "a=" + strings.Repeat("u\u0308", 5), ""},
		{"a longer JSON text", jsonType, `{"a":"123456"}`, "field_value_too_long a"},
		{"the longest JSON value", jsonType, `{"a": [ 1, 2 ]}`, ""},
		{"a longer JSON value", jsonType, `{"a":[1,20]}`, "field_value_too_long a"},
		{"the deepest JSON", jsonType, `{"a":[[]]}`, ""},
		{"deeper JSON", jsonType, `{"a":[[[]]]}`, "malformed_body"},
		{"a control field's value is limited too", urlEncoded, "a=1&_subject=123456", "field_value_too_long _subject"},
		{"a name that is too long goes before its value", urlEncoded, "abcde=%FF", "field_name_too_long abcde"},
	}

	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()

			_, err := forms.Decode(forms.Body{ContentType: c.contentType, Bytes: []byte(c.body)}, "", limits)
			if outcome(err) != c.refused {
				t.Fatalf("got %q, want %q", outcome(err), c.refused)
			}
		})
	}
}

func TestARefusedNameIsShownShortAndWithoutControlCharacters(t *testing.T) {
	t.Parallel()

	_, err := decode(urlEncoded, strings.Repeat("n", 1<<20)+"=1")
	if want := "field_name_too_long " + strings.Repeat("n", 128) + "…"; outcome(err) != want {
		t.Errorf("a name of a megabyte is shown with %d bytes", len(outcome(err)))
	}

	_, err = decode(urlEncoded, "a%1B%5B31m=1")
	if outcome(err) != "invalid_field_name a\uFFFD[31m" {
		t.Errorf("got %q", outcome(err))
	}
}

func TestNoErrorQuotesAValue(t *testing.T) {
	t.Parallel()

	const planted = "hunter2hunter2hunter2"

	bodies := map[string][]string{
		urlEncoded: {"a=" + planted + "%zz", "a=" + planted + "%00", "=" + planted, "a=" + strings.Repeat(planted, 1000)},
		plainText:  {planted, "a=" + planted + "\x00"},
		jsonType: {
			`{"a":"` + planted, `{"a":"` + planted + `\ud800"}`, `{"a":` + planted + `}`, `["` + planted + `"]`,
			`{"a":{"b":"` + planted + `","b":1}}`, `{"a":"` + planted + `"} x`, `{"a":["` + planted + `",1e9999]}`,
		},
	}

	for contentType, list := range bodies {
		for _, body := range list {
			_, err := decode(contentType, body)
			f := fault.As(err)

			shown := fmt.Sprint(f.Error(), f.Message, f.Issues, f.Details)

			if err == nil || f.Kind == fault.Internal || strings.Contains(shown, planted) {
				t.Errorf("%s with %d bytes: %q", contentType, len(body), shown)
			}
		}
	}
}

func TestTenThousandFieldsAreOneRefusal(t *testing.T) {
	t.Parallel()

	var form, object strings.Builder

	object.WriteString("{")

	for i := range 10_000 {
		form.WriteString("f" + strconv.Itoa(i) + "=1&")
		object.WriteString(`"f` + strconv.Itoa(i) + `":1,`)
	}

	object.WriteString(`"last":1}`)

	for contentType, body := range map[string]string{urlEncoded: form.String(), jsonType: object.String()} {
		parsed, err := decode(contentType, body)
		if outcome(err) != "too_many_fields" || len(parsed.Fields) > 100 {
			t.Errorf("%s: got %q and %d fields", contentType, outcome(err), len(parsed.Fields))
		}
	}
}
