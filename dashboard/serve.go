package dashboard

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

// Scripts come from our own files alone. Mantine writes style elements while it runs, hence 'unsafe-inline' for styles,
// which can run nothing.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"connect-src 'self'; font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

const (
	forever = "public, max-age=31536000, immutable" // the names of assets change with their content
	checked = "no-cache"                            // kept, and asked for again with its ETag
)

// types are named here, since mime's own table differs between systems, and a script of an unknown type does not run.
var types = map[string]string{
	".html":  "text/html; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".css":   "text/css; charset=utf-8",
	".svg":   "image/svg+xml",
	".json":  "application/json",
	".png":   "image/png",
	".woff2": "font/woff2",
}

type application struct{ files map[string]*file }

// file is one file of the application as it travels.
type file struct {
	plain       []byte
	zipped      func() []byte
	contentType string
	etag        string
}

// New serves an application from the files that `npm run build` makes; index.html is its only page.
func New(built fs.FS) http.Handler {
	app := application{files: map[string]*file{}}

	// A folder that cannot be read is one without an application, which ServeHTTP explains.
	_ = fs.WalkDir(built, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			return err
		}

		content, err := fs.ReadFile(built, name)
		if err == nil {
			app.files[name] = newFile(name, content)
		}

		return err
	})

	return app
}

func newFile(name string, content []byte) *file {
	contentType, known := types[path.Ext(name)]
	if !known {
		contentType = mime.TypeByExtension(path.Ext(name))
	}

	sum := sha256.Sum256(content)

	return &file{
		plain:       content,
		zipped:      sync.OnceValue(func() []byte { return zip(content) }),
		contentType: contentType,
		etag:        `"` + hex.EncodeToString(sum[:12]) + `"`,
	}
}

// ServeHTTP implements http.Handler.
func (app application) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	writeGuards(w.Header())

	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "The dashboard is only read here: use GET.", http.StatusMethodNotAllowed)

		return
	}

	if r.URL.Path == strings.TrimSuffix(Path, "/") {
		http.Redirect(w, r, Path, http.StatusPermanentRedirect)
		return
	}

	name := strings.TrimPrefix(r.URL.Path, Path)
	if found, ok := app.files[name]; ok && name != "index.html" {
		serve(w, r, found, cacheFor(name))
		return
	}

	// Whatever looks like a file and is none is not found; every other address is a page of the application.
	if path.Ext(name) != "" && name != "index.html" {
		http.Error(w, "The dashboard has no such file. Open "+Path+" again.", http.StatusNotFound)
		return
	}

	page, ok := app.files["index.html"]
	if !ok {
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, "This program was built without its dashboard. Run `make build` and start it again.",
			http.StatusServiceUnavailable)

		return
	}

	serve(w, r, page, checked)
}

func writeGuards(header http.Header) {
	header.Set("Content-Security-Policy", contentPolicy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
}

func cacheFor(name string) string {
	if strings.HasPrefix(name, "assets/") {
		return forever
	}

	return checked
}

func serve(w http.ResponseWriter, r *http.Request, f *file, cache string) {
	header := w.Header()
	header.Set("Content-Type", f.contentType)
	header.Set("Cache-Control", cache)
	header.Set("Vary", "Accept-Encoding")

	content, etag := f.plain, f.etag

	if zipped := f.zipped(); acceptsGzip(r) && len(zipped) < len(f.plain) {
		// Another encoding is another representation, which needs a tag of its own (RFC 9110, 8.8.3.3).
		content, etag = zipped, strings.TrimSuffix(f.etag, `"`)+`-gzip"`

		header.Set("Content-Encoding", "gzip")
	}

	header.Set("ETag", etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// acceptsGzip takes the header by its words: a browser lists gzip, and one that does not want it sends gzip;q=0.
func acceptsGzip(r *http.Request) bool {
	for offer := range strings.SplitSeq(strings.Join(r.Header.Values("Accept-Encoding"), ","), ",") {
		coding, weight, _ := strings.Cut(strings.ReplaceAll(offer, " ", ""), ";")
		if strings.EqualFold(coding, "gzip") {
			return strings.Trim(strings.TrimPrefix(weight, "q="), "0.") != "" || weight == ""
		}
	}

	return false
}

func zip(content []byte) []byte {
	var zipped bytes.Buffer

	writer := gzip.NewWriter(&zipped)

	// Writing to memory does not fail.
	_, _ = io.Copy(writer, bytes.NewReader(content))
	_ = writer.Close()

	return zipped.Bytes()
}
