package main

import (
	"net/url"
	"strconv"

	"github.com/spf13/cobra"

	"formonce/internal/moment"
	"formonce/tenants"
)

func mailCommand(c *console) *cobra.Command {
	return group("mail", "See what became of mails, and read those that were not delivered",
		"formonce mail list\nformonce mail show mai_01990f3c5a7b7c3e8d2f4b6a8c0e1d2f",
		mailListCommand(c),
		mailShowCommand(c),
	)
}

// mailRow is a mail in a list: its link lets somebody in, and stays out of it.
type mailRow struct {
	ID           string `json:"id"`
	Kind         string `json:"kind"`
	Status       string `json:"status"`
	To           string `json:"to"`
	AttemptCount int    `json:"attempt_count"`
	LastError    string `json:"last_error"`
	CreatedAt    string `json:"created_at"`
}

func mailRowOf(m tenants.Mail) mailRow {
	return mailRow{
		ID: tenants.PublicMailID(m.ID), Kind: m.Kind, Status: m.Status, To: m.To, AttemptCount: m.AttemptCount,
		LastError: m.LastError, CreatedAt: moment.Write(m.CreatedAt),
	}
}

func mailListCommand(c *console) *cobra.Command {
	var asJSON bool

	made := c.leaf("list", "List the last 200 mails, the newest first", "formonce mail list\nformonce mail list --json",
		func(cmd *cobra.Command, _ []string) error {
			return c.withMailbox(cmd, func(mailbox *tenants.Mailbox) error {
				found, err := mailbox.List(cmd.Context())
				if err != nil {
					return err
				}

				return c.printMails(found, asJSON)
			})
		})

	made.Flags().BoolVar(&asJSON, "json", false, "print JSON")

	return made
}

func (c *console) printMails(found []tenants.Mail, asJSON bool) error {
	rows := make([]mailRow, len(found))
	cells := make([][]string, len(found))

	for i, m := range found {
		row := mailRowOf(m)
		rows[i] = row
		cells[i] = []string{
			row.ID, row.Kind, row.Status, row.To, strconv.Itoa(row.AttemptCount), row.LastError, minutes(m.CreatedAt),
		}
	}

	if asJSON {
		return c.printJSON(map[string]any{"data": rows})
	}

	return c.printTable([]string{"ID", "KIND", "STATUS", "TO", "TRIES", "ERROR", "CREATED"}, cells)
}

func mailShowCommand(c *console) *cobra.Command {
	var asJSON bool

	made := c.leaf("show MAIL", "Show a mail that was not delivered, with its link",
		"formonce mail show mai_01990f3c5a7b7c3e8d2f4b6a8c0e1d2f",
		func(cmd *cobra.Command, args []string) error {
			return c.withMailbox(cmd, func(mailbox *tenants.Mailbox) error {
				found, err := mailbox.Get(cmd.Context(), args[0])
				if err != nil {
					return err
				}

				return c.printMail(found, asJSON)
			})
		})

	made.Flags().BoolVar(&asJSON, "json", false, "print JSON")

	return made
}

func (c *console) printMail(found tenants.Mail, asJSON bool) error {
	if asJSON {
		return c.printJSON(struct {
			mailRow

			Subject string `json:"subject"`
			Text    string `json:"text"`
			Link    string `json:"link"`
		}{mailRowOf(found), found.Subject, found.Text, found.Link})
	}

	if found.Text == "" {
		return c.printf("This mail is %s; its text is not kept.\n", found.Status)
	}

	return c.printf("To: %s\nSubject: %s\n\n%s", harmless(found.To), harmless(found.Subject), found.Text)
}

func (c *console) withMailbox(cmd *cobra.Command, do func(*tenants.Mailbox) error) error {
	return c.withStore(cmd.Context(), func(s *store) error {
		secret, err := s.config.Secret()
		if err != nil {
			return err
		}

		// Nothing is written here, so no link is made.
		mailbox, err := tenants.NewMailbox(s.db, []byte(secret), &url.URL{})
		if err != nil {
			return err
		}

		return do(mailbox)
	})
}
