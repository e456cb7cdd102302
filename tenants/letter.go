package tenants

import (
	"fmt"
	"html/template"
	"net/url"
	"strings"
)

// letter is a mail that is ready to be sent. One without a text is still to be written; see Mailbox.finish.
type letter struct {
	To, Subject, Text, HTML, Link string
}

// words are what a text says of its occasion, by the names of their places: {tenant} and so on.
type words map[string]string

// layout is a kind of mail. Of its paragraphs the first stands before the link, the others after it.
type layout struct {
	subject    string
	paragraphs []string
	purpose    linkPurpose // of the link; empty for a mail without one
	button     string
}

// The kinds of mails that are not named by an action of the audit log.
const (
	kindVerify        = "email.verify"
	kindReset         = "password.forgotten"
	kindMove          = "email.new_address"
	kindInvitation    = "invitation"
	kindTenantClosing = "tenant.closing"
	kindSignInChanged = "sign_in.changed"

	notYou = "If it was not you, choose a new password at once: ask for one by \"forgotten password\" on the page to sign in."
	ignore = "If you did not ask for this, you need not do anything."
)

var templates = map[string]layout{
	kindVerify: {
		"Confirm your e-mail address",
		[]string{"Please confirm that this is your address. The link works once, within three days.", ignore},
		toVerify, "Confirm",
	},
	kindReset: {
		"Choose a new password",
		[]string{"Somebody has asked for a new password for this address. The link works once, within an hour.", ignore},
		toReset, "Choose a password",
	},
	kindMove: {
		"Confirm your new e-mail address",
		[]string{"Please confirm that you want to sign in with this address from now on. The link works once, within a day.", ignore},
		toMove, "Use this address",
	},
	kindInvitation: {
		"You are invited to {tenant}",
		[]string{
			"{who} invites you to work in {tenant} as {role}. The link works once, within seven days.",
			"If you do not know them, you need not do anything.",
		},
		toJoin, "Accept the invitation",
	},
	"password.changed": {
		"Your password was changed", []string{"Your password was changed just now, from the network address {address}.", notYou}, "", "",
	},
	"email.change_requested": {
		"Somebody asked to change your e-mail address",
		[]string{
			"Somebody who knows your password asked to use another e-mail address for your sign-in, " +
				"from the network address {address}. It changes when the mail to the other address is confirmed.", notYou,
		},
		"", "",
	},
	"email.changed": {
		"Your e-mail address was changed",
		[]string{"You sign in with another e-mail address from now on. This one is used no more.", notYou},
		"", "",
	},
	kindTenantClosing: {
		"{tenant} will be deleted",
		[]string{
			"{who} has asked to delete {tenant}. It receives nothing any more. On {when} everything in it is erased for good, and " +
				"with it the sign-ins of people who are in no other tenant.",
			"Until then an owner can restore it on the dashboard.",
		},
		"", "",
	},
	"account.closing": {
		"Your account will be deleted",
		[]string{
			"You have asked to delete your account. On {when} it is erased for good, and so is every tenant in which you are alone.",
			"Until then you can sign in and restore it. " + notYou,
		},
		"", "",
	},
	"second_factor.enabled": {
		"Your sign-in has a second factor now",
		[]string{"A second factor was set up for your sign-in, from the network address {address}.", notYou},
		"", "",
	},
	"second_factor.disabled": {
		"Your sign-in has no second factor any more",
		[]string{"The second factor of your sign-in was taken away, from the network address {address}.", notYou},
		"", "",
	},
	kindSignInChanged: {
		"Your sign-in was changed",
		[]string{"How you sign in was changed just now, from the network address {address}. The dashboard shows your account.", notYou},
		"", "",
	},
}

// write fills in a kind's text.
func (m *Mailbox) write(wanted order) (letter, error) {
	kind, known := templates[wanted.kind]
	if !known {
		return letter{}, fmt.Errorf("there is no mail of the kind %s", wanted.kind)
	}

	said := filled(kind, wanted.words)
	written := letter{To: wanted.to, Subject: said.subject}

	if kind.purpose != "" {
		page := m.public.JoinPath(linkPages[kind.purpose])
		page.RawQuery = url.Values{"token": {wanted.token}}.Encode()
		written.Link = page.String()
	}

	written.Text = plain(said, written.Link)

	var err error
	written.HTML, err = marked(said, written.Link)

	return written, err
}

func filled(kind layout, said words) layout {
	pairs := make([]string, 0, 2*len(said))
	for place, word := range said {
		pairs = append(pairs, "{"+place+"}", word)
	}

	fill := strings.NewReplacer(pairs...)
	done := layout{subject: fill.Replace(kind.subject), button: kind.button}

	for _, paragraph := range kind.paragraphs {
		done.paragraphs = append(done.paragraphs, fill.Replace(paragraph))
	}

	return done
}

func plain(said layout, link string) string {
	parts := append([]string{}, said.paragraphs...)
	if link != "" {
		parts = append([]string{parts[0], link}, parts[1:]...)
	}

	return strings.Join(parts, "\n\n") + "\n"
}

var mailPage = template.Must(template.New("mail").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{{.Subject}}</title></head>
<body style="font:16px/1.5 sans-serif;color:#1b1b1b;max-width:34em;margin:2em auto;padding:0 1em">
<p>{{.First}}</p>
{{if .Link}}<p><a href="{{.Link}}" style="display:inline-block;padding:.6em 1.2em;background:#1f4fd8;color:#fff;` +
	`border-radius:6px;text-decoration:none">{{.Button}}</a></p>
<p style="font-size:14px">If the button does not work, open this address: {{.Link}}</p>
{{end}}{{range .Rest}}<p>{{.}}</p>
{{end}}</body></html>
`))

func marked(said layout, link string) (string, error) {
	var made strings.Builder

	err := mailPage.Execute(&made, struct {
		Subject, First, Link, Button string
		Rest                         []string
	}{said.subject, said.paragraphs[0], link, said.button, said.paragraphs[1:]})

	return made.String(), err
}
