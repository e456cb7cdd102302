package forms_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"formonce/forms"
	"formonce/internal/fault"
)

// readMessages returns each sentence's forms by the language and the name.
func readMessages(t *testing.T) map[string]map[string]map[string]string {
	t.Helper()

	files, err := filepath.Glob("messages/*.yaml")
	if err != nil {
		t.Fatal(err)
	}

	all := map[string]map[string]map[string]string{}

	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}

		var raw map[string]any
		if err := yaml.Unmarshal(text, &raw); err != nil {
			t.Fatalf("%s: %v", file, err)
		}

		read := map[string]map[string]string{}

		for name, value := range raw {
			switch value := value.(type) {
			case string:
				read[name] = map[string]string{"other": value}
			case map[string]any:
				read[name] = map[string]string{}
				for form, sentence := range value {
					read[name][form] = sentence.(string)
				}
			}
		}

		all[strings.TrimSuffix(filepath.Base(file), ".yaml")] = read
	}

	return all
}

func TestEveryLanguageHasEveryMessageWithTheSameBlanks(t *testing.T) {
	t.Parallel()

	all := readMessages(t)
	if got := slices.Sorted(maps.Keys(all)); !slices.Equal(got, []string{"de", "en", "es", "fr", "ja", "pt", "zh"}) {
		t.Errorf("the languages are %q", got)
	}

	blank := regexp.MustCompile(`\{[^}]*\}`)
	blanks := func(sentence string) []string {
		found := blank.FindAllString(sentence, -1)
		slices.Sort(found)

		return slices.Compact(found)
	}

	for name, english := range all["en"] {
		want := blanks(english["other"])

		for language, sentences := range all {
			for form, sentence := range sentences[name] {
				if got := blanks(sentence); !slices.Equal(got, want) {
					t.Errorf("%s: %s.%s has the blanks %q, want %q", language, name, form, got, want)
				}

				if end := []rune(sentence); !strings.ContainsRune(".。", end[len(end)-1]) {
					t.Errorf("%s: %s.%s is no sentence", language, name, form)
				}
			}

			if sentences[name]["other"] == "" {
				t.Errorf("%s has no %s", language, name)
			}
		}
	}

	for language, sentences := range all {
		for name := range sentences {
			if _, ok := all["en"][name]; !ok {
				t.Errorf("%s has %s, which English does not", language, name)
			}
		}
	}
}

// TestEveryMessageHasAnIssueThatSaysIt provokes every issue there is, in every language: no blank stays open, and no
// message of the files is one that nobody reads.
func TestEveryMessageHasAnIssueThatSaysIt(t *testing.T) {
	t.Parallel()

	all := readMessages(t)

	for language, sentences := range all {
		unsaid := maps.Clone(sentences)

		for _, provoked := range provocations {
			field := provoked.field
			field.Key, field.Label = "f", "Ä & <b>"
			schema := ready(t, field)
			schema.Unknown = forms.UnknownRefuse

			failed := fault.As(schema.Validate(schema.Normalize(provoked.sent), language))
			delete(unsaid, "form")

			if len(failed.Issues) == 0 {
				t.Fatalf("%+v is not refused", provoked)
			}

			for _, issue := range failed.Issues {
				if strings.ContainsAny(issue.Message, "{}") || issue.Message == "" {
					t.Errorf("%s: %q has an open blank", language, issue.Message)
				}

				for name := range sentences {
					if said(sentences[name], issue.Message) {
						delete(unsaid, name)
					}
				}
			}
		}

		if len(unsaid) > 0 {
			t.Errorf("%s: nobody says %q", language, slices.Sorted(maps.Keys(unsaid)))
		}
	}
}

// said compares the words between the blanks.
func said(sentences map[string]string, message string) bool {
	for _, sentence := range sentences {
		pattern := regexp.QuoteMeta(sentence)
		pattern = regexp.MustCompile(`\\\{[a-z]+\\\}`).ReplaceAllString(pattern, ".*")

		if regexp.MustCompile("^" + pattern + "$").MatchString(message) {
			return true
		}
	}

	return false
}

var provocations = []struct {
	field forms.SchemaField
	sent  forms.Fields
}{
	{forms.SchemaField{Type: forms.TypeText, Required: true}, text("g", "x")},
	{forms.SchemaField{Type: forms.TypeText}, member("f", "5")},
	{forms.SchemaField{Type: forms.TypeText, MinLength: 3, Pattern: "b"}, text("f", "a", "g", "x")},
	{forms.SchemaField{Type: forms.TypeText, MaxLength: 1}, text("f", "abc")},
	{forms.SchemaField{Type: forms.TypeText}, text("f", "abc", "f", "abc")},
	{forms.SchemaField{Type: forms.TypeEmail}, text("f", "abc")},
	{forms.SchemaField{Type: forms.TypePhone}, text("f", "abc")},
	{forms.SchemaField{Type: forms.TypeURL}, text("f", "abc")},
	{forms.SchemaField{Type: forms.TypeNumber}, text("f", "abc")},
	{forms.SchemaField{Type: forms.TypeInteger}, text("f", "abc")},
	{forms.SchemaField{Type: forms.TypeDate}, text("f", "abc")},
	{forms.SchemaField{Type: forms.TypeTime}, text("f", "abc")},
	{forms.SchemaField{Type: forms.TypeCheckbox}, text("f", "abc")},
	{forms.SchemaField{Type: forms.TypeRating}, text("f", "abc")},
	{forms.SchemaField{Type: forms.TypeCountry}, text("f", "abc")},
	{forms.SchemaField{Type: forms.TypeFile}, text("f", "abc")},
	{forms.SchemaField{Type: forms.TypeCheckbox, Required: true}, text("f", "off")},
	{forms.SchemaField{Type: forms.TypeConsent, Required: true, ConsentText: "x"}, text("f", "off")},
	{forms.SchemaField{Type: forms.TypeNumber, Min: "1"}, text("f", "0")},
	{forms.SchemaField{Type: forms.TypeNumber, Max: "1"}, text("f", "2")},
	{forms.SchemaField{Type: forms.TypeNumber, Step: "2"}, text("f", "1")},
	{forms.SchemaField{Type: forms.TypeDate, Min: "2026-01-01"}, text("f", "2025-01-01")},
	{forms.SchemaField{Type: forms.TypeDate, Max: "2026-01-01"}, text("f", "2027-01-01")},
	{forms.SchemaField{Type: forms.TypeTime, Min: "12:00"}, text("f", "11:00")},
	{forms.SchemaField{Type: forms.TypeTime, Max: "12:00"}, text("f", "13:00")},
	{forms.SchemaField{Type: forms.TypeSelect, Options: sampleOptions}, text("f", "abc")},
	{forms.SchemaField{Type: forms.TypeMultiselect, Options: sampleOptions}, text("f", "a", "f", "a")},
	{forms.SchemaField{Type: forms.TypeMultiselect, Options: sampleOptions, MinChoices: 2}, text("f", "a")},
	{forms.SchemaField{Type: forms.TypeMultiselect, Options: sampleOptions, MaxChoices: 1}, text("f", "a", "f", "b")},
}

func TestMessagesCountAsTheLanguageDoes(t *testing.T) {
	t.Parallel()

	cases := []struct {
		language string
		limit    int
		want     string
	}{
		{"en", 1, "Please shorten Name to 1 character."},
		{"en", 2, "Please shorten Name to at most 2 characters."},
		{"fr", 1, "Veuillez raccourcir « Name » à 1 caractère au maximum."},
		{"es", 3, "Acorte «Name» a 3 caracteres como máximo."},
		{"pt", 1, "Reduza “Name” a no máximo 1 caractere."},
		{"ja", 1, "「Name」は 1 文字以内で入力してください。"},
		{"zh", 5, "请将“Name”缩短到最多 5 个字符。"},
		{"tlh", 1, "Please shorten Name to 1 character."},
	}

	for _, c := range cases {
		schema := ready(t, forms.SchemaField{Key: "f", Label: "Name", Type: forms.TypeText, MaxLength: c.limit})

		failed := fault.As(schema.Validate(text("f", "abcdefghij"), c.language))
		if got := failed.Issues[0].Message; got != c.want {
			t.Errorf("%s: got %q", c.language, got)
		}
	}
}

func TestTheFirstLanguageThatWeHaveIsSpoken(t *testing.T) {
	t.Parallel()

	for _, c := range []struct {
		wishes []string
		want   string
	}{
		{nil, "en"},
		{[]string{"", ""}, "en"},
		{[]string{"de"}, "de"},
		{[]string{"de-AT"}, "de"},
		{[]string{"pt_BR"}, "pt"},
		{[]string{"zh-Hant-TW"}, "zh"},
		{[]string{"nl, fr;q=0.8, de;q=0.9"}, "de"},
		{[]string{"nl", "ja"}, "ja"},
		{[]string{"*", "es"}, "es"},
		{[]string{"not a language!", "es"}, "es"},
		{[]string{strings.Repeat("de,", 100), "fr"}, "fr"},
		{[]string{"nl", "tlh"}, "en"},
	} {
		if got := forms.LanguageFor(c.wishes...); got != c.want {
			t.Errorf("%q: got %s, want %s", c.wishes, got, c.want)
		}
	}
}
