package edge

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// clientBits is the part of an IPv6 address that one customer of a provider gets; the rest is the customer's to choose.
const clientBits = 64

// ClientAddress finds the address that a request came from, behind the given number of proxies of ours.
//
// With no hops it is the peer of the connection, and X-Forwarded-For is not looked at. Each proxy appends the address of
// its own peer to X-Forwarded-For, so with n hops the n-th address from the right was written by the outermost of our
// proxies, and whatever a client puts there itself stands further left. Two things are the operator's to see to: every
// proxy appends (or replaces) the header, and nobody can reach the service past a proxy. A request with too few addresses
// has come past one, and one whose address at that place cannot be read was not written by one; both are then known by
// the peer of the connection, which cannot be forged.
//
// The result is without a zone, and an IPv4 address in IPv6 clothes is IPv4. It is not valid when the connection has no
// address, as over a unix socket.
func ClientAddress(r *http.Request, hops int) netip.Addr {
	if forwarded, ok := fromRight(r.Header["X-Forwarded-For"], hops); ok {
		if addr, ok := parseAddr(forwarded); ok {
			return addr
		}
	}

	addr, _ := parseAddr(r.RemoteAddr)

	return addr
}

// fromRight returns the n-th element from the right of a list that is spread over header lines. It looks at no more of
// the header than that, since the rest is as long as the client likes.
func fromRight(lines []string, n int) (string, bool) {
	if n < 1 {
		return "", false
	}

	for _, line := range slices.Backward(lines) {
		for rest, more := line, true; more; {
			comma := strings.LastIndexByte(rest, ',')
			element := rest[comma+1:]

			if n--; n == 0 {
				return strings.TrimSpace(element), true
			}

			more = comma >= 0
			rest = rest[:max(comma, 0)]
		}
	}

	return "", false
}

// parseAddr reads an address with or without a port, and an IPv6 one with or without brackets.
func parseAddr(text string) (netip.Addr, bool) {
	addr, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	if err != nil {
		withPort, err := netip.ParseAddrPort(text)
		if err != nil {
			return netip.Addr{}, false
		}

		addr = withPort.Addr()
	}

	return addr.WithZone("").Unmap(), true
}

// ClientKey is what requests of one client have in common: an IPv4 address, the /64 network of an IPv6 one, "unknown"
// for an address that is not valid.
func ClientKey(addr netip.Addr) string {
	addr = addr.WithZone("").Unmap()

	switch {
	case !addr.IsValid():
		return "unknown"
	case addr.Is4():
		return addr.String()
	}

	network, _ := addr.Prefix(clientBits) // It fails only for more bits than an address has.

	return network.String()
}
