package web

import (
	"bytes"
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// wantsJSON tells a script from a browser that navigates. A script must never be sent a page or a redirect, so whoever
// does not ask for HTML gets JSON. The body is nil where the request was refused before it was read.
func wantsJSON(r *http.Request, body []byte) bool {
	if saysScript(r) {
		return true
	}

	accept := parseAccept(r.Header.Values("Accept"))
	html, json := accept.quality("text/html"), accept.quality("application/json")

	if html == 0 || (!accept.names("text/html") && !accept.names("application/json")) {
		return true
	}

	return json > html || (json == html && isJSON(r.Header.Get("Content-Type"), body))
}

// saysScript is true for what browsers and libraries add to the requests of a script, whatever it accepts.
func saysScript(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Mode") == "cors" || r.Header.Values("X-Requested-With") != nil
}

// isJSON knows the JSON of navigator.sendBeacon too, which says that it is text.
func isJSON(contentType string, body []byte) bool {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil || media != "text/plain" {
		return err == nil && media == "application/json"
	}

	return bytes.HasPrefix(bytes.TrimLeft(body, "\uFEFF \t\r\n"), []byte("{"))
}

// accepted are the media ranges of an Accept header with their quality values (RFC 9110, section 12.5.1).
type accepted map[string]float64

func parseAccept(values []string) accepted {
	ranges := accepted{}

	for item := range strings.SplitSeq(strings.Join(values, ","), ",") {
		media, params, err := mime.ParseMediaType(item)
		if err != nil {
			continue
		}

		quality := 1.0
		if q, err := strconv.ParseFloat(params["q"], 64); err == nil {
			quality = q
		}

		ranges[media] = max(ranges[media], quality)
	}

	return ranges
}

func (a accepted) names(media string) bool {
	_, named := a[media]

	return named
}

func (a accepted) quality(media string) float64 {
	kind, _, _ := strings.Cut(media, "/")

	for _, candidate := range []string{media, kind + "/*", "*/*"} {
		if quality, ok := a[candidate]; ok {
			return quality
		}
	}

	return 0
}
