package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// example is the file of the guide.
func example(t *testing.T) string {
	t.Helper()

	_, after, _ := strings.Cut(readText(t, "docs/guides/schemas.md"), "\n```yaml\n")
	file, _, _ := strings.Cut(after, "```")

	return file
}

func readText(t *testing.T, path string) string {
	t.Helper()

	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	return string(text)
}

// written puts a text into a file and returns its path.
func written(t *testing.T, text string) string {
	t.Helper()

	path := filepath.Join(t.TempDir(), "contact.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}

	return path
}

func (r *terminal) apply(text string, more ...string) result {
	r.t.Helper()

	return r.run(append([]string{"endpoint", "apply", "-f", written(r.t, text), "--tenant", "acme"}, more...)...)
}

// lists fails unless the output has all of the lines.
func (r result) lists(t *testing.T, lines ...string) {
	t.Helper()

	for _, line := range lines {
		if !strings.Contains(r.out, line) {
			t.Errorf("%q is missing in\n%s%s", line, r.out, r.err)
		}
	}
}

func TestTheFileOfTheGuideIsAppliedOnce(t *testing.T) {
	t.Parallel()

	at := newTerminal(t)
	at.makeAcme()

	text := example(t)
	at.apply(text, "--dry-run").lists(t, "To create the endpoint contact-form of acme:", "version 1 of its schema:",
		"+ email (added)", "~ email: required (stricter)", "~ idempotency.tombstone_days: 30, was 7")

	if got := at.run("endpoint", "show", "contact-form", "--tenant", "acme"); got.status != statusFailed {
		t.Error("a dry run made the endpoint")
	}

	at.apply(text, "--yes").lists(t, "Applied.")
	at.apply(text, "--yes").lists(t, "Nothing to do: contact-form is what the file says.")
	at.apply(text).lists(t, "Nothing to do")

	var versions int
	if err := at.open().Pool.QueryRow(t.Context(), "SELECT count(*) FROM endpoint_versions").Scan(&versions); err != nil || versions != 1 {
		t.Errorf("there are %d versions, %v", versions, err)
	}
}

func TestAnExportedEndpointIsWhatItWas(t *testing.T) {
	t.Parallel()

	at := newTerminal(t)
	at.makeAcme()
	at.apply(example(t), "--yes").lists(t, "Applied.")

	exported := at.run("endpoint", "export", "contact-form", "--tenant", "acme")
	exported.lists(t, "tenant: acme\n", "id: contact-form\n", "min: \"2026-01-01\"")
	at.apply(exported.out, "--yes").lists(t, "Nothing to do")

	// The tenant stands in the file.
	if got := at.run("endpoint", "apply", "-f", written(t, exported.out)); !strings.Contains(got.out, "Nothing to do") {
		t.Errorf("said %q, %q", got.out, got.err)
	}

	other := strings.ReplaceAll(exported.out, "id: contact-form", "id: another-form")
	at.apply(other, "--yes").lists(t, "Applied.")

	if again := at.run("endpoint", "export", "another-form", "--tenant", "acme"); again.out != other {
		t.Errorf("exported\n%s\nwant\n%s", again.out, other)
	}
}

func TestAPlanSaysWhatBecomesStricterAndWhatIsRefused(t *testing.T) {
	t.Parallel()

	const first = `{"id": "contact-form", "schema": {"fields": [
		{"key": "a", "type": "text", "max_length": 10}, {"key": "b", "type": "text"}]}}`

	at := newTerminal(t)
	at.makeAcme()
	at.apply(first, "--yes").lists(t, "Applied.")

	plan := at.must("endpoint", "apply", "--tenant", "acme", "--dry-run", "--json", "-f", written(t,
		"id: contact-form\nclosed: true\nschema:\n  fields:\n  - {key: a, type: text, label: A, max_length: 5}\n"))
	shape(t, plan, map[string]string{
		"endpoint_id": "^contact-form$", "tenant_id": "^ten_", "action": "^update$", "applied": "^false$",
		"settings": `^\[{"from":false,"name":"closed","to":true}\]$`,
		"schema": `^{"changes":\[{"field":"b","kind":"removed","member":""},{"field":"a","kind":"relabelled","member":"label"},` +
			`{"field":"a","kind":"stricter","member":"max_length"}\],"conflicts":\[\],"published_version":1,"publishes":true}$`,
	})

	got := at.apply("id: contact-form\nschema:\n  fields:\n  - {key: b, type: email}\n", "--yes")
	if got.status != statusFailed || !strings.Contains(got.err, "nothing was changed") {
		t.Errorf("status %d, said %q", got.status, got.err)
	}

	got.lists(t, "! The key b stands for the type text since version 1, and cannot become email.")
}

// TestAPlanIsAppliedOnlyWhenSomebodyAgrees answers the question in several ways.
func TestAPlanIsAppliedOnlyWhenSomebodyAgrees(t *testing.T) {
	t.Parallel()

	at := newTerminal(t)
	at.makeAcme()

	path := written(t, "id: contact-form\n")

	for _, row := range []struct {
		typed  string
		status int
	}{{"", statusFailed}, {"no\n", statusFailed}, {"yes\n", statusDone}} {
		got := at.typed(row.typed, "endpoint", "apply", "-f", path, "--tenant", "acme")
		if got.status != row.status {
			t.Errorf("%q led to status %d, %q", row.typed, got.status, got.err)
		}
	}

	at.must("endpoint", "show", "contact-form", "--tenant", "acme", "--json")
}

func TestAFileThatCannotBeUsedIsRefusedByNameAndLine(t *testing.T) {
	t.Parallel()

	at := newTerminal(t)
	at.makeAcme()

	const field = "id: contact-form\nschema:\n  fields:\n"

	for text, want := range map[string]string{
		"":                               "is empty",
		"id: contact-form\ntitle: x\n":   "line 2: there is no member title",
		field + "  - {key: a, lable: x}": "line 4: there is no member lable",
		field + "  - {key: a, type: select, options: [{valu: x}]}": "line 4: there is no member valu",
		field + "  - {key: a, type: number, min: [1]}":             "line 4: it has to be a text",
		field + "  - {key: a, type: wrong}":                        "fields[0].type",
		"id: contact-form\nclosed: perhaps\n":                      "line 2",
		"id: contact-form\n---\nid: other-form\n":                  "more than one document",
		"id: X\n": "id: An endpoint id has",
		"[":       "line 1",
	} {
		if got := at.apply(text, "--yes"); got.status != statusFailed || !strings.Contains(got.err, want) {
			t.Errorf("%q: status %d, said %q, want %q", text, got.status, got.err, want)
		}
	}

	for _, args := range []string{"-f x", "-f - --tenant acme", "-f x --tenant acme --json", "-f x --yes --dry-run"} {
		got := at.run(append([]string{"endpoint", "apply"}, strings.Fields(args)...)...)
		if args != "-f x" && got.status != statusMisuse {
			t.Errorf("%s: status %d, %q", args, got.status, got.err)
		}
	}

	if got := at.run("endpoint", "apply", "-f", written(t, "id: contact-form\n")); got.status != statusMisuse {
		t.Errorf("status %d, said %q", got.status, got.err)
	}
}
