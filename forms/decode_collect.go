package forms

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"formonce/internal/fault"
)

// problem says why a text or a JSON value cannot be stored.
type problem int

const (
	fits problem = iota
	notUTF8
	holdsNUL
	hugeNumber
)

var problemSentences = map[problem]string{
	notUTF8:    "This field holds text that is not valid UTF-8. Send the form in UTF-8.",
	holdsNUL:   "This field holds a NUL character. Take it out.",
	hugeNumber: "This field holds a number that is too long or too large to keep. Send it as text.",
}

// collector sorts what the parsers read: control fields to one side, the visitor's fields to the other. It remembers the
// first refusal and keeps no more fields after it, so that memory stays bounded while the parser looks for a fault of
// syntax in the rest.
type collector struct {
	limits      Limits
	ownHoneypot string

	fields   Fields
	controls Controls
	refusal  error
}

func newCollector(ownHoneypot string, limits Limits) *collector {
	return &collector{limits: limits, ownHoneypot: norm.NFC.String(ownHoneypot)}
}

// finish returns the controls. Without a reply-to of its own a submission is answered to its field named email.
func (c *collector) finish() Controls {
	for _, field := range c.fields {
		if c.controls.ReplyTo == "" && field.Name == "email" && field.Name != c.ownHoneypot && field.Value.IsText() {
			c.controls.ReplyTo = oneLine(field.Value.text)
		}
	}

	return c.controls
}

// addText takes a field of a form body as it stands there.
func (c *collector) addText(rawName, rawText string) {
	name, nameProblem := normalText(rawName)
	text, textProblem := normalText(rawText)
	c.add(name, nameProblem, Value{text: text}, textProblem)
}

// add takes a field whose name and value are normalised, with what is wrong with each.
func (c *collector) add(name string, nameProblem problem, value Value, valueProblem problem) {
	control, isControl := controlFor(name, c.ownHoneypot)
	if isControl && !control.plain {
		control.take(&c.controls, name, value, valueProblem)
		return
	}

	var refusal *fault.Fault
	if !isControl {
		refusal = c.judgeName(name, nameProblem)
	}

	if refusal == nil {
		refusal = c.judgeValue(name, value, valueProblem)
	}

	switch {
	case refusal != nil:
		c.refuse(refusal)
	case isControl:
		control.take(&c.controls, name, value, valueProblem)
	case len(c.fields) == c.limits.Fields:
		c.refuse(fault.New(fault.Unprocessable, "too_many_fields",
			fmt.Sprintf("A submission has %d fields at most. Send fewer.", c.limits.Fields)))
	case c.refusal == nil:
		c.fields = append(c.fields, Field{name, value})
	}
}

func (c *collector) refuse(refusal *fault.Fault) {
	if c.refusal == nil {
		c.refusal = refusal
	}
}

// refuseFile takes a file's place until files are taken.
func (c *collector) refuseFile(rawName string) {
	name, _ := normalText(rawName)
	c.refuse(refusedField("file_upload_not_supported", name,
		"This form does not take files. Send it without the file."))
}

func (c *collector) judgeName(name string, nameProblem problem) *fault.Fault {
	switch {
	case name == "":
		return refusedField("invalid_field_name", name, "A field has no name. Give every field a name.")
	case nameProblem != fits || strings.ContainsFunc(name, unicode.IsControl):
		return refusedField("invalid_field_name", name,
			"The name of a field holds control characters or is not valid UTF-8. Rename the field.")
	case longerThan(name, c.limits.NameChars):
		return refusedField("field_name_too_long", name,
			fmt.Sprintf("The name of a field has %d characters at most. Shorten it.", c.limits.NameChars))
	}

	return nil
}

func (c *collector) judgeValue(name string, value Value, valueProblem problem) *fault.Fault {
	switch {
	case valueProblem != fits:
		return refusedField("invalid_field_value", name, problemSentences[valueProblem])
	case longerThan(value.text, c.limits.ValueChars):
		return refusedField("field_value_too_long", name,
			fmt.Sprintf("This field takes %d characters at most. Shorten it.", c.limits.ValueChars))
	}

	return nil
}

func refusedField(code, name, sentence string) *fault.Fault {
	return fault.New(fault.Unprocessable, code, sentence).In(shownName(name))
}

// shownName makes a name that was refused fit to be shown: no control characters, and no longer than a name may be.
func shownName(name string) string {
	shown := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}

		return r
	}, name)

	limit := DefaultLimits().NameChars
	for i := range shown {
		if limit == 0 {
			return shown[:i] + "…"
		}

		limit--
	}

	return shown
}

func longerThan(text string, chars int) bool {
	return len(text) > chars && utf8.RuneCountInString(text) > chars
}

// normalText returns the text in NFC, or with U+FFFD for what is not UTF-8, and what is wrong with it.
func normalText(text string) (string, problem) {
	ascii := true

	for i := range len(text) {
		if text[i] == 0 || text[i] >= utf8.RuneSelf {
			ascii = false
			break
		}
	}

	switch {
	case ascii:
		return text, fits
	case !utf8.ValidString(text):
		return strings.ToValidUTF8(text, string(unicode.ReplacementChar)), notUTF8
	case strings.ContainsRune(text, 0):
		return text, holdsNUL
	}

	return norm.NFC.String(text), fits
}
