package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"formonce/dashboard"
	"formonce/forms"
	"formonce/internal/config"
	"formonce/internal/fault"
	"formonce/tenants"
)

const (
	demoSlug  = "demo"
	demoEmail = "demo@example.com"
)

// demoEndpoints are the addresses that the demo's form may get, the first one that is free. The last, a random one, always
// is: those of a demo that was deleted are never given out again.
var demoEndpoints = []string{"contact-form", "demo-contact-form", ""}

// demoFacts are what a person needs to try the demo. They are the same every time.
type demoFacts struct {
	TenantID   string `json:"tenant_id"`
	Tenant     string `json:"tenant"`
	Email      string `json:"email"`
	Password   string `json:"password"`
	EndpointID string `json:"endpoint_id"`
}

func demoCommand(c *console) *cobra.Command {
	var asJSON bool

	made := c.leaf("demo", "Make a demo tenant with a year of submissions, once, and say how to use it",
		"formonce demo\nformonce demo --json",
		func(cmd *cobra.Command, _ []string) error {
			return c.withStore(cmd.Context(), func(s *store) error {
				facts, err := makeDemo(cmd.Context(), s)
				if err != nil {
					return err
				}

				if !asJSON {
					return facts.show(c.out, s.config.PublicURL)
				}

				return c.printJSON(struct {
					demoFacts

					SubmitURL string `json:"submit_url"`
				}{facts, submitURL(s.config, facts.EndpointID)})
			})
		})

	made.Flags().BoolVar(&asJSON, "json", false, "print JSON")

	return made
}

// makeDemo makes whatever of the demo is not there yet. It may be called by several processes, and again after it was
// interrupted.
func makeDemo(ctx context.Context, s *store) (demoFacts, error) {
	password, err := demoPassword(s.config)
	if err != nil {
		return demoFacts{}, err
	}

	tenant, err := demoTenant(ctx, s, password)
	if err != nil {
		return demoFacts{}, err
	}

	endpoint, err := demoEndpoint(ctx, s, tenant)
	if err != nil {
		return demoFacts{}, err
	}

	if err := publishDemo(ctx, s, endpoint); err != nil {
		return demoFacts{}, err
	}

	if err := fillDemo(ctx, s, endpoint); err != nil {
		return demoFacts{}, err
	}

	fits, err := s.tenants.PasswordFits(ctx, demoEmail, password)
	if err != nil {
		return demoFacts{}, err
	}

	if !fits {
		password = "the one that was set for it"
	}

	return demoFacts{
		TenantID: tenants.PublicID(tenant.ID), Tenant: tenant.Slug, Email: demoEmail, Password: password,
		EndpointID: endpoint.ID,
	}, nil
}

// demoPassword is derived from the installation's secret: it can be printed again, and nobody else knows it.
func demoPassword(settings *config.Config) (string, error) {
	secret, err := settings.Secret()
	if err != nil {
		return "", err
	}

	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write([]byte("password of the demo tenant")) // a hash never returns an error

	letters := strings.ToLower(base32.StdEncoding.EncodeToString(mac.Sum(nil))[:16])

	return strings.Join([]string{letters[:4], letters[4:8], letters[8:12], letters[12:]}, "-"), nil
}

// demoTenant makes the tenant or finds it. One that only has its name is somebody's own, and left alone.
func demoTenant(ctx context.Context, s *store, password string) (tenants.Tenant, error) {
	made, err := s.tenants.Create(ctx, tenants.NewTenant{
		Name: "Demo", Slug: demoSlug, Email: demoEmail, Password: password,
	})
	if !fault.Has(err, "slug_taken") {
		return made.Tenant, err
	}

	found, err := s.tenants.Find(ctx, demoSlug)
	if err != nil {
		return tenants.Tenant{}, err
	}

	ours, err := s.tenants.HasMember(ctx, found.ID, demoEmail)
	if err == nil && !ours {
		err = errors.New("there is a tenant demo already, and it is not the demo; use another database to try the service")
	}

	return found, err
}

// demoEndpoint finds the demo's form, its oldest endpoint, or makes it at the first address that nobody has.
func demoEndpoint(ctx context.Context, s *store, tenant tenants.Tenant) (forms.Endpoint, error) {
	existing, err := s.directory.List(ctx, tenant.ID)
	if err != nil {
		return forms.Endpoint{}, err
	}

	if len(existing) > 0 {
		return slices.MinFunc(existing, func(a, b forms.Endpoint) int { return a.CreatedAt.Compare(b.CreatedAt) }), nil
	}

	var made forms.Endpoint

	for _, free := range demoEndpoints {
		wanted := forms.NewEndpoint("Contact form")
		wanted.ID = free

		made, err = s.directory.Create(ctx, tenant.ID, wanted)
		if !fault.Has(err, "endpoint_id_taken") {
			break
		}
	}

	return made, err
}

// fillDemo writes the history of an inbox that never had any. The history ends when the endpoint was made, so that an
// interrupted import is completed with the same submissions.
func fillDemo(ctx context.Context, s *store, endpoint forms.Endpoint) error {
	page, err := s.inbox.List(ctx, endpoint.TenantID, forms.Filter{EndpointID: endpoint.ID, Limit: 1})
	if err != nil || len(page.Submissions) > 0 {
		return err
	}

	history := demoHistory(endpoint.ID, endpoint.CreatedAt)
	if err := s.inbox.Import(ctx, endpoint.TenantID, history); err != nil {
		return err
	}

	return markDemo(ctx, s, endpoint.TenantID, history)
}

// show prints the facts for a person; base is the address under which the service is reached.
func (f demoFacts) show(w io.Writer, base string) error {
	_, err := fmt.Fprintf(w, `
The demo is ready.

  Dashboard   %s%s
  E-mail      %s
  Password    %s
  Form        %s/f/%s

Send a submission, twice if you like: the key makes sure that it is accepted once.

  curl -H 'Idempotency-Key: %s' -d name=Ada -d email=ada@example.com -d message=Hello %s/f/%s

`, base, dashboard.Path, f.Email, f.Password, base, f.EndpointID, demoKey, base, f.EndpointID)

	return err
}

// demoKey is long enough for a key, and the same in every copy of the line, so that the second run of it is a replay.
const demoKey = "my-first-submission"
