package web

import (
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"formonce/forms"
	"formonce/internal/edge"
	"formonce/internal/fault"
)

const (
	allowedHeaders = "Accept, Content-Type, Idempotency-Key, X-Requested-With, Formspree-Client, Formspree-Session-Data"
	exposedHeaders = "Idempotent-Replayed, Retry-After, RateLimit, RateLimit-Policy"
	// preflightAge is in seconds: two hours, the most that Chromium keeps.
	preflightAge = "7200"
)

// openToScripts lets any page read the answer, which holds nothing of anybody: credentials are never allowed. Once the
// endpoint is known, narrowToAllowed holds it to the endpoint's list.
func (v *Visitors) openToScripts(c *gin.Context) { openToScripts(c.Writer.Header()) }

func openToScripts(header http.Header) {
	header.Set("Access-Control-Allow-Origin", "*")
	header.Set("Access-Control-Expose-Headers", exposedHeaders)
}

func (v *Visitors) narrowToAllowed(c *gin.Context, endpoint *forms.Endpoint) {
	if len(endpoint.AllowedOrigins) == 0 {
		return
	}

	header := c.Writer.Header()
	header.Del("Access-Control-Allow-Origin")
	header.Add("Vary", "Origin")

	if origin := c.GetHeader("Origin"); v.allowed(endpoint, origin) {
		header.Set("Access-Control-Allow-Origin", origin)
	}
}

func (v *Visitors) preflight(c *gin.Context) {
	openToScripts(c.Writer.Header())
	c.Header("Access-Control-Allow-Methods", "POST, OPTIONS")
	c.Header("Access-Control-Allow-Headers", allowedHeaders)
	c.Header("Access-Control-Max-Age", preflightAge)

	c.Status(http.StatusNoContent)

	// Who asks too often is let through here, and judged when it posts.
	if !v.mayLook(c) {
		return
	}

	// An endpoint that cannot be found is the answer of the request itself, which a page can read only after this one.
	if endpoint, _ := v.lookup(c); endpoint != nil {
		v.narrowToAllowed(c, endpoint)
	}
}

func (v *Visitors) checkOrigin(c *gin.Context) {
	endpoint := visitOf(c).endpoint
	if len(endpoint.AllowedOrigins) == 0 || v.allowed(endpoint, pageOrigin(c.Request)) {
		return
	}

	edge.Fail(c, fault.New(fault.Forbidden, "origin_not_allowed",
		"This form may not be posted from this page. Its owner can add the page's origin to the allowed origins."))
}

// allowed says whether the endpoint takes posts from this origin. Our own pages always may.
func (v *Visitors) allowed(endpoint *forms.Endpoint, origin string) bool {
	return origin == v.origin || forms.OriginAllowed(origin, endpoint.AllowedOrigins)
}

// pageOrigin is the origin of the page that posts: the header Origin, or for a browser that sends none the Referer's.
// Empty when neither says it.
func pageOrigin(r *http.Request) string {
	if origin := r.Header.Get("Origin"); origin != "" {
		return origin
	}

	page, err := url.Parse(r.Referer())
	if err != nil || page.Host == "" {
		return ""
	}

	return originOf(page)
}

func originOf(address *url.URL) string { return address.Scheme + "://" + address.Host }

// redirect returns where the visitor's wish leads, if it may: to the endpoint's own origins or one of its list.
func (v *Visitors) redirect(c *gin.Context, endpoint *forms.Endpoint, wish string) (string, bool) {
	if wish == "" {
		return "", false
	}

	own := []string{v.origin}

	base, err := url.Parse(endpoint.RedirectURL)
	if err != nil || base.Host == "" {
		base = nil
	} else {
		own = append(own, originOf(base))
	}

	targets := forms.Targets{Own: own, Allowed: endpoint.AllowedOrigins}

	// A path alone is meant on the visitor's page, but only a page that may be trusted says which that is.
	if page := pageOrigin(c.Request); page != "" {
		if trusted, ok := targets.Check(page+"/", nil); ok {
			base, _ = url.Parse(trusted)
		}
	}

	return targets.Check(wish, base)
}
