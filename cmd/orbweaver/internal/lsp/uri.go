package lsp

import (
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/workspace"
)

// pathOfURI returns the path of a file URI; ok is false for a URI of another scheme or host.
func pathOfURI(uri string) (path string, ok bool) {
	u, err := url.Parse(uri)
	if err != nil || !strings.EqualFold(u.Scheme, "file") || u.Host != "" && u.Host != "localhost" || u.Path == "" || strings.ContainsRune(u.Path, 0) {
		return "", false
	}
	path = u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.Clean(filepath.FromSlash(path)), filepath.IsAbs(filepath.FromSlash(path))
}

// placeOf returns the path of a document: for one of another scheme, which has no location, a relative
// one of its own that names no file.
func placeOf(uri string) string {
	if path, ok := pathOfURI(uri); ok {
		return path
	}
	return filepath.Join("uri-"+url.QueryEscape(uri), workspace.Unlocated)
}

func uriOfPath(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
