package crawlertest

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var generatedLinks = regexp.MustCompile(`<a href="/([^"#]*)(?:#([^"]*))?"`)

func TestGenerateIsDeterministic(t *testing.T) {
	a, b, c := Generate(1, 5000, 10), Generate(1, 5000, 10), Generate(2, 5000, 10)
	for _, page := range []int{0, 1, 999, 1000, 4999} {
		if !bytes.Equal(a.appendPage(nil, page), b.appendPage(nil, page)) {
			t.Errorf("page %d differs between equal sites", page)
		}
		if bytes.Equal(a.appendPage(nil, page), c.appendPage(nil, page)) {
			t.Errorf("page %d is the same with another seed", page)
		}
	}
	for _, path := range []string{"/d0/p0.html", "/d1/p1.html", "/d0/p1", "/d0/p+1.html", "/d5/p5000.html", "/d0/", "/missing/1.html"} {
		if status, _, _ := ask(t, a, "GET", path); status != 404 {
			t.Errorf("%s: %d", path, status)
		}
	}
	if status, header, body := ask(t, a, "HEAD", "/d0/p1.html"); status != 200 || body != "" || header.Get("Content-Length") == "0" {
		t.Errorf("HEAD: %d, %q, %v", status, body, header)
	}
}

func TestGenerateWriteDir(t *testing.T) {
	g, dir := Generate(3, 2001, 4), t.TempDir()
	if err := g.WriteDir(dir); err != nil {
		t.Fatal(err)
	}
	for _, page := range []int{0, 1, 1000, 2000} {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(g.path(page))))
		if err != nil || !bytes.Equal(data, g.appendPage(nil, page)) {
			t.Errorf("page %d: %v", page, err)
		}
	}
	if err := g.WriteDir(filepath.Join(dir, "index.html")); err == nil {
		t.Error("a file was written to as a directory")
	}
}

func BenchmarkGenerate(b *testing.B) {
	const pages = 1_000_000
	g := Generate(1, pages, 100)
	var page []byte
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		page = g.appendPage(page[:0], i%pages)
		i++
	}
	b.SetBytes(int64(len(page)))
}

// ask requests a target from a handler.
func ask(t *testing.T, h http.Handler, method, target string) (status int, header http.Header, body string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	return w.Code, w.Header(), w.Body.String()
}
