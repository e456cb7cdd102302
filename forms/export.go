package forms

import (
	"context"
	"io"
	"slices"
	"time"
	_ "time/tzdata" // the zones that an export may ask for, also where the machine has none

	"github.com/google/uuid"

	"formonce/internal/fault"
	"formonce/internal/moment"
	"formonce/internal/postgres"
	"formonce/tenants"
)

// ExportFormat is a kind of file.
type ExportFormat string

// The formats of an export.
const (
	FormatCSV   ExportFormat = "csv"   // RFC 4180, for every program
	FormatXLSX  ExportFormat = "xlsx"  // a workbook, for people
	FormatJSONL ExportFormat = "jsonl" // an object a line, exact
)

// ExportRequest is what a file is to hold, and how it is to look.
type ExportRequest struct {
	// Filter says which submissions the file has. A file has no pages: leave Cursor and Limit out.
	Filter Filter
	Format ExportFormat
	// BOM begins a CSV with a byte order mark, by which Excel knows UTF-8.
	BOM bool
	// Separator stands between the cells of a CSV: a comma when it is 0.
	Separator rune
	// Zone is that of the times; UTC when it is nil.
	Zone *time.Location
}

// Exporter writes a tenant's submissions into files of any size, in memory that does not grow with them.
type Exporter struct {
	db *postgres.DB
	// sheetRows is how many rows a sheet of a workbook takes, its heading included.
	sheetRows int
}

// NewExporter returns an Exporter of the submissions in db.
func NewExporter(db *postgres.DB) *Exporter { return &Exporter{db: db, sheetRows: sheetRows} }

// Export is a file that can be written.
type Export struct {
	request ExportRequest
	format  exportFormat
	walk    exportWalk
	columns columns
	sheets  int
	numbers map[versionKey]map[string]bool
}

// exportWriter takes the submissions of a file, the oldest first. Only after end the file is whole.
type exportWriter interface {
	add(ctx context.Context, s *Submission) error
	end() error
	// discard frees what a file holds on to, also one that was not ended.
	discard()
}

// exportFormat is what one format is, and how its file is begun. Nothing may reach the output that could be taken for a
// whole file before end.
type exportFormat struct {
	contentType string
	// tabular formats have a column for each field, which takes a look at all submissions beforehand.
	tabular bool
	begin   func(*Export, io.Writer) (exportWriter, error)
}

var exportFormats = map[ExportFormat]exportFormat{
	FormatCSV:   {"text/csv; charset=utf-8; header=present", true, beginCSV},
	FormatXLSX:  {"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", true, beginXLSX},
	FormatJSONL: {"application/x-ndjson", false, beginJSONL},
}

var separators = []rune{0, ',', ';', '\t'}

// Prepare checks the request, remembers it in the tenant's audit log, and finds the columns. The errors are Faults: of the
// request, or endpoint_not_found.
func (x *Exporter) Prepare(ctx context.Context, tenantID uuid.UUID, request ExportRequest) (*Export, error) {
	format, known := exportFormats[request.Format]
	if !known {
		return nil, fault.New(fault.Invalid, "invalid_format", "The format of an export is csv, xlsx or jsonl.")
	}

	if !slices.Contains(separators, request.Separator) {
		return nil, fault.New(fault.Invalid, "invalid_separator", "The separator of a CSV is a comma, a semicolon or a tab.")
	}

	wanted, err := request.Filter.selection(tenantID)
	if err != nil {
		return nil, err
	}

	made := &Export{
		request: request, format: format, sheets: x.sheetRows,
		walk: exportWalk{db: x.db, wanted: wanted, began: moment.Now()},
	}

	if err := x.announce(ctx, tenantID, request); err != nil {
		return nil, postgres.Fault("begin an export", err)
	}

	if !format.tabular {
		return made, nil
	}

	err = made.walk.fields(ctx, func(fields Fields) {
		for _, field := range fields {
			made.columns.meet(field.Name)
		}
	})

	return made, postgres.Fault("find the columns of an export", err)
}

func (x *Exporter) announce(ctx context.Context, tenantID uuid.UUID, request ExportRequest) error {
	return x.db.InScope(ctx, tenantID, func(ctx context.Context, s *postgres.Scope) error {
		if request.Filter.EndpointID != "" {
			if _, err := get(s.Gorm, tenantID, request.Filter.EndpointID); err != nil {
				return err
			}
		}

		return tenants.Record(ctx, s.Tx, tenantID, tenants.Change{
			Action: "submissions.exported", Target: request.Filter.EndpointID, Details: map[string]any{"format": request.Format},
		})
	})
}

// ContentType is that of the file, by RFC 9110.
func (e *Export) ContentType() string { return e.format.contentType }

// FileName is how the file should be called: by its endpoint and the day of the export.
func (e *Export) FileName() string {
	name := e.request.Filter.EndpointID
	if name == "" {
		name = "submissions"
	}

	return name + "-" + e.walk.began.In(e.zone()).Format(time.DateOnly) + "." + string(e.request.Format)
}

// Write writes the file. After an error what was written is no whole file, and must not be handed on as one. It holds no
// transaction while w is slow. What is accepted while it runs may be in the file or not.
func (e *Export) Write(ctx context.Context, w io.Writer) error {
	file, err := e.format.begin(e, w)
	if err != nil {
		return err
	}

	defer file.discard()

	err = e.walk.each(ctx, func(s *Submission) error { return file.add(ctx, s) })
	if err != nil {
		return postgres.Fault("read submissions for an export", err)
	}

	return file.end()
}

func (e *Export) zone() *time.Location {
	if e.request.Zone == nil {
		return time.UTC
	}

	return e.request.Zone
}

// time writes a time of receipt in the zone of the file: RFC 3339 with microseconds.
func (e *Export) time(at time.Time) string {
	if e.zone() == time.UTC {
		return moment.Write(at)
	}

	return at.In(e.zone()).Format("2006-01-02T15:04:05.000000Z07:00")
}

// ParseZone returns the time zone with an IANA name such as Europe/Berlin; the empty name is UTC.
func ParseZone(name string) (*time.Location, error) {
	// "Local" would be that of the machine, which is nobody's business.
	if name != "Local" {
		if zone, err := time.LoadLocation(name); err == nil {
			return zone, nil
		}
	}

	return nil, fault.New(fault.Invalid, "invalid_time_zone",
		"This is no time zone that we know. Give its IANA name, such as Europe/Berlin.")
}
