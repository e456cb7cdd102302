package main

import (
	"context"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"formonce/forms"
	"formonce/tenants"
)

func submissionCommand(c *console) *cobra.Command {
	return group("submission", "List, show and erase what was submitted to a tenant",
		"formonce submission list --tenant acme\nformonce submission show sub_0198… --tenant acme",
		submissionListCommand(c),
		submissionShowCommand(c),
		submissionEraseCommand(c),
	)
}

func submissionListCommand(c *console) *cobra.Command {
	var (
		tenant *string
		filter forms.Filter
		status string
		asJSON bool
	)

	made := c.leaf("list", "List submissions, the newest first",
		"formonce submission list --tenant acme --endpoint contact-form --limit 10\n"+
			"formonce submission list --tenant acme --status spam --json\n"+
			"formonce submission list --tenant acme --search 'ada invoice' --tag billing",
		func(cmd *cobra.Command, _ []string) error {
			filter.Status = forms.Status(status)
			if status != "" && filter.Status != forms.StatusAccepted && filter.Status != forms.StatusSpam {
				return misuse("--status takes accepted or spam")
			}

			// The inbox takes none for its default; whoever types 0 means something else.
			if filter.Limit < 1 || filter.Limit > 100 {
				return misuse("--limit takes 1 to 100")
			}

			return c.withTenant(cmd.Context(), *tenant, func(s *store, owner tenants.Tenant) error {
				return c.listSubmissions(cmd.Context(), s, owner, filter, asJSON)
			})
		})

	tenant = tenantFlag(made)

	flags := made.Flags()
	flags.StringVar(&filter.EndpointID, "endpoint", "", "only those of this endpoint")
	flags.StringVar(&status, "status", "", "only those that are accepted, or spam")
	flags.StringVar(&filter.Query, "search", "", "only those with these words; the last may be the beginning of one")
	flags.StringVar(&filter.Tag, "tag", "", "only those with this tag")
	flags.IntVar(&filter.Limit, "limit", 50, "how many, 1 to 100")
	flags.StringVar(&filter.Cursor, "cursor", "", "go on where another list ended: its next cursor")
	flags.BoolVar(&asJSON, "json", false, "print JSON")

	return made
}

// listSubmissions looks after the search first: there may be no worker that does, and what just came in is what is looked for.
func (c *console) listSubmissions(ctx context.Context, s *store, owner tenants.Tenant, filter forms.Filter, asJSON bool) error {
	if filter.Query != "" {
		if err := s.inbox.Index(ctx); err != nil {
			return err
		}
	}

	page, err := s.inbox.List(ctx, owner.ID, filter)
	if err != nil {
		return err
	}

	return c.printPage(page, asJSON)
}

// excerptChars keeps a row of the list on the line of a usual terminal.
const excerptChars = 60

func (c *console) printPage(page forms.Page, asJSON bool) error {
	if asJSON {
		rows := make([]wireSubmission, len(page.Submissions))
		for i := range page.Submissions {
			rows[i] = submissionJSON(&page.Submissions[i])
		}

		return c.printJSON(wirePage{Data: rows, NextCursor: cursorOrNull(page.NextCursor)})
	}

	cells := make([][]string, len(page.Submissions))
	for i := range page.Submissions {
		found := &page.Submissions[i]
		cells[i] = []string{
			forms.PublicID(found.ID), minutes(found.ReceivedAt), found.EndpointID, string(found.Status),
			strconv.Itoa(found.ReplayCount), excerpt(found.Fields),
		}
	}

	if err := c.printTable([]string{"ID", "RECEIVED", "ENDPOINT", "STATUS", "REPLAYS", "FIELDS"}, cells); err != nil {
		return err
	}

	if page.NextCursor == "" {
		return nil
	}

	return c.printf("\nThere are more: --cursor %s\n", page.NextCursor)
}

// excerpt shows the beginning of the fields' values in one line.
func excerpt(fields forms.Fields) string {
	values := make([]string, len(fields))
	for i, field := range fields {
		values[i] = field.Value.String()
	}

	shown := []rune(strings.Join(values, " · "))
	if len(shown) > excerptChars {
		shown = append(shown[:excerptChars-1], '…')
	}

	return string(shown)
}

func submissionShowCommand(c *console) *cobra.Command {
	var (
		tenant *string
		asJSON bool
	)

	made := c.leaf("show SUBMISSION", "Show a submission with its fields",
		"formonce submission show sub_01980f2d6c1a7cc09d5d4d5a5b8f2a11 --tenant acme",
		func(cmd *cobra.Command, args []string) error {
			submissionID, err := parseSubmissionID(args[0])
			if err != nil {
				return err
			}

			return c.withTenant(cmd.Context(), *tenant, func(s *store, owner tenants.Tenant) error {
				found, err := s.inbox.Get(cmd.Context(), owner.ID, submissionID)
				if err != nil {
					return err
				}

				if asJSON {
					return c.printJSON(submissionJSON(&found))
				}

				return c.printSubmission(&found)
			})
		})

	tenant = tenantFlag(made)
	made.Flags().BoolVar(&asJSON, "json", false, "print JSON")

	return made
}

func parseSubmissionID(text string) (uuid.UUID, error) {
	parsed, err := forms.ParseID(text)
	if err != nil {
		return parsed, misuse(err.Error())
	}

	return parsed, nil
}

func submissionEraseCommand(c *console) *cobra.Command {
	var (
		tenant *string
		sure   bool
	)

	made := c.leaf("erase SUBMISSION", "Erase a submission for good",
		"formonce submission erase sub_01980f2d6c1a7cc09d5d4d5a5b8f2a11 --tenant acme --yes",
		func(cmd *cobra.Command, args []string) error {
			submissionID, err := parseSubmissionID(args[0])
			if err != nil {
				return err
			}

			if !sure {
				return misuse("nothing was erased: this cannot be undone, add --yes if you mean it")
			}

			return c.withTenant(cmd.Context(), *tenant, func(s *store, owner tenants.Tenant) error {
				if err := s.inbox.Erase(cmd.Context(), owner.ID, submissionID); err != nil {
					return err
				}

				return c.printf("%s is erased.\n", args[0])
			})
		})

	tenant = tenantFlag(made)
	made.Flags().BoolVar(&sure, "yes", false, "show that this is meant, since it cannot be undone")

	return made
}
