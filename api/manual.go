package api

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"sync"

	"github.com/gin-gonic/gin"
)

//go:embed manual
var manualFiles embed.FS

// manual is the readable page of the contract, made once from the document itself and from nothing else.
type manual struct {
	page   []byte
	policy string
}

var openManual = sync.OnceValue(func() manual {
	style, _ := manualFiles.ReadFile("manual/style.css")
	page := template.Must(template.ParseFS(manualFiles, "manual/page.html"))

	var rendered bytes.Buffer

	err := page.Execute(&rendered, struct {
		chapters

		Style template.CSS
	}{readChapters(Contract), template.CSS(style)}) //nolint:gosec // our own file
	if err != nil {
		panic(err) //nolint:forbidigo // A contract that its own page cannot show is a mistake of ours, and a test opens it.
	}

	sum := sha256.Sum256(style)

	return manual{
		page: rendered.Bytes(),
		policy: "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'sha256-" +
			base64.StdEncoding.EncodeToString(sum[:]) + "'",
	}
})

// serveManual shows the contract to people. It needs no script and no credential.
func serveManual(c *gin.Context) {
	made := openManual()

	header := c.Writer.Header()
	header.Set("Content-Security-Policy", made.policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "public, max-age=300")
	c.Data(http.StatusOK, "text/html; charset=utf-8", made.page)
}
