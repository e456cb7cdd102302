package forms_test

import (
	"testing"

	"formonce/forms"
)

const message = "Guten Tag, ich hätte gern ein Angebot für zwei Räder. Mit freundlichen Grüßen"

var contactFields = text("name", "Ada Lovelace", "email", "ada@example.com", "phone", "+49 30 1234567", "topics[]", "offer",
	"topics[]", "service", "message", message)

func benchmarkDecode(b *testing.B, contentType, body string) {
	b.Helper()
	b.ReportAllocs()
	b.SetBytes(int64(len(body)))

	arrived := forms.Body{ContentType: contentType, Bytes: []byte(body)}
	limits := forms.DefaultLimits()

	for b.Loop() {
		if _, err := forms.Decode(arrived, "website", limits); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeURLEncoded(b *testing.B) {
	benchmarkDecode(b, urlEncoded, "name=Ada+Lovelace&email=ada%40example.com&phone=%2B49+30+1234567&topics%5B%5D=offer&"+
		"topics%5B%5D=service&message=Guten+Tag%2C+ich+h%C3%A4tte+gern+ein+Angebot+f%C3%BCr+zwei+R%C3%A4der.+Mit+freundlichen+"+
		"Gr%C3%BC%C3%9Fen&_gotcha=&_next=%2Fthanks&_idempotency="+uuidKey)
}

func BenchmarkDecodeJSON(b *testing.B) {
	benchmarkDecode(b, jsonType, `{"name":"Ada Lovelace","email":"ada@example.com","phone":"+49 30 1234567",`+
		`"topics":["offer","service"],"message":"`+message+`","_gotcha":"","_next":"/thanks","_idempotency":"`+uuidKey+`"}`)
}

func BenchmarkDecodeMultipart(b *testing.B) {
	list := make([]string, 0, len(contactFields))
	for _, field := range contactFields {
		list = append(list, named(`name="`+field.Name+`"`, field.Value.String()))
	}

	benchmarkDecode(b, multipartB, parts(list...))
}

func BenchmarkDecodeText(b *testing.B) {
	benchmarkDecode(b, plainText, "name=Ada Lovelace\r\nemail=ada@example.com\r\nmessage="+message+"\r\n")
}

func BenchmarkFingerprint(b *testing.B) {
	b.ReportAllocs()

	for b.Loop() {
		forms.Fingerprint("contact", formRules, contactFields)
	}
}

func BenchmarkFingerprintJSON(b *testing.B) {
	b.ReportAllocs()

	fields := append(text("name", "Ada", "email", "ada@example.com"), member("topics", `{"b":["x",1],"a":null}`)...)

	for b.Loop() {
		forms.Fingerprint("contact", jsonRules, fields)
	}
}

func BenchmarkEncodeFields(b *testing.B) {
	b.ReportAllocs()

	for b.Loop() {
		forms.EncodeFields(contactFields)
	}
}

func BenchmarkDecodeFields(b *testing.B) {
	b.ReportAllocs()

	stored := forms.EncodeFields(contactFields)

	for b.Loop() {
		if _, err := forms.DecodeFields(stored); err != nil {
			b.Fatal(err)
		}
	}
}
