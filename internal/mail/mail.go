// Package mail carries a message to a mail server, or to the log of a service that has none.
package mail

import (
	"errors"
	"strings"
)

// Message is one mail to one person.
type Message struct {
	// ID is the left part of the Message-ID (RFC 5322, section 3.6.4). A mail that is sent twice has the same one, so that
	// mail programs can tell.
	ID string
	// To is a bare address.
	To string
	// Subject and Text are plain; Text stands alone, and HTML says the same.
	Subject, Text, HTML string
	// Link is what the mail is about, when it is about a link. A service without a mail server shows it to its operator.
	Link string
}

// refused is an error that another try would meet again.
type refused struct{ error }

func (r refused) Unwrap() error { return r.error }

// Refused says whether err is a mail server's last word about this message, so that sending it again is of no use.
func Refused(err error) bool {
	_, is := errors.AsType[refused](err)

	return is
}

// hostOf is the part of an address after the @.
func hostOf(address string) string { return address[strings.LastIndexByte(address, '@')+1:] }
