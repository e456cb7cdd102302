package main_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"formonce/internal/config"
)

// documented is the address that every example of the documents uses: the one of `make run`.
const documented = "http://127.0.0.1:8080"

// examples are the fenced blocks of one language in a document, in their order.
func examples(t *testing.T, document, language string) []string {
	t.Helper()

	var blocks []string
	for _, match := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(read(t, document), -1) {
		blocks = append(blocks, match[1])
	}

	return blocks
}

func read(t *testing.T, path string) string {
	t.Helper()

	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	return string(text)
}

// rows are those of a document's tables, as their cells.
func rows(t *testing.T, document string) [][]string {
	t.Helper()

	var found [][]string

	for line := range strings.Lines(read(t, document)) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| ---") {
			continue
		}

		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}

		found = append(found, cells)
	}

	return found
}

// list takes a cell such as "`a`, `b`" apart.
func list(cell string) []string {
	items := strings.Split(cell, ",")
	for i := range items {
		items[i] = strings.Trim(items[i], " `")
	}

	return items
}

var quoted = regexp.MustCompile("`([^`]*)`")

// newcomer is who has typed `make run`: the service runs with its demo, and bin/formonce is there.
func newcomer(t *testing.T) *service {
	t.Helper()

	s := install(t, nil)

	if err := os.Mkdir(filepath.Join(s.folder, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}

	if err := os.Symlink(s.program, filepath.Join(s.folder, "bin", "formonce")); err != nil {
		t.Fatal(err)
	}

	s.start("--demo")

	return s
}

// types gives an example to an interpreter as it stands, but for the address, and returns what it prints.
func (s *service) types(example string, interpreter ...string) string {
	s.Helper()

	base, _ := s.base.Load().(string)
	typed := exec.Command(interpreter[0], append(interpreter[1:], strings.ReplaceAll(example, documented, base))...)
	typed.Dir, typed.Env = s.folder, s.environment

	printed, err := typed.Output()
	if err != nil {
		s.Fatalf("%s\n%v\n%s", example, err, printed)
	}

	return string(printed)
}

var (
	shell = []string{"bash", "-euo", "pipefail", "-c"}
	node  = []string{"node", "--input-type=module", "--eval"}
)

func TestTheFirstMinuteOfTheReadmeWorksAsItStands(t *testing.T) {
	t.Parallel()

	blocks := examples(t, "README.md", "sh")
	if len(blocks) != 5 || !strings.HasPrefix(blocks[0], "make run ") {
		t.Fatalf("this test knows a README with five examples, of which the first is make run:\n%q", blocks)
	}

	s := newcomer(t)
	submit, listing, furnish := blocks[1], blocks[2], blocks[3]

	receipt := regexp.MustCompile(`"submission_id":"(sub_[0-9a-f]{32})".*"idempotent_replay":(true|false)`)

	first, again := receipt.FindStringSubmatch(s.types(submit, shell...)), receipt.FindStringSubmatch(s.types(submit, shell...))
	if len(first) == 0 || len(again) == 0 || first[1] != again[1] || first[2] != "false" || again[2] != "true" {
		t.Fatalf("the submission got %q, and %q the second time", first, again)
	}

	if other := s.types(strings.ReplaceAll(submit, "Hello", "Goodbye"), shell...); !strings.Contains(other, "idempotency_conflict") {
		t.Errorf("the changed message got %s", other)
	}

	if shown := s.types(listing, shell...); strings.Count(shown, "sub_") != 5 || !strings.Contains(shown, first[1]) {
		t.Errorf("the list shows\n%s", shown)
	}

	if made := s.types(furnish, shell...); !strings.Contains(made, "/f/acme-contact") {
		t.Errorf("the endpoint was made as\n%s", made)
	}

	s.wantForm(examples(t, "README.md", "html"))
	s.want(200, "GET", "/dashboard/", "")
}

func TestTheQuickStartByAPIAloneWorksAsItStands(t *testing.T) {
	t.Parallel()

	blocks := examples(t, "README.md", "sh")
	script := blocks[len(blocks)-1]

	if !strings.Contains(script, "/api/v1") {
		t.Fatalf("the last example of the README is the quick start by API:\n%s", script)
	}

	said := newcomer(t).types(script, shell...)

	receipt := regexp.MustCompile(`"submission_id":"(sub_[0-9a-f]{32})"`).FindStringSubmatch(said)
	if receipt == nil {
		t.Fatalf("nothing was accepted:\n%s", said)
	}

	if listed := `"data":[{"id":"` + receipt[1] + `"`; !strings.Contains(said, listed) {
		t.Errorf("the list does not have what was accepted:\n%s", said)
	}
}

func TestTheExamplesOfTheGuideWorkAsTheyStand(t *testing.T) {
	t.Parallel()

	const guide = "docs/guides/submitting.md"

	s := newcomer(t)
	s.wantForm(examples(t, guide, "html"))

	for _, script := range examples(t, guide, "js") {
		if got := s.types(script+"\nconsole.log(answer.status)", node...); got != "202\n" {
			t.Errorf("the script was answered with %s", got)
		}
	}

	blocks := examples(t, guide, "json")
	if len(blocks) != 1 {
		t.Fatalf("this test knows a guide with one receipt: %q", blocks)
	}

	shown, got := reply{body: blocks[0]}.object(), s.post(202, "email=ada%40example.com&message=Hello", "receipt-of-the-guide").object()
	if want := slices.Sorted(maps.Keys(shown)); !slices.Equal(slices.Sorted(maps.Keys(got)), want) || len(want) == 0 {
		t.Errorf("the receipt %v has other members than that of the guide, %v", got, want)
	}
}

// wantForm posts what a browser would for the one form of a document.
func (s *service) wantForm(blocks []string) {
	s.Helper()

	if len(blocks) != 1 {
		s.Fatalf("want one form: %q", blocks)
	}

	action := regexp.MustCompile(`<form method="post" action="` + documented + `(/f/[a-z-]+)">`).FindStringSubmatch(blocks[0])
	if action == nil {
		s.Fatalf("no form:\n%s", blocks[0])
	}

	var body []string
	for _, field := range regexp.MustCompile(`name="(\w+)"`).FindAllStringSubmatch(blocks[0], -1) {
		value := "ada%40example.com"
		if strings.HasPrefix(field[1], "_") {
			value = "" // What people leave out.
		}

		body = append(body, field[1]+"="+value)
	}

	got := s.want(303, "POST", action[1], strings.Join(body, "&"), contentType, formType, "Accept", "text/html,*/*;q=0.8")
	if !strings.HasSuffix(got.header.Get("Location"), action[1]+"/thanks") {
		s.Errorf("the form leads to %s", got.header.Get("Location"))
	}
}

func TestTheReadmeHasEverySettingWithItsDefault(t *testing.T) {
	t.Parallel()

	defaults := map[string]string{}

	for _, cells := range rows(t, "README.md") {
		if names, given := list(cells[0]), list(cells[1]); len(cells) == 3 && regexp.MustCompile("^`[A-Z_]+`").MatchString(cells[0]) {
			for i, name := range names {
				defaults[name] = given[min(i, len(given)-1)]
			}
		}
	}

	for _, setting := range config.Settings() {
		got, named := defaults[setting.Name]
		if !named || setting.Default != "" && got != setting.Default {
			t.Errorf("%s has the default %q, and the README says %q", setting.Name, setting.Default, got)
		}

		delete(defaults, setting.Name)
	}

	if len(defaults) > 0 {
		t.Errorf("the README has settings that nothing reads: %v", defaults)
	}
}

func TestTheReadmeHasEveryCommand(t *testing.T) {
	t.Parallel()

	s := install(t, nil)
	known := s.commandsBelow()

	for _, cells := range rows(t, "README.md") {
		name, isCommand := strings.CutPrefix(strings.Trim(cells[0], "`"), "formonce ")
		if !isCommand {
			continue
		}

		if !slices.Contains(known, name) {
			t.Errorf("the program has no %q", name)
		}

		known = slices.DeleteFunc(known, func(other string) bool { return other == name })

		var below []string

		_, help, _ := s.run(name, "--help")

		for _, word := range quoted.FindAllStringSubmatch(cells[1], -1) {
			if flag, _, _ := strings.Cut(word[1], "="); !strings.HasPrefix(flag, "--") {
				below = append(below, word[1])
			} else if !strings.Contains(help, "      "+flag+" ") {
				t.Errorf("%s has no %s", name, flag)
			}
		}

		if want := s.commandsBelow(name); !slices.Equal(slices.Sorted(slices.Values(below)), want) {
			t.Errorf("below %s there are %q, and the README has %q", name, want, below)
		}
	}

	if len(known) > 0 {
		t.Errorf("the README is silent about %q", known)
	}
}

// commandsBelow are the names that the help of a command lists, sorted, without those that any program has.
func (s *service) commandsBelow(path ...string) []string {
	s.Helper()

	_, help, _ := s.run(append(path, "--help")...)
	_, help, _ = strings.Cut(help, "Available Commands:\n")
	help, _, _ = strings.Cut(help, "\n\n")

	var names []string

	for line := range strings.Lines(help) {
		if name := strings.Fields(line)[0]; name != "help" && name != "completion" && name != "version" {
			names = append(names, name)
		}
	}

	return names
}
