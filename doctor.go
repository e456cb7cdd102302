package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"formonce/internal/config"
	"formonce/internal/postgres"
)

// patient is what the checks look at. A check that finds out more leaves it here for those after it.
type patient struct {
	settings *config.Config
	server   *server
	db       *postgres.DB
}

// check is a row of the doctor's table. run returns what it found, or an error that says what to do.
type check struct {
	name string
	run  func(ctx context.Context, p *patient) (string, error)
	// needs says whether the check can be made at all; nil means always.
	needs func(p *patient) bool
}

func settingsRead(p *patient) bool { return p.settings != nil }
func databaseOpen(p *patient) bool { return p.db != nil }

// checks stand in the order in which a person would mend their faults.
func (c *console) checks() []check {
	return []check{
		{"configuration", c.checkConfiguration, nil},
		{"data folder", checkDataFolder, settingsRead},
		{"database", c.checkDatabase, settingsRead},
		{"migrations", checkMigrations, databaseOpen},
		{"clock", checkClock, databaseOpen},
		{"redis", checkRedis, settingsRead},
		{"mail", checkMail, settingsRead},
		{"sentry", checkSentry, settingsRead},
		{"listen address", checkListenAddress, settingsRead},
	}
}

// finding is what one check came to.
type finding struct {
	Name    string `json:"name"`
	Status  string `json:"status"`
	Message string `json:"message"`
}

const (
	findingOK      = "ok"
	findingFault   = "fault"
	findingSkipped = "skipped"
)

func doctorCommand(c *console) *cobra.Command {
	var asJSON bool

	made := c.leaf("doctor", "Check the settings and everything that the service needs",
		"formonce doctor\nformonce doctor --json",
		func(cmd *cobra.Command, _ []string) error {
			findings := c.examine(cmd.Context())
			healthy := true

			for _, found := range findings {
				healthy = healthy && found.Status != findingFault
			}

			if err := c.printFindings(findings, healthy, asJSON); err != nil {
				return err
			}

			if !healthy {
				return errShown
			}

			return nil
		})

	made.Flags().BoolVar(&asJSON, "json", false, "print JSON")

	return made
}

// examine makes every check that can be made, whatever the others found.
func (c *console) examine(ctx context.Context) []finding {
	var (
		p        patient
		findings []finding
	)

	for _, row := range c.checks() {
		if row.needs != nil && !row.needs(&p) {
			findings = append(findings, finding{row.name, findingSkipped, "Mend the fault above first."})

			continue
		}

		found, err := row.run(ctx, &p)
		if err != nil {
			findings = append(findings, finding{row.name, findingFault, oneLine(postgres.Describe(err))})

			continue
		}

		findings = append(findings, finding{row.name, findingOK, found})
	}

	if err := p.discharge(ctx); err != nil {
		findings = append(findings, finding{"database", findingFault, oneLine(postgres.Describe(err))})
	}

	return findings
}

// discharge leaves everything as it was found.
func (p *patient) discharge(ctx context.Context) error {
	if p.db != nil {
		p.db.Close()
	}

	if p.server == nil {
		return nil
	}

	return p.server.leave(ctx)
}

func (c *console) printFindings(findings []finding, healthy, asJSON bool) error {
	if asJSON {
		return c.printJSON(struct {
			OK     bool      `json:"ok"`
			Checks []finding `json:"checks"`
		}{healthy, findings})
	}

	for _, found := range findings {
		if err := c.printf("%-8s %-15s %s\n", found.Status, found.Name, harmless(found.Message)); err != nil {
			return err
		}
	}

	return nil
}

func (c *console) checkConfiguration(_ context.Context, p *patient) (string, error) {
	settings, err := c.settings()
	if err != nil {
		return "", err
	}

	p.settings = settings

	return "Every setting can be used.", nil
}

func (c *console) checkDatabase(ctx context.Context, p *patient) (string, error) {
	found, err := findServer(ctx, p.settings, c.logger(p.settings))
	if err != nil {
		return "", err
	}

	p.server = found

	db, err := postgres.Open(ctx, postgres.Options{URL: found.url, MaxConns: 1, ApplicationName: "formonce doctor"})
	if err != nil {
		return "", err
	}

	p.db = db

	var release string
	if err := db.Pool.QueryRow(ctx, "SHOW server_version").Scan(&release); err != nil {
		return "", errors.Join(errors.New("the database does not say its version; look into its log"), err)
	}

	whose := "the one of DATABASE_URL"
	if found.embedded != nil {
		whose = "the program's own"
	}

	return fmt.Sprintf("PostgreSQL %s answers, %s.", release, whose), nil
}
