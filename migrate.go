package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"formonce/internal/config"
	"formonce/internal/moment"
	"formonce/migrations"
)

func migrateCommand(c *console) *cobra.Command {
	var status, dryRun, asJSON bool

	made := c.leaf("migrate", "Bring the database up to this program",
		"formonce migrate\nformonce migrate --status\nformonce migrate --dry-run",
		func(cmd *cobra.Command, _ []string) error {
			return c.withServer(cmd.Context(), func(_ *config.Config, found *server) error {
				switch {
				case status:
					return c.showPlan(cmd.Context(), found.url, asJSON)
				case dryRun:
					return c.showPending(cmd.Context(), found.url)
				default:
					return c.migrate(cmd.Context(), found.url)
				}
			})
		})

	made.Flags().BoolVar(&status, "status", false, "list the migrations and when they were applied, and change nothing")
	made.Flags().BoolVar(&dryRun, "dry-run", false, "print the SQL that would run, and change nothing")
	made.Flags().BoolVar(&asJSON, "json", false, "print --status as JSON")
	made.MarkFlagsMutuallyExclusive("status", "dry-run")

	return made
}

// pending are the steps that this program would apply.
func pending(plan []migrations.Migration) []migrations.Migration {
	var left []migrations.Migration

	for _, step := range plan {
		if step.AppliedAt == nil {
			left = append(left, step)
		}
	}

	return left
}

func (c *console) migrate(ctx context.Context, url string) error {
	before, err := migrations.Plan(ctx, url)
	if err != nil {
		return err
	}

	if err := migrations.Apply(ctx, url); err != nil {
		return err
	}

	for _, step := range pending(before) {
		if err := c.printf("applied %s\n", step.Name); err != nil {
			return err
		}
	}

	return c.printf("The database is up to date.\n")
}

func (c *console) showPlan(ctx context.Context, url string, asJSON bool) error {
	plan, err := migrations.Plan(ctx, url)
	if err != nil {
		return err
	}

	type row struct {
		Version   int64   `json:"version"`
		Name      string  `json:"name"`
		AppliedAt *string `json:"applied_at"`
	}

	rows := make([]row, len(plan))
	cells := make([][]string, len(plan))

	for i, step := range plan {
		rows[i] = row{Version: step.Version, Name: step.Name}
		cells[i] = []string{step.Name, "pending"}

		if step.AppliedAt != nil {
			at := moment.Write(*step.AppliedAt)
			rows[i].AppliedAt, cells[i][1] = &at, at
		}
	}

	if asJSON {
		return c.printJSON(map[string]any{"data": rows})
	}

	return c.printTable([]string{"MIGRATION", "APPLIED"}, cells)
}

// showPending prints nothing but SQL, so that the output can be reviewed, kept or fed to psql.
func (c *console) showPending(ctx context.Context, url string) error {
	plan, err := migrations.Plan(ctx, url)
	if err != nil {
		return err
	}

	left := pending(plan)
	if len(left) == 0 {
		return c.printf("-- Nothing to do: the database is up to date.\n")
	}

	for _, step := range left {
		text := fmt.Sprintf("-- %s\n%s\n\n", step.Name, strings.TrimSpace(step.SQL))
		if err := c.printf("%s", text); err != nil {
			return err
		}
	}

	return nil
}
