package forms

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"formonce/internal/fault"
	"formonce/internal/postgres"
)

// mostColumns bounds the columns of fields: a visitor may send any names. Fields beyond them share the last column.
const mostColumns = 1_000

// moreFields heads the column of the fields that have none of their own, in the form of EncodeFields.
const moreFields = "more_fields"

// fixedColumns head the columns that every file begins with.
var fixedColumns = []string{
	"id", "endpoint_id", "received_at", "status", "schema_version", "replay_count", "starred", "tags",
}

// columns are those of the fields, in the order in which their names were first met.
type columns struct {
	names []string
	place map[string]int
	// more says that there were names for which there was no room.
	more bool
}

func (c *columns) meet(name string) {
	if _, known := c.place[name]; known {
		return
	}

	if len(c.names) == mostColumns {
		c.more = true

		return
	}

	if c.place == nil {
		c.place = map[string]int{}
	}

	c.place[name] = len(c.names)
	c.names = append(c.names, name)
}

// heading names all columns. A field that is called like a column of ours is called field.<name>, and so is one that begins
// so: no two columns are ever called the same.
func (c *columns) heading() []string {
	heading := slices.Clone(fixedColumns)

	for _, name := range c.names {
		if name == moreFields || slices.Contains(fixedColumns, name) || strings.HasPrefix(name, "field.") {
			name = "field." + name
		}

		heading = append(heading, name)
	}

	if c.more {
		heading = append(heading, moreFields)
	}

	return heading
}

// sort puts a submission's values into their columns; rest has what shares the last one. It says false when a name has no
// place: the submission was committed after the names were collected, so it is none of this file.
func (c *columns) sort(fields Fields) (values [][]Value, rest Fields, whole bool) {
	values = make([][]Value, len(c.names))

	for _, field := range fields {
		at, known := c.place[field.Name]

		switch {
		case known:
			values[at] = append(values[at], field.Value)
		case c.more:
			rest = append(rest, field)
		default:
			return nil, nil, false
		}
	}

	return values, rest, true
}

// numbersOf are the fields that are numbers by the schema that accepted the submission; a file meets few versions.
func (e *Export) numbersOf(ctx context.Context, s *Submission) (map[string]bool, error) {
	key := versionKey{e.walk.wanted.tenantID, s.EndpointID, s.Rules.Schema}

	numbers, known := e.numbers[key]
	if known || s.Rules.Schema == noSchema {
		return numbers, nil
	}

	version, err := findVersion(ctx, e.walk.db.Pool, key.tenantID, key.endpointID, key.version)
	if err != nil && !fault.Has(err, errVersionNotFound.Code) {
		return nil, postgres.Fault("read a version of a schema for an export", err)
	}

	numbers = map[string]bool{}

	if version.Schema != nil {
		for _, field := range version.Schema.Fields {
			numbers[field.Key] = slices.Contains(numericTypes, field.Type)
		}
	}

	if e.numbers == nil {
		e.numbers = map[versionKey]map[string]bool{}
	}

	e.numbers[key] = numbers

	return numbers, nil
}

var numericTypes = []FieldType{TypeNumber, TypeInteger, TypeRating}

const between = " | "

var (
	// looksJoined is a text that could be taken for several values.
	looksJoined = regexp.MustCompile(` \\*\| `)
	escapeBar   = strings.NewReplacer(`\`, `\\`, `|`, `\|`)
)

// joined writes the values of one cell. One value stands as it is, unless it looks like several. Several are joined by
// " | ", and within each of them a bar and a backslash have a backslash before them, so that they can be told apart again.
func joined(values []string) string {
	switch {
	case len(values) == 0:
		return ""
	case len(values) == 1 && !looksJoined.MatchString(values[0]):
		return values[0]
	}

	escaped := make([]string, len(values))
	for i, value := range values {
		escaped[i] = escapeBar.Replace(value)
	}

	return strings.Join(escaped, between)
}

func textOf(values []Value) string {
	if len(values) == 1 {
		return joined([]string{values[0].String()})
	}

	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = value.String()
	}

	return joined(texts)
}
