package forms

import (
	"strings"
	"unicode"
)

// Controls are what the control fields of a body said. They are not part of the submission's content. Of repeats the
// first that says something counts, and a text is one line without control characters, fit for a header of a mail.
type Controls struct {
	// Key is the idempotency key as the field has it, unchecked; IdempotencyKey judges it together with the headers.
	Key string
	// HasKey says that the field was there, even if empty.
	HasKey bool
	// Next and Error are where a browser wants to go after success and failure; only Targets.Check makes them safe.
	Next, Error string
	// ReplyTo is the visitor's address for answers: the control field, else the first text field named email.
	ReplyTo string
	// Subject and Language are wishes for the notification and for messages to the visitor.
	Subject, Language string
	// Honeypot says that a field that people do not see was filled in.
	Honeypot bool
	// Captcha holds the tokens by the name of their field; nil when there is none.
	Captcha map[string]string

	keyRefusal error
}

// control is one kind of control field.
type control struct {
	// plain says that the value has to be text within the limits. The others judge what they take themselves.
	plain bool
	take  func(controls *Controls, name string, value Value, problem problem)
}

var (
	idempotency = control{take: (*Controls).takeKey}
	honeypot    = control{take: (*Controls).takeHoneypot}
	captcha     = control{plain: true, take: (*Controls).takeCaptcha}
	next        = line(func(c *Controls) *string { return &c.Next })
	failed      = line(func(c *Controls) *string { return &c.Error })
	replyTo     = line(func(c *Controls) *string { return &c.ReplyTo })
	subject     = line(func(c *Controls) *string { return &c.Subject })
	language    = line(func(c *Controls) *string { return &c.Language })
	ignored     = control{take: func(*Controls, string, Value, problem) {}}
)

// controlNames is the one table of the names that control something. An endpoint adds a honeypot name of its own, and
// every other name that begins with reservedPrefix is ignored.
var controlNames = map[string]control{
	"_idempotency": idempotency,

	"_next":     next,
	"_redirect": next,
	"_error":    failed,

	"_gotcha":   honeypot,
	"_honey":    honeypot,
	"_honeypot": honeypot,
	"botcheck":  honeypot,

	"_replyto":  replyTo,
	"_reply_to": replyTo,
	"_subject":  subject,
	"_language": language,

	"g-recaptcha-response":  captcha,
	"h-captcha-response":    captcha,
	"cf-turnstile-response": captcha,
	"altcha":                captcha,
}

const reservedPrefix = "_"

// controlFor returns what the name controls; false means that it is the name of a visitor's field. An endpoint's own
// honeypot with a name that is not reserved is a field here: whether it is one is a rule that a retry may have to be judged
// by as it was, see normalize.
func controlFor(name, ownHoneypot string) (control, bool) {
	if known, ok := controlNames[name]; ok {
		return known, true
	}

	if !strings.HasPrefix(name, reservedPrefix) {
		return control{}, false
	}

	if name == ownHoneypot {
		return honeypot, true
	}

	return ignored, true
}

func line(target func(*Controls) *string) control {
	return control{plain: true, take: func(c *Controls, _ string, value Value, _ problem) {
		if at := target(c); *at == "" && value.IsText() {
			*at = oneLine(value.text)
		}
	}}
}

// oneLine keeps a line break in a subject or an address from beginning another header of the notification.
func oneLine(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}

		return r
	}, text))
}

func (c *Controls) takeKey(_ string, value Value, _ problem) {
	c.HasKey = true

	switch {
	case !value.IsText():
		c.keyRefusal = errKeyNotText
	case c.Key == "":
		c.Key = value.text
	case value.text != "" && !sameKey(c.Key, value.text):
		c.keyRefusal = errKeysDiffer
	}
}

// takeHoneypot counts unreadable text as filled in.
func (c *Controls) takeHoneypot(_ string, value Value, problem problem) {
	c.Honeypot = c.Honeypot || problem != fits || filledIn(value)
}

// filledIn counts a box that a script left unticked (false, null) as empty.
func filledIn(value Value) bool {
	if value.IsText() {
		return strings.TrimSpace(value.text) != ""
	}

	return value != Value{"null", true} && value != Value{"false", true}
}

func (c *Controls) takeCaptcha(name string, value Value, _ problem) {
	if !value.IsText() || value.text == "" || c.Captcha[name] != "" {
		return
	}

	if c.Captcha == nil {
		c.Captcha = map[string]string{}
	}

	c.Captcha[name] = value.text
}
