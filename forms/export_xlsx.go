package forms

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"
)

const (
	// sheetRows is what a sheet has room for; what does not fit goes on in the next sheet.
	sheetRows = excelize.TotalRows
	// cellUnits is what a cell has room for, in UTF-16.
	cellUnits = excelize.TotalCellChars
	cutMark   = "… [cut off here]"
	// exactDigits is how many decimal digits a spreadsheet keeps.
	exactDigits = 15

	textStyle   = 49 // "@": what is typed into the cell later stays text as well
	columnWidth = 18
)

// xlsxFile writes a workbook. Its sheets grow in a folder of their own on disk; nothing reaches the output before all of
// them are complete.
type xlsxFile struct {
	export *Export
	out    io.Writer
	folder string
	book   *excelize.File
	sheet  *excelize.StreamWriter
	sheets int
	row    int
	styles struct{ heading, text, time int }
}

func beginXLSX(e *Export, w io.Writer) (exportWriter, error) {
	folder, err := os.MkdirTemp("", "formonce-export-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for a workbook; see to the disk of temporary files: %w", err)
	}

	file := &xlsxFile{export: e, out: w, folder: folder, book: excelize.NewFile(excelize.Options{TmpDir: folder})}
	if err := file.prepare(); err != nil {
		file.discard()

		return nil, fmt.Errorf("begin a workbook: %w", err)
	}

	return file, nil
}

func (f *xlsxFile) prepare() error {
	timeFormat := "yyyy-mm-dd hh:mm:ss"

	for _, style := range []struct {
		into *int
		is   excelize.Style
	}{
		{&f.styles.heading, excelize.Style{NumFmt: textStyle, Font: &excelize.Font{Bold: true}}},
		{&f.styles.text, excelize.Style{NumFmt: textStyle}},
		{&f.styles.time, excelize.Style{CustomNumFmt: &timeFormat}},
	} {
		var err error
		if *style.into, err = f.book.NewStyle(&style.is); err != nil {
			return err
		}
	}

	return f.nextSheet()
}

// nextSheet ends the sheet before and begins one that starts with the heading.
func (f *xlsxFile) nextSheet() error {
	if f.sheet != nil {
		if err := f.sheet.Flush(); err != nil {
			return err
		}
	}

	f.sheets++
	f.row = 0

	name := "Submissions"
	if f.sheets == 1 {
		if err := f.book.SetSheetName("Sheet1", name); err != nil {
			return err
		}
	} else {
		name += " " + strconv.Itoa(f.sheets)
		if _, err := f.book.NewSheet(name); err != nil {
			return err
		}
	}

	var err error
	if f.sheet, err = f.book.NewStreamWriter(name); err != nil {
		return err
	}

	return f.head()
}

func (f *xlsxFile) head() error {
	heading := f.export.columns.heading()
	if err := f.sheet.SetColWidth(1, len(heading), columnWidth); err != nil {
		return err
	}

	err := f.sheet.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"})
	if err != nil {
		return err
	}

	cells := make([]any, len(heading))
	for i, name := range heading {
		cells[i] = excelize.Cell{StyleID: f.styles.heading, Value: fitting(name)}
	}

	return f.write(cells)
}

func (f *xlsxFile) add(ctx context.Context, s *Submission) error {
	values, rest, whole := f.export.columns.sort(s.Fields)
	if !whole {
		return nil
	}

	if f.row >= f.export.sheets {
		if err := f.nextSheet(); err != nil {
			return err
		}
	}

	cells := make([]any, 0, len(fixedColumns)+len(values)+1)
	cells = append(cells, f.text(PublicID(s.ID)), f.text(s.EndpointID),
		excelize.Cell{StyleID: f.styles.time, Value: s.ReceivedAt.In(f.export.zone())},
		f.text(string(s.Status)), s.Rules.Schema, s.ReplayCount, s.Starred, f.text(joined(s.Tags)))

	numbers, err := f.export.numbersOf(ctx, s)
	if err != nil {
		return err
	}

	for i, value := range values {
		cells = append(cells, f.cell(value, numbers[f.export.columns.names[i]]))
	}

	if f.export.columns.more {
		cells = append(cells, f.text(moreText(rest)))
	}

	return f.write(cells)
}

// cell keeps every text a text, whatever a spreadsheet would make of it: 00123, 1E5, 1-2, =A1. A number, by its
// kind or by the schema that accepted it, becomes one only when it can be read back as it was sent.
func (f *xlsxFile) cell(values []Value, isNumber bool) any {
	if len(values) == 1 && (isNumber || !values[0].IsText()) {
		if number, exact := exactNumber(values[0].String()); exact {
			return number
		}
	}

	return f.text(textOf(values))
}

func (f *xlsxFile) text(text string) any {
	if text == "" {
		return nil
	}

	return excelize.Cell{StyleID: f.styles.text, Value: fitting(text)}
}

func (f *xlsxFile) write(cells []any) error {
	f.row++

	return f.sheet.SetRow("A"+strconv.Itoa(f.row), cells)
}

// end packs the workbook into the output. The library would pack it in memory, so its packer is replaced by one that
// writes on.
func (f *xlsxFile) end() error {
	if err := f.sheet.Flush(); err != nil {
		return fmt.Errorf("end a workbook: %w", err)
	}

	f.book.SetZipWriter(func(io.Writer) excelize.ZipWriter { return zip.NewWriter(f.out) })

	return f.book.Write(io.Discard)
}

func (f *xlsxFile) discard() {
	_ = f.book.Close() // It only removes what the folder's removal removes too.
	_ = os.RemoveAll(f.folder)
}

// exactNumber reads a number that a spreadsheet shows and keeps as it is spelled.
func exactNumber(text string) (float64, bool) {
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || number == 0 && text != "0" {
		return 0, false
	}

	digits := 0

	for _, r := range text {
		if r >= '0' && r <= '9' {
			digits++
		}
	}

	return number, digits <= exactDigits && strconv.FormatFloat(number, 'f', -1, 64) == text
}

// fitting cuts a text that a cell has no room for, and says so in the cell.
func fitting(text string) string {
	if len(text) <= cellUnits {
		return text
	}

	units := 0

	for at, r := range text {
		units += utf16.RuneLen(r)
		if units > cellUnits {
			return cutBefore(text[:at])
		}
	}

	return text
}

// cutBefore makes room for the mark behind a text that fills its cell.
func cutBefore(text string) string {
	runes := []rune(text)
	room := len(utf16.Encode([]rune(cutMark)))

	for units := 0; units < room; runes = runes[:len(runes)-1] {
		units += utf16.RuneLen(runes[len(runes)-1])
	}

	return string(runes) + cutMark
}
