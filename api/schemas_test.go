package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// furnishSchema publishes a version, and leaves a draft that differs from it.
func (w *world) furnishSchema(endpointID string) {
	w.Helper()

	at := "/endpoints/" + endpointID + "/schema"
	w.send("PUT", at, map[string]any{"fields": []any{field(mark, "text")}}).want(http.StatusOK, nil)

	var published struct{ Version int }
	w.send("POST", at+"/publish", nil).want(http.StatusOK, &published)
	w.ids["version"] = fmt.Sprint(published.Version)

	w.send("PUT", at, map[string]any{"fields": []any{field(mark, "text"), field("email", "email")}}).want(http.StatusOK, nil)
}

// field is one of a schema; more are pairs of a member and its value.
func field(key, kind string, more ...any) map[string]any {
	made := map[string]any{"key": key, "type": kind}
	for i := 0; i < len(more); i += 2 {
		made[more[i].(string)] = more[i+1]
	}

	return made
}

// drafted is an office with an endpoint whose schema is worked on.
type drafted struct {
	*office
}

const schemaPath = "/endpoints/contact-form/schema"

func openDrafted(t *testing.T) *drafted {
	t.Helper()

	d := &drafted{open(t)}
	d.send("POST", "/endpoints", map[string]any{"id": "contact-form", "name": "Contact"}).want(http.StatusCreated, nil)

	return d
}

func (d *drafted) draft(fields ...any) answer {
	d.Helper()

	got := d.send("PUT", schemaPath, map[string]any{"fields": fields})
	got.want(http.StatusOK, nil)

	return got
}

func (d *drafted) publish(version int) {
	d.Helper()

	var published struct{ Version int }
	if d.send("POST", schemaPath+"/publish", nil).want(http.StatusOK, &published); published.Version != version {
		d.Fatalf("got version %d, want %d", published.Version, version)
	}
}

// TestASchemaComesBackAsItWasWritten goes through every member, by the draft, the version and JSON Schema.
func TestASchemaComesBackAsItWasWritten(t *testing.T) {
	t.Parallel()

	d := openDrafted(t)
	written := map[string]any{
		"unknown_fields": "drop", "default_region": "DE",
		"fields": []any{
			field("name", "text", "label", "Name", "help", "Yours", "required", true, "min_length", 2.0, "max_length", 90.0,
				"pattern", "[A-Z].*", "pattern_message", "Begin with a capital.", "default", []any{"Ada"}),
			field("seats", "integer", "label", "", "required", false, "min", 1.0, "max", 20.0, "step", 1.0),
			field("day", "date", "label", "", "required", false, "min", "2026-01-31"),
			field("topics", "multiselect", "label", "", "required", false, "min_choices", 1.0, "max_choices", 2.0, "options",
				[]any{map[string]any{"value": "a", "label": "A"}, map[string]any{"value": "b"}, map[string]any{"value": "c"}}),
			field("terms", "consent", "label", "", "required", false, "consent_text", "Yes.", "consent_version", "1"),
			field("stars", "rating", "label", "", "required", false, "rating_max", 7.0),
			field("papers", "file", "label", "", "required", false, "max_file_bytes", 1000.0, "max_files", 2.0, "file_types",
				[]any{"image/*"}),
			field("more", "text", "label", "", "required", false,
				"shown", map[string]any{"field": "terms", "is": "equals", "values": []any{"true"}},
				"required_when", map[string]any{"any": []any{
					map[string]any{"field": "seats", "is": "greater", "values": []any{"3"}},
					map[string]any{"field": "name", "is": "present"},
				}}),
		},
	}
	d.send("PUT", schemaPath, written).want(http.StatusOK, nil)

	same := func(path string) {
		t.Helper()

		var got map[string]any
		d.send("GET", path, nil).want(http.StatusOK, &got)

		for name, want := range written {
			if a, b := spelled(t, got[name]), spelled(t, want); a != b {
				t.Errorf("%s has %s\n%s\nwant\n%s", path, name, a, b)
			}
		}
	}

	same(schemaPath)
	d.publish(1)
	same("/endpoints/contact-form/versions/1")

	var document map[string]any
	d.send("GET", "/endpoints/contact-form/versions/1/json-schema", nil).want(http.StatusOK, &document)

	d.draft()

	var imported struct{ Notes []string }
	if d.send("POST", schemaPath+"/import", document).want(http.StatusOK, &imported); len(imported.Notes) > 0 {
		t.Errorf("the import of our own export noted %q", imported.Notes)
	}

	same(schemaPath)
	d.publish(1)
}

func spelled(t *testing.T, value any) string {
	t.Helper()

	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}

	return string(text)
}

func TestShorthandsOfASchemaAreTaken(t *testing.T) {
	t.Parallel()

	d := openDrafted(t)
	d.draft(
		field("colour", "select", "options", []any{"red", 7, map[string]any{"value": "b"}}, "default", "red"),
		field("agree", "checkbox", "default", true),
		field("seats", "number", "min", "1.50", "shown", map[string]any{"field": "agree", "is": "equals", "values": true}),
	)

	var got struct {
		Fields []struct {
			Options []map[string]string
			Default []string
			Min     json.Number
			Shown   struct{ Values []string }
		}
	}
	d.send("GET", schemaPath, nil).want(http.StatusOK, &got)

	if said := fmt.Sprint(got.Fields); said !=
		"[{[map[value:red] map[value:7] map[value:b]] [red]  {[]}} {[] [true]  {[]}} {[] [] 1.50 {[true]}}]" {
		t.Errorf("got %s", said)
	}
}

func TestADraftThatCannotBeUsedIsRefusedWithEveryIssue(t *testing.T) {
	t.Parallel()

	d := openDrafted(t)
	got := d.send("PUT", schemaPath, map[string]any{"fields": []any{
		field("a", "text", "pattern", "("), field("a", "nonsense"), field("b", "select"),
	}})
	got.refused(http.StatusUnprocessableEntity, "invalid_schema")

	for _, at := range []string{"fields[0].pattern", "fields[1].key", "fields[1].type", "fields[2].options"} {
		if !strings.Contains(string(got.body), `"`+at+`"`) {
			t.Errorf("%s is not named: %s", at, got.body)
		}
	}

	for body, code := range map[string]string{
		`{"fields":[{"key":"a","type":"text","lable":"x"}]}`:                         "unknown_member",
		`{"fields":[{"key":"a","type":"select","options":[{"value":"a","x":1}]}]}`:   "unknown_member",
		`{"fields":[{"key":"a","type":"number","min":{}}]}`:                          "invalid_member",
		`{"fields":[{"key":"a","type":"text","shown":{"field":"b","values":[[]]}}]}`: "invalid_member",
	} {
		if got := d.send("PUT", schemaPath, body); got.status != http.StatusBadRequest || !strings.Contains(string(got.body), code) {
			t.Errorf("%s was answered with %s", body, got.body)
		}
	}

	d.send("POST", schemaPath+"/import", `{"type":"object","properties":{"a":{"$ref":"https://a.example/b.json"}}}`).
		refused(http.StatusUnprocessableEntity, "invalid_json_schema")
}

func TestADraftThatSomebodyElseChangedIsNotOverwritten(t *testing.T) {
	t.Parallel()

	d := openDrafted(t)

	var first struct{ Differs bool }
	got := d.send("GET", schemaPath, nil)
	got.want(http.StatusOK, &first)

	var (
		group sync.WaitGroup
		mutex sync.Mutex
		seen  = map[int]int{}
	)

	for i := range 20 {
		group.Go(func() {
			body := map[string]any{"fields": []any{field(fmt.Sprintf("f%d", i), "text")}}
			answered := d.send("PUT", schemaPath, body, "If-Match", got.header.Get("ETag"))

			mutex.Lock()
			defer mutex.Unlock()

			seen[answered.status]++
		})
	}

	group.Wait()

	if seen[http.StatusOK] != 1 || seen[http.StatusPreconditionFailed] != 19 {
		t.Errorf("got %v", seen)
	}

	d.send("POST", schemaPath+"/publish", nil, "If-Match", got.header.Get("ETag")).
		refused(http.StatusPreconditionFailed, "precondition_failed")
}

func TestVersionsAreCountedWithoutAGapAndNeverChange(t *testing.T) {
	t.Parallel()

	d := openDrafted(t)
	d.send("POST", schemaPath+"/publish", nil).refused(http.StatusConflict, "nothing_to_publish")
	d.draft(field("a", "text"))
	d.publish(1)
	d.publish(1)

	first := d.send("GET", "/endpoints/contact-form/versions/1", nil)

	d.draft(field("a", "text", "label", "A"))
	d.publish(2)
	d.draft(field("a", "text"))
	d.publish(3)

	if again := d.send("GET", "/endpoints/contact-form/versions/1", nil); !bytes.Equal(again.body, first.body) {
		t.Errorf("version 1 was %s and is %s", first.body, again.body)
	}

	var page struct {
		Data []struct{ Version int }
		Next *string `json:"next_cursor"`
	}
	if d.send("GET", "/endpoints/contact-form/versions?limit=2", nil).want(http.StatusOK, &page); page.Next == nil ||
		fmt.Sprint(page.Data) != "[{3} {2}]" {
		t.Fatalf("got %+v", page)
	}

	next := *page.Next
	if d.send("GET", "/endpoints/contact-form/versions?limit=2&cursor="+next, nil).want(http.StatusOK, &page); page.Next != nil ||
		fmt.Sprint(page.Data) != "[{1}]" {
		t.Errorf("got %+v", page)
	}

	for _, version := range []string{"0", "4", "one", "99999999999"} {
		d.send("GET", "/endpoints/contact-form/versions/"+version, nil).refused(http.StatusNotFound, "version_not_found")
	}
}

func TestAKeyNeverChangesItsMeaning(t *testing.T) {
	t.Parallel()

	d := openDrafted(t)
	d.draft(field("a", "text"), field("b", "number"))
	d.publish(1)
	d.draft(field("c", "text"))
	d.publish(2)
	d.draft(field("a", "email"), field("b", "text"), field("c", "text", "label", "Other"))

	var diff struct {
		Changes   []map[string]string
		Conflicts []struct {
			Key string
			Was string `json:"published_type"`
		}
	}
	d.send("GET", schemaPath+"/changes", nil).want(http.StatusOK, &diff)

	if said := fmt.Sprint(diff.Conflicts); said != "[{a text} {b number}]" {
		t.Errorf("the conflicts are %s", said)
	}

	got := d.send("POST", schemaPath+"/publish", nil)
	got.refused(http.StatusConflict, "field_type_changed")

	if !strings.Contains(string(got.body), `"field":"a"`) || !strings.Contains(string(got.body), `"field":"b"`) {
		t.Errorf("not all conflicts are named: %s", got.body)
	}

	d.draft(field("a", "text", "label", "It came back"), field("c", "text"))
	d.publish(3)
}
