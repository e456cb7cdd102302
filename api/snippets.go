package api

import (
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"text/template"

	"formonce/forms"
	"formonce/tenants"
)

var snippetRoutes = []route{
	{
		method: http.MethodGet, path: "/endpoints/:endpoint/snippets", role: tenants.Viewer, scope: tenants.ReadEndpoints,
		handle: (*API).listSnippets,
	},
}

//go:embed snippets/*.tmpl
var snippetFiles embed.FS

// snippetTemplates write code, so each text of the endpoint's owner goes through the quotes of its language.
var snippetTemplates = template.Must(template.New("").Funcs(template.FuncMap{"js": quoteJS, "sh": quoteShell}).
	ParseFS(snippetFiles, "snippets/*.tmpl"))

// snippetKinds are the ways to post to an endpoint, in the order in which they are shown.
var snippetKinds = []struct{ kind, title, language string }{
	{"html", "HTML form", "html"},
	{"fetch", "JavaScript with fetch", "javascript"},
	{"react", "React component", "jsx"},
	{"curl", "curl", "shell"},
	{"python", "Python", "python"},
}

type snippet struct {
	Kind     string `json:"kind"`
	Title    string `json:"title"`
	Language string `json:"language"`
	Code     string `json:"code"`
}

// snippetForm is what the templates write about.
type snippetForm struct {
	URL      string
	Honeypot string
	Fields   []snippetField
}

func (a *API) listSnippets(r *request) (reply, error) {
	endpoint, err := a.Directory.Get(r.ctx(), r.caller.TenantID, r.param("endpoint"))
	if err != nil {
		return reply{}, err
	}

	fields := usualFields

	if endpoint.SchemaVersion > 0 {
		version, err := a.Schemas.Version(r.ctx(), r.caller.TenantID, endpoint.ID, endpoint.SchemaVersion)
		if err != nil {
			return reply{}, err
		}

		fields = version.Schema.Fields
	}

	made, err := snippetsFor(a.submitURL(endpoint.ID), &endpoint, fields)
	if err != nil {
		return reply{}, err
	}

	return ok(listOf(made, "")), nil
}

func (a *API) submitURL(endpointID string) string {
	return a.PublicURL.JoinPath("f", endpointID).String()
}

func snippetsFor(url string, endpoint *forms.Endpoint, fields []forms.SchemaField) ([]snippet, error) {
	form := snippetForm{URL: url, Honeypot: endpoint.Honeypot, Fields: snippetFields(fields)}
	if form.Honeypot == "" {
		form.Honeypot = "_gotcha"
	}

	made := make([]snippet, len(snippetKinds))

	for i, kind := range snippetKinds {
		var code strings.Builder
		if err := snippetTemplates.ExecuteTemplate(&code, kind.kind+".tmpl", form); err != nil {
			return nil, fmt.Errorf("write the snippet %s: %w", kind.kind, err)
		}

		made[i] = snippet{Kind: kind.kind, Title: kind.title, Language: kind.language, Code: code.String()}
	}

	return made, nil
}

// quoteJS writes a string that JavaScript and Python read alike.
func quoteJS(text string) (string, error) {
	quoted, err := json.Marshal(text)

	return string(quoted), err
}

// quoteShell writes a word that a POSIX shell takes as it is.
func quoteShell(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
