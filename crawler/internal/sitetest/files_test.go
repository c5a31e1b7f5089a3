package sitetest

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

func TestFileServer(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	write := func(name, data string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "index.html"), "root")
	write(filepath.Join(dir, "sub dir", "index.html"), "sub")
	write(filepath.Join(dir, "files", "data.bin"), "0123456789")
	write(filepath.Join(dir, "files", "a#b%.TXT"), "odd")
	write(filepath.Join(outside, "index.html"), "outside")
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "none"), filepath.Join(dir, "dangling")); err != nil {
		t.Fatal(err)
	}
	const notFound = "<!doctype html><title>404</title><h1>404 Not Found</h1>\n"
	tests := []struct {
		method, target string
		status         int
		header, value  string
		body           string
	}{
		{"GET", "/", 200, "Content-Type", "text/html", "root"},
		{"HEAD", "/", 200, "Content-Length", "4", ""},
		{"GET", "/index.html", 200, "Content-Type", "text/html", "root"},
		{"GET", "/?q", 200, "Content-Type", "text/html", "root"},
		{"GET", "/sub%20dir/", 200, "Content-Type", "text/html", "sub"},
		{"GET", "/sub%20dir", 301, "Location", "/sub%20dir/", "<!doctype html><title>301</title><h1>301 Moved Permanently</h1>\n"},
		{"GET", "/sub%20dir?a=b", 301, "Location", "/sub%20dir/?a=b", "<!doctype html><title>301</title><h1>301 Moved Permanently</h1>\n"},
		{"GET", "//sub%20dir", 301, "Location", "/sub%20dir/", "<!doctype html><title>301</title><h1>301 Moved Permanently</h1>\n"},
		{"GET", "//sub%20dir//index.html", 200, "Content-Type", "text/html", "sub"},
		{"GET", "/files/", 404, "Content-Type", "text/html", notFound},
		{"GET", "/files", 404, "Location", "", notFound},
		{"GET", "/files/data.bin", 200, "Content-Type", "application/octet-stream", "0123456789"},
		{"GET", "/files/data.bin/", 404, "Content-Type", "text/html", notFound},
		{"GET", "/files/a%23b%25.TXT", 200, "Content-Type", "text/plain", "odd"},
		{"GET", "/Files/data.bin", 404, "Content-Type", "text/html", notFound},
		{"GET", "/link", 301, "Location", "/link/", "<!doctype html><title>301</title><h1>301 Moved Permanently</h1>\n"},
		{"GET", "/link/", 200, "Content-Type", "text/html", "outside"},
		{"GET", "/dangling", 404, "Content-Type", "text/html", notFound},
		{"GET", "/a/../../../etc/passwd", 404, "Content-Type", "text/html", notFound},
		{"GET", "/%00", 404, "Content-Type", "text/html", notFound},
		{"GET", "/%FF", 404, "Content-Type", "text/html", notFound},
		{"POST", "/", 405, "Allow", "GET, HEAD", "<!doctype html><title>405</title><h1>405 Method Not Allowed</h1>\n"},
	}
	h := fileServer{os.DirFS(dir)}
	for _, tt := range tests {
		status, header, body := ask(t, h, tt.method, tt.target)
		if status != tt.status || header.Get(tt.header) != tt.value || body != tt.body {
			t.Errorf("%s %s: %d, %s: %q, %q", tt.method, tt.target, status, tt.header, header.Get(tt.header), body)
		}
	}

	status, _, body := ask(t, h, "GET", "/files/data.bin", "Range", "bytes=2-4")
	if status != http.StatusPartialContent || body != "234" {
		t.Errorf("range: %d, %q", status, body)
	}
	_, header, _ := ask(t, h, "GET", "/")
	status, _, _ = ask(t, h, "GET", "/", "If-Modified-Since", header.Get("Last-Modified"))
	if status != http.StatusNotModified {
		t.Errorf("conditional: %d", status)
	}
}
