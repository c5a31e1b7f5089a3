package crawlertest

import (
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"strings"
	"time"
)

// indexName answers for a directory.
const indexName = "index.html"

// FileServer serves a directory as plain web servers do: a directory by its
// index.html and never by a listing, its name without a slash by a redirect (301)
// to the name with one, letter case exact, the type by the extension, 404.html, if
// there is one, for what is not there. Ranges and conditional requests are
// answered. Symbolic links are followed wherever they lead.
func FileServer(dir string) http.Handler { return static{os.DirFS(dir)} }

// static serves files.
type static struct{ files fs.FS }

func (s static) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		s.answer(w, http.StatusMethodNotAllowed, "")
		return
	}
	name, slash := fileName(r)
	info, err := fs.Stat(s.files, name)
	switch {
	case err != nil:
		s.notFound(w)
	case info.IsDir() && !slash:
		s.redirectToDirectory(w, r, name)
	case info.IsDir():
		s.file(w, r, path.Join(name, indexName))
	case slash: // a file is no directory
		s.notFound(w)
	default:
		s.file(w, r, name)
	}
}

// fileName is the file a request names, "." for the root, and whether a slash
// stands at its end. Dot segments and empty segments are taken out, as servers do.
func fileName(r *http.Request) (name string, slash bool) {
	clean := path.Clean("/" + r.URL.Path)
	name = strings.TrimPrefix(clean, "/")
	if name == "" {
		return ".", true
	}
	return name, strings.HasSuffix(r.URL.Path, "/")
}

// redirectToDirectory adds the slash, unless nothing would answer there.
func (s static) redirectToDirectory(w http.ResponseWriter, r *http.Request, name string) {
	if _, err := fs.Stat(s.files, path.Join(name, indexName)); err != nil {
		s.notFound(w)
		return
	}
	location := "/" + strings.TrimLeft(r.URL.EscapedPath(), "/") + "/"
	if r.URL.RawQuery != "" {
		location += "?" + r.URL.RawQuery
	}
	w.Header().Set("Location", location)
	s.answer(w, http.StatusMovedPermanently, "")
}

// file serves one file.
func (s static) file(w http.ResponseWriter, r *http.Request, name string) {
	f, err := s.files.Open(name)
	if err != nil {
		s.notFound(w)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	content, seekable := f.(io.ReadSeeker)
	if err != nil || info.IsDir() || !seekable {
		s.notFound(w)
		return
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", contentType(name))
	}
	modified := info.ModTime()
	if modified.Before(time.Unix(0, 0)) {
		modified = time.Time{}
	}
	http.ServeContent(w, r, name, modified, content)
}

// notFound answers 404 with the site's own page for it, if there is one.
func (s static) notFound(w http.ResponseWriter) { s.answer(w, http.StatusNotFound, "404.html") }

// answer gives a status with a file as its body, or with a line of HTML when there
// is no such file.
func (s static) answer(w http.ResponseWriter, status int, name string) {
	body, err := fs.ReadFile(s.files, name)
	if err != nil {
		name = indexName
		body = fmt.Appendf(nil, "<!doctype html><title>%[1]d</title><h1>%[1]d %[2]s</h1>\n", status, http.StatusText(status))
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", contentType(name))
	}
	if status == http.StatusNoContent || status == http.StatusNotModified {
		w.Header().Del("Content-Type")
		body = nil
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may have left; for HEAD nothing is sent
}

// contentTypes are the types by extension that web servers come with. No charset
// is given: pages say it themselves, as in a directory.
var contentTypes = map[string]string{
	".html": "text/html", ".htm": "text/html", ".xhtml": "application/xhtml+xml",
	".css": "text/css", ".js": "text/javascript", ".mjs": "text/javascript", ".json": "application/json",
	".xml": "text/xml", ".rss": "application/rss+xml", ".atom": "application/atom+xml",
	".txt": "text/plain", ".md": "text/markdown", ".vtt": "text/vtt", ".ics": "text/calendar",
	".webmanifest": "application/manifest+json",
	".svg":         "image/svg+xml", ".png": "image/png", ".gif": "image/gif", ".jpg": "image/jpeg", ".jpeg": "image/jpeg",
	".webp": "image/webp", ".avif": "image/avif", ".ico": "image/x-icon",
	".mp3": "audio/mpeg", ".ogg": "audio/ogg", ".mp4": "video/mp4", ".webm": "video/webm",
	".woff": "font/woff", ".woff2": "font/woff2", ".ttf": "font/ttf",
	".pdf": "application/pdf", ".zip": "application/zip", ".gz": "application/gzip", ".wasm": "application/wasm",
}

func contentType(name string) string {
	if t := contentTypes[strings.ToLower(path.Ext(name))]; t != "" {
		return t
	}
	return "application/octet-stream"
}
