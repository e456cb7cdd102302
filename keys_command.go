package main

import (
	"github.com/spf13/cobra"

	"formonce/internal/moment"
	"formonce/tenants"
)

func keysCommand(c *console) *cobra.Command {
	return group("keys", "List and rotate the keys that sign access tokens", "formonce keys list\nformonce keys rotate",
		keysListCommand(c),
		keysRotateCommand(c),
	)
}

func keysListCommand(c *console) *cobra.Command {
	var asJSON bool

	made := c.leaf("list", "List the keys by which access tokens are checked", "formonce keys list\nformonce keys list --json",
		func(cmd *cobra.Command, _ []string) error {
			return c.withKeyring(cmd, func(keyring *tenants.Keyring) error {
				found, err := keyring.Published(cmd.Context())
				if err != nil {
					return err
				}

				return c.printKeys(found, asJSON)
			})
		})

	made.Flags().BoolVar(&asJSON, "json", false, "print JSON")

	return made
}

func keysRotateCommand(c *console) *cobra.Command {
	var now, asJSON bool

	made := c.leaf("rotate", "Make the next signing key; it signs in an hour, once everybody can know it",
		"formonce keys rotate\nformonce keys rotate --now",
		func(cmd *cobra.Command, _ []string) error {
			return c.withKeyring(cmd, func(keyring *tenants.Keyring) error {
				next, err := keyring.Rotate(cmd.Context(), now)
				if err != nil {
					return err
				}

				if asJSON {
					return c.printJSON(wireKeyOf(next))
				}

				if now {
					return c.printf("The key %s signs from now on. All keys before it are revoked: "+
						"members go on with their next refresh, and programs exchange their API keys again.\n", next.ID)
				}

				return c.printf("The key %s is published and signs from %s UTC on.\n", next.ID, minutes(next.SignsFrom))
			})
		})

	made.Flags().BoolVar(&now, "now", false, "revoke every key there is and sign with the new one at once: for a key that was stolen")
	made.Flags().BoolVar(&asJSON, "json", false, "print JSON")

	return made
}

// withKeyring does the work with the keys that the service signs with, also while it runs.
func (c *console) withKeyring(cmd *cobra.Command, do func(*tenants.Keyring) error) error {
	return c.withStore(cmd.Context(), func(s *store) error {
		secret, err := s.config.Secret()
		if err != nil {
			return err
		}

		keyring, err := tenants.NewKeyring(s.db, []byte(secret))
		if err != nil {
			return err
		}

		return do(keyring)
	})
}

type signingKey struct {
	Kid       string `json:"kid"`
	SignsFrom string `json:"signs_from"`
}

func wireKeyOf(key tenants.PublishedKey) signingKey {
	return signingKey{Kid: key.ID, SignsFrom: moment.Write(key.SignsFrom)}
}

func (c *console) printKeys(found []tenants.PublishedKey, asJSON bool) error {
	rows := make([]signingKey, len(found))
	cells := make([][]string, len(found))

	for i, key := range found {
		rows[i] = wireKeyOf(key)
		cells[i] = []string{key.ID, minutes(key.SignsFrom)}
	}

	if asJSON {
		return c.printJSON(map[string]any{"data": rows})
	}

	return c.printTable([]string{"KEY", "SIGNS FROM"}, cells)
}
