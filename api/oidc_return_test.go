package api_test

import (
	"net/url"
	"strings"
	"testing"

	"formonce/api"
)

// elsewhere are addresses that have led browsers away from a site.
var elsewhere = []string{
	"", "/", "/dashboard", "/api/v1/session", "https://example.com/dashboard/", "//example.com/dashboard/", "///example.com",
	`/\example.com`, `\\example.com/dashboard/`, `/dashboard/\..\..\`, "/dashboard/../api", "/dashboard/%2e%2e/api",
	"/dashboard/..%2fapi", "/dashboard//example.com", "/dashboard/%2f%2fexample.com", "/dashboard/%5c%5cexample.com",
	"javascript:alert(1)", "data:text/html,x", "/dash\tboard/", " /dashboard/", "/dashboard/\r\nSet-Cookie: a=b", "?return_to=/",
	"#/dashboard/", "dashboard/", "/dashboard/\x00", "http:/dashboard/", "//user@example.com/dashboard/", "/dashboardx/",
	"/.//dashboard/", "/dashboard/%", "/%64ashboard/..//x",
}

func TestNobodyIsLedAwayFromTheDashboard(t *testing.T) {
	t.Parallel()

	for _, wanted := range elsewhere {
		if got := api.DashboardPage(wanted); got != "/dashboard/" {
			t.Errorf("%q leads to %q", wanted, got)
		}
	}

	for _, fine := range []string{
		"/dashboard/", "/dashboard/endpoints", "/dashboard/endpoints/contact-form?tab=schema&q=a%20b", "/dashboard/a#b",
		"/dashboard/submissions?next=//example.com",
	} {
		if got := api.DashboardPage(fine); got != fine {
			t.Errorf("%q leads to %q", fine, got)
		}
	}
}

func FuzzNobodyIsLedAwayFromTheDashboard(f *testing.F) {
	for _, wanted := range append(elsewhere, "/dashboard/endpoints?a=b#c") {
		f.Add(wanted)
	}

	site, err := url.Parse(publicURL + "/api/v1/oidc/callback")
	if err != nil {
		f.Fatal(err)
	}

	f.Fuzz(func(t *testing.T, wanted string) {
		got := api.DashboardPage(wanted)

		// What browsers do before they read an address: blanks at the ends and breaks go, backslashes are slashes.
		seen := strings.NewReplacer("\t", "", "\r", "", "\n", "", `\`, "/").Replace(strings.Trim(got, "\x00 \t\r\n\f"))
		if seen != got {
			t.Fatalf("%q leads to %q, which is not what it seems", wanted, got)
		}

		target, err := site.Parse(got)
		if err != nil || target.Scheme != site.Scheme || target.Host != site.Host || target.User != nil ||
			!strings.HasPrefix(target.Path, "/dashboard/") || strings.HasPrefix(got, "//") {
			t.Fatalf("%q leads to %v", wanted, target)
		}
	})
}
