package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"formonce/internal/moment"
	"formonce/tenants"
)

// settleWithin is how long a service may still accept for a tenant after it was suspended: a second until every replica
// knows, and the time that one acceptance may take.
const settleWithin = 10 * time.Second

func tenantCommand(c *console) *cobra.Command {
	return group("tenant", "Make, list, suspend and delete tenants",
		"formonce tenant create --name Acme --email ada@example.com --password -\nformonce tenant list",
		tenantCreateCommand(c),
		tenantListCommand(c),
		tenantStatusCommand(c, "suspend TENANT", "Stop a tenant's endpoints from taking submissions",
			"is suspended: its endpoints take no submissions.", (*tenants.Registry).Suspend),
		tenantStatusCommand(c, "resume TENANT", "Let a suspended tenant's endpoints take submissions again",
			"is active: its endpoints take submissions.", (*tenants.Registry).Resume),
		tenantDeleteCommand(c),
	)
}

func tenantCreateCommand(c *console) *cobra.Command {
	var wanted tenants.NewTenant

	made := c.leaf("create", "Make a tenant with its owner and an API key, and print their ids as JSON",
		"formonce tenant create --name Acme --email ada@example.com --password 'a long sentence'\n"+
			"formonce tenant create --name Acme --email ada@example.com --password - < password.txt",
		func(cmd *cobra.Command, _ []string) error {
			if wanted.Password == "-" {
				line, err := firstLine(c.in)
				if err != nil {
					return err
				}

				wanted.Password = line
			}

			return c.withStore(cmd.Context(), func(s *store) error {
				made, err := s.tenants.Create(cmd.Context(), wanted)
				if err != nil {
					return err
				}

				return c.printJSON(struct {
					TenantID string `json:"tenant_id"`
					MemberID string `json:"member_id"`
					APIKey   string `json:"api_key"`
				}{tenants.PublicID(made.Tenant.ID), tenants.PublicMemberID(made.MemberID), made.APIKey})
			})
		})

	flags := made.Flags()
	flags.StringVar(&wanted.Name, "name", "", "the tenant's name")
	flags.StringVar(&wanted.Slug, "slug", "", "its name in addresses; made from the name when left out")
	flags.StringVar(&wanted.Email, "email", "", "the owner's e-mail address")
	flags.StringVar(&wanted.Password, "password", "", "the owner's password; - reads it from the first line of the input")
	alwaysJSON(made)
	require(made, "name", "email", "password")

	return made
}

func firstLine(in io.Reader) (string, error) {
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("the password cannot be read from the input: %w", err)
	}

	return strings.TrimRight(line, "\r\n"), nil
}

func tenantListCommand(c *console) *cobra.Command {
	var asJSON bool

	made := c.leaf("list", "List every tenant", "formonce tenant list\nformonce tenant list --json",
		func(cmd *cobra.Command, _ []string) error {
			return c.withStore(cmd.Context(), func(s *store) error {
				found, err := s.tenants.List(cmd.Context())
				if err != nil {
					return err
				}

				return c.printTenants(found, asJSON)
			})
		})

	made.Flags().BoolVar(&asJSON, "json", false, "print JSON")

	return made
}

func (c *console) printTenants(found []tenants.Tenant, asJSON bool) error {
	type row struct {
		ID        string `json:"id"`
		Slug      string `json:"slug"`
		Name      string `json:"name"`
		Status    string `json:"status"`
		CreatedAt string `json:"created_at"`
	}

	rows := make([]row, len(found))
	cells := make([][]string, len(found))

	for i, t := range found {
		rows[i] = row{tenants.PublicID(t.ID), t.Slug, t.Name, string(t.Status), moment.Write(t.CreatedAt)}
		cells[i] = []string{rows[i].ID, t.Slug, t.Name, string(t.Status), minutes(t.CreatedAt)}
	}

	if asJSON {
		return c.printJSON(map[string]any{"data": rows})
	}

	return c.printTable([]string{"ID", "SLUG", "NAME", "STATUS", "CREATED"}, cells)
}

func tenantStatusCommand(
	c *console, use, short, outcome string, change func(*tenants.Registry, context.Context, uuid.UUID) error,
) *cobra.Command {
	verb, _, _ := strings.Cut(use, " ")

	return c.leaf(use, short, "formonce tenant "+verb+" acme",
		func(cmd *cobra.Command, args []string) error {
			return c.withStore(cmd.Context(), func(s *store) error {
				found, err := s.tenants.Find(cmd.Context(), args[0])
				if err != nil {
					return err
				}

				if err := change(s.tenants, cmd.Context(), found.ID); err != nil {
					return err
				}

				if err := s.directory.Touch(cmd.Context(), found.ID); err != nil {
					return err
				}

				return c.printf("%s %s\n", found.Slug, outcome)
			})
		})
}

func tenantDeleteCommand(c *console) *cobra.Command {
	var confirm string

	made := c.leaf("delete TENANT", "Erase a tenant and everything it has, for good",
		"formonce tenant delete acme --confirm acme",
		func(cmd *cobra.Command, args []string) error {
			return c.withStore(cmd.Context(), func(s *store) error {
				found, err := s.tenants.Find(cmd.Context(), args[0])
				if err != nil {
					return err
				}

				if confirm != found.Slug {
					return misuse(fmt.Sprintf("nothing was deleted: repeat the tenant's slug, --confirm %s", found.Slug))
				}

				if err := c.eraseTenant(cmd.Context(), s, found); err != nil {
					return err
				}

				return c.printf("%s and everything it had is deleted.\n", found.Slug)
			})
		})

	made.Flags().StringVar(&confirm, "confirm", "", "the tenant's slug, to show that this one is meant")
	require(made, "confirm")

	return made
}

// eraseTenant closes the door first, and waits until nobody can be in it any more: what is accepted after the eraser went
// by would stay for good. Interrupted, it may be called again, and waits again.
func (c *console) eraseTenant(ctx context.Context, s *store, found tenants.Tenant) error {
	if err := s.tenants.Suspend(ctx, found.ID); err != nil {
		return err
	}

	if err := s.directory.Touch(ctx, found.ID); err != nil {
		return err
	}

	endpoints, err := s.directory.List(ctx, found.ID)
	if err != nil {
		return err
	}

	if len(endpoints) > 0 {
		if err := c.settle(ctx); err != nil {
			return err
		}
	}

	if err := s.directory.EraseTenant(ctx, found.ID); err != nil {
		return err
	}

	return s.tenants.Delete(ctx, found.ID)
}

func (c *console) settle(ctx context.Context) error {
	_, _ = fmt.Fprintf(c.err, "Waiting %s for submissions that are being accepted.\n", c.settleTime)

	select {
	case <-ctx.Done():
		return fmt.Errorf("the tenant is suspended and not deleted; run the command again: %w", context.Cause(ctx))
	case <-time.After(c.settleTime):
		return nil
	}
}
