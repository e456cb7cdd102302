package forms_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"formonce/forms"
	"formonce/internal/id"
)

// store puts submissions of the endpoint into the database, the oldest first.
func (h *house) store(endpointID string, all ...forms.Fields) []forms.Submission {
	h.Helper()

	made := make([]forms.Submission, len(all))
	for i, fields := range all {
		made[i] = forms.Submission{
			ID: id.New(), EndpointID: endpointID, ReceivedAt: time.Now().UTC().Truncate(time.Microsecond),
			Status: forms.StatusAccepted, Rules: forms.Rules{Version: forms.RuleVersion, Family: forms.FamilyForm}, Fields: fields,
		}
	}

	if err := h.inbox.Import(h.Context(), h.tenant.ID, made); err != nil {
		h.Fatal(err)
	}

	return made
}

func field(name, text string) forms.Field { return forms.Field{Name: name, Value: forms.Text(text)} }

func (h *house) export(request forms.ExportRequest) []byte {
	h.Helper()

	var written bytes.Buffer

	made, err := forms.NewExporter(h.db).Prepare(h.Context(), h.tenant.ID, request)
	if err == nil {
		err = made.Write(h.Context(), &written)
	}

	if err != nil {
		h.Fatal(err)
	}

	return written.Bytes()
}

// table reads a CSV as any program would.
func (h *house) table(text []byte) [][]string {
	h.Helper()

	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		h.Fatalf("%v in\n%s", err, text)
	}

	return rows
}

const fixed = 8 // columns before those of the fields

func TestTheColumnsOfATableAreTheFieldsInTheOrderInWhichTheyWereFirstMet(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	h.endpoint("contact", nil)
	h.store("contact",
		forms.Fields{field("b", "1"), field("topics", "x"), field("topics", "y|z")},
		forms.Fields{field("a", "2"), field("b", "3"), field("id", "4"), field("field.id", "5"), field("fréquence 😀", "6")},
	)

	rows := h.table(h.export(forms.ExportRequest{Format: forms.FormatCSV}))

	if want := []string{"b", "topics", "a", "field.id", "field.field.id", "fréquence 😀"}; !slices.Equal(rows[0][fixed:], want) {
		t.Errorf("got the columns %q, want %q", rows[0][fixed:], want)
	}

	if want := []string{"1", `x | y\|z`, "", "", "", ""}; !slices.Equal(rows[1][fixed:], want) {
		t.Errorf("got %q, want %q", rows[1][fixed:], want)
	}

	if want := []string{"3", "", "2", "4", "5", "6"}; !slices.Equal(rows[2][fixed:], want) {
		t.Errorf("got %q, want %q", rows[2][fixed:], want)
	}
}

// traps are values of which spreadsheets are known to make something else.
func TestATableIsGuardedAndNumbersStayReadable(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	h.endpoint("contact", nil)

	rows := map[string]string{
		"=1+1": "'=1+1", "+1+1": "'+1+1", "-1+1": "'-1+1", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\r=1": "'\r=1",
		"\n=1": "'\n=1", "＝1": "'＝1", "＋1": "'＋1", "－1": "'－1", "＠x": "'＠x", "'=1": "''=1", "''=1": "'''=1",
		"-12.5": "-12.5", "+3": "+3", "-1,234.50": "-1,234.50", "+49 30 123": "+49 30 123", "+4930123": "+4930123",
		"+1 (555) 123-4567": "+1 (555) 123-4567", "+49(30)123": "+49(30)123", "+49-30-123": "'+49-30-123", "- a list": "'- a list",
		"+1 =cmd": "'+1 =cmd", "'tis": "'tis", "a=b": "a=b", "": "", "00123": "00123", "'-1": "''-1",
	}

	var (
		sent []string
		all  []forms.Fields
	)

	for value := range rows {
		sent = append(sent, value)
		all = append(all, forms.Fields{field("=HYPERLINK()", value)})
	}

	h.store("contact", all...)

	table := h.table(h.export(forms.ExportRequest{Format: forms.FormatCSV}))
	if table[0][fixed] != "'=HYPERLINK()" {
		t.Errorf("the heading is %q", table[0][fixed])
	}

	for i, value := range sent {
		// The reader of the standard library makes one line feed of CR LF; a CR alone it keeps.
		if got := table[i+1][fixed]; got != rows[value] {
			t.Errorf("%q is written as %q, want %q", value, got, rows[value])
		}
	}
}

func TestTheValuesOfACellCanBeToldApartAgain(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	h.endpoint("contact", nil)

	cases := [][]string{
		{"a"}, {"a", "b"}, {"a|b"}, {"a | b"}, {`a\`, "b"}, {`a\|`, `|`, ``}, {"", ""}, {`C:\x`}, {"a; b"}, {`a \| b`}, {`a \\| b`}, {" | "}, {`\| `, " |"}, {`\`, ` | `, `\\|`},
	}

	all := make([]forms.Fields, len(cases))
	for i, values := range cases {
		for _, value := range values {
			all[i] = append(all[i], field("v", value))
		}
	}

	h.store("contact", all...)

	table := h.table(h.export(forms.ExportRequest{Format: forms.FormatCSV}))
	for i, values := range cases {
		if got := apart(table[i+1][fixed]); !slices.Equal(got, values) {
			t.Errorf("%q is written as %q and read as %q", values, table[i+1][fixed], got)
		}
	}
}

// apart reads a cell by the rule of the guide.
func apart(cell string) []string {
	if !regexp.MustCompile(` \\*\| `).MatchString(cell) {
		return []string{cell}
	}

	values := []string{""}

	for i := 0; i < len(cell); i++ {
		last := &values[len(values)-1]

		switch {
		case cell[i] == '\\':
			i++
			*last += cell[i : i+1]
		case strings.HasPrefix(cell[i:], " | "):
			values = append(values, "")
			i += 2
		default:
			*last += cell[i : i+1]
		}
	}

	return values
}

func TestTheLooksOfATableAreThoseThatWereAskedFor(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	h.endpoint("contact", nil)

	made := forms.Submission{
		ID: id.New(), EndpointID: "contact", ReceivedAt: time.Date(2026, 8, 24, 14, 34, 27, 651_841_000, time.UTC),
		Status: forms.StatusAccepted, Rules: forms.Rules{Family: forms.FamilyForm}, Fields: forms.Fields{field("v", "a\nb\r\nc")},
	}
	if err := h.inbox.Import(t.Context(), h.tenant.ID, []forms.Submission{made}); err != nil {
		t.Fatal(err)
	}

	berlin, err := forms.ParseZone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}

	text := string(h.export(forms.ExportRequest{Format: forms.FormatCSV, BOM: true, Separator: ';', Zone: berlin}))

	want := "\uFEFFid;endpoint_id;received_at;status;schema_version;replay_count;starred;tags;v\r\n" +
		forms.PublicID(made.ID) + ";contact;2026-08-24T16:34:27.651841+02:00;accepted;0;0;false;;\"a\nb\r\nc\"\r\n"
	if text != want {
		t.Errorf("got\n%q\nwant\n%q", text, want)
	}

	book := h.book(h.export(forms.ExportRequest{Format: forms.FormatXLSX, Zone: berlin}))
	if got, _ := book.GetCellValue("Submissions", "C2"); got != "2026-08-24 16:34:28" && got != "2026-08-24 16:34:27" {
		t.Errorf("the workbook says %s", got)
	}
}

func TestLinesOfJSONAreExact(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	h.endpoint("contact", nil)

	sent := h.store("contact", forms.Fields{
		field("b", "=1"),
		{Name: "n", Value: forms.JSON("12345678901234567890")},
		field("b", "2"),
		{Name: "o", Value: forms.JSON(`{"z":1,"a":[true]}`)},
	})

	got := string(h.export(forms.ExportRequest{Format: forms.FormatJSONL}))
	want := `"fields":[{"name":"b","value":"=1"},{"name":"n","value":12345678901234567890},{"name":"b","value":"2"},` +
		`{"name":"o","value":{"z":1,"a":[true]}}]}` + "\n"

	if !strings.HasSuffix(got, want) || !strings.Contains(got, forms.PublicID(sent[0].ID)) || !json.Valid([]byte(got)) {
		t.Errorf("got %s", got)
	}
}

func TestNamesBeyondTheColumnsShareTheLastOne(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	h.endpoint("contact", nil)

	all := make([]forms.Fields, 11)
	for i := range all {
		for j := range 100 {
			all[i] = append(all[i], field(fmt.Sprintf("f%d", i*100+j), "x"))
		}
	}

	h.store("contact", all...)

	table := h.table(h.export(forms.ExportRequest{Format: forms.FormatCSV}))
	last := table[11][len(table[11])-1]

	if n := len(table[0]); n != fixed+1_000+1 || table[0][n-1] != "more_fields" || !strings.HasPrefix(last, `[{"f1000":"x"}`) {
		t.Errorf("%d columns, the last cell is %.50s", len(table[0]), last)
	}

	h.book(h.export(forms.ExportRequest{Format: forms.FormatXLSX}))
}

func TestAFilterNarrowsAFile(t *testing.T) {
	t.Parallel()

	h := newHouse(t)
	h.endpoint("contact", nil)
	h.endpoint("other", nil)
	h.store("contact", forms.Fields{field("v", "1")})
	noon := time.Now()
	second := h.store("contact", forms.Fields{field("v", "2")})[0].ID
	h.store("other", forms.Fields{field("v", "3")})
	h.must("UPDATE submissions SET status = 'spam' WHERE endpoint_id = 'other'")
	h.must("INSERT INTO submission_tags (tenant_id, tag, submission_id) VALUES ($1, 'vip', $2)", h.tenant.ID, second)
	h.must("INSERT INTO submission_marks (tenant_id, submission_id, starred) VALUES ($1, $2, true)", h.tenant.ID, second)

	yes, no := true, false

	for name, row := range map[string]struct {
		filter forms.Filter
		want   string
	}{
		"everything":          {forms.Filter{}, "1 2 3"},
		"an endpoint":         {forms.Filter{EndpointID: "contact"}, "1 2"},
		"spam":                {forms.Filter{Status: forms.StatusSpam}, "3"},
		"no spam":             {forms.Filter{Status: forms.StatusAccepted}, "1 2"},
		"since":               {forms.Filter{Since: noon}, "2 3"},
		"until":               {forms.Filter{Until: noon}, "1"},
		"a tag":               {forms.Filter{Tag: "vip"}, "2"},
		"starred":             {forms.Filter{Starred: &yes}, "2"},
		"not starred, unread": {forms.Filter{Starred: &no, Read: &no}, "1 3"},
		"an id":               {forms.Filter{Query: forms.PublicID(second)}, "2"},
	} {
		var got []string
		for _, row := range h.table(h.export(forms.ExportRequest{Format: forms.FormatCSV, Filter: row.filter}))[1:] {
			got = append(got, row[fixed])
		}

		if strings.Join(got, " ") != row.want {
			t.Errorf("%s: got %q, want %s", name, got, row.want)
		}
	}
}

func (h *house) must(sql string, args ...any) {
	h.Helper()

	if _, err := h.db.Pool.Exec(h.Context(), sql, args...); err != nil {
		h.Fatal(err)
	}
}

func TestWhatAnExportCannotBeIsSaidBeforehand(t *testing.T) {
	t.Parallel()

	h := newHouse(t)

	for code, request := range map[string]forms.ExportRequest{
		"invalid_format":     {Format: "pdf"},
		"invalid_separator":  {Format: forms.FormatCSV, Separator: 'x'},
		"endpoint_not_found": {Format: forms.FormatCSV, Filter: forms.Filter{EndpointID: "nobody"}},
		"invalid_status":     {Format: forms.FormatCSV, Filter: forms.Filter{Status: "held"}},
	} {
		_, err := forms.NewExporter(h.db).Prepare(t.Context(), h.tenant.ID, request)
		wantCode(t, err, code)
	}

	for _, zone := range []string{"Local", "Mars/Olympus", "../etc/passwd"} {
		_, err := forms.ParseZone(zone)
		wantCode(t, err, "invalid_time_zone")
	}
}

// stuck takes some bytes and fails then, as the connection to a client that has gone.
// TestTheMemoryOfAnExportDoesNotGrowWithIt measures the heap while files are written. 50,000 submissions are 30 MB of fields.
// plenty stores submissions of the last days, by one statement.
// peak throws away what is written and remembers the largest memory that was in use meanwhile.
// inUse is the memory that the process has from the system and has not given back.
