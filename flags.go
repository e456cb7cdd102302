package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// require makes flags obligatory, and says so in their help.
func require(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(fmt.Errorf("%s: %w", cmd.Use, err)) //nolint:forbidigo // A flag that the lines above did not define.
		}

		flag := cmd.Flags().Lookup(name)
		flag.Usage += " (required)"
	}
}

// alwaysJSON accepts --json where nothing else is ever printed, so that a script can give it everywhere.
func alwaysJSON(cmd *cobra.Command) {
	cmd.Flags().Bool("json", true, "print JSON, which is all that this command prints")
}
