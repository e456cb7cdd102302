package web_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"formonce/internal/edge"
)

const multipartX = "multipart/form-data; boundary=x"

// part writes a part of a multipart body whose boundary is x.
func part(header, content string) string { return "--x\r\n" + header + "\r\n\r\n" + content + "\r\n" }

func named(name string) string { return `Content-Disposition: form-data; name="` + name + `"` }

// rudeAsks are bodies that nobody sends by accident, with what they deserve.
var rudeAsks = map[string]struct {
	ask    ask
	status int
	code   string
}{
	"10 MB":                    {ask{body: "a=" + strings.Repeat("a", 10<<20)}, 413, "request_body_too_large"},
	"10,000 fields":            {ask{body: strings.Repeat("a=b&", 10_000)}, 422, "too_many_fields"},
	"10,000 members":           {ask{kind: jsonBody, body: members(10_000)}, 422, "too_many_fields"},
	"10,000 parts":             {ask{kind: multipartX, body: strings.Repeat(part(named("a"), ""), 3000) + "--x--"}, 422, "too_many_fields"},
	"a name of 1 MB":           {ask{body: strings.Repeat("n", 1<<20) + "=a"}, 413, "request_body_too_large"},
	"a name of 200 KB":         {ask{body: strings.Repeat("n", 200<<10) + "=a"}, 422, "field_name_too_long"},
	"a JSON name of 200 KB":    {ask{kind: jsonBody, body: `{"` + strings.Repeat("n", 200<<10) + `":1}`}, 422, "field_name_too_long"},
	"a part's name of 200 KB":  {ask{kind: multipartX, body: part(named(strings.Repeat("n", 200<<10)), "a") + "--x--"}, 422, "field_name_too_long"},
	"NUL in a value":           {ask{body: "a=b%00c"}, 422, "invalid_field_value"},
	"NUL in a name":            {ask{body: "a%00=b"}, 422, "invalid_field_name"},
	"NUL in JSON":              {ask{kind: jsonBody, body: `{"a":"b\u0000"}`}, 422, "invalid_field_value"},
	"NUL deep in JSON":         {ask{kind: jsonBody, body: `{"a":[{"b\u0000":1}]}`}, 422, "invalid_field_value"},
	"NUL in a part":            {ask{kind: multipartX, body: part(named("a"), "b\x00") + "--x--"}, 422, "invalid_field_value"},
	"NUL in text":              {ask{kind: "text/plain", body: "a=b\x00\r\n"}, 422, "invalid_field_value"},
	"NUL bare in JSON":         {ask{kind: jsonBody, body: "{\"a\":\"b\x00\"}"}, 400, "malformed_body"},
	"a lone surrogate":         {ask{kind: jsonBody, body: `{"a":"\ud800"}`}, 422, "invalid_field_value"},
	"a lone low surrogate":     {ask{kind: jsonBody, body: `{"a":"x\udc00y"}`}, 422, "invalid_field_value"},
	"a surrogate as UTF-8":     {ask{body: "a=%ed%a0%80"}, 422, "invalid_field_value"},
	"bad UTF-8":                {ask{body: "a=%ff%fe"}, 422, "invalid_field_value"},
	"bad UTF-8, raw":           {ask{body: "a=\xff\xfe"}, 422, "invalid_field_value"},
	"bad UTF-8 in JSON":        {ask{kind: jsonBody, body: "{\"a\":\"\xff\"}"}, 422, "invalid_field_value"},
	"bad UTF-8 in a name":      {ask{body: "%ff=a"}, 422, "invalid_field_name"},
	"an overlong boundary":     {ask{kind: "multipart/form-data; boundary=" + strings.Repeat("b", 5000), body: "a"}, 400, "malformed_body"},
	"no boundary":              {ask{kind: "multipart/form-data", body: "--x--"}, 400, "malformed_body"},
	"a part without a name":    {ask{kind: multipartX, body: part("Content-Disposition: form-data", "a") + "--x--"}, 400, "malformed_body"},
	"a part without a header":  {ask{kind: multipartX, body: "--x\r\n\r\na\r\n--x--"}, 400, "malformed_body"},
	"a part that never ends":   {ask{kind: multipartX, body: "--x\r\n" + named("a") + "\r\n\r\nb"}, 400, "malformed_body"},
	"a part's header of 99 KB": {ask{kind: multipartX, body: part("X-A: "+strings.Repeat("a", 99<<10), "a") + "--x--"}, 400, "malformed_body"},
	"members twice":            {ask{kind: jsonBody, body: `{"a":1,"b":2,"a":1}`}, 400, "malformed_body"},
	"members twice, escaped":   {ask{kind: jsonBody, body: `{"a":1,"\u0061":2}`}, 400, "malformed_body"},
	"members twice, deep":      {ask{kind: jsonBody, body: `{"x":[{"a":1,"a":2}]}`}, 400, "malformed_body"},
	"depth 10,000":             {ask{kind: jsonBody, body: `{"a":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + "}"}, 400, "malformed_body"},
	"depth 10,000, open":       {ask{kind: jsonBody, body: strings.Repeat(`{"a":`, 10_000)}, 400, "malformed_body"},
	"a number beyond numeric":  {ask{kind: jsonBody, body: `{"a":1e999999999}`}, 422, "invalid_field_value"},
	"no number":                {ask{kind: jsonBody, body: `{"a":NaN}`}, 400, "malformed_body"},
	"an array":                 {ask{kind: jsonBody, body: `[1]`}, 400, "malformed_body"},
	"two objects":              {ask{kind: jsonBody, body: `{"a":1}{"a":1}`}, 400, "malformed_body"},
	"nothing":                  {ask{kind: jsonBody}, 400, "malformed_body"},
	"nothing but __proto__":    {ask{kind: jsonBody, body: `{"__proto__":{"admin":true}}`}, 422, "empty_submission"},
	"no content type":          {ask{headers: map[string]string{"Content-Type": ""}, body: "a=b"}, 415, "unsupported_media_type"},
	"a broken content type":    {ask{kind: "application/x-www-form-urlencoded;;;=", body: "a=b"}, 415, "unsupported_media_type"},
	"another charset":          {ask{kind: formBody + "; charset=utf-16", body: "a=b"}, 415, "unsupported_media_type"},
	"a compressed body":        {ask{body: "a=b", headers: map[string]string{"Content-Encoding": "gzip"}}, 415, "unsupported_media_type"},
	"a bomb in layers":         {ask{body: "a=b", headers: map[string]string{"Content-Encoding": "gzip, gzip"}}, 415, "unsupported_media_type"},
}

func members(n int) string {
	written := make([]string, n)
	for i := range written {
		written[i] = fmt.Sprintf(`"m%d":1`, i)
	}

	return "{" + strings.Join(written, ",") + "}"
}

func TestRudeBodiesAreRefusedAndLeaveNothing(t *testing.T) {
	t.Parallel()

	s := open(t, settings{})
	s.endpoint("contact", nil)

	for name, row := range rudeAsks {
		if got := s.send(row.ask); got.status != row.status || got.code() != row.code {
			t.Errorf("%s: got %d %s, want %d %s\n%.300s", name, got.status, got.code(), row.status, row.code, got.body)
		}
	}

	s.wantStored(0)
	s.post().want(t, 202, "")
}

func TestStrangeButSoundContentIsKeptAsItCame(t *testing.T) {
	t.Parallel()

	s := open(t, settings{})
	s.endpoint("contact", nil)

	digits := strings.Repeat("1234567890", 40)

	for name, row := range map[string]struct {
		ask    ask
		stored string
	}{
		"a number of 400 digits":   {ask{kind: jsonBody, body: `{"n":` + digits + `}`}, `[{"n":` + digits + `}]`},
		"__proto__ beside a field": {ask{body: "__proto__=x&a=b"}, `[{"a":"b"}]`},
		"__proto__ in a path":      {ask{body: "a[__proto__][x]=1"}, `[{"a[__proto__][x]":"1"}]`},
		"constructor":              {ask{body: "constructor=1&toString=2"}, `[{"constructor":"1"},{"toString":"2"}]`},
		"SQL":                      {ask{body: "a=');DROP TABLE submissions;--"}, `[{"a":"');DROP TABLE submissions;--"}]`},
		"no value at all":          {ask{body: "a"}, `[{"a":""}]`},
		"identity as its coding":   {ask{body: "i=1", headers: map[string]string{"Content-Encoding": "identity"}}, `[{"i":"1"}]`},
	} {
		got := s.send(row.ask)
		if got.status != 202 {
			t.Errorf("%s: got %d %s", name, got.status, got.code())
			continue
		}

		s.wantNewestContent(row.stored, got.object(t)["submission_id"].(string))
	}
}

// head writes the beginning of a request without its end, so that a row can add headers and a body.
func head(method, target, version string, headers ...string) string {
	return method + " " + target + " " + version + "\r\nHost: forms.example.com\r\n" + strings.Join(headers, "\r\n")
}

func formHead(headers ...string) string {
	return head("POST", "/f/contact", "HTTP/1.1", append([]string{"Content-Type: " + formBody}, headers...)...) + "\r\n\r\n"
}

// wire sends bytes over a connection of its own and reads as many answers as are wanted; a status of 0 stands for a
// connection that was closed without one.
func (s *site) wire(sent string, want int, halfClose bool) []answer {
	s.Helper()

	conn, err := net.Dial("tcp", s.server.Listener.Addr().String())
	if err != nil {
		s.Fatal(err)
	}

	defer func() { _ = conn.Close() }()

	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		s.Fatal(err)
	}

	go func() {
		// A server that has seen enough closes the connection while the rest is still being written.
		_, _ = io.WriteString(conn, sent)

		if halfClose {
			_ = conn.(*net.TCPConn).CloseWrite()
		}
	}()

	answers := make([]answer, want)
	reader := bufio.NewReader(conn)

	for i := range answers {
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			break
		}

		body, _ := io.ReadAll(response.Body) // A body that breaks off is judged by what it is.
		answers[i] = answer{response.StatusCode, response.Header, string(body)}
	}

	return answers
}

// rudeWires are requests that no library would send, with the statuses of the answers. Those that come from the HTTP
// library itself are plain text. 501 and 505 are what RFC 9112, section 6.1, and RFC 9110, section 15.6.6, ask for.
var rudeWires = map[string]struct {
	sent      string
	halfClose bool
	statuses  []int
	stored    int
}{
	"a chunked body past the cap": {
		sent:     formHead("Transfer-Encoding: chunked") + "80000\r\n" + strings.Repeat("a", 0x80000) + "\r\n0\r\n\r\n",
		statuses: []int{413},
	},
	"chunks that never add up":    {sent: formHead("Transfer-Encoding: chunked") + "zz\r\na=b\r\n", statuses: []int{400}},
	"chunks with huge extensions": {sent: formHead("Transfer-Encoding: chunked") + "3;" + strings.Repeat("x", 99<<10) + "\r\na=b\r\n0\r\n\r\n", statuses: []int{400}},
	"an unknown transfer coding":  {sent: formHead("Transfer-Encoding: gzip") + "a=b", statuses: []int{501}},
	"an announced 10 MB":          {sent: formHead("Content-Length: 10485760"), statuses: []int{413}},
	"fewer bytes than announced":  {sent: formHead("Content-Length: 99") + "a=b", halfClose: true, statuses: []int{400}},
	"more bytes than announced":   {sent: formHead("Content-Length: 3") + "a=bcdefg\r\n\r\n", statuses: []int{202, 400}, stored: 1},
	"two lengths":                 {sent: formHead("Content-Length: 3", "Content-Length: 4") + "a=bc", statuses: []int{400}},
	"a negative length":           {sent: formHead("Content-Length: -1") + "a=b", statuses: []int{400}},
	"two keys":                    {sent: formHead("Content-Length: 3", "Idempotency-Key: "+aKey, "Idempotency-Key: "+aKey) + "a=b", statuses: []int{400}},
	"huge headers":                {sent: formHead("Content-Length: 3", "X-Huge: "+strings.Repeat("h", 1<<20)) + "a=b", statuses: []int{431}},
	"ten thousand headers":        {sent: formHead("Content-Length: 3", strings.TrimSpace(strings.Repeat("X-H: h\r\n", 10_000))) + "a=b", statuses: []int{431}},
	"a header folded":             {sent: formHead("Content-Length: 3", "X-A: b", " c") + "a=b", statuses: []int{202}, stored: 1},
	"a header without a name":     {sent: formHead("Content-Length: 3", ": b") + "a=b", statuses: []int{400}},
	"garbage":                     {sent: "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03garbage\r\n\r\n", statuses: []int{400}},
	"nothing but line breaks":     {sent: "\r\n\r\n\r\n", halfClose: true, statuses: []int{400}},
	"a version of the future":     {sent: head("POST", "/f/contact", "HTTP/3.1") + "\r\n\r\n", statuses: []int{505}},
	"no host":                     {sent: "POST /f/contact HTTP/1.1\r\nContent-Length: 3\r\n\r\na=b", statuses: []int{400}},
	"HTTP/1.0": {
		sent:     "POST /f/contact HTTP/1.0\r\nContent-Type: " + formBody + "\r\nContent-Length: 3\r\n\r\na=b",
		statuses: []int{202}, stored: 1,
	},
	"HTTP/1.0 without a length": {
		sent: "POST /f/contact HTTP/1.0\r\nContent-Type: " + formBody + "\r\n\r\na=b", halfClose: true, statuses: []int{422},
	},
	"a client that is done sending": {sent: formHead("Content-Length: 3") + "a=b", halfClose: true, statuses: []int{202}, stored: 1},
	"an absolute target": {
		sent:     head("POST", "http://evil.example/f/contact", "HTTP/1.1", "Content-Type: "+formBody, "Content-Length: 3") + "\r\n\r\na=b",
		statuses: []int{202}, stored: 1,
	},
	"an unreadable target": {sent: head("POST", "/f/%zz", "HTTP/1.1", "Content-Length: 0") + "\r\n\r\n", statuses: []int{400}},
	"NUL in the id":        {sent: head("POST", "/f/%00%00%00", "HTTP/1.1", "Content-Length: 0") + "\r\n\r\n", statuses: []int{404}},
	"bad UTF-8 in the id":  {sent: head("POST", "/f/%ff%ff%ff", "HTTP/1.1", "Content-Length: 0") + "\r\n\r\n", statuses: []int{404}},
	"a slash in the id":    {sent: head("POST", "/f/..%2fcontact", "HTTP/1.1", "Content-Length: 0") + "\r\n\r\n", statuses: []int{404}},
	"a path that climbs":   {sent: head("POST", "/f/x/../contact", "HTTP/1.1", "Content-Length: 0") + "\r\n\r\n", statuses: []int{404}},
	"a tunnel":             {sent: head("CONNECT", "evil.example:443", "HTTP/1.1") + "\r\n\r\n", statuses: []int{404}},
	"pipelining": {
		sent:     formHead("Content-Length: 3") + "a=1" + formHead("Content-Length: 2") + "_=" + formHead("Content-Length: 3") + "a=3",
		statuses: []int{202, 422, 202}, stored: 2,
	},
	"a client that waits to be told":    {sent: formHead("Content-Length: 3", "Expect: 100-continue") + "a=b", statuses: []int{100, 202}, stored: 1},
	"too much, and waits to be told":    {sent: formHead("Content-Length: 999999", "Expect: 100-continue"), statuses: []int{413}},
	"an expectation nobody has defined": {sent: formHead("Content-Length: 3", "Expect: the-unexpected") + "a=b", statuses: []int{417}},
}

func TestRudeRequestsAreAnsweredAndTheNextOneIsServed(t *testing.T) {
	t.Parallel()

	s := open(t, settings{})
	s.endpoint("contact", nil)

	for name, row := range rudeWires {
		stored := s.stored()

		for i, got := range s.wire(row.sent, len(row.statuses), row.halfClose) {
			if got.status != row.statuses[i] {
				t.Errorf("%s: answer %d is %d, want %d\n%.300s", name, i+1, got.status, row.statuses[i], got.body)
			}
		}

		if more := s.stored() - stored; more != row.stored {
			t.Errorf("%s: stored %d, want %d", name, more, row.stored)
		}

		s.post().want(t, 202, "")
	}
}

func TestABodyThatTricklesIsGivenUp(t *testing.T) {
	t.Parallel()

	s := open(t, settings{bodyTimeout: time.Second})
	s.endpoint("contact", nil)

	before := time.Now()
	answers := s.wire(formHead("Content-Length: 10")+"a=b", 2, false)
	answers[0].want(t, 400, "malformed_body")

	if took := time.Since(before); took > 10*time.Second {
		t.Errorf("the client was waited for during %v", took)
	}

	if answers[1].status != 0 {
		t.Error("the connection was kept")
	}

	s.wantStored(0)
	s.post().want(t, 202, "")
}

func TestAForgedAddressEvadesNoLimit(t *testing.T) {
	t.Parallel()

	two := edge.Rate{Limit: 2, Window: time.Minute}

	for name, row := range map[string]struct {
		hops      int
		forwarded []string
		statuses  []int
	}{
		"no proxy of ours": {
			0, []string{"198.51.100.1", "198.51.100.2", "198.51.100.3"}, []int{202, 202, 429},
		},
		"what the client put before the proxy's": {
			1, []string{"1.1.1.1, 198.51.100.1", "2.2.2.2,198.51.100.1", "3.3.3.3, 198.51.100.1"}, []int{202, 202, 429},
		},
		"what the proxy says": {
			1, []string{"198.51.100.1", "198.51.100.2", "198.51.100.3"}, []int{202, 202, 202},
		},
		"one network of IPv6": {
			1, []string{"2001:db8::1", "2001:db8::ffff:2", "2001:db8:0:0:3::"}, []int{202, 202, 429},
		},
		"an IPv4 address in two spellings": {
			1, []string{"198.51.100.1", "::ffff:198.51.100.1", "198.51.100.1:4711"}, []int{202, 202, 429},
		},
		"what is no address": {
			1, []string{"unknown", "_hidden", strings.Repeat("9", 5000)}, []int{202, 202, 429},
		},
		"fewer proxies than there should be": {
			2, []string{"198.51.100.1", "198.51.100.2", ""}, []int{202, 202, 429},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := open(t, settings{clients: two, hops: row.hops})
			s.endpoint("contact", nil)

			for i, forwarded := range row.forwarded {
				got := s.send(ask{body: "a=b", headers: map[string]string{
					"X-Forwarded-For": forwarded, "Forwarded": "for=" + forwarded, "X-Real-Ip": forwarded, "True-Client-Ip": forwarded,
				}})
				if got.status != row.statuses[i] {
					t.Errorf("request %d: got %d, want %d", i+1, got.status, row.statuses[i])
				}
			}
		})
	}
}
