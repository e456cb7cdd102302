package forms_test

import (
	"encoding/json"
	"mime/multipart"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"formonce/forms"
	"formonce/internal/fault"
)

// mustBeSound is what every body gets, whatever it holds: a Fault of the contract, or fields that can be stored and come
// back.
func mustBeSound(t *testing.T, contentType string, body []byte) {
	t.Helper()

	limits := forms.DefaultLimits()

	parsed, err := forms.Decode(forms.Body{ContentType: contentType, Bytes: body}, "website", limits)
	if err != nil {
		f := fault.As(err)
		if f.Kind != fault.Invalid && f.Kind != fault.Unprocessable && f.Kind != fault.UnsupportedMedia {
			t.Fatalf("the refusal is %v", err)
		}

		return
	}

	if len(parsed.Fields) == 0 || len(parsed.Fields) > limits.Fields {
		t.Fatalf("got %d fields", len(parsed.Fields))
	}

	for _, field := range parsed.Fields {
		if field.Name == "" || strings.HasPrefix(field.Name, "_") || utf8.RuneCountInString(field.Name) > limits.NameChars {
			t.Fatalf("the name %q was let through", field.Name)
		}
	}

	stored := forms.EncodeFields(parsed.Fields)
	if !json.Valid(stored) || !utf8.Valid(stored) || strings.Contains(strings.ReplaceAll(string(stored), `\\`, ""), `\u0000`) {
		t.Fatalf("%s cannot be stored", stored)
	}

	again, err := forms.DecodeFields(stored)
	if err != nil || !slices.Equal(again, parsed.Fields) {
		t.Fatalf("%q became %q, %v", parsed.Fields, again, err)
	}

	rules := forms.Rules{Version: forms.RuleVersion, Family: parsed.Family}
	if forms.Fingerprint("contact", rules, again) != forms.Fingerprint("contact", rules, parsed.Fields) {
		t.Fatal("what was stored has another fingerprint")
	}

	_, _, err = forms.IdempotencyKey(nil, parsed.Controls, forms.KeyFormatAny)
	if err != nil && !fault.Has(err, "invalid_idempotency_key") {
		t.Fatalf("the key's refusal is %v", err)
	}
}

func FuzzURLEncoded(f *testing.F) {
	for _, body := range []string{
		"a=1&b=2&a=3", "a=%C3%BC+x&_next=/thanks", "=x", "a=%", "a=%zz", "&&", "a", "a=%00", "a=%ED%A0%80", "u%CC%88=1",
		"_idempotency=0123456789abcdef&email=a%40b.c&website=", strings.Repeat("a&", 200),
	} {
		f.Add([]byte(body))
	}

	f.Fuzz(func(t *testing.T, body []byte) { mustBeSound(t, urlEncoded, body) })
}

func FuzzMultipart(f *testing.F) {
	for _, body := range []string{
		parts(named(`name="a"`, "1"), named(`name="a"`, "2")), parts(named(`name="f"; filename=""`, "")),
		parts(named(`name="f"; filename="x"`, "y")), parts(named(`name="a%22%0D"`, "1")), parts("X: y\r\n\r\n1"),
		"--b\r\nContent-Disposition: form-data; name=a", "--b--", "--b\n\n", "--b\r\n" + named("name=a", "1"),
		parts("Content-Transfer-Encoding: quoted-printable\r\n" + named("name=a", "=C3=BC=\r\n=")),
		parts(named(`name*=utf-8''%e2%82%ac`, "1")),
	} {
		f.Add([]byte(body))
	}

	f.Fuzz(func(t *testing.T, body []byte) { mustBeSound(t, multipartB, body) })
}

func FuzzJSON(f *testing.F) {
	for _, body := range []string{
		`{"a":"1","b":[1.50,{"c":null}],"_next":"/"}`, `{"a":"\ud83d\ude00"}`, `{"a":"\ud83d"}`, `{"a":"\u0000"}`, nested(17),
		`{"a":1,"a":2}`, `{"a":{"\u00fc":1,"u\u0308":2}}`, `{"a":1e9999}`, `{"a":-0.0E-1}`, "\uFEFF{}", `[]`, `{"a":1} `, "{\"a\":\"\xff\"}",
	} {
		f.Add([]byte(body))
	}

	f.Fuzz(func(t *testing.T, body []byte) { mustBeSound(t, jsonType, body) })
}

func FuzzText(f *testing.F) {
	for _, body := range []string{
		"a=1\r\nb=2\r\n", "m=one\ntwo\n\nb=2", "hello", "\r\n\r\na=1", ` {"a":1}`, "\uFEFFa=1", "=1", "a=\x00", "a=1\r", "{a=1",
	} {
		f.Add([]byte(body))
	}

	f.Fuzz(func(t *testing.T, body []byte) { mustBeSound(t, plainText, body) })
}

func FuzzContentType(f *testing.F) {
	for _, contentType := range []string{
		urlEncoded, multipartB, jsonType, "text/plain; charset=utf-8", `multipart/form-data; boundary="b c"`, "a/b; c", ";", "",
		"application/json; charset*=utf-8''x", `text/plain; charset="utf-8`,
	} {
		f.Add(contentType, []byte("a=1"))
	}

	f.Fuzz(func(t *testing.T, contentType string, body []byte) { mustBeSound(t, contentType, body) })
}

func FuzzIdempotencyKey(f *testing.F) {
	for _, key := range []string{goodKey, uuidKey, `"` + goodKey + `"`, `"\"\\0123456789abcd"`, `"`, `""`, "", `x"`, `"\`} {
		f.Add(key)
	}

	f.Fuzz(func(t *testing.T, raw string) {
		key, ok, err := forms.IdempotencyKey([]string{raw}, forms.Controls{}, forms.KeyFormatAny)
		if err != nil {
			if key != "" || ok || !fault.Has(err, "invalid_idempotency_key") {
				t.Fatalf("%q: got %q, %t, %v", raw, key, ok, err)
			}

			return
		}

		if !ok || len(key) < 16 || len(key) > 255 {
			t.Fatalf("%q: got %q", raw, key)
		}

		quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`

		again, _, err := forms.IdempotencyKey([]string{raw}, forms.Controls{Key: quoted, HasKey: true}, forms.KeyFormatAny)
		if err != nil || again != key {
			t.Fatalf("%q is another key than %q: %v", quoted, raw, err)
		}
	})
}

// printable draws the names and texts of pairs that every encoding can carry.
func printable() *rapid.Generator[forms.Fields] {
	letters := rapid.RuneFrom([]rune("abc[].-%&=+;\\\"'ü😀 "))

	return rapid.Custom(func(t *rapid.T) forms.Fields {
		fields := make(forms.Fields, rapid.IntRange(1, 8).Draw(t, "count"))
		for i := range fields {
			name := "n" + rapid.StringOfN(letters, 0, 6, -1).Draw(t, "name")
			fields[i] = forms.Field{Name: name, Value: forms.Text(rapid.StringOfN(letters, 0, 9, -1).Draw(t, "text"))}
		}

		return fields
	})
}

func TestOrderAndRepeatsSurviveEveryFormEncoding(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		fields := printable().Draw(t, "fields")

		var form, body strings.Builder

		writer := multipart.NewWriter(&body)

		for _, field := range fields {
			form.WriteString(url.QueryEscape(field.Name) + "=" + url.QueryEscape(field.Value.String()) + "&")

			if err := writer.WriteField(field.Name, field.Value.String()); err != nil {
				t.Fatal(err)
			}
		}

		if err := writer.Close(); err != nil {
			t.Fatal(err)
		}

		for contentType, sent := range map[string]string{
			urlEncoded: form.String(), writer.FormDataContentType(): body.String(),
		} {
			parsed, err := decode(contentType, sent)
			if err != nil || !slices.Equal(parsed.Fields, fields) {
				t.Fatalf("%s: %q became %q, %v", contentType, fields, parsed.Fields, err)
			}
		}
	})
}

func TestEveryJSONObjectKeepsItsMembers(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b[]", "é", "😀", `q"\`}), 1, 5, rapid.ID[string]).
			Draw(t, "names")

		fields := make(forms.Fields, len(names))
		members := make([]string, len(names))

		for i, name := range names {
			fields[i] = forms.Field{Name: name, Value: anyValue().Draw(t, "value")}
			members[i] = string(forms.Text(name).AppendJSON(nil)) + " : " + string(fields[i].Value.AppendJSON(nil))
		}

		parsed, err := decode(jsonType, "{"+strings.Join(members, " ,\n")+"}")
		if err != nil || !slices.EqualFunc(parsed.Fields, fields, equalInNFC) {
			t.Fatalf("%q became %q, %v", fields, parsed.Fields, err)
		}
	})
}

// equalInNFC compares with what a JSON round trip makes of the value, since anyValue draws texts that are not in NFC.
func equalInNFC(got, want forms.Field) bool {
	return got.Name == want.Name && got.Value == forms.JSON(string(want.Value.AppendJSON(nil)))
}
