package forms

import (
	"context"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// csvFile writes RFC 4180: lines end with CR LF, and what needs quotes has them. encoding/csv does not fit: with CR LF at
// the ends of lines it changes those within a value.
type csvFile struct {
	export *Export
	out    io.Writer
	line   []byte
	comma  rune
}

func beginCSV(e *Export, w io.Writer) (exportWriter, error) {
	file := &csvFile{export: e, out: w, comma: e.request.Separator}
	if file.comma == 0 {
		file.comma = ','
	}

	if e.request.BOM {
		file.line = append(file.line, "\uFEFF"...)
	}

	err := file.write(e.columns.heading())

	return file, err
}

func (f *csvFile) add(_ context.Context, s *Submission) error {
	values, rest, whole := f.export.columns.sort(s.Fields)
	if !whole {
		return nil
	}

	cells := make([]string, 0, len(fixedColumns)+len(values)+1)
	cells = append(cells, PublicID(s.ID), s.EndpointID, f.export.time(s.ReceivedAt), string(s.Status),
		strconv.Itoa(s.Rules.Schema), strconv.Itoa(s.ReplayCount), strconv.FormatBool(s.Starred), joined(s.Tags))

	for _, value := range values {
		cells = append(cells, textOf(value))
	}

	if f.export.columns.more {
		cells = append(cells, moreText(rest))
	}

	return f.write(cells)
}

func moreText(rest Fields) string {
	if len(rest) == 0 {
		return ""
	}

	return string(EncodeFields(rest))
}

func (f *csvFile) write(cells []string) error {
	for i, cell := range cells {
		if i > 0 {
			f.line = utf8.AppendRune(f.line, f.comma)
		}

		f.line = appendCell(f.line, guarded(cell))
	}

	f.line = append(f.line, "\r\n"...)
	_, err := f.out.Write(f.line)
	f.line = f.line[:0]

	return err
}

func (*csvFile) end() error { return nil }

func (*csvFile) discard() {}

// appendCell quotes more than it must: a program that guesses another separator than ours still finds the same cells more
// often, and blanks at the ends are kept.
func appendCell(line []byte, cell string) []byte {
	if !strings.ContainsAny(cell, "\",;\t\r\n|") && strings.TrimSpace(cell) == cell {
		return append(line, cell...)
	}

	line = append(line, '"')
	line = append(line, strings.ReplaceAll(cell, `"`, `""`)...)

	return append(line, '"')
}

var (
	// formulaStart is what a spreadsheet may take for the beginning of a formula, in ASCII and in full width.
	formulaStart = regexp.MustCompile(`^[=+\-@\t\r\n＝＋－＠]`)
	// plainNumber is one that a program may read as what it is: -12.5, +3, -1,234.50.
	plainNumber = regexp.MustCompile(`^[+-]\d+([.,]\d+)*$`)
	// phoneNumber has nothing that could be a formula: two groups of digits side by side are none.
	phoneNumber = regexp.MustCompile(`^\+\d[0-9 ()./-]*$`)
	sideBySide  = regexp.MustCompile(`[0-9)] +\(?\d|\d\(`)
)

// guarded puts an apostrophe before what a spreadsheet would calculate, since it could send away what stands beside it.
// Plain numbers and telephone numbers stay readable as they are. One apostrophe too many before such a text is the guard's.
func guarded(cell string) string {
	bare := strings.TrimLeft(cell, "'")
	if !formulaStart.MatchString(bare) {
		return cell
	}

	isPhone := phoneNumber.MatchString(bare) && sideBySide.MatchString(bare)
	if bare == cell && (isPhone || plainNumber.MatchString(bare)) {
		return cell
	}

	return "'" + cell
}
