package tenants

import (
	"fmt"
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"formonce/internal/fault"
)

const (
	nameChars        = 120
	emailBytes       = 254 // RFC 5321, section 4.5.3.1.3, without the angle brackets
	passwordMinChars = 10
	passwordMaxChars = 256
)

// checked returns the input in the form in which it is kept, or one Fault with everything that is wrong with it.
func (n NewTenant) checked() (NewTenant, error) {
	n.Name = norm.NFC.String(strings.TrimSpace(n.Name))
	n.Email = strings.ToLower(norm.NFC.String(strings.TrimSpace(n.Email)))

	rules := []struct {
		field   string
		fine    bool
		message string
	}{
		{"name", validName(n.Name), fmt.Sprintf("Give the tenant a name of 1 to %d characters.", nameChars)},
		{
			"slug", n.Slug == "" || validSlug(n.Slug),
			"A slug has 3 to 64 characters of a-z, 0-9 and -, with a letter or digit at both ends.",
		},
		{"email", validEmail(n.Email), "Give an e-mail address such as name@example.com."},
		{"password", validPassword(n.Password), fmt.Sprintf("A password has %d to %d characters; a sentence is easy to remember.",
			passwordMinChars, passwordMaxChars)},
	}

	failed := fault.New(fault.Unprocessable, "invalid_tenant", "A tenant cannot be made from this.")

	for _, rule := range rules {
		if !rule.fine {
			failed.Issues = append(failed.Issues, fault.Issue{Field: rule.field, Rule: "invalid", Message: rule.message})
		}
	}

	if len(failed.Issues) > 0 {
		return NewTenant{}, failed
	}

	return n, nil
}

func validName(name string) bool {
	return name != "" && utf8.ValidString(name) && utf8.RuneCountInString(name) <= nameChars &&
		!strings.ContainsFunc(name, unicode.IsControl)
}

// validEmail takes a bare address only: one with a person's name before it, or with a comment, is spelled in many ways.
func validEmail(email string) bool {
	parsed, err := mail.ParseAddress(email)

	return err == nil && parsed.Address == email && len(email) <= emailBytes && utf8.ValidString(email) &&
		!strings.ContainsFunc(email, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) })
}

func validPassword(password string) bool {
	chars := utf8.RuneCountInString(password)

	return utf8.ValidString(password) && chars >= passwordMinChars && chars <= passwordMaxChars &&
		!strings.ContainsRune(password, 0)
}
