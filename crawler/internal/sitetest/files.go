package sitetest

import (
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// indexName is the file that is served for a directory.
const indexName = "index.html"

// fileServer serves files as a simple web server does. For a directory it serves
// index.html, and redirects (301) if the slash at the end of the path is missing; there are
// no listings. The content type depends on the extension. For a missing file it serves
// 404.html, if there is one. It answers range requests and conditional requests.
type fileServer struct{ files fs.FS }

// ServeHTTP implements http.Handler.
func (s fileServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
	case slash: // a file with a slash after its name
		s.notFound(w)
	default:
		s.file(w, r, name)
	}
}

// fileName returns the file that a request names, "." for the root, and whether a slash
// follows its name. Dot segments and empty segments are removed.
func fileName(r *http.Request) (name string, slash bool) {
	clean := path.Clean("/" + r.URL.Path)
	name = strings.TrimPrefix(clean, "/")
	if name == "" {
		return ".", true
	}
	return name, strings.HasSuffix(r.URL.Path, "/")
}

// redirectToDirectory redirects to the name with a slash, if there is an index file.
func (s fileServer) redirectToDirectory(w http.ResponseWriter, r *http.Request, name string) {
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
func (s fileServer) file(w http.ResponseWriter, r *http.Request, name string) {
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

// notFound answers 404, with 404.html if there is one.
func (s fileServer) notFound(w http.ResponseWriter) { s.answer(w, http.StatusNotFound, "404.html") }

// answer sends a status with a file as the body, or a line of HTML if there is no such
// file.
func (s fileServer) answer(w http.ResponseWriter, status int, name string) {
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
	_, _ = w.Write(body) // the client may have disconnected; for HEAD nothing is sent
}

// contentTypes are the usual content types by extension. They have no charset, so that
// pages declare it themselves, as in a directory.
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
