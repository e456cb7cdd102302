package main

import (
	"testing"

	"formonce/forms"
	"formonce/internal/config"
)

// The defaults stand in the table of the settings, for who reads it, and with the rules, for who tests them.
func TestAnInstallationThatSetsNothingHasTheDefaultLimits(t *testing.T) {
	t.Parallel()

	settings, err := config.Load(func(string) (string, bool) { return "", false }, "no-such-file.env")
	if err != nil {
		t.Fatal(err)
	}

	if got := limitsOf(settings); got != forms.DefaultLimits() {
		t.Errorf("got %+v, want %+v", got, forms.DefaultLimits())
	}
}
