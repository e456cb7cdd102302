package main

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"formonce/forms"
	"formonce/tenants"
)

func endpointCommand(c *console) *cobra.Command {
	return group("endpoint", "Make, change and show the endpoints of a tenant",
		"formonce endpoint create --tenant acme --id contact-form\nformonce endpoint list --tenant acme",
		endpointCreateCommand(c),
		endpointUpdateCommand(c),
		endpointListCommand(c),
		endpointShowCommand(c),
		endpointApplyCommand(c),
		endpointExportCommand(c),
	)
}

// withTenant does the work for the tenant that --tenant names, by id or by slug.
func (c *console) withTenant(ctx context.Context, ref string, do func(*store, tenants.Tenant) error) error {
	return c.withStore(ctx, func(s *store) error {
		found, err := s.tenants.Find(ctx, ref)
		if err != nil {
			return err
		}

		return do(s, found)
	})
}

// tenantFlag adds --tenant to a command that cannot do without.
func tenantFlag(cmd *cobra.Command) *string {
	ref := cmd.Flags().String("tenant", "", "the tenant, by id or by slug")
	require(cmd, "tenant")

	return ref
}

func endpointCreateCommand(c *console) *cobra.Command {
	var (
		tenant     *string
		endpointID string
		change     func(*forms.Endpoint)
	)

	made := c.leaf("create", "Make an endpoint and print it as JSON",
		"formonce endpoint create --tenant acme --id contact-form\n"+
			"formonce endpoint create --tenant acme --name Newsletter --allowed-origin https://www.example.com",
		func(cmd *cobra.Command, _ []string) error {
			return c.withTenant(cmd.Context(), *tenant, func(s *store, owner tenants.Tenant) error {
				wanted := forms.NewEndpoint(nameFrom(endpointID))
				wanted.ID = endpointID
				change(&wanted)

				endpoint, err := s.directory.Create(cmd.Context(), owner.ID, wanted)
				if err != nil {
					return err
				}

				return c.printJSON(endpointJSON(s.config, endpoint))
			})
		})

	tenant = tenantFlag(made)
	made.Flags().StringVar(&endpointID, "id", "", "the last part of the public address; a random one when left out")
	change = settingFlags(made.Flags())

	alwaysJSON(made)

	return made
}

// nameFrom makes a name for people from an id: contact-form becomes "Contact form".
func nameFrom(endpointID string) string {
	words := strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == '-' || r == '_' {
			return ' '
		}

		return r
	}, endpointID))
	if words == "" {
		return "Form"
	}

	first, size := utf8.DecodeRuneInString(words)

	return string(unicode.ToUpper(first)) + words[size:]
}

func endpointUpdateCommand(c *console) *cobra.Command {
	var (
		tenant *string
		change func(*forms.Endpoint)
	)

	made := c.leaf("update ENDPOINT", "Change the settings that are given, and print the endpoint as JSON",
		"formonce endpoint update contact-form --tenant acme --redirect-url https://www.example.com/thanks\n"+
			"formonce endpoint update contact-form --tenant acme --closed=false",
		func(cmd *cobra.Command, args []string) error {
			return c.withTenant(cmd.Context(), *tenant, func(s *store, owner tenants.Tenant) error {
				endpoint, err := s.directory.Update(cmd.Context(), owner.ID, args[0], 0, change)
				if err != nil {
					return err
				}

				return c.printJSON(endpointJSON(s.config, endpoint))
			})
		})

	tenant = tenantFlag(made)
	change = settingFlags(made.Flags())

	alwaysJSON(made)

	return made
}

func endpointListCommand(c *console) *cobra.Command {
	var (
		tenant *string
		asJSON bool
	)

	made := c.leaf("list", "List a tenant's endpoints",
		"formonce endpoint list --tenant acme\nformonce endpoint list --tenant acme --json",
		func(cmd *cobra.Command, _ []string) error {
			return c.withTenant(cmd.Context(), *tenant, func(s *store, owner tenants.Tenant) error {
				found, err := s.directory.List(cmd.Context(), owner.ID)
				if err != nil {
					return err
				}

				return c.printEndpoints(s, found, asJSON)
			})
		})

	tenant = tenantFlag(made)
	made.Flags().BoolVar(&asJSON, "json", false, "print JSON")

	return made
}

func (c *console) printEndpoints(s *store, found []forms.Endpoint, asJSON bool) error {
	rows := make([]wireEndpoint, len(found))
	cells := make([][]string, len(found))

	for i, endpoint := range found {
		rows[i] = endpointJSON(s.config, endpoint)
		cells[i] = []string{endpoint.ID, endpoint.Name, openOrClosed(endpoint.Closed), rows[i].SubmitURL}
	}

	if asJSON {
		return c.printJSON(map[string]any{"data": rows})
	}

	return c.printTable([]string{"ID", "NAME", "STATE", "SUBMIT URL"}, cells)
}

func endpointShowCommand(c *console) *cobra.Command {
	var (
		tenant *string
		asJSON bool
	)

	made := c.leaf("show ENDPOINT", "Show an endpoint with its settings",
		"formonce endpoint show contact-form --tenant acme\nformonce endpoint show contact-form --tenant acme --json",
		func(cmd *cobra.Command, args []string) error {
			return c.withTenant(cmd.Context(), *tenant, func(s *store, owner tenants.Tenant) error {
				endpoint, err := s.directory.Get(cmd.Context(), owner.ID, args[0])
				if err != nil {
					return err
				}

				if asJSON {
					return c.printJSON(endpointJSON(s.config, endpoint))
				}

				return c.printEndpoint(endpointJSON(s.config, endpoint))
			})
		})

	tenant = tenantFlag(made)
	made.Flags().BoolVar(&asJSON, "json", false, "print JSON")

	return made
}
