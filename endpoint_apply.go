package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"formonce/api"
	"formonce/forms"
	"formonce/internal/postgres"
	"formonce/tenants"
)

// applyFlags are how a file is applied.
type applyFlags struct {
	file, tenant        string
	dryRun, yes, asJSON bool
}

func endpointApplyCommand(c *console) *cobra.Command {
	var flags applyFlags

	made := c.leaf("apply", "Make an endpoint what a file says, its schema included, after showing the plan",
		"formonce endpoint apply -f contact.yaml --tenant acme --dry-run\n"+
			"formonce endpoint apply -f contact.yaml --tenant acme --yes\n"+
			"formonce endpoint apply -f contact.yaml --tenant acme --yes --json",
		func(cmd *cobra.Command, _ []string) error { return c.apply(cmd.Context(), &flags) })

	made.Flags().StringVarP(&flags.file, "file", "f", "", "the file, in YAML or JSON; - reads what is typed")
	made.Flags().StringVar(&flags.tenant, "tenant", "", "the tenant, by id or by slug; the one that the file names when left out")
	made.Flags().BoolVar(&flags.dryRun, "dry-run", false, "show the plan and change nothing")
	made.Flags().BoolVar(&flags.yes, "yes", false, "apply the plan without asking")
	made.Flags().BoolVar(&flags.asJSON, "json", false, "print the plan as JSON")
	made.MarkFlagsMutuallyExclusive("dry-run", "yes")
	require(made, "file")

	return made
}

func (c *console) apply(ctx context.Context, flags *applyFlags) error {
	if flags.asJSON && !flags.yes && !flags.dryRun {
		return misuse("with --json nobody is asked: add --yes to apply the plan, or --dry-run to see it")
	}

	if flags.file == "-" && !flags.yes && !flags.dryRun {
		return misuse("what is typed cannot answer too: add --yes to apply the plan, or --dry-run to see it")
	}

	text, err := c.readFile(flags.file)
	if err != nil {
		return err
	}

	var named endpointFile
	if err := parseFile(flags.file, text, &named); err != nil {
		return err
	}

	if flags.tenant == "" {
		flags.tenant = named.Tenant
	}

	if flags.tenant == "" {
		return misuse("say whose endpoint it is: with --tenant, or with the member tenant of the file")
	}

	return c.withTenant(ctx, flags.tenant, func(s *store, owner tenants.Tenant) error {
		made, err := planFor(ctx, s, owner, flags.file, text)
		if err != nil {
			return err
		}

		return c.carryOut(ctx, s, made, flags)
	})
}

// carryOut shows the plan and, unless it is refused, makes it so.
func (c *console) carryOut(ctx context.Context, s *store, made *plan, flags *applyFlags) error {
	if !flags.asJSON {
		if err := c.showChanges(made); err != nil {
			return err
		}
	}

	refused := len(made.Schema.Conflicts) > 0

	if !refused && !flags.dryRun && made.Action != planNothing {
		if !flags.yes && !c.agrees() {
			return errNotAgreed
		}

		if err := made.carryOut(ctx, s); err != nil {
			return err
		}

		made.Applied = true
	}

	if flags.asJSON {
		if err := c.printJSON(made); err != nil {
			return err
		}
	}

	switch {
	case refused:
		return errPlanRefused
	case made.Applied && !flags.asJSON:
		return c.printf("Applied.\n")
	}

	return nil
}

var (
	errNotAgreed   = errors.New("nothing was changed; answer yes, or add --yes to apply the plan without being asked")
	errPlanRefused = errors.New("nothing was changed; a key keeps the type that was published under it, so give those fields other keys")
)

// agrees asks whoever typed the command.
func (c *console) agrees() bool {
	_, _ = fmt.Fprint(c.err, "Apply this? Only yes does: ")
	answer, _ := bufio.NewReader(c.in).ReadString('\n') // what was not said is no

	return strings.TrimSpace(answer) == "yes"
}

// carryOut applies all of the plan or nothing, and only to what was looked at.
func (p *plan) carryOut(ctx context.Context, s *store) error {
	return s.db.InScope(ctx, p.owner.ID, func(ctx context.Context, _ *postgres.Scope) error {
		switch {
		case p.Action == planCreate:
			if _, err := s.directory.Create(ctx, p.owner.ID, p.endpoint); err != nil {
				return err
			}
		case len(p.Settings) > 0:
			wanted := p.endpoint

			_, err := s.directory.Update(ctx, p.owner.ID, p.EndpointID, wanted.Revision, func(e *forms.Endpoint) { *e = wanted })
			if err != nil {
				return err
			}
		}

		if !p.Schema.Publishes {
			return nil
		}

		if _, err := s.schemas.Save(ctx, p.owner.ID, p.EndpointID, p.draft, p.wanted); err != nil {
			return err
		}

		_, err := s.schemas.Publish(ctx, p.owner.ID, p.EndpointID, 0)

		return err
	})
}

// planMarks stand before the lines of a plan.
var planMarks = map[forms.ChangeKind]string{forms.ChangeAdded: "+", forms.ChangeRemoved: "-"}

func (c *console) showChanges(p *plan) error {
	if p.Action == planNothing && len(p.Schema.Conflicts) == 0 {
		return c.printf("Nothing to do: %s is what the file says.\n", p.EndpointID)
	}

	lines := []string{fmt.Sprintf("To %s the endpoint %s of %s:", p.Action, p.EndpointID, p.owner.Slug)}

	for _, setting := range p.Settings {
		lines = append(lines, fmt.Sprintf("  ~ %s: %v, was %v", setting.Name, setting.To, setting.From))
	}

	if p.Schema.Publishes {
		lines = append(lines, fmt.Sprintf("  version %d of its schema:", p.Schema.PublishedVersion+1))
	}

	for _, change := range p.Schema.Changes {
		lines = append(lines, "    "+change.line())
	}

	for _, conflict := range p.Schema.Conflicts {
		lines = append(lines, "  ! "+conflict.Message)
	}

	for _, line := range lines {
		if err := c.printf("%s\n", harmless(line)); err != nil {
			return err
		}
	}

	return nil
}

func (c planChange) line() string {
	mark, ok := planMarks[c.Kind]
	if !ok {
		mark = "~"
	}

	what := strings.Trim(c.Field+": "+c.Member, ": ")

	return fmt.Sprintf("%s %s (%s)", mark, what, c.Kind)
}

func endpointExportCommand(c *console) *cobra.Command {
	var tenant *string

	made := c.leaf("export ENDPOINT", "Write an endpoint and its published schema down as a file for apply",
		"formonce endpoint export contact-form --tenant acme",
		func(cmd *cobra.Command, args []string) error {
			return c.withTenant(cmd.Context(), *tenant, func(s *store, owner tenants.Tenant) error {
				endpoint, err := s.directory.Get(cmd.Context(), owner.ID, args[0])
				if err != nil {
					return err
				}

				file := fileOf(&endpoint)
				file.Tenant = owner.Slug

				if endpoint.SchemaVersion > 0 {
					published, err := s.schemas.Version(cmd.Context(), owner.ID, endpoint.ID, endpoint.SchemaVersion)
					if err != nil {
						return err
					}

					document := api.DocumentOf(published.Schema)
					file.Schema = &document
				}

				return c.writeFile(file)
			})
		})

	tenant = tenantFlag(made)

	return made
}
