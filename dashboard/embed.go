// Package dashboard holds the tenants' web application, built into the program, and serves it.
package dashboard

import (
	"embed"
	"io/fs"
	"net/http"
)

// The folder is built by `make build` and not committed; .keep lets the package compile before that.
//
//go:embed all:dist
var embedded embed.FS

// Path is where the application lives. Its pages and files name each other by it, so that it cannot be moved.
const Path = "/dashboard/"

// Handler serves the application below Path, and sends Path without its last slash there. It answers GET and HEAD; a
// program that was built without the application says how to build it, with status 503.
func Handler() http.Handler {
	built, err := fs.Sub(embedded, "dist")
	if err != nil {
		built = embedded // the name is a constant and valid, so that this does not happen; an empty page would tell
	}

	return New(built)
}
