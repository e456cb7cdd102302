package main

import (
	"slices"

	"github.com/spf13/pflag"

	"formonce/forms"
)

// setting is a row of the table of an endpoint's flags: bind adds the flag and returns what writes its value into an
// endpoint.
type setting struct {
	name, usage string
	bind        func(flags *pflag.FlagSet, name, usage string) func(*forms.Endpoint)
}

var endpointSettings = []setting{
	{
		"name", "the endpoint's name for people",
		words(func(e *forms.Endpoint) *string { return &e.Name }),
	},
	{
		"allowed-origin", "a page's origin that may post here, such as https://www.example.com or https://*.example.com; " +
			"repeat the flag for more, give it empty for every origin",
		list(func(e *forms.Endpoint) *[]string { return &e.AllowedOrigins }),
	},
	{
		"redirect-url", "where a browser goes after success; empty for the thank-you page of the service",
		words(func(e *forms.Endpoint) *string { return &e.RedirectURL }),
	},
	{
		"honeypot", "one more field name that only a program fills in",
		words(func(e *forms.Endpoint) *string { return &e.Honeypot }),
	},
	{
		"refuse-spam", "answer spam with 403 instead of keeping it aside",
		yes(func(e *forms.Endpoint) *bool { return &e.RefuseSpam }),
	},
	{
		"keep-client-hash", "keep a keyed hash of the client's address with each submission",
		yes(func(e *forms.Endpoint) *bool { return &e.KeepClientHash }),
	},
	{
		"require-key", "refuse submissions without an idempotency key",
		yes(func(e *forms.Endpoint) *bool { return &e.Idempotency.Required }),
	},
	{
		"key-format", "the idempotency keys that are taken: any or uuid",
		words(func(e *forms.Endpoint) *forms.KeyFormat { return &e.Idempotency.Format }),
	},
	{
		"field-order", "whether the order of a form's fields makes another content: significant or ignored",
		words(func(e *forms.Endpoint) *forms.Order { return &e.Idempotency.Order }),
	},
	{
		"replay-status", "the HTTP status of a replay: 202 or 200",
		number(func(e *forms.Endpoint) *int { return &e.Idempotency.ReplayStatus }),
	},
	{
		"tombstone-days", "how many days a late retry of an erased submission is refused",
		number(func(e *forms.Endpoint) *int { return &e.Idempotency.TombstoneDays }),
	},
	{
		"retention-days", "after how many days a submission is erased; 0 keeps it",
		number(func(e *forms.Endpoint) *int { return &e.RetentionDays }),
	},
	{
		"closed", "refuse submissions and keep what was received; --closed=false opens it again",
		yes(func(e *forms.Endpoint) *bool { return &e.Closed }),
	},
}

// settingFlags adds a flag for each setting. What it returns changes only the settings whose flags were given.
func settingFlags(flags *pflag.FlagSet) func(*forms.Endpoint) {
	writes := make(map[string]func(*forms.Endpoint), len(endpointSettings))
	for _, s := range endpointSettings {
		writes[s.name] = s.bind(flags, s.name, s.usage)
	}

	return func(e *forms.Endpoint) {
		flags.Visit(func(given *pflag.Flag) {
			if write, ok := writes[given.Name]; ok {
				write(e)
			}
		})
	}
}

func words[T ~string](at func(*forms.Endpoint) *T) func(*pflag.FlagSet, string, string) func(*forms.Endpoint) {
	return func(flags *pflag.FlagSet, name, usage string) func(*forms.Endpoint) {
		value := flags.String(name, "", usage)

		return func(e *forms.Endpoint) { *at(e) = T(*value) }
	}
}

func number(at func(*forms.Endpoint) *int) func(*pflag.FlagSet, string, string) func(*forms.Endpoint) {
	return func(flags *pflag.FlagSet, name, usage string) func(*forms.Endpoint) {
		value := flags.Int(name, 0, usage)

		return func(e *forms.Endpoint) { *at(e) = *value }
	}
}

func yes(at func(*forms.Endpoint) *bool) func(*pflag.FlagSet, string, string) func(*forms.Endpoint) {
	return func(flags *pflag.FlagSet, name, usage string) func(*forms.Endpoint) {
		value := flags.Bool(name, false, usage)

		return func(e *forms.Endpoint) { *at(e) = *value }
	}
}

func list(at func(*forms.Endpoint) *[]string) func(*pflag.FlagSet, string, string) func(*forms.Endpoint) {
	return func(flags *pflag.FlagSet, name, usage string) func(*forms.Endpoint) {
		value := flags.StringArray(name, nil, usage)

		return func(e *forms.Endpoint) {
			*at(e) = slices.DeleteFunc(slices.Clone(*value), func(given string) bool { return given == "" })
		}
	}
}
