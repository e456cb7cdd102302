package api_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"formonce/api"
)

func (o *office) page(path string) (string, http.Header) {
	o.Helper()

	request, err := http.NewRequestWithContext(o.Context(), http.MethodGet, o.server.URL+path, http.NoBody)
	if err != nil {
		o.Fatal(err)
	}

	response, err := o.server.Client().Do(request)
	if err != nil {
		o.Fatal(err)
	}
	defer response.Body.Close()

	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		o.Fatalf("%s: %d, %v", path, response.StatusCode, err)
	}

	return string(text), response.Header
}

func TestTheReadablePageShowsEveryOperation(t *testing.T) {
	t.Parallel()

	page, _ := open(t).page("/api/docs")

	for name, operation := range operations(t) {
		if !strings.Contains(page, `<article id="`+operation.ID+`"`) || operation.Summary == "" || len(operation.Tags) != 1 {
			t.Errorf("%s is not shown, or has no summary or not one tag", name)
		}
	}
}

func TestTheContractIsHandedOutAsItIs(t *testing.T) {
	t.Parallel()

	text, header := open(t).page("/api/v1/openapi.yaml")
	if text != string(api.Contract) || !strings.HasPrefix(header.Get("Content-Type"), "application/yaml") {
		t.Errorf("got %d bytes as %s", len(text), header.Get("Content-Type"))
	}
}
