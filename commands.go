package main

import (
	"runtime"

	"github.com/spf13/cobra"
)

// rootCommand is the table of what the program can do.
func rootCommand(c *console) *cobra.Command {
	root := group("formonce", "A form service that accepts every submission exactly once",
		"formonce serve\nformonce tenant create --name Acme --email ada@example.com --password -",
		serveCommand(c),
		migrateCommand(c),
		tenantCommand(c),
		keysCommand(c),
		endpointCommand(c),
		submissionCommand(c),
		exportCommand(c),
		mailCommand(c),
		demoCommand(c),
		doctorCommand(c),
		versionCommand(c),
	)

	root.Version = version
	root.SilenceUsage, root.SilenceErrors = true, true
	root.SetVersionTemplate("formonce {{.Version}}\n")

	return root
}

func versionCommand(c *console) *cobra.Command {
	return c.leaf("version", "Print the version of this program", "formonce version",
		func(*cobra.Command, []string) error {
			return c.printf("formonce %s (%s, %s/%s)\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		})
}
