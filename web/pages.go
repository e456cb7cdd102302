package web

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"formonce/forms"
	"formonce/internal/edge"
	"formonce/internal/fault"
)

//go:embed pages
var pageFiles embed.FS

// page is what the templates show. None of it is a submitted value.
type page struct {
	Title   string
	Message string
	Issues  []fault.Issue
	// Back is the page that the visitor came from; empty when unknown.
	Back string
	// RequestID is shown where only we can help.
	RequestID string
	// Endpoint is the endpoint's name, SubmitURL its address.
	Endpoint  string
	SubmitURL string

	Style  template.CSS
	Script template.JS
}

// pageSet renders the pages around a submission. They need no script: the one they carry only saves a way back.
type pageSet struct {
	templates *template.Template
	style     template.CSS
	script    template.JS
	policy    string
}

// pages are parsed once from files in the binary; a fault in them cannot survive the tests.
var pages = loadPages()

func loadPages() pageSet {
	style, _ := pageFiles.ReadFile("pages/style.css")
	script, _ := pageFiles.ReadFile("pages/back.js")

	return pageSet{
		templates: template.Must(template.ParseFS(pageFiles, "pages/*.html")),
		style:     template.CSS(style), //nolint:gosec // our own file
		script:    template.JS(script), //nolint:gosec // our own file
		policy: "default-src 'none'; base-uri 'none'; form-action 'none'; style-src '" + hashOf(style) +
			"'; script-src '" + hashOf(script) + "'",
	}
}

func hashOf(content []byte) string {
	sum := sha256.Sum256(content)

	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func (p pageSet) write(c *gin.Context, status int, name string, content page) {
	content.Style, content.Script = p.style, p.script

	var rendered bytes.Buffer
	if err := p.templates.ExecuteTemplate(&rendered, name, content); err != nil {
		panic(err) //nolint:forbidigo // A template that cannot show its own page is a mistake of ours.
	}

	header := c.Writer.Header()
	header.Set("Content-Security-Policy", p.policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "strict-origin-when-cross-origin")
	c.Data(status, "text/html; charset=utf-8", rendered.Bytes())
}

// titles are the headings of the error page by status.
var titles = map[int]string{
	http.StatusForbidden:             "This form cannot be sent from here",
	http.StatusNotFound:              "There is no form here",
	http.StatusMethodNotAllowed:      "This address takes submissions",
	http.StatusConflict:              "This was already sent",
	http.StatusGone:                  "This form is closed",
	http.StatusRequestEntityTooLarge: "That is too much",
	http.StatusTooManyRequests:       "A little too fast",
	http.StatusServiceUnavailable:    "Please try again in a moment",
	http.StatusInternalServerError:   "Something went wrong on our side",
}

// codeTitles are the headings where that of the status would say something else.
var codeTitles = map[string]string{
	"submission_deleted": "This was sent before, and deleted",
	"submission_refused": "This was not taken",
}

func titleOf(status int, code string) string {
	return cmp.Or(codeTitles[code], titles[status], "The form needs another look")
}

func (v *Visitors) writeErrorPage(c *gin.Context, status int, failed *fault.Fault) {
	content := page{
		Title: titleOf(status, failed.Code), Message: failed.Message, Issues: failed.Issues, Back: backTo(c.Request),
	}
	if failed.Code == codeValidation {
		content.Issues = sentencesOf(failed.Issues)
	}

	if failed.Kind == fault.Internal {
		content.RequestID = edge.RequestID(c)
	}

	pages.write(c, status, "error.html", content)
}

// codeValidation is the refusal by a schema. Its sentences name the fields as people do, and are in the visitor's language.
const codeValidation = "validation_failed"

// sentencesOf leaves the keys of the fields out, which say nothing to people.
func sentencesOf(issues []fault.Issue) []fault.Issue {
	sentences := make([]fault.Issue, len(issues))
	for i, issue := range issues {
		sentences[i].Message = issue.Message
	}

	return sentences
}

// backTo is the page that the visitor came from, when it is one that a browser can open.
func backTo(r *http.Request) string {
	from, err := url.Parse(r.Referer())
	if err != nil || from.Host == "" || (from.Scheme != "https" && from.Scheme != "http") {
		return ""
	}

	return from.String()
}

// thank is the page after success for forms that name no other.
func (v *Visitors) thank(c *gin.Context) {
	if _, err := v.lookup(c); err != nil && !fault.Has(err, "endpoint_closed") {
		edge.Fail(c, err)
		return
	}

	pages.write(c, http.StatusOK, "thanks.html", page{Title: "Thank you", Back: backTo(c.Request)})
}

// explain answers whoever opens the address of a form in a browser, or asks it for a description. It takes nothing.
func (v *Visitors) explain(c *gin.Context) {
	endpoint, err := v.lookup(c)
	if err != nil {
		edge.Fail(c, err)
		return
	}

	submitURL := v.submitURL(endpoint)

	accept := parseAccept(c.Request.Header.Values("Accept"))
	if saysScript(c.Request) || accept.names("application/json") && !accept.names("text/html") {
		c.JSON(http.StatusOK, map[string]string{"endpoint_id": endpoint.ID, "submit_url": submitURL, "method": "POST"})
		return
	}

	pages.write(c, http.StatusOK, "explain.html",
		page{Title: "This address takes submissions", Endpoint: endpoint.Name, SubmitURL: submitURL})
}

func (v *Visitors) submitURL(endpoint *forms.Endpoint) string { return v.origin + "/f/" + endpoint.ID }
