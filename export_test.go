package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

func TestSubmissionsAreExportedToAFile(t *testing.T) {
	t.Parallel()

	at := newTerminal(t)
	at.makeAcme()
	at.must("endpoint", "create", "--tenant", "acme", "--id", "contact-form", "--name", "Contact")
	sent := at.received("message", "=1+1")

	got := at.run("export", "--tenant", "acme", "--separator", "semicolon", "--bom", "--time-zone", "Asia/Kolkata")
	if got.status != statusDone || !strings.HasPrefix(got.out, "\uFEFFid;endpoint_id;") || !strings.Contains(got.out, "+05:30;accepted;1;2;false;;'=1+1;") {
		t.Errorf("got %d, %q and %q", got.status, got.out, got.err)
	}

	got = at.run("export", "--endpoint", "contact-form", "--format", "jsonl")
	if got.status != statusDone || strings.Count(got.out, "\n") != 1 || !strings.HasPrefix(got.out, `{"id":"`+sent+`"`) {
		t.Errorf("got %d, %q and %q", got.status, got.out, got.err)
	}

	got = at.run("export", "--endpoint", "contact-form", "--format", "jsonl", "--until", "2020-01-01")
	if got.status != statusDone || got.out != "" {
		t.Errorf("got %d, %q and %q", got.status, got.out, got.err)
	}

	got = at.run("export", "--endpoint", "contact-form", "--format", "xlsx")

	book, err := excelize.OpenReader(bytes.NewReader([]byte(got.out)))
	if err != nil {
		t.Fatal(err)
	}

	if value, _ := book.GetCellValue("Submissions", "A2"); value != sent {
		t.Errorf("the workbook begins with %q", value)
	}
}

func TestAnExportThatCannotBeSaysWhy(t *testing.T) {
	t.Parallel()

	at := newTerminal(t)
	at.makeAcme()

	for _, row := range []struct {
		args   string
		status int
		says   string
	}{
		{"", statusMisuse, "say whose submissions"},
		{"--tenant acme --separator x", statusMisuse, "--separator takes"},
		{"--tenant acme --time-zone Mars", statusMisuse, "--time-zone takes"},
		{"--tenant acme --since yesterday", statusMisuse, "--since takes"},
		{"--tenant acme --format pdf", statusFailed, "csv, xlsx or jsonl"},
		{"--tenant acme --status held", statusFailed, "accepted or spam"},
		{"--tenant acme --endpoint nobody", statusFailed, "no form at this address"},
		{"--endpoint nobody", statusFailed, "no form at this address"},
		{"--tenant nobody", statusFailed, "no such tenant"},
	} {
		got := at.run(append([]string{"export"}, strings.Fields(row.args)...)...)
		if got.status != row.status || !strings.Contains(strings.ToLower(got.err), strings.ToLower(row.says)) || got.out != "" {
			t.Errorf("export %s: got %d, %q, %q", row.args, got.status, got.err, got.out)
		}
	}
}
