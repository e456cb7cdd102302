package forms_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"formonce/forms"
	"formonce/tenants"
)

func (h *house) book(file []byte) *excelize.File {
	h.Helper()

	book, err := excelize.OpenReader(bytes.NewReader(file))
	if err != nil {
		h.Fatal(err)
	}

	h.Cleanup(func() { _ = book.Close() })

	return book
}

var traps = []string{
	"00123", "12345678901234567890", "1E5", "1-2", "TRUE", "2026-01-02", "1/2", "=1+1", "+1+1", "-1+1", "@SUM(A1)", "-12.5",
	"+49 30 123", " padded ", "'=1", "'quoted'", "line\nbreak\r\nand\ttab", `"quotes", and; more`, "=cmd|' /C calc'!A0", "＝1",
	"_x0041_", "<b>&amp;</b>", "😀", "\u202eabc", "0", "\tx",
}

func TestAWorkbookKeepsEveryTextAsItIs(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	h.endpoint("contact", nil)

	all := make([]forms.Fields, len(traps))
	for i, trap := range traps {
		all[i] = forms.Fields{field("v", trap)}
	}

	h.store("contact", all...)

	book := h.book(h.export(forms.ExportRequest{Format: forms.FormatXLSX}))

	for i, trap := range traps {
		cell := fmt.Sprintf("I%d", i+2)

		got, err := book.GetCellValue("Submissions", cell, excelize.Options{RawCellValue: true})
		if err != nil || got != trap {
			t.Errorf("%q came back as %q, %v", trap, got, err)
		}

		if kind, _ := book.GetCellType("Submissions", cell); kind != excelize.CellTypeInlineString {
			t.Errorf("%q is a cell of type %v and no text", trap, kind)
		}
	}
}

func TestANumberOfAWorkbookIsOneThatCanBeReadBackAsItWasSent(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	h.endpoint("contact", nil)

	isNumber := map[string]bool{
		"42": true, "-12.5": true, "0.1": true, "0": true, "123456789012345": true,
		"12345678901234567890": false, "1E5": false, "1.50": false, "-0": false, "true": false, "1e400": false,
	}

	for number, want := range isNumber {
		sent := h.store("contact", forms.Fields{{Name: "n", Value: forms.JSON(number)}})
		book := h.book(h.export(forms.ExportRequest{
			Format: forms.FormatXLSX, Filter: forms.Filter{Query: forms.PublicID(sent[0].ID)},
		}))

		kind, _ := book.GetCellType("Submissions", "I2")
		if got := kind == excelize.CellTypeUnset; got != want {
			t.Errorf("%s is a number in the workbook: %v, want %v", number, got, want)
		}

		if got, _ := book.GetCellValue("Submissions", "I2", excelize.Options{RawCellValue: true}); got != number {
			t.Errorf("%s came back as %s", number, got)
		}
	}
}

func TestATextThatIsANumberByItsSchemaIsOneInAWorkbook(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	h.endpoint("contact", nil)

	schemas := forms.NewSchemas(h.db)

	_, err := schemas.Save(t.Context(), h.tenant.ID, "contact", 0, &forms.Schema{Fields: []forms.SchemaField{
		{Key: "n", Type: forms.TypeNumber, Label: "Number"}, {Key: "zip", Type: forms.TypeText, Label: "ZIP"},
	}})
	if err == nil {
		_, err = schemas.Publish(t.Context(), h.tenant.ID, "contact", 0)
	}

	if err != nil {
		t.Fatal(err)
	}

	lookup := forms.NewLookup(h.db, tenants.NewRegistry(h.db))

	endpoint, err := lookup.Find(t.Context(), "contact")
	if err != nil {
		t.Fatal(err)
	}

	h.mustReceive(endpoint, post{body: "n=12.5&zip=10115"})
	h.mustReceive(endpoint, post{body: "n=007&zip=00123"})

	book := h.book(h.export(forms.ExportRequest{Format: forms.FormatXLSX}))

	for cell, want := range map[string]struct {
		text string
		kind excelize.CellType
	}{
		"I2": {"12.5", excelize.CellTypeUnset}, "J2": {"10115", excelize.CellTypeInlineString},
		"I3": {"007", excelize.CellTypeInlineString}, "J3": {"00123", excelize.CellTypeInlineString},
	} {
		kind, _ := book.GetCellType("Submissions", cell)
		if text, _ := book.GetCellValue("Submissions", cell); text != want.text || kind != want.kind {
			t.Errorf("%s is %q of the type %v, want %q of the type %v", cell, text, kind, want.text, want.kind)
		}
	}
}

func TestATextThatACellHasNoRoomForIsCutAndSaysSo(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	h.endpoint("contact", nil)
	h.store("contact", forms.Fields{field("v", strings.Repeat("😀", 16_000)), field("v", strings.Repeat("é", 16_000))})

	got, err := h.book(h.export(forms.ExportRequest{Format: forms.FormatXLSX})).GetCellValue("Submissions", "I2")
	if err != nil || !strings.HasSuffix(got, "é… [cut off here]") {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}

func TestASheetThatIsFullIsContinuedOnTheNext(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	h.endpoint("contact", nil)

	all := make([]forms.Fields, 7)
	for i := range all {
		all[i] = forms.Fields{field("n", fmt.Sprint(i))}
	}

	h.store("contact", all...)

	exporter := forms.NewExporter(h.db)
	exporter.SetSheetRows(4)

	made, err := exporter.Prepare(t.Context(), h.tenant.ID, forms.ExportRequest{Format: forms.FormatXLSX})
	if err != nil {
		t.Fatal(err)
	}

	var written bytes.Buffer
	if err := made.Write(t.Context(), &written); err != nil {
		t.Fatal(err)
	}

	book := h.book(written.Bytes())

	var got []string

	for _, sheet := range book.GetSheetList() {
		rows, _ := book.GetRows(sheet)
		for _, row := range rows {
			got = append(got, row[fixed])
		}
	}

	if want := "n 0 1 2 n 3 4 5 n 6"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

type stuck struct{ room int }

func (s *stuck) Write(text []byte) (int, error) {
	if s.room -= len(text); s.room < 0 {
		return 0, errForced
	}

	return len(text), nil
}

func TestAnExportEndsWithItsClientAndLeavesNothingBehind(t *testing.T) {
	h := newHouse(t)
	h.endpoint("contact", nil)

	t.Setenv("TMPDIR", t.TempDir())

	h.plenty("contact", 5_000)

	for _, format := range []forms.ExportFormat{forms.FormatCSV, forms.FormatXLSX, forms.FormatJSONL} {
		made, err := forms.NewExporter(h.db).Prepare(t.Context(), h.tenant.ID, forms.ExportRequest{Format: format})
		if err != nil {
			t.Fatal(err)
		}

		if err := made.Write(t.Context(), &stuck{10_000}); !errors.Is(err, errForced) {
			t.Errorf("%s: got %v", format, err)
		}

		canceled, cancel := context.WithCancel(t.Context())
		cancel()

		if err := made.Write(canceled, io.Discard); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", format, err)
		}
	}

	if left := entries(t); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

var million = flag.Bool("million", false, "measure the memory of exports of 1,000,000 submissions")

func TestTheMemoryOfAnExportDoesNotGrowWithIt(t *testing.T) {
	h := newHouse(t)
	h.endpoint("contact", nil)

	rows := 50_000
	if *million {
		rows = 1_000_000
	}

	h.plenty("contact", rows)

	for _, format := range []forms.ExportFormat{forms.FormatCSV, forms.FormatXLSX, forms.FormatJSONL} {
		debug.FreeOSMemory()

		before := inUse()
		most := &peak{least: before}
		began := time.Now()

		made, err := forms.NewExporter(h.db).Prepare(t.Context(), h.tenant.ID, forms.ExportRequest{Format: format})
		if err != nil {
			t.Fatal(err)
		}

		if err := made.Write(t.Context(), most); err != nil {
			t.Fatal(err)
		}

		grown := most.most.Load() - before
		t.Logf("%s: %d submissions, %d bytes in %v, grown by %.1f MiB", format, rows, most.bytes, time.Since(began),
			float64(grown)/(1<<20))

		if grown > 64<<20 {
			t.Errorf("%s: the memory in use grew by %d bytes", format, grown)
		}
	}
}

func (h *house) plenty(endpointID string, rows int) {
	h.Helper()

	ctx := h.Context()

	conn, err := h.db.Pool.Acquire(ctx)
	if err != nil {
		h.Fatal(err)
	}
	defer conn.Release()

	for _, sql := range []string{
		"SET statement_timeout = 0",
		fmt.Sprintf(`INSERT INTO submissions (tenant_id, id, received_at, schema_version, rule_version, field_count, order_ignored,
    endpoint_id, family, status, key_hash, fingerprint, fields)
SELECT '%s', (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(n %% 4096), 3, '0') || '8'
        || substr(md5(n::text), 1, 15))::uuid, at, 0, 1, 6, false, '%s', 'form',
    CASE WHEN n %% 20 = 0 THEN 'spam' ELSE 'accepted' END, decode(md5(n::text), 'hex'), decode(md5(n::text), 'hex'),
    json_build_array(json_build_object('name', 'Ada ' || n), json_build_object('email', 'ada' || n || '@example.com'),
        json_build_object('phone', '+49 30 ' || n), json_build_object('topics', 'sales'), json_build_object('topics', 'press'),
        json_build_object('message', repeat('Hello there, ' || n || '. ', 20)))
FROM (SELECT n, now() - make_interval(secs => 10 + (%d - n) * 0.2) AS at FROM generate_series(1, %d) AS n) AS rows`,
			h.tenant.ID, endpointID, rows, rows),
		"VACUUM ANALYZE submissions",
		"RESET statement_timeout",
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			h.Fatal(err)
		}
	}
}

type peak struct {
	least uint64
	bytes int
	most  atomic.Uint64
	calls int
}

func (p *peak) Write(text []byte) (int, error) {
	p.bytes += len(text)

	if p.calls++; p.calls%2_000 == 1 || len(text) > 10_000 {
		p.most.Store(max(p.most.Load(), inUse(), p.least))
	}

	return len(text), nil
}

func inUse() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)

	return stats.Sys - stats.HeapReleased
}

func entries(t *testing.T) []string {
	t.Helper()

	found, err := os.ReadDir(os.TempDir())
	if err != nil {
		t.Fatal(err)
	}

	names := make([]string, len(found))
	for i, entry := range found {
		names[i] = entry.Name()
	}

	return names
}
