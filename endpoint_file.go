package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"formonce/api"
	"formonce/forms"
)

// maxFile is far above what the largest schema needs.
const maxFile = 1 << 20

// endpointFile is an endpoint as a file writes it down. What a file leaves out stays as it is.
type endpointFile struct {
	Tenant         string              `yaml:"tenant,omitempty"`
	ID             string              `yaml:"id"`
	Name           string              `yaml:"name"`
	AllowedOrigins []string            `yaml:"allowed_origins"`
	RedirectURL    string              `yaml:"redirect_url"`
	Closed         bool                `yaml:"closed"`
	RetentionDays  int                 `yaml:"retention_days"`
	KeepClientHash bool                `yaml:"keep_client_hash"`
	Idempotency    fileIdempotency     `yaml:"idempotency"`
	Spam           fileSpam            `yaml:"spam"`
	Schema         *api.SchemaDocument `yaml:"schema,omitempty"`
}

type fileIdempotency struct {
	Required      bool            `yaml:"required"`
	Format        forms.KeyFormat `yaml:"format"`
	Order         forms.Order     `yaml:"order"`
	ReplayStatus  int             `yaml:"replay_status"`
	TombstoneDays int             `yaml:"tombstone_days"`
}

type fileSpam struct {
	Honeypot string `yaml:"honeypot"`
	Refuse   bool   `yaml:"refuse"`
}

func fileOf(e *forms.Endpoint) *endpointFile {
	return &endpointFile{
		ID: e.ID, Name: e.Name, AllowedOrigins: e.AllowedOrigins, RedirectURL: e.RedirectURL, Closed: e.Closed,
		RetentionDays: e.RetentionDays, KeepClientHash: e.KeepClientHash,
		Idempotency: fileIdempotency{
			Required: e.Idempotency.Required, Format: e.Idempotency.Format, Order: e.Idempotency.Order,
			ReplayStatus: e.Idempotency.ReplayStatus, TombstoneDays: e.Idempotency.TombstoneDays,
		},
		Spam: fileSpam{Honeypot: e.Honeypot, Refuse: e.RefuseSpam},
	}
}

func (f *endpointFile) applyTo(e *forms.Endpoint) {
	e.Name, e.AllowedOrigins, e.RedirectURL, e.Closed = f.Name, f.AllowedOrigins, f.RedirectURL, f.Closed
	e.RetentionDays, e.KeepClientHash, e.Honeypot, e.RefuseSpam = f.RetentionDays, f.KeepClientHash, f.Spam.Honeypot, f.Spam.Refuse
	e.Idempotency = forms.Idempotency{
		Required: f.Idempotency.Required, Format: f.Idempotency.Format, Order: f.Idempotency.Order,
		ReplayStatus: f.Idempotency.ReplayStatus, TombstoneDays: f.Idempotency.TombstoneDays,
	}
}

// readFile reads a file, or what is typed when its name is -.
func (c *console) readFile(name string) ([]byte, error) {
	from := c.in

	if name != "-" {
		opened, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("the file cannot be read: %w", err)
		}

		defer func() { _ = opened.Close() }() // It was only read.

		from = opened
	}

	text, err := io.ReadAll(io.LimitReader(from, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", name, err)
	}

	if len(text) > maxFile {
		return nil, fmt.Errorf("%s is larger than 1 MiB; is it the right file?", name)
	}

	return text, nil
}

// parseFile reads YAML, of which JSON is a part, into what is there already. A member that nobody knows is refused with
// its line, since it would be a setting that was misspelled.
func parseFile(name string, text []byte, into *endpointFile) error {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)

	err := decoder.Decode(into)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s is empty; `formonce endpoint export` writes such a file", name)
	}

	if err != nil {
		return fmt.Errorf("%s cannot be used:\n%s", name, readable(err))
	}

	if err := decoder.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s holds more than one document; write one endpoint into each file", name)
	}

	return nil
}

var unknownMember = regexp.MustCompile(`field (\S+) not found in \S.*`)

// readable says what is wrong with a file in our words; each fault stands on a line of its own.
func readable(err error) string {
	faults := []string{err.Error()}
	if many, ok := errors.AsType[*yaml.TypeError](err); ok {
		faults = many.Errors
	}

	for i, one := range faults {
		one = strings.TrimPrefix(one, "yaml: ")
		faults[i] = "  " + unknownMember.ReplaceAllString(one, "there is no member $1; remove it, or correct its name")
	}

	return strings.Join(faults, "\n")
}

// writeFile is the inverse of parseFile.
func (c *console) writeFile(file *endpointFile) error {
	encoder := yaml.NewEncoder(c.out)
	encoder.SetIndent(2)

	return encoder.Encode(file)
}
