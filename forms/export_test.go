package forms

import "time"

// SetClock stands in for the age of the Lookup. What was followed before is then as long ago as the new clock says.
func (l *Lookup) SetClock(now func() time.Duration) { l.now = now }

// The times that the tests of Lookup let pass.
const (
	BelieveFor = believeFor
	JoinFor    = joinFor
)

// SetSheetRows makes the sheets of workbooks smaller.
func (x *Exporter) SetSheetRows(rows int) { x.sheetRows = rows }
