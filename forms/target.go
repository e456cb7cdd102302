package forms

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

const longestTarget = 2048

// Targets are the places that a visitor's browser may be sent to.
type Targets struct {
	// Own are the origins of the endpoint itself, such as that of its settings' redirect, in any spelling.
	Own []string
	// Allowed are the entries of its allow-list, as ParseOrigin returns them.
	Allowed []string
}

// Check returns the URL to put into the header Location for a target that a form asked for, or false when the browser
// must not be sent there. The URL is absolute and ASCII. A target that begins with a single / is a path on base, the page
// that the visitor came from, which the caller gives only after it has found the page's origin allowed; a nil base
// refuses paths. Whatever a browser might read as another host than Go does is refused.
func (t Targets) Check(raw string, base *url.URL) (string, bool) {
	if len(raw) > longestTarget || !utf8.ValidString(raw) || strings.ContainsFunc(raw, misleads) {
		return "", false
	}

	target, err := url.Parse(raw)
	if err != nil {
		return "", false
	}

	if strings.HasPrefix(raw, "/") && !strings.HasPrefix(raw, "//") {
		return onBase(target, base)
	}

	origin, ok := originOf(target)
	if !ok || !t.owns(origin) && !OriginAllowed(origin, t.Allowed) {
		return "", false
	}

	return locate(origin, target), true
}

func (t Targets) owns(origin string) bool {
	return slices.ContainsFunc(t.Own, func(own string) bool {
		parsed, err := url.Parse(own)
		if err != nil {
			return false
		}

		normal, ok := originOf(parsed)

		return ok && normal == origin
	})
}

// misleads is true for what browsers strip or read as a slash.
func misleads(r rune) bool { return r == '\\' || unicode.IsControl(r) || unicode.IsSpace(r) }

func onBase(target, base *url.URL) (string, bool) {
	if base == nil || target.Host != "" {
		return "", false
	}

	origin, ok := originOf(base)

	return locate(origin, target), ok
}

// locate writes the target under an origin that was checked, so that what was compared is where the browser goes.
func locate(origin string, target *url.URL) string {
	written := origin + "/" + strings.TrimPrefix(target.EscapedPath(), "/")
	if target.RawQuery != "" {
		written += "?" + escapeNonASCII(target.RawQuery)
	}

	if fragment := target.EscapedFragment(); fragment != "" {
		written += "#" + fragment
	}

	return written
}

func escapeNonASCII(query string) string {
	escaped := make([]byte, 0, len(query))

	for i := range len(query) {
		if query[i] < utf8.RuneSelf {
			escaped = append(escaped, query[i])
		} else {
			escaped = fmt.Appendf(escaped, "%%%02X", query[i])
		}
	}

	return string(escaped)
}

// OriginAllowed says whether an origin, as the header Origin has it, is one of the entries that ParseOrigin returned:
// the same scheme, host and port, or a subdomain of a wildcard at any depth. "null" and the empty origin never are, and an
// empty list allows nothing.
func OriginAllowed(origin string, allowed []string) bool {
	parsed, err := url.Parse(origin)
	if err != nil {
		return false
	}

	normal, ok := originOf(parsed)
	if !ok {
		return false
	}

	for _, entry := range allowed {
		if entry == normal || underWildcard(normal, entry) {
			return true
		}
	}

	return false
}

func underWildcard(origin, entry string) bool {
	scheme, domain, ok := strings.Cut(entry, wildcard)
	if !ok || !strings.HasPrefix(origin, scheme) || !strings.HasSuffix(origin, "."+domain) {
		return false
	}

	return len(origin) > len(scheme)+len(".")+len(domain)
}

const (
	wildcard    = "*."
	highestPort = 65_535
	// longestHost is the limit of RFC 1035, section 2.3.4.
	longestHost = 253
)

var defaultPorts = map[string]int{"http": 80, "https": 443}

// originOf returns scheme://host, lower-case and with the port when it is not the scheme's own; false for user-info, for
// schemes other than http and https, and for hosts that a browser may read in another way.
func originOf(u *url.URL) (string, bool) {
	defaultPort, known := defaultPorts[u.Scheme]
	host := strings.ToLower(u.Hostname())

	if !known || u.User != nil || u.Opaque != "" || !plainHost(host) {
		return "", false
	}

	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}

	if u.Port() == "" {
		return u.Scheme + "://" + host, true
	}

	port, err := strconv.Atoi(u.Port())
	if err != nil || port < 1 || port > highestPort {
		return "", false
	}

	if port != defaultPort {
		host += ":" + strconv.Itoa(port)
	}

	return u.Scheme + "://" + host, true
}

// plainHost takes IP addresses in their usual spelling and names of letters, digits, - and _ that do not end in a
// number: browsers read 127.1 and 0x7f000001 as addresses.
func plainHost(host string) bool {
	if ip := net.ParseIP(host); ip != nil {
		return ip.String() == host
	}

	if host == "" || len(host) > longestHost {
		return false
	}

	for label := range strings.SplitSeq(host, ".") {
		if label == "" || strings.ContainsFunc(label, foreignToHost) {
			return false
		}
	}

	last := host[strings.LastIndexByte(host, '.')+1]

	return last < '0' || last > '9'
}

func foreignToHost(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
}

// originError is a sentence for the owner of an allow-list.
type originError string

// Error returns the sentence.
func (e originError) Error() string { return string(e) }

const (
	errOrigin originError = "An allowed origin is a scheme and a host, such as https://www.example.com or " +
		"https://*.example.com, with a port when it is not the usual one."
	errOriginScheme originError = "An allowed origin begins with https:// or http://, such as https://www.example.com. " +
		"An empty list allows every origin."
	errOriginWildcard originError = "A wildcard stands before a domain with two parts or more, such as " +
		"https://*.example.com."
	errOriginPath originError = "An allowed origin has no path: write https://www.example.com, not " +
		"https://www.example.com/contact."
)

// ParseOrigin brings an entry of an allow-list into the spelling that OriginAllowed compares: an exact origin, such as
// https://www.example.com, or https://*.example.com for all its subdomains. International names become punycode, a
// slash at the end and the scheme's own port are dropped. The errors are sentences for the owner of the list.
func ParseOrigin(entry string) (string, error) {
	scheme, host, ok := strings.Cut(strings.TrimSpace(entry), "://")
	if !ok {
		return "", errOriginScheme
	}

	host, isWildcard := strings.CutPrefix(host, wildcard)
	if isWildcard && !strings.Contains(host, ".") {
		return "", errOriginWildcard
	}

	parsed, err := url.Parse(scheme + "://" + punycode(host))
	if err != nil {
		return "", errOrigin
	}

	if parsed.Path != "" && parsed.Path != "/" || parsed.RawQuery != "" || parsed.Fragment != "" {
		return "", errOriginPath
	}

	origin, ok := originOf(parsed)
	if !ok {
		return "", errOrigin
	}

	if isWildcard {
		origin = strings.Replace(origin, "://", "://"+wildcard, 1)
	}

	return origin, nil
}

// punycode turns the letters of an international name into ASCII, as browsers do. What is no such name stays as it is
// and is judged as it stands.
func punycode(host string) string {
	name, rest := host, ""
	if end := strings.IndexAny(host, ":/?#"); end >= 0 {
		name, rest = host[:end], host[end:]
	}

	ascii, err := idna.Lookup.ToASCII(name)
	if err != nil {
		return host
	}

	return ascii + rest
}
