package forms_test

import (
	"strings"
	"testing"

	"formonce/forms"
)

const multipartB = "multipart/form-data; boundary=b"

// parts writes each part, header and content apart by a blank line, between boundaries.
func parts(list ...string) string {
	var body strings.Builder

	for _, part := range list {
		body.WriteString("--b\r\n" + part + "\r\n")
	}

	return body.String() + "--b--\r\n"
}

func named(disposition, content string) string {
	return "Content-Disposition: form-data; " + disposition + "\r\n\r\n" + content
}

func TestMultipartBodiesKeepNamesOrderAndRepeats(t *testing.T) {
	runDecodeCases(t, multipartB, []decodeCase{
		{
			name: "order and repeats stay", body: parts(named(`name="t"`, "x"), named(`name="a"`, ""), named(`name="t"`, "y")),
			fields: text("t", "x", "a", "", "t", "y"),
		},
		{name: "a raw name", body: parts(named(`name="größe 😀[]"`, "ü")), fields: text("größe 😀[]", "ü")},
		{name: "an escaped quotation mark", body: parts(named(`name="a%22b"`, "1")), fields: text(`a"b`, "1")},
		{name: "no other escape is undone", body: parts(named(`name="a%20b%2522"`, "1")), fields: text(`a%20b%2522`, "1")},
		{name: "a backslash before a quotation mark", body: parts(named(`name="a\"b"`, "1")), fields: text(`a"b`, "1")},
		{name: "a backslash before a letter", body: parts(named(`name="a\b"`, "1")), fields: text(`a\b`, "1")},
		{name: "a token for a name", body: parts(named(`name=a`, "1")), fields: text("a", "1")},
		{name: "text becomes NFC", body: parts(named("name=\"u\u0308\"", "o\u0308")), fields: text("ü", "ö")},
		{name: "line breaks stay", body: parts(named(`name="a"`, "1\r\n\r\n2\n")), fields: text("a", "1\r\n\r\n2\n")},
		{
			name: "a part that says it is UTF-8", fields: text("a", "ü"),
			body: parts("Content-Type: text/plain; charset=UTF-8\r\n" + named(`name="a"`, "ü")),
		},
		{
			name: "an empty file input is no field", fields: text("a", "1"),
			body: parts("Content-Type: application/octet-stream\r\n"+named(`name="f"; filename=""`, ""), named(`name="a"`, "1")),
		},
		{name: "an empty file input alone", body: parts(named(`name="f"; filename=""`, "")), refused: "empty_submission"},
		{name: "a preamble and an epilogue", body: "hello\r\n" + parts(named(`name="a"`, "1")) + "bye", fields: text("a", "1")},
		{name: "no part", body: "--b--\r\n", refused: "empty_submission"},
		{name: "a file", body: parts(named(`name="f"; filename="a.txt"`, "x")), refused: "file_upload_not_supported f"},
		{name: "an empty file", body: parts(named(`name="f"; filename="a.txt"`, "")), refused: "file_upload_not_supported f"},
		{name: "a file without a name", body: parts(named(`name="f"; filename=""`, "x")), refused: "file_upload_not_supported f"},
		{
			name: "a file in a control field", body: parts(named(`name="a"`, "1"), named(`name="_gotcha"; filename="a"`, "x")),
			refused: "file_upload_not_supported _gotcha",
		},
		{
			name: "an encoded file name", body: parts(named(`name="f"; filename*=UTF-8''%e2%82%ac`, "x")),
			refused: "file_upload_not_supported f",
		},
		{
			name: "a file and then a fault of syntax", body: parts(named(`name="f"; filename="a"`, "x"), named(`x=y`, "")),
			refused: "malformed_body",
		},
		{
			name: "a part in another character set", refused: "unsupported_media_type",
			body: parts("Content-Type: text/plain; charset=utf-16\r\n" + named(`name="a"`, "1")),
		},
		{name: "a part without a name", body: parts(named(`x="a"`, "1")), refused: "malformed_body"},
		{name: "an empty name", body: parts(named(`name=""`, "1")), refused: "invalid_field_name "},
		{name: "a part without a disposition", body: parts("X: y\r\n\r\n1"), refused: "malformed_body"},
		{name: "another disposition", body: parts("Content-Disposition: attachment; name=a\r\n\r\n1"), refused: "malformed_body"},
		{name: "two names", body: parts(named(`name="a"; name="b"`, "1")), refused: "malformed_body"},
		{name: "a header without end", body: "--b\r\nContent-Disposition: form-data; name=a", refused: "malformed_body"},
		{name: "no last boundary", body: "--b\r\n" + named(`name="a"`, "1"), refused: "malformed_body"},
		{name: "no boundary at all", body: "a=1", refused: "malformed_body"},
		{name: "nothing", body: "", refused: "malformed_body"},
		{name: "a line break in a name", body: parts(named(`name="a%0D%0Ab"`, "1")), refused: "invalid_field_name a\uFFFD\uFFFDb"},
		{name: "no UTF-8", body: parts(named(`name="a"`, "\xff")), refused: "invalid_field_value a"},
		{name: "a name that is no UTF-8", body: parts(named("name=\"a\xff\"", "1")), refused: "invalid_field_name a\uFFFD"},
	})
}

func TestABoundaryHasOneToSeventyCharacters(t *testing.T) {
	t.Parallel()

	longest := strings.Repeat("b", 70)

	cases := map[string]string{
		"multipart/form-data":                                            "malformed_body",
		`multipart/form-data; boundary=""`:                               "malformed_body",
		"multipart/form-data; boundary=" + longest + "b":                 "malformed_body",
		"multipart/form-data; boundary=" + strings.Repeat("b", 9_000):    "malformed_body",
		"multipart/form-data; boundary=" + longest:                       "",
		`multipart/form-data; charset=utf-8; boundary="` + longest + `"`: "",
	}

	for contentType, refused := range cases {
		body := strings.ReplaceAll(parts(named("name=a", "1")), "--b", "--"+longest)

		if _, err := decode(contentType, body); outcome(err) != refused {
			t.Errorf("%.60s: got %q, want %q", contentType, outcome(err), refused)
		}
	}
}

// The bodies are as the three write them, with the differences that matter: Chromium and Firefox escape a quotation mark
// as %22 and send an untouched file input, Firefox and curl choose other boundaries, curl names no charset.
func TestBodiesOfBrowsersAndCurlAreReadAlike(t *testing.T) {
	write := func(boundary, file string) string {
		return strings.ReplaceAll("--B\r\nContent-Disposition: form-data; name=\"naïve \\ %22x%22\"\r\n\r\nZeile 1\r\nZeile 2\r\n"+
			"--B\r\nContent-Disposition: form-data; name=\"topics[]\"\r\n\r\na\r\n"+
			"--B\r\nContent-Disposition: form-data; name=\"topics[]\"\r\n\r\nb\r\n"+file+"--B--\r\n", "--B", "--"+boundary)
	}

	const emptyFile = "--B\r\nContent-Disposition: form-data; name=\"cv\"; filename=\"\"\r\n" +
		"Content-Type: application/octet-stream\r\n\r\n\r\n"

	want := text(`naïve \ "x"`, "Zeile 1\r\nZeile 2", "topics[]", "a", "topics[]", "b")

	for boundary, file := range map[string]string{
		"----WebKitFormBoundaryc4OzBgVzFPvdmGkQ":               emptyFile,
		"----geckoformboundary8f3a1d0c6e4b2a7795d1c0e83b6f24a": emptyFile,
		"---------------------------293582696224464":           emptyFile,
		"------------------------d74496d66958873e":             "",
	} {
		runDecodeCases(t, "multipart/form-data; boundary="+boundary, []decodeCase{
			{name: boundary, body: write(boundary, file), fields: want},
		})
	}
}

func TestOneContentHasOneFingerprintInEveryFormEncoding(t *testing.T) {
	t.Parallel()

	bodies := map[string]string{
		urlEncoded: "b=1&a=x%0D%0Ay&b=+2",
		plainText:  "b=1\r\na=x\r\ny\r\nb= 2\r\n",
		multipartB: parts(named(`name="b"`, "1"), named(`name="a"`, "x\r\ny"), named(`name="b"`, " 2")),
	}

	seen := map[[32]byte]bool{}

	for contentType, body := range bodies {
		parsed, err := decode(contentType, body)
		if err != nil {
			t.Fatal(contentType, err)
		}

		seen[forms.Fingerprint("contact", forms.Rules{Version: 1, Family: parsed.Family}, parsed.Fields)] = true
	}

	if len(seen) != 1 {
		t.Errorf("got %d fingerprints, want one", len(seen))
	}
}
