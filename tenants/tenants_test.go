package tenants_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"formonce/internal/fault"
	"formonce/internal/pgtest"
	"formonce/internal/postgres"
	"formonce/tenants"
)

const password = "correct horse battery"

func acme() tenants.NewTenant {
	return tenants.NewTenant{Name: "Acme", Email: "ada@acme.example", Password: password}
}

func create(t *testing.T, registry *tenants.Registry, wanted tenants.NewTenant) tenants.Created {
	t.Helper()

	made, err := registry.Create(t.Context(), wanted)
	if err != nil {
		t.Fatal(err)
	}

	return made
}

// count asks the database itself, past the code under test.
func count(t *testing.T, db *postgres.DB, query string, args ...any) int {
	t.Helper()

	var found int
	if err := db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM "+query, args...).Scan(&found); err != nil {
		t.Fatal(err)
	}

	return found
}

func wantFault(t *testing.T, err error, code string) {
	t.Helper()

	if !fault.Has(err, code) {
		t.Errorf("got the error %v, want the fault %s", err, code)
	}
}

func TestATenantIsMadeWithAnOwnerAndAKey(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	made := create(t, tenants.NewRegistry(db), tenants.NewTenant{Name: " Acme ", Email: "Ada@Acme.example", Password: password})

	if made.Tenant.Name != "Acme" || made.Tenant.Slug != "acme" || made.Tenant.Status != tenants.Active {
		t.Errorf("got the tenant %+v", made.Tenant)
	}

	if n := count(t, db, `members JOIN logins ON logins.id = login_id
		WHERE tenant_id = $1 AND members.id = $2 AND email = 'ada@acme.example' AND role = 'owner'`,
		made.Tenant.ID, made.MemberID); n != 1 {
		t.Errorf("%d members own the tenant, want 1", n)
	}

	if !regexp.MustCompile(`^fo_live_[0-9A-Za-z]{43}$`).MatchString(made.APIKey) {
		t.Error("the key is not fo_live_ and 43 letters and digits")
	}

	sum := sha256.Sum256([]byte(made.APIKey))
	if n := count(t, db, `api_key_hashes JOIN api_keys k ON k.id = key_id WHERE key_hash = $1 AND prefix = $2
		AND cardinality(scopes) = 7`, sum[:], made.APIKey[:14]); n != 1 {
		t.Errorf("the key's hash leads to %d keys with every scope, want 1", n)
	}
}

func TestNeitherAPasswordNorAKeyIsStored(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	made := create(t, tenants.NewRegistry(db), acme())

	for _, table := range []string{"logins", "members", "tenants", "api_keys", "api_key_hashes"} {
		for _, secret := range []string{password, made.APIKey} {
			if n := count(t, db, table+" AS r WHERE position($1 IN r::text) > 0", secret); n != 0 {
				t.Errorf("%s holds a secret as it is", table)
			}
		}
	}
}

func TestASlugIsMadeFromTheName(t *testing.T) {
	t.Parallel()

	registry := tenants.NewRegistry(pgtest.New(t))

	for name, want := range map[string]string{
		"Müller & Söhne":          "^muller-sohne$",
		"Straße 5":                "^strasse-5$",
		"O'Connell’s Café":        "^oconnells-cafe$",
		"--- Łódź ---":            "^lodz$",
		"株式会社":                    "^tenant-[a-z0-9]{6}$",
		"ab":                      "^tenant-[a-z0-9]{6}$",
		strings.Repeat("ab ", 40): "^(ab-){15}ab$",
	} {
		made, err := registry.Create(t.Context(), tenants.NewTenant{Name: name, Email: "ada@acme.example", Password: password})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}

		if !regexp.MustCompile(want).MatchString(made.Tenant.Slug) {
			t.Errorf("%s became %s, want %s", name, made.Tenant.Slug, want)
		}
	}
}

func TestTenantsOfOneNameAtOnceGetSlugsOfTheirOwn(t *testing.T) {
	t.Parallel()

	const together = 6

	registry := tenants.NewRegistry(pgtest.New(t))

	var (
		group sync.WaitGroup
		slugs [together]string
		errs  [together]error
	)

	for i := range together {
		group.Go(func() {
			made, err := registry.Create(t.Context(), tenants.NewTenant{
				Name: "Acme", Email: fmt.Sprintf("ada%d@acme.example", i), Password: password,
			})
			slugs[i], errs[i] = made.Tenant.Slug, err
		})
	}

	group.Wait()

	seen := map[string]bool{}

	for i, slug := range slugs {
		if errs[i] != nil || seen[slug] {
			t.Errorf("got %q and %v", slug, errs[i])
		}

		seen[slug] = true
	}

	if !seen["acme"] {
		t.Error("nobody got the plain slug")
	}
}

func TestASlugThatWasAskedForIsTheirsOrNobodys(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	registry := tenants.NewRegistry(db)
	wanted := acme()
	wanted.Slug = "demo"

	if made := create(t, registry, wanted); made.Tenant.Slug != "demo" {
		t.Errorf("got %s", made.Tenant.Slug)
	}

	wanted.Email = "bob@acme.example"

	_, err := registry.Create(t.Context(), wanted)
	wantFault(t, err, "slug_taken")

	if n := count(t, db, "logins WHERE email = 'bob@acme.example'"); n != 0 {
		t.Error("a refused tenant left a login behind")
	}
}

func TestOnePersonOwnsSeveralTenantsWithOnePassword(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	registry := tenants.NewRegistry(db)
	first, second := create(t, registry, acme()), create(t, registry, acme())

	if first.MemberID == second.MemberID || count(t, db, "logins") != 1 || count(t, db, "members") != 2 {
		t.Error("want one login and a member of each tenant")
	}

	stranger := acme()
	stranger.Password = "another password"

	_, err := registry.Create(t.Context(), stranger)
	wantFault(t, err, "email_taken")

	if n := count(t, db, "tenants"); n != 2 {
		t.Errorf("there are %d tenants, want 2: a refused one leaves nothing", n)
	}

	for given, want := range map[string]bool{password: true, stranger.Password: false} {
		if fits, err := registry.PasswordFits(t.Context(), "ADA@acme.example", given); fits != want || err != nil {
			t.Errorf("got %v and %v, want %v", fits, err, want)
		}
	}

	if fits, err := registry.PasswordFits(t.Context(), "nobody@acme.example", password); fits || err != nil {
		t.Errorf("got %v and %v for nobody", fits, err)
	}
}

func TestInputThatCannotBeUsedIsNamedFieldByField(t *testing.T) {
	t.Parallel()

	registry := tenants.NewRegistry(pgtest.New(t))

	rows := map[string]struct {
		change func(*tenants.NewTenant)
		fields string
	}{
		"no name":              {func(n *tenants.NewTenant) { n.Name = "  " }, "name"},
		"a NUL in the name":    {func(n *tenants.NewTenant) { n.Name = "a\x00b" }, "name"},
		"a long name":          {func(n *tenants.NewTenant) { n.Name = strings.Repeat("é", 121) }, "name"},
		"bytes in the name":    {func(n *tenants.NewTenant) { n.Name = "a\xff" }, "name"},
		"a wrong slug":         {func(n *tenants.NewTenant) { n.Slug = "Acme" }, "slug"},
		"no address":           {func(n *tenants.NewTenant) { n.Email = "" }, "email"},
		"half an address":      {func(n *tenants.NewTenant) { n.Email = "ada@" }, "email"},
		"a name in front":      {func(n *tenants.NewTenant) { n.Email = "Ada <ada@acme.example>" }, "email"},
		"two addresses":        {func(n *tenants.NewTenant) { n.Email = "a@acme.example, b@acme.example" }, "email"},
		"a NUL in the address": {func(n *tenants.NewTenant) { n.Email = "a\x00@acme.example" }, "email"},
		"a long address":       {func(n *tenants.NewTenant) { n.Email = strings.Repeat("a", 250) + "@a.example" }, "email"},
		"a short password":     {func(n *tenants.NewTenant) { n.Password = "123456789" }, "password"},
		"a long password":      {func(n *tenants.NewTenant) { n.Password = strings.Repeat("a", 257) }, "password"},
		"a NUL in it":          {func(n *tenants.NewTenant) { n.Password = "1234567890\x00" }, "password"},
		"everything":           {func(n *tenants.NewTenant) { *n = tenants.NewTenant{} }, "name email password"},
	}

	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			wanted := acme()
			row.change(&wanted)

			_, err := registry.Create(t.Context(), wanted)
			wantFault(t, err, "invalid_tenant")

			var fields []string
			for _, issue := range fault.As(err).Issues {
				fields = append(fields, issue.Field)
			}

			if got := strings.Join(fields, " "); got != row.fields {
				t.Errorf("got issues with %q, want %q", got, row.fields)
			}
		})
	}
}

func TestATenantIsFoundByIDAndBySlug(t *testing.T) {
	t.Parallel()

	registry := tenants.NewRegistry(pgtest.New(t))
	made := create(t, registry, acme()).Tenant

	for _, ref := range []string{"acme", tenants.PublicID(made.ID)} {
		if found, err := registry.Find(t.Context(), ref); err != nil || found != made {
			t.Errorf("%s led to %+v and %v, want %+v", ref, found, err, made)
		}
	}

	for _, ref := range []string{"", "ACME", "ten_", "nobody", "a\x00b", tenants.PublicID(uuid.New()), made.ID.String()} {
		_, err := registry.Find(t.Context(), ref)
		wantFault(t, err, "tenant_not_found")
	}
}

func TestASuspendedTenantIsResumed(t *testing.T) {
	t.Parallel()

	registry := tenants.NewRegistry(pgtest.New(t))
	made, other := create(t, registry, acme()).Tenant, create(t, registry, acme()).Tenant

	for _, step := range []struct {
		change func(context.Context, uuid.UUID) error
		want   tenants.Status
	}{{registry.Suspend, tenants.Suspended}, {registry.Suspend, tenants.Suspended}, {registry.Resume, tenants.Active}} {
		if err := step.change(t.Context(), made.ID); err != nil {
			t.Fatal(err)
		}

		if found, err := registry.Get(t.Context(), made.ID); err != nil || found.Status != step.want {
			t.Errorf("got %s and %v, want %s", found.Status, err, step.want)
		}

		if found, err := registry.Get(t.Context(), other.ID); err != nil || found.Status != tenants.Active {
			t.Errorf("another tenant became %s, %v", found.Status, err)
		}
	}

	wantFault(t, registry.Suspend(t.Context(), uuid.New()), "tenant_not_found")
	wantFault(t, registry.Resume(t.Context(), uuid.New()), "tenant_not_found")
}

func TestADeletedTenantLeavesOnlyWhatOthersNeed(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	registry := tenants.NewRegistry(db)
	first, second := create(t, registry, acme()).Tenant, create(t, registry, acme()).Tenant

	if err := registry.Delete(t.Context(), first.ID); err != nil {
		t.Fatal(err)
	}

	if list, err := registry.List(t.Context()); err != nil || len(list) != 1 || list[0] != second {
		t.Errorf("got %+v and %v", list, err)
	}

	if n := count(t, db, "logins"); n != 1 {
		t.Error("the person of the other tenant lost the login")
	}

	if err := registry.Delete(t.Context(), second.ID); err != nil {
		t.Fatal(err)
	}

	for _, table := range []string{"tenants", "members", "logins", "api_keys", "api_key_hashes"} {
		if n := count(t, db, table); n != 0 {
			t.Errorf("%d rows are left in %s", n, table)
		}
	}

	wantFault(t, registry.Delete(t.Context(), second.ID), "tenant_not_found")
}

func TestATenantWithEndpointsIsNotDeleted(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	registry := tenants.NewRegistry(db)
	made := create(t, registry, acme())

	if _, err := db.Pool.Exec(t.Context(),
		"INSERT INTO endpoint_directory (endpoint_id, tenant_id) VALUES ('contact-form', $1)", made.Tenant.ID); err != nil {
		t.Fatal(err)
	}

	wantFault(t, registry.Delete(t.Context(), made.Tenant.ID), "tenant_has_endpoints")

	if member, err := registry.HasMember(t.Context(), made.Tenant.ID, "ada@acme.example"); !member || err != nil {
		t.Errorf("a refused deletion took the member away: %v, %v", member, err)
	}
}

func TestASuspensionIsRememberedWithWhoDidIt(t *testing.T) {
	t.Parallel()

	db := pgtest.New(t)
	registry := tenants.NewRegistry(db)
	made := create(t, registry, acme())
	operator := tenants.WithActor(t.Context(), tenants.Actor{Kind: tenants.ActorOperator})

	for _, change := range []func(context.Context, uuid.UUID) error{registry.Suspend, registry.Resume} {
		if err := change(operator, made.Tenant.ID); err != nil {
			t.Fatal(err)
		}
	}

	if n := count(t, db, `audit_log WHERE tenant_id = $1 AND actor_kind = 'operator' AND target = $2
		AND action IN ('tenant.suspended', 'tenant.resumed')`, made.Tenant.ID, tenants.PublicID(made.Tenant.ID)); n != 2 {
		t.Errorf("%d changes were remembered, want 2", n)
	}
}
