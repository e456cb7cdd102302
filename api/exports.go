package api

import (
	"bufio"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"time"

	"formonce/forms"
	"formonce/internal/edge"
	"formonce/internal/fault"
	"formonce/tenants"
)

var exportRoutes = []route{
	{
		method: http.MethodGet, path: "/submissions/export", role: tenants.Viewer, scope: tenants.ReadSubmissions,
		handle: (*API).exportSubmissions,
	},
}

// separators are what the parameter separator may say. Not every client writes ; as %3B, so they have names too.
var separators = map[string]rune{
	"": 0, ",": ',', "comma": ',', ";": ';', "semicolon": ';', "\t": '\t', "tab": '\t',
}

// exportBuffer is how much of a file is sent at once.
const exportBuffer = 64 << 10

func (a *API) exportSubmissions(r *request) (reply, error) {
	wanted, err := r.exportRequest()
	if err != nil {
		return reply{}, err
	}

	out := r.takeTime()

	file, err := a.Exporter.Prepare(r.ctx(), r.caller.TenantID, wanted)
	if err != nil {
		return reply{}, err
	}

	return reply{stream: func(http.ResponseWriter) {
		out.header = map[string]string{
			"Content-Type":        file.ContentType(),
			"Content-Disposition": mime.FormatMediaType("attachment", map[string]string{"filename": file.FileName()}),
			"Cache-Control":       "no-store",
		}
		buffered := bufio.NewWriterSize(out, exportBuffer)

		err := file.Write(r.ctx(), buffered)
		if err == nil {
			err = buffered.Flush()
		}

		if err != nil {
			edge.BreakOff(r.gin, err)
		}
	}}, nil
}

func (r *request) exportRequest() (forms.ExportRequest, error) {
	if _, err := url.ParseQuery(r.gin.Request.URL.RawQuery); err != nil {
		return forms.ExportRequest{}, fault.New(fault.Invalid, "malformed_query",
			"The parameters of the address cannot be read. Percent-encode them: a semicolon is written %3B.")
	}

	filter, err := r.submissionFilter("format", "bom", "separator", "time_zone")
	if err != nil {
		return forms.ExportRequest{}, err
	}

	if r.query("limit") != "" || r.query("cursor") != "" {
		return forms.ExportRequest{}, fault.New(fault.Invalid, "unknown_parameter",
			"An export has no pages: it holds all that the other parameters mean. Leave limit and cursor out.")
	}

	wanted := forms.ExportRequest{Filter: filter, Format: forms.ExportFormat(r.query("format"))}
	if wanted.Format == "" {
		wanted.Format = forms.FormatCSV
	}

	separator, known := separators[r.query("separator")]
	if !known {
		return forms.ExportRequest{}, fault.New(fault.Invalid, "invalid_separator",
			"The separator of a CSV is comma, semicolon or tab.")
	}

	bom, err := yesOrNo("bom", r.query("bom"))
	if err != nil {
		return forms.ExportRequest{}, err
	}

	wanted.Separator, wanted.BOM = separator, bom != nil && *bom
	wanted.Zone, err = forms.ParseZone(r.query("time_zone"))

	return wanted, err
}

// writePatience is for how long a client may take nothing at all before it counts as gone.
const writePatience = time.Minute

// patient writes an answer that may take longer than the server allows by itself, for as long as its client takes it.
type patient struct {
	http.ResponseWriter

	controller *http.ResponseController
	wait       time.Duration
	// header is set when the answer begins: until then it can still become one that says what failed.
	header map[string]string
}

// takeTime lifts the server's limits on the whole request. Reading has one too: where it strikes, the request is canceled.
func (r *request) takeTime() *patient {
	controller := http.NewResponseController(r.gin.Writer)
	_ = controller.SetReadDeadline(time.Time{})  // A writer without deadlines, as in tests, has no limits to lift.
	_ = controller.SetWriteDeadline(time.Time{}) // Same.

	return &patient{ResponseWriter: r.gin.Writer, controller: controller, wait: writePatience}
}

// Write fails with http.ErrAbortHandler when the client has gone: that is nobody's fault.
func (p *patient) Write(text []byte) (int, error) {
	for name, value := range p.header {
		p.ResponseWriter.Header().Set(name, value)
	}

	p.header = nil
	_ = p.controller.SetWriteDeadline(time.Now().Add(p.wait)) // See takeTime.

	written, err := p.ResponseWriter.Write(text)
	if err != nil {
		return written, fmt.Errorf("send an answer: %w", http.ErrAbortHandler)
	}

	return written, nil
}

// flush sends what was written on its way.
func (p *patient) flush() error { return p.controller.Flush() }
