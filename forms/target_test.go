package forms_test

import (
	"net/url"
	"strings"
	"testing"

	"formonce/forms"
)

func mustURL(raw string) *url.URL {
	parsed, err := url.Parse(raw)
	if err != nil {
		panic(err)
	}

	return parsed
}

var targets = forms.Targets{
	Own:     []string{"https://forms.example"},
	Allowed: []string{"https://www.example.com", "https://*.example.org", "http://localhost:3000", "http://[::1]:8080"},
}

func TestABrowserIsSentOnlyToAnOwnOrAllowedOrigin(t *testing.T) {
	t.Parallel()

	for raw, want := range map[string]string{ // the Location, or "" when it is refused
		"https://forms.example/thanks":                 "https://forms.example/thanks",
		"https://www.example.com":                      "https://www.example.com/",
		"https://www.example.com/a/../b?x=1&y=%20#z":   "https://www.example.com/a/../b?x=1&y=%20#z",
		"HTTPS://WWW.Example.COM:443/Thanks":           "https://www.example.com/Thanks",
		"https://www.example.com:/thanks":              "https://www.example.com/thanks",
		"https://www.example.com?x=1":                  "https://www.example.com/?x=1",
		"https://www.example.com/größe?größe=ü#ß":      "https://www.example.com/gr%C3%B6%C3%9Fe?gr%C3%B6%C3%9Fe=%C3%BC#%C3%9F",
		"https://www.example.com/%2F%2fx":              "https://www.example.com/%2F%2fx",
		"https://www.example.com//evil.example":        "https://www.example.com//evil.example",
		"https://a.example.org/":                       "https://a.example.org/",
		"https://a.b.example.org/":                     "https://a.b.example.org/",
		"http://localhost:3000/x":                      "http://localhost:3000/x",
		"http://[::1]:8080/x":                          "http://[::1]:8080/x",
		"https://www.example.com/?next=//evil.example": "https://www.example.com/?next=//evil.example",

		"":                                                     "",
		"thanks":                                               "",
		"?x=1":                                                 "",
		"//evil.example":                                       "",
		"///evil.example":                                      "",
		"//www.example.com":                                    "",
		"https:///www.example.com":                             "",
		"https:/www.example.com":                               "",
		"https:www.example.com":                                "",
		"https://evil.example":                                 "",
		"http://www.example.com":                               "",
		"https://www.example.com:8443":                         "",
		"https://www.example.com:0443x":                        "",
		"https://www.example.com:99999":                        "",
		"https://www.example.com.evil.example":                 "",
		"https://evilwww.example.com":                          "",
		"https://example.org":                                  "",
		"https://evilexample.org":                              "",
		"http://a.example.org":                                 "",
		"https://a.example.org:444":                            "",
		"https://.example.org":                                 "",
		"https://www.example.com.":                             "",
		"https://www.example.com@evil.example":                 "",
		"https://user:pass@www.example.com":                    "",
		"https://@www.example.com":                             "",
		`https://www.example.com\@evil.example`:                "",
		`\\evil.example`:                                       "",
		`/\evil.example`:                                       "",
		`https:\\evil.example`:                                 "",
		"https://evil.example#@www.example.com":                "",
		"https://evil.example?@www.example.com":                "",
		"https://evil.example/.example.org":                    "",
		"https://evil%2Eexample.org":                           "",
		"https://evil.example%2F.example.org":                  "",
		"https://evil.example%23.example.org":                  "",
		"https://www%2eexample%2ecom":                          "",
		"https://www.example。com":                              "",
		"https://ｗｗｗ.example.com":                              "",
		"https://evil.example／.example.org":                    "",
		"javascript:alert(1)":                                  "",
		"JavaScript://www.example.com/%0aalert":                "",
		"data:text/html,x":                                     "",
		"ftp://www.example.com":                                "",
		"https://www.example.com/\r\nX: y":                     "",
		"https://www.example.com/\tx":                          "",
		"https://www.example.com/a b":                          "",
		" https://www.example.com":                             "",
		"https://www.example.com/\u2028":                       "",
		"https://www.example.com/\x00":                         "",
		"https://www.example.com/\xff":                         "",
		"https://www.example.com/%zz":                          "",
		"java\nscript:alert(1)":                                "",
		"https://www.example.com/" + strings.Repeat("x", 2048): "",
	} {
		got, ok := targets.Check(raw, nil)
		if got != want || ok != (want != "") {
			t.Errorf("%.60q: got %q and %t, want %q", raw, got, ok, want)
		}
	}
}

func TestAnOwnOriginCountsInEverySpellingAndIsNoWildcard(t *testing.T) {
	t.Parallel()

	own := forms.Targets{Own: []string{"%", "https://Forms.Example:443", "https://*.example.net"}}

	if got, ok := own.Check("https://forms.example/thanks", nil); !ok || got != "https://forms.example/thanks" {
		t.Errorf("got %q and %t", got, ok)
	}

	if got, ok := own.Check("https://a.example.net/", nil); ok {
		t.Errorf("a wildcard among the own origins leads to %q", got)
	}
}

func TestAPathLeadsToTheVisitorsPageWhenThatIsKnown(t *testing.T) {
	t.Parallel()

	page := mustURL("https://Shop.Example:443/contact?x=1#form")

	for raw, want := range map[string]string{
		"/thanks":              "https://shop.example/thanks",
		"/thanks?a=1#b":        "https://shop.example/thanks?a=1#b",
		"/":                    "https://shop.example/",
		"/%2Fevil.example":     "https://shop.example/%2Fevil.example",
		"/.//evil.example":     "https://shop.example/.//evil.example",
		"/a@b:c":               "https://shop.example/a@b:c",
		"//evil.example":       "",
		"///evil.example":      "",
		`/\evil.example`:       "",
		"/\t/evil.example":     "",
		"thanks":               "",
		"../thanks":            "",
		"?a=1":                 "",
		"#a":                   "",
		"https://shop.example": "",
	} {
		got, ok := targets.Check(raw, page)
		if got != want || ok != (want != "") {
			t.Errorf("%q: got %q and %t, want %q", raw, got, ok, want)
		}

		if got, ok := targets.Check(raw, nil); ok {
			t.Errorf("%q without a page: got %q", raw, got)
		}
	}

	for _, base := range []string{"file:///x", "https://user@shop.example/", "about:blank", "/x"} {
		if got, ok := targets.Check("/thanks", mustURL(base)); ok {
			t.Errorf("on %s: got %q", base, got)
		}
	}
}

func TestOriginsAreComparedBySchemeHostAndPort(t *testing.T) {
	t.Parallel()

	allowed := []string{"https://www.example.com", "https://*.example.org", "http://localhost:3000", "https://*.x.io:8443"}

	for origin, want := range map[string]bool{
		"https://www.example.com": true, "https://WWW.example.com:443": true, "http://localhost:3000": true,
		"https://a.example.org": true, "https://a.b.example.org": true, "https://a.x.io:8443": true,
		"null": false, "": false, "*": false, "https://": false, "https://*.example.org": false,
		"https://example.org": false, "https://aexample.org": false, "http://a.example.org": false,
		"https://a.x.io": false, "http://localhost": false, "https://localhost:3000": false,
		"https://www.example.com.evil.example": false, "https://a.example.org.evil.example": false, "%": false,
		"https://evil.example/.example.org": false, "chrome-extension://www.example.com": false, "www.example.com": false,
	} {
		if forms.OriginAllowed(origin, allowed) != want {
			t.Errorf("%q: want %t", origin, want)
		}
	}

	if forms.OriginAllowed("https://www.example.com", nil) || forms.OriginAllowed("null", []string{"null"}) {
		t.Error("an empty list, or null, allows an origin")
	}
}

func TestAnAllowListEntryIsAnOriginOrAWildcard(t *testing.T) {
	t.Parallel()

	for entry, want := range map[string]string{ // the spelling that is kept, or "" when it is refused
		"https://www.example.com":     "https://www.example.com",
		" https://www.example.com/ ":  "https://www.example.com",
		"HTTPS://WWW.Example.com:443": "https://www.example.com",
		"http://localhost:3000":       "http://localhost:3000",
		"http://127.0.0.1:8080":       "http://127.0.0.1:8080",
		"http://[::1]:8080":           "http://[::1]:8080",
		"https://my_shop.example.com": "https://my_shop.example.com",
		"https://*.example.com":       "https://*.example.com",
		"https://*.Example.com:8443/": "https://*.example.com:8443",
		"https://Müller.example":      "https://xn--mller-kva.example",
		"https://*.müller.example:81": "https://*.xn--mller-kva.example:81",

		"":                              "",
		"*":                             "",
		"null":                          "",
		"www.example.com":               "",
		"//www.example.com":             "",
		"ftp://www.example.com":         "",
		"https://":                      "",
		"https://*":                     "",
		"https://*.com":                 "",
		"https://a.*.example.com":       "",
		"https://www.*":                 "",
		"https://www.example.com/path":  "",
		"https://www.example.com?x=1":   "",
		"https://www.example.com/#x":    "",
		"https://user@www.example.com":  "",
		"https://www.example.com:port":  "",
		"https://www.example.com:0":     "",
		"https://www.example.com:70000": "",
		"https://www..example.com":      "",
		"https://www.example.com.":      "",
		"https://127.1":                 "",
		"https://0x7f000001":            "",
		"https://2130706433":            "",
		"https://www.exa mple.com":      "",
		"https://[::1":                  "",
		"https://[::ffff:127.0.0.1]":    "",
		"https://" + strings.Repeat("a.", 127) + "com": "",
	} {
		got, err := forms.ParseOrigin(entry)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%.60q: got %q and %v, want %q", entry, got, err, want)
		}

		if err != nil && (!strings.HasPrefix(err.Error(), "A") || !strings.HasSuffix(err.Error(), ".")) {
			t.Errorf("%.60q: %q is no sentence", entry, err.Error())
		}
	}
}

func FuzzTargets(f *testing.F) {
	for _, raw := range []string{
		"/thanks", "//evil.example", `/\evil.example`, "https://www.example.com/x?y#z", "https://a.example.org",
		"https://www.example.com@evil.example", "http://[::1]:8080", "https:/x", "javascript:alert(1)", "https://ü.example.org",
		"https://www.example.com/\r\nSet-Cookie: a=b", "/%0d%0a", "https://www.example.com:443?ü", "https://%77ww.example.com",
	} {
		f.Add(raw)
	}

	page := mustURL("https://shop.example")
	withPage := forms.Targets{Own: append([]string{"https://shop.example"}, targets.Own...), Allowed: targets.Allowed}
	hosts := map[string]bool{
		"shop.example": true, "forms.example": true, "www.example.com": true, "localhost:3000": true, "[::1]:8080": true,
	}

	f.Fuzz(func(t *testing.T, raw string) {
		location, ok := targets.Check(raw, page)
		if !ok {
			return
		}

		parsed, err := url.Parse(location)
		if err != nil {
			t.Fatalf("%q became %q: %v", raw, location, err)
		}

		if !hosts[parsed.Host] && !strings.HasSuffix(parsed.Host, ".example.org") || parsed.User != nil {
			t.Fatalf("%q leads to %q", raw, parsed.Host)
		}

		for i := range len(location) {
			if location[i] <= ' ' || location[i] >= 0x7f || location[i] == '\\' {
				t.Fatalf("%q became %q", raw, location)
			}
		}

		if again, ok := withPage.Check(location, nil); !ok || again != location {
			t.Fatalf("%q became %q and then %q", raw, location, again)
		}
	})
}
