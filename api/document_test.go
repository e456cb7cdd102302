package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"formonce/api"
)

// operation is what the tests read of one operation of the contract.
type operation struct {
	ID          string               `yaml:"operationId"`
	Summary     string               `yaml:"summary"`
	Tags        []string             `yaml:"tags"`
	Role        string               `yaml:"x-role"`
	Scope       string               `yaml:"x-scope"`
	Security    *[]any               `yaml:"security"`
	Parameters  []map[string]any     `yaml:"parameters"`
	RequestBody map[string]any       `yaml:"requestBody"`
	Responses   map[string]yaml.Node `yaml:"responses"`
}

func (o operation) takesKey() bool {
	for _, parameter := range o.Parameters {
		if parameter["$ref"] == "#/components/parameters/IdempotencyKey" {
			return true
		}
	}

	return false
}

// operations are those of the contract, by "method /path/{parameter}".
func operations(t *testing.T) map[string]operation {
	t.Helper()

	found, err := readOperations()
	if err != nil {
		t.Fatal(err)
	}

	return maps.Clone(found)
}

// readOperations reads the contract once: tests look into it for every request that they send.
var readOperations = sync.OnceValues(func() (map[string]operation, error) {
	var document struct {
		Paths map[string]map[string]yaml.Node `yaml:"paths"`
	}

	if err := yaml.Unmarshal(api.Contract, &document); err != nil {
		return nil, err
	}

	found := map[string]operation{}

	for path, members := range document.Paths {
		for method, node := range members {
			if method == "parameters" {
				continue
			}

			var read operation
			if err := node.Decode(&read); err != nil {
				return nil, fmt.Errorf("%s %s: %w", method, path, err)
			}

			found[method+" "+path] = read
		}
	}

	return found, nil
})

// document is the contract as a JSON Schema resource, in which every answer's schema can be found.
var document = sync.OnceValues(func() (*jsonschema.Compiler, error) {
	var tree any
	if err := yaml.Unmarshal(api.Contract, &tree); err != nil {
		return nil, err
	}

	// Through JSON, so that numbers are of the types that the compiler knows.
	text, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}

	plain, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}

	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()

	return compiler, compiler.AddResource("contract.json", plain)
})

var compiling sync.Mutex

// checkAnswer reports an answer that the contract does not promise for this operation.
func checkAnswer(t *testing.T, method, path string, status int, contentType string, body []byte) {
	t.Helper()

	pattern, found := patternOf(method, path)
	if !found {
		return // What is in no row is answered by the edge.
	}

	response := fmt.Sprint(status)
	if _, promised := operations(t)[strings.ToLower(method)+" "+pattern].Responses[response]; !promised {
		if response = "default"; status < http.StatusBadRequest {
			t.Errorf("%s %s answered %d, which the contract does not have", method, pattern, status)
			return
		}
	}

	if !strings.HasPrefix(contentType, "application/json") {
		return
	}

	schema, err := schemaOf(method, pattern, response)
	if err != nil {
		t.Errorf("%s %s, %s: %v", method, pattern, response, err)
		return
	}

	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Errorf("%s %s answered what is no JSON: %v", method, pattern, err)
		return
	}

	if err := schema.Validate(value); err != nil {
		t.Errorf("%s %s, %d: the answer is not that of the contract: %v\n%s", method, pattern, status, err, body)
	}
}

func schemaOf(method, pattern, response string) (*jsonschema.Schema, error) {
	compiling.Lock()
	defer compiling.Unlock()

	compiler, err := document()
	if err != nil {
		return nil, err
	}

	escape := strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D")
	place := "contract.json#/paths/" + escape.Replace(pattern) + "/" + strings.ToLower(method) + "/responses/" + response

	if response == "default" {
		place = "contract.json#/components/responses/Error"
	}

	return compiler.Compile(place + "/content/application~1json/schema")
}

// patternOf finds the path of the contract that a real path is one of.
func patternOf(method, path string) (string, bool) {
	path, _, _ = strings.Cut(strings.TrimPrefix(path, api.Prefix), "?")

	best := ""

	for _, row := range api.Rows() {
		exact := regexp.MustCompile("^" + parameter.ReplaceAllString(regexp.QuoteMeta(row.Path), `[^/]+`) + "$")
		if row.Method == method && exact.MatchString(path) && (best == "" || !strings.Contains(row.Path, ":")) {
			best = parameter.ReplaceAllString(row.Path, "{$1}")
		}
	}

	return best, best != ""
}
