package forms

import (
	"embed"
	"path"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
	"golang.org/x/text/feature/plural"
	xlanguage "golang.org/x/text/language"
)

// messageFiles hold the sentences of one language each, under the language's name.
//
//go:embed messages/*.yaml
var messageFiles embed.FS

// fallback is the language of messages when none is wished for that we have.
const fallback = "en"

// longestWish bounds what is read of a header, since a visitor writes it.
const longestWish = 200

// catalog is one language's sentences by their name.
type catalog struct {
	tag       xlanguage.Tag
	sentences map[string]message
}

// message is a sentence by the plural of what it counts; one that counts nothing has the form other only.
type message map[string]string

// pluralNames are the words of CLDR for the forms.
var pluralNames = map[plural.Form]string{
	plural.Other: "other", plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few", plural.Many: "many",
}

// UnmarshalYAML takes a sentence, or a map of plural forms.
func (m *message) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*m = message{"other": node.Value}
		return nil
	}

	var byForm map[string]string

	err := node.Decode(&byForm)
	*m = byForm

	return err
}

// catalogs are read once, when the first sentence is needed; a fault in the files cannot survive the tests.
var catalogs = sync.OnceValue(func() map[string]catalog {
	files, _ := messageFiles.ReadDir("messages")
	read := make(map[string]catalog, len(files))

	for _, file := range files {
		text, _ := messageFiles.ReadFile("messages/" + file.Name())
		name := strings.TrimSuffix(file.Name(), path.Ext(file.Name()))
		made := catalog{tag: xlanguage.Make(name)}

		if err := yaml.Unmarshal(text, &made.sentences); err != nil {
			panic(err) //nolint:forbidigo // Our own file in the binary is a mistake of ours.
		}

		read[name] = made
	}

	return read
})

// LanguageFor returns the language of messages by the first wish that names one that we have: language tags or whole
// Accept-Language headers (RFC 9110), empty ones skipped; en when there is none.
func LanguageFor(wishes ...string) string {
	for _, wish := range wishes {
		if wish == "" || len(wish) > longestWish {
			continue
		}

		tags, _, err := xlanguage.ParseAcceptLanguage(strings.ReplaceAll(wish, "_", "-"))
		if err != nil {
			continue
		}

		for _, tag := range tags {
			base, _ := tag.Base()
			if _, ok := catalogs()[base.String()]; ok {
				return base.String()
			}
		}
	}

	return fallback
}

// blanks are what is put into a sentence.
type blanks struct{ label, limit, base string }

// sentence returns the message with that name in one of our languages.
func sentence(of, name string, with blanks) string {
	in := catalogs()[of]
	sentences := in.sentences[name]

	text, ok := sentences[pluralOf(in.tag, with.limit)]
	if !ok {
		text = sentences["other"]
	}

	return strings.NewReplacer("{label}", with.label, "{limit}", with.limit, "{base}", with.base).Replace(text)
}

// pluralOf returns the form for a whole number; what is none is counted by no sentence.
func pluralOf(tag xlanguage.Tag, count string) string {
	n, err := strconv.Atoi(count)
	if err != nil || n < 0 {
		return pluralNames[plural.Other]
	}

	return pluralNames[plural.Cardinal.MatchPlural(tag, n, 0, 0, 0, 0)]
}
