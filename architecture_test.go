package main_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// part is what one package of the house may do, beside importing internal/*.
type part struct {
	imports []string // the parts that it may import
	tables  []string // the tables that it alone may name in SQL
}

// house is the table of docs/architecture.md. A package that is not in it has no place in the tree.
var house = map[string]part{
	"tenants": {tables: []string{
		"tenants", "members", "logins", "invitations", "sessions", "refresh_tokens", "api_keys", "api_key_hashes", "audit_log",
		"answered_requests", "signing_keys", "attempts_spent", "mails", "mail_links", "totp_secrets", "recovery_codes",
		"passkeys", "ceremonies", "identities",
	}},
	"billing": {imports: []string{"tenants"}, tables: []string{"subscriptions", "usage", "billing_events"}},
	"forms": {imports: []string{"tenants"}, tables: []string{
		"endpoints", "endpoint_directory", "endpoint_drafts", "endpoint_versions", "endpoint_fields", "endpoint_erasures",
		"submissions", "replays", "files", "tombstones", "submission_marks", "submission_tags", "submission_events",
		"submission_search", "search_progress",
	}},
	"integrations": {
		imports: []string{"forms", "tenants"},
		tables:  []string{"integrations", "deliveries", "attempts"},
	},
	"integrations/adapters": {imports: []string{"integrations"}},
	"web":                   {imports: []string{"forms"}},
	"api":                   {imports: []string{"tenants", "billing", "forms", "integrations"}},
	"dashboard":             {},
	"migrations":            {tables: []string{"schema_migrations"}},
	"internal/pgtest":       {imports: []string{"migrations"}},
	"internal":              {},
	"bench":                 {imports: []string{everything}},
	"main":                  {imports: []string{everything}},
}

const (
	module       = "formonce/"
	everything   = "*"
	longestChain = 6  // imports from main down to a package that imports nothing of the module
	longestFunc  = 80 // lines, tests excluded: their tables are data
	longestFile  = 500
)

// surfaces and domains are the parts that have rules of their own beside the table.
var (
	surfaces = []string{"web", "api", "dashboard"}
	domains  = []string{"tenants", "billing", "forms", "integrations"}
)

// databases are what the paths of packages begin with that talk to a database.
var databases = []string{"database/sql", "gorm.io/", "github.com/jackc/", "formonce/internal/postgres"}

// forTests are the packages that only tests may import, so that none of them can reach the program.
var forTests = []string{"internal/pgtest", "internal/golden", "internal/fixture"}

func TestTheTreeKeepsItsArchitecture(t *testing.T) {
	t.Parallel()

	sources, err := readTree(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}

	for _, fault := range inspect(sources) {
		t.Error(fault)
	}
}

func TestEveryTableHasOneOwner(t *testing.T) {
	t.Parallel()

	for _, table := range createdTables(t) {
		if _, owned := owners()[table]; !owned {
			t.Errorf("a migration creates %s: give it an owner in the table of architecture_test.go", table)
		}
	}
}

// migrationTexts are what the migrations say.
func migrationTexts(t *testing.T) []string {
	t.Helper()

	files, err := fs.Glob(os.DirFS("migrations"), "*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("migrations/ holds no SQL: %v", err)
	}

	texts := make([]string, len(files))
	for i, file := range files {
		texts[i] = read(t, path.Join("migrations", file))
	}

	return texts
}

// createdTables are those of the migrations, and the one that the runner itself makes.
func createdTables(t *testing.T) []string {
	t.Helper()

	tables := []string{"schema_migrations"}
	created := regexp.MustCompile(`(?im)^\s*create (?:unlogged )?table (?:if not exists )?(\w+)`)

	for _, sql := range migrationTexts(t) {
		for _, match := range created.FindAllStringSubmatch(sql, -1) {
			tables = append(tables, match[1])
		}
	}

	return tables
}

// TestThePageAboutTheArchitectureSaysWhatIsChecked compares the two tables. The one here also gives tables to come an owner,
// of which the page is silent.
func TestThePageAboutTheArchitectureSaysWhatIsChecked(t *testing.T) {
	t.Parallel()

	tables, shown := createdTables(t), map[string]part{}

	for _, cells := range rows(t, "docs/architecture.md") {
		if len(cells) != 3 || !strings.HasPrefix(cells[0], "`") {
			continue
		}

		for _, name := range list(cells[0]) {
			shown[name] = part{imports: meant(cells[1]), tables: meant(cells[2])}
		}
	}

	for name, want := range house {
		got, found := shown[name]
		delete(shown, name)

		if !found && name != "internal" {
			t.Errorf("the page does not have %s", name)
		}

		owned := slices.DeleteFunc(slices.Clone(want.tables), func(table string) bool { return !slices.Contains(tables, table) })
		if slices.Sort(owned); !slices.Equal(owned, got.tables) {
			t.Errorf("%s owns %q, and the page says %q", name, owned, got.tables)
		}

		if imports := slices.Sorted(slices.Values(want.imports)); !slices.Equal(imports, got.imports) {
			t.Errorf("%s may import %q, and the page says %q", name, imports, got.imports)
		}
	}

	if len(shown) > 0 {
		t.Errorf("the page has packages without a place: %v", shown)
	}
}

// meant sorts what a cell of the page lists.
func meant(cell string) []string {
	switch cell {
	case "", "nothing":
		return nil
	case "all":
		return []string{everything}
	default:
		return slices.Sorted(slices.Values(list(cell)))
	}
}

// beyondTenants are the tables whose rows are unique beyond a tenant, or are no tenant's.
var beyondTenants = []string{
	"tenants", "logins", "endpoint_directory", "api_key_hashes", "schema_migrations",
	"sessions", "refresh_tokens", "signing_keys", "attempts_spent", "mails", "mail_links", "totp_secrets", "recovery_codes",
	"passkeys", "ceremonies", "identities", "search_progress",
}

// TestEveryTableIsKeyedByItsTenant keeps the way open to distribute the tables by tenant.
func TestEveryTableIsKeyedByItsTenant(t *testing.T) {
	t.Parallel()

	schema := read(t, "migrations/schema.golden")

	for described := range strings.SplitSeq(schema, "\n\n") {
		title, columns, _ := strings.Cut(described, "\n")

		name, _, _ := strings.Cut(strings.TrimPrefix(title, "table "), " ")
		if !slices.Contains(beyondTenants, name) && !strings.Contains(columns, "PRIMARY KEY (tenant_id, ") {
			t.Errorf("the key of %s does not begin with tenant_id", name)
		}
	}
}

func TestNoMigrationMakesATrigger(t *testing.T) {
	t.Parallel()

	trigger := regexp.MustCompile(`(?i)\bcreate\s+(or\s+replace\s+)?(constraint\s+)?trigger\b`)

	for _, sql := range migrationTexts(t) {
		if found := trigger.FindString(sql); found != "" {
			t.Errorf("%s: what a write does stands in the code that writes", found)
		}
	}
}

// TestTheArchitectureTestCanFail shows each rule a small tree that breaks it, since a checker that never fails is worth
// nothing. A row without a complaint is a tree that must pass.
func TestTheArchitectureTestCanFail(t *testing.T) {
	t.Parallel()

	rows := map[string]struct{ file, code, complaint string }{
		"an arrow of the table":      {"forms/a.go", `import _ "formonce/tenants"`, ""},
		"an arrow against the table": {"tenants/a.go", `import _ "formonce/forms"`, "tenants may not import forms"},
		"plumbing that knows a domain": {
			"internal/edge/a.go", `import _ "formonce/forms"`, "internal/edge may not import forms",
		},
		"a domain on plumbing":        {"forms/a.go", `import _ "formonce/internal/id"`, ""},
		"a test package in a program": {"forms/a.go", `import _ "formonce/internal/pgtest"`, "only for tests"},
		"a test package in a test":    {"forms/a_test.go", `import _ "formonce/internal/pgtest"`, ""},
		"a package without a place":   {"utils/a.go", ``, "utils has no place"},
		"its own table":               {"forms/a.go", `const q = "SELECT id FROM submissions"`, ""},
		"a table after FROM":          {"web/a.go", `const q = "select id\nfrom submissions"`, "submissions, which forms owns"},
		"a table after JOIN": {
			"billing/a.go", `const q = "SELECT 1 FROM usage u LEFT JOIN endpoints e"`, "endpoints, which forms owns",
		},
		"a table after a comma": {"forms/a.go", `const q = "DELETE FROM files f, tenants t"`, "tenants, which tenants owns"},
		"a table after INTO":    {"tenants/a.go", "const q = `\n-- why\nINSERT INTO usage (n) VALUES (1)`", "usage, which"},
		"a table after UPDATE":  {"web/a.go", `const q = "UPDATE ONLY public.endpoints SET a=1"`, "endpoints, which forms"},
		"a table in a fragment": {"web/a.go", `func f() string { return "SELECT a " + "FROM endpoints" }`, "endpoints"},
		"a table glued on":      {"web/a.go", `const q = "SELECT a FROM " + "endpoints"`, "endpoints, which forms owns"},
		"a table of gorm":       {"web/a.go", `func f(db DB) { db.Table("files AS f") }`, "files, which forms owns"},
		"a model of gorm":       {"web/a.go", `func (row) TableName() string { return "attempts" }`, "attempts, which"},
		"a table to copy into":  {"web/a.go", `var t = pgx.Identifier{"replays"}`, "replays, which forms owns"},
		"a table in a test":     {"web/a_test.go", `const q = "SELECT id FROM submissions"`, ""},
		"a sentence":            {"web/a.go", `const s = "Take the file from endpoints that take files."`, ""},
		"a surface with a database": {
			"web/a.go", `import _ "github.com/jackc/pgx/v5"`, "web is a surface and may not import github.com/jackc",
		},
		"a domain with a database":    {"forms/a.go", `import _ "gorm.io/gorm"`, ""},
		"a domain with a wire shape":  {"forms/a.go", "type t struct { A int `json:\"a\"` }", "forms has a json tag"},
		"a surface with a wire shape": {"web/a.go", "type t struct { A int `json:\"a\"` }", ""},
		"a column of gorm":            {"forms/a.go", "type t struct { A int `gorm:\"serializer:json\"` }", ""},
		"a long function": {
			"web/a.go", "func f() {" + strings.Repeat("\n", longestFunc) + "}", "f has 81 lines",
		},
		"a long file": {"web/a_test.go", strings.Repeat("\n", longestFile+1), "has 501 lines"},
	}

	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			sources, err := readTree(fstest.MapFS{row.file: {Data: []byte("package p; " + row.code)}})
			if err != nil {
				t.Fatal(err)
			}

			faults := inspect(sources)
			if row.complaint == "" && len(faults) > 0 || row.complaint != "" && len(faults) != 1 {
				t.Fatalf("got %q, want %q", faults, row.complaint)
			}

			if row.complaint != "" && !strings.Contains(faults[0], row.complaint) {
				t.Errorf("got %q, want %q", faults[0], row.complaint)
			}
		})
	}
}

func TestAChainOfImportsThatIsTooLongIsFound(t *testing.T) {
	t.Parallel()

	tree := fstest.MapFS{}
	for i := range longestChain + 1 {
		tree[fmt.Sprintf("internal/p%d/a.go", i)] = &fstest.MapFile{
			Data: fmt.Appendf(nil, "package p; import _ \"formonce/internal/p%d\"", i+1),
		}
	}

	sources, err := readTree(tree)
	if err != nil {
		t.Fatal(err)
	}

	faults := inspect(sources)
	if len(faults) != 1 || !strings.Contains(faults[0], "7 imports long: internal/p0 → internal/p1") {
		t.Errorf("got %q", faults)
	}
}
