package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"formonce/internal/config"
	"formonce/internal/pgtest"
	"formonce/internal/postgres"
)

// terminal is an installation with a database of its own, and a person who types commands.
type terminal struct {
	t           *testing.T
	environment map[string]string
	settle      time.Duration
}

func newTerminal(t *testing.T) *terminal {
	t.Helper()

	return &terminal{t: t, environment: map[string]string{
		"DATABASE_URL": pgtest.URL(t),
		"SECRET_KEY":   "a secret of this test, long enough",
		"PUBLIC_URL":   "https://forms.example.com",
		"LISTEN_ADDR":  "127.0.0.1:0",
	}}
}

// result is what a command left on the terminal.
type result struct {
	status   int
	out, err string
}

func (r *terminal) typed(input string, args ...string) result {
	r.t.Helper()

	var out, trouble bytes.Buffer

	status := run(r.t.Context(), args, &console{
		in: strings.NewReader(input), out: &out, err: &trouble, settleTime: r.settle,
		settings: func() (*config.Config, error) {
			return config.Load(func(name string) (string, bool) {
				value, ok := r.environment[name]
				return value, ok
			}, "")
		},
	})

	return result{status, out.String(), trouble.String()}
}

func (r *terminal) run(args ...string) result { return r.typed("", args...) }

// must runs a command that has to succeed and reads the JSON that it prints, if it prints any.
func (r *terminal) must(args ...string) map[string]any {
	r.t.Helper()

	got := r.run(args...)
	if got.status != statusDone {
		r.t.Fatalf("%s: status %d, %s", strings.Join(args, " "), got.status, got.err)
	}

	var read map[string]any
	if strings.HasPrefix(got.out, "{") {
		if err := json.Unmarshal([]byte(got.out), &read); err != nil {
			r.t.Fatalf("%s printed no JSON: %v", strings.Join(args, " "), err)
		}
	}

	return read
}

func (r *terminal) makeAcme() {
	r.t.Helper()
	r.must("tenant", "create", "--name", "Acme", "--email", "ada@acme.example", "--password", "correct horse battery")
}

// open gives the test the database under the commands.
func (r *terminal) open() *postgres.DB {
	r.t.Helper()

	db, err := postgres.Open(r.t.Context(), postgres.Options{URL: r.environment["DATABASE_URL"]})
	if err != nil {
		r.t.Fatal(err)
	}

	r.t.Cleanup(db.Close)

	return db
}

// walk visits every command of the program but those that the library adds.
func walk(cmd *cobra.Command, visit func(*cobra.Command)) {
	visit(cmd)

	for _, below := range cmd.Commands() {
		if below.Name() != "help" && below.Name() != "completion" {
			walk(below, visit)
		}
	}
}

func TestEveryCommandExplainsItselfWithAnExample(t *testing.T) {
	t.Parallel()

	at := newTerminal(t)

	walk(rootCommand(&console{}), func(cmd *cobra.Command) {
		path := strings.Fields(cmd.CommandPath())[1:]
		got := at.run(append(path, "--help")...)

		if got.status != statusDone || got.err != "" || !strings.Contains(got.out, "Examples:\n  ") {
			t.Errorf("%s --help: status %d, printed %q and %q", cmd.CommandPath(), got.status, got.out, got.err)
		}
	})
}

// What a shell takes for itself: words in quotes are one word, and files are not the program's arguments.
var (
	quotedWords = regexp.MustCompile(`'[^']*'`)
	redirected  = regexp.MustCompile(` [<>] .*`)
)

// TestEveryExampleCanBeTyped runs the flags of each example through the parser, since a help that is wrong is worse than
// none.
func TestEveryExampleCanBeTyped(t *testing.T) {
	t.Parallel()

	walk(rootCommand(&console{}), func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.Example) {
			_, line, _ = strings.Cut(line, "formonce ")
			line = redirected.ReplaceAllString(quotedWords.ReplaceAllString(line, "-"), "")

			found, args, err := rootCommand(&console{}).Find(strings.Fields(line))
			if err == nil {
				err = found.ParseFlags(args)
			}

			if err == nil && found.HasSubCommands() {
				t.Errorf("%q is no whole command", line)
			}

			if err == nil {
				err = found.ValidateArgs(found.Flags().Args())
			}

			if err == nil {
				err = found.ValidateRequiredFlags()
			}

			if err != nil {
				t.Errorf("%q in the help of %s: %v", line, cmd.CommandPath(), err)
			}
		}
	})
}

func TestExitStatusesTellAFailureFromAWrongUse(t *testing.T) {
	t.Parallel()

	at := newTerminal(t)
	at.makeAcme()

	noSubmission := "sub_" + strings.Repeat("0", 32)

	for _, row := range []struct {
		args   string
		status int
		says   string
	}{
		{"", 0, ""},
		{"--version", 0, ""},
		{"version", 0, ""},
		{"tenant", 0, ""},
		{"tenant list", 0, ""},
		{"endpoint list --tenant acme", 0, ""},
		{"migrate", 0, ""},
		{"migrate --dry-run", 0, ""},

		{"tennant", 2, `"tennant" is not a command of formonce, did you mean tenant?`},
		{"serve --role web,cook", 2, "the roles of --role are web and worker"},
		{"tenant lst", 2, `"lst" is not a command of formonce tenant, did you mean list?`},
		{"--nonsense", 2, "unknown flag: --nonsense"},
		{"tenant list --nonsense", 2, "`formonce tenant list --help` shows how it is used"},
		{"tenant list too much", 2, "write it as `formonce tenant list [flags]`"},
		{"tenant suspend", 2, "formonce tenant suspend TENANT"},
		{"tenant create --name Acme", 2, `required flag(s) "email", "password" not set`},
		{"endpoint create", 2, `required flag(s) "tenant" not set`},
		{"endpoint update contact-form --tenant acme --replay-status many", 2, "replay-status"},
		{"submission list --tenant acme --status lost", 2, "--status takes accepted or spam"},
		{"submission show 17 --tenant acme", 2, "sub_ followed by 32 hex digits"},
		{"submission erase " + noSubmission + " --tenant acme", 2, "add --yes"},
		{"tenant delete acme --confirm other", 2, "--confirm acme"},
		{"migrate --status --dry-run", 2, "dry-run"},

		{"tenant suspend nobody", 1, "There is no such tenant."},
		{"tenant delete nobody --confirm nobody", 1, "There is no such tenant."},
		{"tenant create --name Acme --email ada --password short", 1, "  email: Give an e-mail address"},
		{"endpoint show contact-form --tenant acme", 1, "endpoint id"},
		{"endpoint create --tenant acme --id X", 1, "  id: An endpoint id has"},
		{"submission list --tenant acme --cursor nonsense", 1, "This cursor is none of ours."},
		{"submission list --tenant acme --limit 101", 2, "--limit takes 1 to 100"},
		{"submission list --tenant acme --limit 0", 2, "--limit takes 1 to 100"},
		{"submission show " + noSubmission + " --tenant acme", 1, "There is no submission with this id."},
		{"submission erase " + noSubmission + " --tenant acme --yes", 1, "There is no submission with this id."},
	} {
		got := at.run(strings.Fields(row.args)...)
		if got.status != row.status || !strings.Contains(got.err, row.says) {
			t.Errorf("%q: status %d, said %q; want %d and %q", row.args, got.status, got.err, row.status, row.says)
		}

		if (row.status == statusDone) != (got.err == "") || (row.status != statusDone) != (got.out == "") {
			t.Errorf("%q: data goes to the output and trouble to the error: %q, %q", row.args, got.out, got.err)
		}

		if row.status == statusMisuse && strings.Count(got.err, "\n") != 1 {
			t.Errorf("%q: a wrong use is answered with one line, not %q", row.args, got.err)
		}
	}
}

func TestSeveralSentencesInOneLineStayApart(t *testing.T) {
	t.Parallel()

	for given, want := range map[string]string{
		"":              "",
		"a \t  b\n":     "a b",
		"one\ntwo\n":    "one; two",
		"no:\n\tx\n\tx": "no: x",
	} {
		if got := oneLine(given); got != want {
			t.Errorf("%q became %q, want %q", given, got, want)
		}
	}
}

func TestSettingsThatCannotBeUsedAreAllNamed(t *testing.T) {
	t.Parallel()

	at := newTerminal(t)
	at.environment["MAX_FIELDS"], at.environment["LOG_LEVEL"] = "many", "loud"

	got := at.run("tenant", "list")
	if got.status != statusFailed || !strings.Contains(got.err, "MAX_FIELDS") || !strings.Contains(got.err, "LOG_LEVEL") {
		t.Errorf("status %d, said %q", got.status, got.err)
	}
}

func TestADatabaseThatIsBehindIsOnlyMigratedOnRequest(t *testing.T) {
	t.Parallel()

	at := newTerminal(t)
	at.environment["DATABASE_URL"] = pgtest.Empty(t)

	if got := at.run("tenant", "list"); got.status != statusFailed || !strings.Contains(got.err, "formonce migrate") {
		t.Errorf("status %d, said %q", got.status, got.err)
	}

	if got := at.run("migrate", "--dry-run"); !strings.Contains(got.out, "CREATE TABLE tenants") {
		t.Errorf("a dry run printed %q", got.out)
	}

	if got := at.run("migrate", "--status"); !regexp.MustCompile(`0001_tenants\s+pending`).MatchString(got.out) {
		t.Errorf("the status before is %q", got.out)
	}

	if got := at.run("migrate"); got.status != statusDone || !strings.HasPrefix(got.out, "applied 0001_tenants\n") {
		t.Errorf("status %d, printed %q, said %q", got.status, got.out, got.err)
	}

	if got := at.run("migrate"); got.out != "The database is up to date.\n" {
		t.Errorf("the second time printed %q", got.out)
	}

	steps := at.must("migrate", "--status", "--json")["data"].([]any)
	if first := steps[0].(map[string]any); first["name"] != "0001_tenants" || first["version"] != 1.0 || first["applied_at"] == nil {
		t.Errorf("the status afterwards begins with %v", first)
	}

	at.must("tenant", "list")
}

// shape compares the members of an object with what their values have to look like.
func shape[T any](t *testing.T, got map[string]T, want map[string]string) {
	t.Helper()

	if !slices.Equal(slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want))) {
		t.Errorf("got the members %q, want %q", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}

	for name, pattern := range want {
		text, err := json.Marshal(got[name])
		if err != nil {
			t.Fatal(err)
		}

		if bare := strings.Trim(string(text), `"`); !regexp.MustCompile(pattern).MatchString(bare) {
			t.Errorf("%s is %s, want %s", name, bare, pattern)
		}
	}
}
