package edge_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"formonce/internal/edge"
)

const peer = "192.0.2.1:4711"

func addressOf(hops int, remote string, forwarded ...string) string {
	return edge.ClientAddress(&http.Request{RemoteAddr: remote, Header: http.Header{"X-Forwarded-For": forwarded}}, hops).String()
}

func TestTheClientsAddressIsTheOneThatOurOutermostProxyWrote(t *testing.T) {
	t.Parallel()

	for name, row := range map[string]struct {
		hops      int
		remote    string
		forwarded []string
		want      string
	}{
		"no proxy: the peer":                          {0, peer, nil, "192.0.2.1"},
		"no proxy: the header is forged":              {0, peer, []string{"1.1.1.1"}, "192.0.2.1"},
		"one proxy":                                   {1, peer, []string{"1.1.1.1"}, "1.1.1.1"},
		"one proxy: what stands left is forged":       {1, peer, []string{"9.9.9.9, 8.8.8.8, 1.1.1.1"}, "1.1.1.1"},
		"one proxy: a line of its own":                {1, peer, []string{"9.9.9.9", "1.1.1.1"}, "1.1.1.1"},
		"two proxies":                                 {2, peer, []string{"9.9.9.9, 1.1.1.1, 10.0.0.1"}, "1.1.1.1"},
		"two proxies over two lines":                  {2, peer, []string{"9.9.9.9,1.1.1.1", "10.0.0.1"}, "1.1.1.1"},
		"two proxies, one was passed by":              {2, peer, []string{"1.1.1.1"}, "192.0.2.1"},
		"no header at all":                            {1, peer, nil, "192.0.2.1"},
		"an empty header":                             {1, peer, []string{""}, "192.0.2.1"},
		"an empty element counts as one":              {2, peer, []string{"1.1.1.1,,2.2.2.2"}, "192.0.2.1"},
		"a comma that the client sent moves nothing":  {1, peer, []string{"9.9.9.9,, 1.1.1.1"}, "1.1.1.1"},
		"a name is no address":                        {1, peer, []string{"unknown"}, "192.0.2.1"},
		"with a port":                                 {1, peer, []string{"1.1.1.1:99"}, "1.1.1.1"},
		"IPv6":                                        {1, peer, []string{"2001:db8::1"}, "2001:db8::1"},
		"IPv6 in brackets":                            {1, peer, []string{"[2001:db8::1]"}, "2001:db8::1"},
		"IPv6 with a port":                            {1, peer, []string{"[2001:db8::1]:99"}, "2001:db8::1"},
		"IPv6 with a zone":                            {1, peer, []string{"fe80::1%eth0"}, "fe80::1"},
		"IPv4 in IPv6 clothes":                        {1, peer, []string{"::ffff:1.1.1.1"}, "1.1.1.1"},
		"a peer with a zone":                          {0, "[fe80::1%eth0]:1", nil, "fe80::1"},
		"a peer in IPv6 clothes":                      {0, "[::ffff:192.0.2.1]:1", nil, "192.0.2.1"},
		"a unix socket has no address":                {0, "@", nil, "invalid IP"},
		"a unix socket behind a proxy":                {1, "@", []string{"1.1.1.1"}, "1.1.1.1"},
		"more hops than anything":                     {1 << 30, peer, []string{strings.Repeat("1.1.1.1,", 1000)}, "192.0.2.1"},
		"hops below zero are none":                    {-1, peer, []string{"1.1.1.1"}, "192.0.2.1"},
		"octal and other spellings are no addresses":  {1, peer, []string{"0177.0.0.1"}, "192.0.2.1"},
		"blanks around an address are not part of it": {1, peer, []string{"9.9.9.9 ,\t1.1.1.1  "}, "1.1.1.1"},
	} {
		if got := addressOf(row.hops, row.remote, row.forwarded...); got != row.want {
			t.Errorf("%s: got %s, want %s", name, got, row.want)
		}
	}
}

func TestOneCustomerOfAProviderIsOneClient(t *testing.T) {
	t.Parallel()

	for addr, want := range map[string]string{
		"192.0.2.1":             "192.0.2.1",
		"::ffff:192.0.2.1":      "192.0.2.1",
		"2001:db8:1:2:3:4:5:6":  "2001:db8:1:2::/64",
		"2001:db8:1:2::":        "2001:db8:1:2::/64",
		"2001:db8:1:3::1":       "2001:db8:1:3::/64",
		"fe80::1%eth0":          "fe80::/64",
		"2001:db8:1:2::1%eth0x": "2001:db8:1:2::/64",
	} {
		if got := edge.ClientKey(netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s: got %s, want %s", addr, got, want)
		}
	}

	if got := edge.ClientKey(netip.Addr{}); got != "unknown" {
		t.Errorf("no address: got %s", got)
	}
}

// FuzzClientAddress holds what no header may change: nothing panics, an untrusted header has no effect, what a client
// puts in front of the proxy's own address has no effect either, and the result is in its one spelling.
func FuzzClientAddress(f *testing.F) {
	f.Add(1, "192.0.2.1:1", "9.9.9.9, 1.1.1.1")
	f.Add(2, "[::1]:1", "[2001:db8::1]:99,, fe80::1%eth0")
	f.Add(0, "", "::ffff:1.2.3.4")
	f.Fuzz(func(t *testing.T, hops int, remote, forwarded string) {
		got := edge.ClientAddress(&http.Request{RemoteAddr: remote, Header: http.Header{"X-Forwarded-For": {forwarded}}}, hops)

		if got.Zone() != "" || got.Is4In6() {
			t.Errorf("not in its one spelling: %v", got)
		}

		if hops <= 0 && got.String() != addressOf(0, remote) {
			t.Errorf("an untrusted header has changed %v", got)
		}

		if seen := addressOf(1, peer, forwarded, "1.1.1.1"); seen != "1.1.1.1" {
			t.Errorf("a forged line in front has changed it to %v", seen)
		}

		if seen := addressOf(1, peer, forwarded+",1.1.1.1"); seen != "1.1.1.1" {
			t.Errorf("a forged element in front has changed it to %v", seen)
		}
	})
}

// FuzzClientKey holds that a key names all of one IPv4 address or the first 64 bits of an IPv6 one, and nothing else.
func FuzzClientKey(f *testing.F) {
	f.Add([]byte{192, 0, 2, 1}, []byte{1, 2, 3, 4, 5, 6, 7, 8})
	f.Add([]byte{0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, []byte{9, 9, 9, 9, 9, 9, 9, 9})
	f.Fuzz(func(t *testing.T, raw, host []byte) {
		addr, _ := netip.AddrFromSlice(raw)
		key := edge.ClientKey(addr)

		switch plain := addr.Unmap(); {
		case !addr.IsValid():
			if key != "unknown" {
				t.Errorf("%v has the key %s", raw, key)
			}
		case plain.Is4():
			if key != plain.String() {
				t.Errorf("%v has the key %s", plain, key)
			}
		default:
			network, err := netip.ParsePrefix(key)
			if err != nil || network.Bits() != 64 || !network.Contains(addr) || network != network.Masked() {
				t.Errorf("%v has the key %s", addr, key)
			}

			other := addr.As16()
			copy(other[8:], host)

			if moved := netip.AddrFrom16(other); !moved.Is4In6() && edge.ClientKey(moved) != key {
				t.Errorf("%v and %v have different keys", addr, moved)
			}
		}
	})
}
