package forms

import (
	"bytes"
	"strings"
)

var byteOrderMark = []byte("\uFEFF")

// parseText reads text/plain: JSON when it begins like an object, which is how navigator.sendBeacon and cross-origin
// scripts avoid a preflight, else the name=value lines of a form with that enctype. A line without = continues the value
// before it, with the line break that was sent, since browsers write text of several lines so.
func parseText(into *collector, body []byte, parameters map[string]string) (Family, error) {
	body = bytes.TrimPrefix(body, byteOrderMark)
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '{' {
		return parseJSON(into, body, parameters)
	}

	var (
		name  string
		text  strings.Builder
		ended string
		open  bool
	)

	for line := range strings.Lines(string(body)) {
		content, ending := cutLineBreak(line)
		before, after, begins := strings.Cut(content, "=")

		switch {
		case begins:
			if open {
				into.addText(name, text.String())
			}

			name, open = before, true

			text.Reset()
			text.WriteString(after)
		case open:
			text.WriteString(ended)
			text.WriteString(content)
		case content != "":
			return FamilyForm, malformed("The text does not begin with a line name=value. " +
				"Send such lines or a JSON object, or choose another content type.")
		}

		ended = ending
	}

	if open {
		into.addText(name, text.String())
	}

	return FamilyForm, nil
}

func cutLineBreak(line string) (content, ending string) {
	content = strings.TrimSuffix(line, "\n")
	if len(content) < len(line) {
		content = strings.TrimSuffix(content, "\r")
	}

	return content, line[len(content):]
}
