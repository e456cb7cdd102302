package web_test

import (
	"net/url"
	"strings"
	"testing"

	"formonce/forms"
)

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"

func TestAScriptGetsJSONAndABrowserThatNavigatesAPage(t *testing.T) {
	t.Parallel()

	s := open(t, settings{})
	s.endpoint("contact", nil)

	for name, row := range map[string]struct {
		headers map[string]string
		json    bool // the body is JSON
		beacon  bool // and says that it is text, which asks no leave of the server
		page    bool
	}{
		"no Accept":                     {page: false},
		"anything":                      {headers: map[string]string{"Accept": "*/*"}},
		"JSON":                          {headers: map[string]string{"Accept": "application/json"}},
		"JSON first":                    {headers: map[string]string{"Accept": "application/json, text/html;q=0.9"}},
		"HTML":                          {headers: map[string]string{"Accept": "text/html"}, page: true},
		"HTML in capitals":              {headers: map[string]string{"Accept": "TEXT/HTML"}, page: true},
		"HTML first":                    {headers: map[string]string{"Accept": "application/json;q=0.9, text/html"}, page: true},
		"a browser":                     {headers: map[string]string{"Accept": browser}, page: true},
		"a browser that navigates":      {headers: map[string]string{"Accept": browser, "Sec-Fetch-Mode": "navigate"}, page: true},
		"fetch of a browser":            {headers: map[string]string{"Accept": browser, "Sec-Fetch-Mode": "cors"}},
		"XMLHttpRequest":                {headers: map[string]string{"Accept": browser, "X-Requested-With": "XMLHttpRequest"}},
		"no HTML at all":                {headers: map[string]string{"Accept": "text/html;q=0, */*"}},
		"a type of its own":             {headers: map[string]string{"Accept": "image/png"}},
		"broken":                        {headers: map[string]string{"Accept": ";;;,,"}},
		"a JSON body":                   {json: true},
		"a JSON body, no preference":    {headers: map[string]string{"Accept": "text/html, application/json"}, json: true},
		"a beacon, no preference":       {headers: map[string]string{"Accept": "text/html, application/json"}, json: true, beacon: true},
		"a beacon that wants a page":    {headers: map[string]string{"Accept": "text/html"}, json: true, beacon: true, page: true},
		"an empty X-Requested-With":     {headers: map[string]string{"Accept": browser, "X-Requested-With": ""}},
		"a form, no preference":         {headers: map[string]string{"Accept": "text/html, application/json"}, page: true},
		"a JSON body that wants a page": {headers: map[string]string{"Accept": "text/html"}, json: true, page: true},
		"a JSON body of a browser":      {headers: map[string]string{"Accept": browser}, json: true, page: true},
		"broken quality":                {headers: map[string]string{"Accept": "text/html;q=NaN, application/json;q=0.5"}, page: true},
	} {
		good, bad := ask{body: "a=b", headers: row.headers}, ask{body: "a=%00", headers: row.headers}
		if row.json {
			good.kind, good.body = jsonBody, `{"a":"b"}`
			bad.kind, bad.body = jsonBody, `{"a":"\u0000"}`
		}

		if row.beacon {
			good.kind, bad.kind = "text/plain;charset=UTF-8", "text/plain;charset=UTF-8"
		}

		accepted, refused := s.send(good), s.send(bad)

		if wanted := map[bool]int{false: 202, true: 303}[row.page]; accepted.status != wanted {
			t.Errorf("%s: accepted with %d, want %d", name, accepted.status, wanted)
		}

		kind := map[bool]string{false: "application/json; charset=utf-8", true: "text/html; charset=utf-8"}[row.page]
		if refused.status != 422 || refused.header.Get("Content-Type") != kind {
			t.Errorf("%s: refused with %d %s, want 422 %s", name, refused.status, refused.header.Get("Content-Type"), kind)
		}
	}
}

func TestABrowserIsSentOnlyWhereTheOwnerTrusts(t *testing.T) {
	t.Parallel()

	s := open(t, settings{})
	s.endpoint("free", nil)
	s.endpoint("guarded", guarded)
	s.endpoint("led", func(e *forms.Endpoint) { e.RedirectURL = "https://shop.example/thanks?from=form" })

	thanks := func(endpointID string) string { return publicURL + "/f/" + endpointID + "/thanks" }

	for name, row := range map[string]struct{ endpoint, wish, origin, to string }{
		"no wish":                      {"free", "", "", thanks("free")},
		"a stranger":                   {"free", "https://evil.example/", "", thanks("free")},
		"a page of the list":           {"guarded", "https://www.example.com/done?a=b#c", "https://www.example.com", "https://www.example.com/done?a=b#c"},
		"a path on a page of the list": {"guarded", "/done", "https://www.example.com", "https://www.example.com/done"},
		"a stranger past the list":     {"guarded", "https://evil.example/", "https://www.example.com", thanks("guarded")},
		"a network path":               {"guarded", "//evil.example/", "https://www.example.com", thanks("guarded")},
		"a backslash":                  {"guarded", `/\evil.example/`, "https://www.example.com", thanks("guarded")},
		"user-info":                    {"guarded", "https://www.example.com@evil.example/", "https://www.example.com", thanks("guarded")},
		"a script":                     {"guarded", "javascript:alert(1)", "https://www.example.com", thanks("guarded")},
		"another header":               {"guarded", "https://www.example.com/%0d%0aSet-Cookie:a=b\r\nX: y", "https://www.example.com", thanks("guarded")},
		"the owner's page":             {"led", "", "", "https://shop.example/thanks?from=form"},
		"a page beside the owner's":    {"led", "https://shop.example/other", "", "https://shop.example/other"},
		"a path beside the owner's":    {"led", "/other", "", "https://shop.example/other"},
		"a stranger past the owner's":  {"led", "https://evil.example/", "", "https://shop.example/thanks?from=form"},
	} {
		headers := map[string]string{"Accept": browser}
		if row.origin != "" {
			headers["Origin"] = row.origin
		}

		got := s.send(ask{path: "/f/" + row.endpoint, body: "a=b&_next=" + escape(row.wish), headers: headers})
		if got.status != 303 || got.header.Get("Location") != row.to || len(got.header.Values("Set-Cookie")) > 0 {
			t.Errorf("%s: %d to %s, want %s", name, got.status, got.header.Get("Location"), row.to)
		}

		headers["Accept"] = jsonBody
		got = s.send(ask{path: "/f/" + row.endpoint, body: "a=b&_redirect=" + escape(row.wish), headers: headers})

		if next := got.object(t)["next"]; next != row.to {
			t.Errorf("%s: next is %v, want %s", name, next, row.to)
		}
	}
}

func TestAFailureGoesWhereTheFormWishesOrToAPageWithAWayBack(t *testing.T) {
	t.Parallel()

	s := open(t, settings{})
	s.endpoint("guarded", guarded)

	headers := map[string]string{
		"Accept": browser, "Origin": "https://www.example.com", "Referer": "https://www.example.com/contact?a=<b>",
	}

	got := s.send(ask{path: "/f/guarded", body: "a=%00&_error=/sorry", headers: headers})
	if got.status != 303 || got.header.Get("Location") != "https://www.example.com/sorry" {
		t.Errorf("got %d to %s", got.status, got.header.Get("Location"))
	}

	got = s.send(ask{path: "/f/guarded", body: "note=%00&_error=https://evil.example/", headers: headers})
	for _, shown := range []string{"<strong>note</strong>", `href="https://www.example.com/contact?a=%3cb%3e"`} {
		if got.status != 422 || !strings.Contains(got.body, shown) {
			t.Errorf("got %d without %s:\n%s", got.status, shown, got.body)
		}
	}

	for _, shown := range []string{"Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy"} {
		if got.header.Get(shown) == "" {
			t.Errorf("a page has no %s", shown)
		}
	}
}

func TestAPreflightAllowsWhatTheContractSays(t *testing.T) {
	t.Parallel()

	s := open(t, settings{})
	s.endpoint("free", nil)
	s.endpoint("guarded", guarded)

	for name, row := range map[string]struct{ path, origin, allowed string }{
		"a free endpoint":     {"/f/free", "https://anywhere.example", "*"},
		"a page of the list":  {"/f/guarded", "https://www.example.com", "https://www.example.com"},
		"a stranger":          {"/f/guarded", "https://evil.example", ""},
		"a page without name": {"/f/guarded", "null", ""},
		"an unknown endpoint": {"/f/nothing-here", "https://anywhere.example", "*"},
		"the tenant's door":   {"/p/" + s.tenant.Slug + "/f/guarded", "https://www.example.com", "https://www.example.com"},
	} {
		got := s.send(ask{method: "OPTIONS", path: row.path, headers: map[string]string{
			"Origin": row.origin, "Access-Control-Request-Method": "POST",
		}})

		for header, want := range map[string]string{
			"Access-Control-Allow-Origin":      row.allowed,
			"Access-Control-Allow-Headers":     "Accept, Content-Type, Idempotency-Key, X-Requested-With, Formspree-Client, Formspree-Session-Data",
			"Access-Control-Allow-Credentials": "",
		} {
			if value := got.header.Get(header); got.status != 204 || value != want {
				t.Errorf("%s: %d, %s is %q, want %q", name, got.status, header, value, want)
			}
		}

		if !strings.Contains(got.header.Get("Access-Control-Allow-Methods"), "POST") {
			t.Errorf("%s: posting is not allowed", name)
		}
	}
}

func TestAnAnswerIsReadableByThePagesThatMayPost(t *testing.T) {
	t.Parallel()

	s := open(t, settings{})
	s.endpoint("free", nil)
	s.endpoint("guarded", guarded)

	for name, row := range map[string]struct {
		path, origin, body, allowed string
		status                      int
	}{
		"a free endpoint":       {"/f/free", "https://anywhere.example", "a=b", "*", 202},
		"a refusal there":       {"/f/free", "https://anywhere.example", "a=%00", "*", 422},
		"a page of the list":    {"/f/guarded", "https://www.example.com", "a=b", "https://www.example.com", 202},
		"a refusal to it":       {"/f/guarded", "https://www.example.com", "a=%00", "https://www.example.com", 422},
		"a stranger":            {"/f/guarded", "https://evil.example", "a=b", "", 403},
		"a lookalike":           {"/f/guarded", "https://www.example.com.evil.example", "a=b", "", 403},
		"another scheme":        {"/f/guarded", "http://www.example.com", "a=b", "", 403},
		"another port":          {"/f/guarded", "https://www.example.com:8443", "a=b", "", 403},
		"a page without name":   {"/f/guarded", "null", "a=b", "", 403},
		"a page of the service": {"/f/guarded", publicURL, "a=b", publicURL, 202},
		"an unknown endpoint":   {"/f/nothing-here", "https://anywhere.example", "a=b", "*", 404},
	} {
		got := s.send(ask{path: row.path, body: row.body, headers: map[string]string{"Origin": row.origin}})

		if allowed := got.header.Get("Access-Control-Allow-Origin"); got.status != row.status || allowed != row.allowed {
			t.Errorf("%s: %d for %q, want %d for %q", name, got.status, allowed, row.status, row.allowed)
		}

		if got.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: credentials are allowed", name)
		}

		exposed := "Idempotent-Replayed, Retry-After, RateLimit, RateLimit-Policy"
		if row.allowed != "" && got.header.Get("Access-Control-Expose-Headers") != exposed {
			t.Errorf("%s: exposes %q", name, got.header.Get("Access-Control-Expose-Headers"))
		}

		if guarded := strings.HasSuffix(row.path, "guarded"); guarded && got.header.Get("Vary") != "Origin" {
			t.Errorf("%s: a cache may give the answer to another page: Vary is %q", name, got.header.Get("Vary"))
		}
	}
}

func escape(text string) string { return url.QueryEscape(text) }
