package dashboard_test

import (
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"formonce/dashboard"
)

var script = strings.Repeat("console.log('a script that is worth compressing');\n", 20)

func application() http.Handler {
	return dashboard.New(fstest.MapFS{
		".keep":               {},
		"index.html":          {Data: []byte("<!doctype html><title>page</title>")},
		"favicon.svg":         {Data: []byte("<svg/>")},
		"assets/app-1a2b.js":  {Data: []byte(script)},
		"assets/app-1a2b.css": {Data: []byte("a{}")},
	})
}

func ask(handler http.Handler, method, path string, headers ...string) *http.Response {
	request := httptest.NewRequest(method, path, http.NoBody)
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}

	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)

	return answer.Result()
}

func TestEachAddressIsAPageAFileOrNothing(t *testing.T) {
	t.Parallel()

	const (
		page    = "text/html; charset=utf-8"
		plain   = "text/plain; charset=utf-8"
		forever = "public, max-age=31536000, immutable"
	)

	rows := map[string]struct {
		method, path       string
		status             int
		contentType, cache string
	}{
		"the start":            {"GET", "/dashboard/", 200, page, "no-cache"},
		"a page within":        {"GET", "/dashboard/endpoints/contact-form", 200, page, "no-cache"},
		"the page by its file": {"GET", "/dashboard/index.html", 200, page, "no-cache"},
		"only the headers":     {"HEAD", "/dashboard/", 200, page, "no-cache"},
		"a script":             {"GET", "/dashboard/assets/app-1a2b.js", 200, "text/javascript; charset=utf-8", forever},
		"a style sheet":        {"GET", "/dashboard/assets/app-1a2b.css", 200, "text/css; charset=utf-8", forever},
		"the icon":             {"GET", "/dashboard/favicon.svg", 200, "image/svg+xml", "no-cache"},
		"a script of yore":     {"GET", "/dashboard/assets/app-0000.js", 404, plain, ""},
		"a hidden file":        {"GET", "/dashboard/.keep", 404, plain, ""},
		"without the slash":    {"GET", "/dashboard", 308, page, ""},
		"a post":               {"POST", "/dashboard/", 405, plain, ""},
	}

	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			answer := ask(application(), row.method, row.path)
			defer answer.Body.Close()

			if answer.StatusCode != row.status {
				t.Errorf("status %d, want %d", answer.StatusCode, row.status)
			}

			if got := answer.Header.Get("Content-Type"); got != row.contentType {
				t.Errorf("type %q, want %q", got, row.contentType)
			}

			if got := answer.Header.Get("Cache-Control"); got != row.cache {
				t.Errorf("cache %q, want %q", got, row.cache)
			}
		})
	}
}

func TestEveryAnswerForbidsForeignAndInlineScripts(t *testing.T) {
	t.Parallel()

	for _, path := range []string{"/dashboard/", "/dashboard/assets/app-1a2b.js", "/dashboard/none.js", "/dashboard"} {
		answer := ask(application(), "GET", path)
		policy := answer.Header.Get("Content-Security-Policy")
		_ = answer.Body.Close()

		if !strings.Contains(policy, "default-src 'none'; script-src 'self';") {
			t.Errorf("%s: policy %q", path, policy)
		}

		if answer.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s lets the browser guess the type", path)
		}
	}
}

func TestTheBuiltPageHoldsNoInlineScript(t *testing.T) {
	t.Parallel()

	answer := ask(dashboard.Handler(), "GET", dashboard.Path)
	defer answer.Body.Close()

	page, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}

	for _, part := range strings.Split(string(page), "<script")[1:] {
		if tag, _, _ := strings.Cut(part, ">"); !strings.Contains(tag, "src=") {
			t.Errorf("the page has a script of its own, which its policy forbids: <script%s>", tag)
		}
	}
}

func TestAProgramWithoutTheDashboardSaysHowToBuildIt(t *testing.T) {
	t.Parallel()

	for name, built := range map[string]fs.FS{"empty": fstest.MapFS{".keep": {}}, "absent": fstest.MapFS{}} {
		answer := ask(dashboard.New(built), "GET", "/dashboard/")
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()

		if answer.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(text), "make build") {
			t.Errorf("%s: %d %q", name, answer.StatusCode, text)
		}
	}
}

func TestAFileTravelsCompressedToThoseWhoAcceptIt(t *testing.T) {
	t.Parallel()

	rows := map[string]bool{"gzip, deflate, br": true, "br;q=1.0, GZIP;q=0.5": true, "": false, "gzip;q=0": false, "br": false}

	for accepted, want := range rows {
		answer := ask(application(), "GET", "/dashboard/assets/app-1a2b.js", "Accept-Encoding", accepted)

		reader := io.Reader(answer.Body)
		if got := answer.Header.Get("Content-Encoding") == "gzip"; got != want {
			t.Errorf("%q: compressed %v, want %v", accepted, got, want)
		}

		if want {
			unzipped, err := gzip.NewReader(answer.Body)
			if err != nil {
				t.Fatal(err)
			}

			reader = unzipped
		}

		if content, err := io.ReadAll(reader); err != nil || string(content) != script {
			t.Errorf("%q: another content arrived: %v", accepted, err)
		}

		_ = answer.Body.Close()
	}
}

func TestAnUnchangedPageIsNotSentAgain(t *testing.T) {
	t.Parallel()

	for _, coding := range []string{"", "gzip"} {
		first := ask(application(), "GET", "/dashboard/", "Accept-Encoding", coding)
		_ = first.Body.Close()

		second := ask(application(), "GET", "/dashboard/",
			"Accept-Encoding", coding, "If-None-Match", first.Header.Get("ETag"))
		_ = second.Body.Close()

		if second.StatusCode != http.StatusNotModified {
			t.Errorf("%q: status %d, want 304", coding, second.StatusCode)
		}
	}
}
