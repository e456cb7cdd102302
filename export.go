package main

import (
	"bufio"
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"formonce/forms"
	"formonce/tenants"
)

// exportFlags are what the command export is told.
type exportFlags struct {
	tenant, endpoint, status, since, until, format, separator, zone string
	bom                                                             bool
}

var separatorNames = map[string]rune{"comma": ',', "semicolon": ';', "tab": '\t'}

func exportCommand(c *console) *cobra.Command {
	var told exportFlags

	made := c.leaf("export", "Write submissions as a file: CSV, a workbook, or JSON Lines",
		"formonce export --endpoint contact-form --format xlsx > contact.xlsx\n"+
			"formonce export --tenant acme --format jsonl --since 2026-01-01 > acme.jsonl",
		func(cmd *cobra.Command, _ []string) error {
			wanted, err := told.request()
			if err != nil {
				return err
			}

			return c.withStore(cmd.Context(), func(s *store) error {
				owner, err := told.owner(cmd.Context(), s)
				if err != nil {
					return err
				}

				return c.writeExport(cmd.Context(), s, owner, wanted)
			})
		})

	flags := made.Flags()
	flags.StringVar(&told.tenant, "tenant", "", "the tenant, by id or by slug; --endpoint alone finds its own")
	flags.StringVar(&told.endpoint, "endpoint", "", "only the submissions of this endpoint")
	flags.StringVar(&told.status, "status", "", "only those that are accepted, or spam")
	flags.StringVar(&told.since, "since", "", "only what was received at this time or later: RFC 3339, or a date")
	flags.StringVar(&told.until, "until", "", "only what was received before this time")
	flags.StringVar(&told.format, "format", string(forms.FormatCSV), "csv, xlsx or jsonl")
	flags.StringVar(&told.separator, "separator", "comma", "between the cells of a CSV: comma, semicolon or tab")
	flags.StringVar(&told.zone, "time-zone", "UTC", "the zone of all times, by its IANA name")
	flags.BoolVar(&told.bom, "bom", false, "begin a CSV with a byte order mark, by which Excel knows UTF-8")

	return made
}

func (f *exportFlags) request() (forms.ExportRequest, error) {
	if f.tenant == "" && f.endpoint == "" {
		return forms.ExportRequest{}, misuse("say whose submissions: --tenant, --endpoint or both")
	}

	separator, known := separatorNames[f.separator]
	if !known {
		return forms.ExportRequest{}, misuse("--separator takes comma, semicolon or tab")
	}

	zone, err := forms.ParseZone(f.zone)
	if err != nil {
		return forms.ExportRequest{}, misuse("--time-zone takes an IANA name such as Europe/Berlin")
	}

	wanted := forms.ExportRequest{
		Filter: forms.Filter{EndpointID: f.endpoint, Status: forms.Status(f.status)},
		Format: forms.ExportFormat(f.format), Separator: separator, BOM: f.bom, Zone: zone,
	}

	if wanted.Filter.Since, err = timeFlag("--since", f.since, zone); err != nil {
		return forms.ExportRequest{}, err
	}

	wanted.Filter.Until, err = timeFlag("--until", f.until, zone)

	return wanted, err
}

// timeFlag reads a time, or a date that begins in the zone.
func timeFlag(name, text string, zone *time.Location) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}

	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if read, err := time.ParseInLocation(layout, text, zone); err == nil {
			return read.UTC(), nil
		}
	}

	return time.Time{}, misuse(name + " takes a time such as 2026-08-24T14:34:27Z, or a date such as 2026-08-24")
}

// owner is the tenant that was named, or the one that the endpoint belongs to.
func (f *exportFlags) owner(ctx context.Context, s *store) (uuid.UUID, error) {
	if f.tenant != "" {
		found, err := s.tenants.Find(ctx, f.tenant)

		return found.ID, err
	}

	// A closed endpoint comes with the error that says so; what it has received can be exported as ever.
	endpoint, err := forms.NewLookup(s.db, s.tenants).Find(ctx, f.endpoint)
	if endpoint == nil {
		return uuid.UUID{}, err
	}

	return endpoint.TenantID, nil
}

func (c *console) writeExport(ctx context.Context, s *store, owner uuid.UUID, wanted forms.ExportRequest) error {
	ctx = tenants.WithActor(ctx, tenants.Actor{Kind: tenants.ActorOperator})

	file, err := forms.NewExporter(s.db).Prepare(ctx, owner, wanted)
	if err != nil {
		return err
	}

	buffered := bufio.NewWriterSize(c.out, 64<<10)
	if err := file.Write(ctx, buffered); err != nil {
		return err
	}

	return buffered.Flush()
}
