package forms_test

import (
	"maps"
	"strings"
	"testing"

	"formonce/forms"
)

func TestControlFieldsAreSplitOffUnderEachOfTheirNames(t *testing.T) {
	t.Parallel()

	cases := map[string]func(forms.Controls) bool{
		"_idempotency": func(c forms.Controls) bool { return c.Key == "said" && c.HasKey },
		"_next":        func(c forms.Controls) bool { return c.Next == "said" },
		"_redirect":    func(c forms.Controls) bool { return c.Next == "said" },
		"_error":       func(c forms.Controls) bool { return c.Error == "said" },
		"_gotcha":      func(c forms.Controls) bool { return c.Honeypot },
		"_honey":       func(c forms.Controls) bool { return c.Honeypot },
		"_honeypot":    func(c forms.Controls) bool { return c.Honeypot },
		"botcheck":     func(c forms.Controls) bool { return c.Honeypot },
		"_wëbsite":     func(c forms.Controls) bool { return c.Honeypot },
		"_replyto":     func(c forms.Controls) bool { return c.ReplyTo == "said" },
		"_reply_to":    func(c forms.Controls) bool { return c.ReplyTo == "said" },
		"_subject":     func(c forms.Controls) bool { return c.Subject == "said" },
		"_language":    func(c forms.Controls) bool { return c.Language == "said" },

		"g-recaptcha-response":  func(c forms.Controls) bool { return c.Captcha["g-recaptcha-response"] == "said" },
		"h-captcha-response":    func(c forms.Controls) bool { return c.Captcha["h-captcha-response"] == "said" },
		"cf-turnstile-response": func(c forms.Controls) bool { return c.Captcha["cf-turnstile-response"] == "said" },
		"altcha":                func(c forms.Controls) bool { return c.Captcha["altcha"] == "said" },

		"_cc":       func(c forms.Controls) bool { return c.Next+c.ReplyTo+c.Subject == "" && !c.Honeypot },
		"_charset_": func(c forms.Controls) bool { return c.Next+c.ReplyTo+c.Subject == "" && !c.Honeypot },
		"_":         func(c forms.Controls) bool { return c.Next+c.ReplyTo+c.Subject == "" && !c.Honeypot },
	}

	for name, heard := range cases {
		for contentType, body := range map[string]string{
			urlEncoded: name + "=said&a=1",
			plainText:  name + "=said\na=1",
			jsonType:   `{"` + name + `":"said","a":"1"}`,
			multipartB: parts(named(`name="`+name+`"`, "said"), named("name=a", "1")),
		} {
			parsed, err := forms.Decode(forms.Body{ContentType: contentType, Bytes: []byte(body)},
				"_we\u0308bsite", forms.DefaultLimits())

			if err != nil || len(parsed.Fields) != 1 || !heard(parsed.Controls) {
				t.Errorf("%s as %s: fields %v, controls %+v, %v", name, contentType, parsed.Fields, parsed.Controls, err)
			}
		}
	}
}

func TestTheFirstRepeatThatSaysSomethingCounts(t *testing.T) {
	t.Parallel()

	parsed, err := decode(urlEncoded,
		"_next=&_redirect=/one&_next=/two&altcha=&altcha=t1&altcha=t2&_gotcha=&_honey=x&_gotcha=&a=1")
	if err != nil {
		t.Fatal(err)
	}

	if c := parsed.Controls; c.Next != "/one" || !maps.Equal(c.Captcha, map[string]string{"altcha": "t1"}) || !c.Honeypot {
		t.Errorf("got %+v", c)
	}
}

func TestControlsAreKnownBesideARefusal(t *testing.T) {
	t.Parallel()

	cases := map[string]string{
		urlEncoded: "_next=/n&a=%FF&_error=/e&_language=de",
		jsonType:   `{"_next":"/n","a":"\ud800","_error":"/e","_language":"de"}`,
		plainText:  "_next=/n\n=1\n_error=/e\n_language=de",
	}

	for contentType, body := range cases {
		parsed, err := decode(contentType, body)
		if c := parsed.Controls; err == nil || c.Next != "/n" || c.Error != "/e" || c.Language != "de" {
			t.Errorf("%s: got %+v and %v", contentType, c, err)
		}
	}
}

func TestOnlyAFilledHoneypotCounts(t *testing.T) {
	t.Parallel()

	for value, filled := range map[string]bool{
		`""`: false, `"  \n"`: false, `null`: false, `false`: false,
		`"x"`: true, `true`: true, `0`: true, `[]`: true, `{}`: true, `"false"`: true, `"\ud800"`: true,
	} {
		parsed, err := decode(jsonType, `{"a":"1","_gotcha":`+value+`}`)
		if err != nil || parsed.Controls.Honeypot != filled {
			t.Errorf("%s: got %t and %v", value, parsed.Controls.Honeypot, err)
		}
	}
}

func TestJSONControlsThatAreNoTextAreIgnored(t *testing.T) {
	t.Parallel()

	parsed, err := decode(jsonType, `{"a":"1","_next":["/x"],"_subject":5,"_language":null,"altcha":{"t":1}}`)
	if c := parsed.Controls; err != nil || c.Next+c.Subject+c.Language != "" || c.Captcha != nil {
		t.Errorf("got %+v and %v", c, err)
	}
}

func TestUnknownReservedNamesAreIgnoredWhateverTheyHold(t *testing.T) {
	t.Parallel()

	parsed, err := decode(urlEncoded, "_x=%FF&_y=%00&_"+strings.Repeat("z", 500)+"="+strings.Repeat("v", 20_000)+"&a=1")
	if err != nil || len(parsed.Fields) != 1 {
		t.Errorf("got %v and %v", parsed.Fields, err)
	}
}

func TestNoControlBeginsAnotherMailHeader(t *testing.T) {
	t.Parallel()

	parsed, err := decode(urlEncoded, "_subject=+Hi%0D%0ABcc:+x@y.z+&_replyto=a@b.c%0ACc:+x@y.z&a=1")
	if err != nil {
		t.Fatal(err)
	}

	if c := parsed.Controls; c.Subject != "Hi  Bcc: x@y.z" || c.ReplyTo != "a@b.c Cc: x@y.z" {
		t.Errorf("got %q and %q", c.Subject, c.ReplyTo)
	}
}

func TestAnswersGoToTheFirstFieldNamedEmailUnlessTheFormSaysWhere(t *testing.T) {
	t.Parallel()

	for body, want := range map[string]string{
		"email=&email=a@b.c&email=d@e.f":  "a@b.c",
		"email=a@b.c&_replyto=x@y.z":      "x@y.z",
		"email=a@b.c&_replyto=":           "a@b.c",
		"mail=a@b.c":                      "",
		"email=a@b.c%0D%0ABcc:%20x@y.z":   "a@b.c  Bcc: x@y.z",
		"work_email=1&_reply_to=r@s.t&a=": "r@s.t",
	} {
		parsed, err := decode(urlEncoded, body)
		if err != nil || parsed.Controls.ReplyTo != want {
			t.Errorf("%s: got %q and %v, want %q", body, parsed.Controls.ReplyTo, err, want)
		}
	}
}
