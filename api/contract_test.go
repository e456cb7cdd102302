package api_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"
)

var update = flag.Bool("update", false, "write openapi.yaml anew from the files of contract/")

// TestTheContractIsJoinedFromItsFiles keeps the one document that is handed out equal to its sources.
func TestTheContractIsJoinedFromItsFiles(t *testing.T) {
	t.Parallel()

	joined := joinContract(t)

	if *update {
		if err := os.WriteFile("openapi.yaml", joined, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	kept, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}

	if !bytes.Equal(kept, joined) {
		t.Error("openapi.yaml is not what the files of contract/ say: run `make generate`")
	}
}

func joinContract(t *testing.T) []byte {
	t.Helper()

	files, err := filepath.Glob("contract/*.yaml")
	if err != nil {
		t.Fatal(err)
	}

	frame := parseYAML(t, "contract/base.yaml")

	for _, file := range files {
		if filepath.Base(file) != "base.yaml" {
			merge(t, file, frame, parseYAML(t, file))
		}
	}

	var written bytes.Buffer

	written.WriteString("# Joined from the files of contract/ by `make generate`. Change them, not this.\n")

	encoder := yaml.NewEncoder(&written)
	encoder.SetIndent(2)

	if err := encoder.Encode(frame); err != nil {
		t.Fatal(err)
	}

	return written.Bytes()
}

func parseYAML(t *testing.T, file string) *yaml.Node {
	t.Helper()

	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatalf("%s: %v", file, err)
	}

	return document.Content[0]
}

// merge adds the members of one mapping to another, at every depth. Two files that say the same thing differently fail.
func merge(t *testing.T, file string, into, from *yaml.Node) {
	t.Helper()

	for i := 0; i < len(from.Content); i += 2 {
		name, value := from.Content[i], from.Content[i+1]

		there := member(into, name.Value)
		if there == nil {
			into.Style = 0
			into.Content = append(into.Content, name, value)

			continue
		}

		if there.Kind != yaml.MappingNode || value.Kind != yaml.MappingNode {
			t.Fatalf("%s: %s is said in another file as well", file, name.Value)
		}

		merge(t, file, there, value)
	}
}

func member(mapping *yaml.Node, name string) *yaml.Node {
	for i := 0; i < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			return mapping.Content[i+1]
		}
	}

	return nil
}
