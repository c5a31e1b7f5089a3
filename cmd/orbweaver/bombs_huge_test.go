package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// hugeMemory is the memory of a run with --max-body 100MiB, in MB.
const hugeMemory = 512

var hugeBombs = []bomb{
	{name: "huge pages", memory: hugeMemory, flags: []string{"--max-body", "100MiB"}, ends: "complete", serve: serveHugePages},
	{name: "evidence of huge pages", short: true, memory: hugeMemory, ends: "complete", setup: func(t *testing.T, b *bomb) string {
		b.flags = []string{"--max-body", "100MiB", "--replay", keepHugePages(t)}
		return "http://site.example/"
	}},
	{name: "evidence of 300,000 pages", ends: "trap", setup: func(t *testing.T, b *bomb) string {
		b.flags = []string{"--replay", keepManyPages(t)}
		return "http://site.example/0"
	}},
	{name: "300,000 missing files", ends: "complete", setup: func(t *testing.T, _ *bomb) string {
		dir := t.TempDir()
		var page bytes.Buffer
		for i := range 300_000 {
			fmt.Fprintf(&page, "<a href=p%d>", i)
		}
		if err := os.WriteFile(filepath.Join(dir, "index.html"), page.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return dir
	}},
}

// hugePage is a page of 64 MiB in ISO 8859-1, which takes more memory when it is decoded to UTF-8.
var hugePage = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.CopyN(z, repeated("<p>\xe4\xe4\xe4\xe4\xe4\xe4 text "), 64<<20)
	z.Close()
	return b.Bytes()
})

// serveHugePages serves a page with links to six huge ones.
func serveHugePages(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/" {
		writeLinks(w, 6, func(i uint64) string { return fmt.Sprintf("/%d", i) })
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
	w.Header().Set("Content-Encoding", "gzip")
	w.Write(hugePage())
}

// keepHugePages writes a WARC file with the answers of serveHugePages, and returns its name.
func keepHugePages(t *testing.T) string {
	var file bytes.Buffer
	for _, path := range []string{"/", "/0", "/1", "/2", "/3", "/4", "/5"} {
		answer, url := httptest.NewRecorder(), "http://site.example"+path
		serveHugePages(answer, httptest.NewRequest(http.MethodGet, url, nil))
		writeRecord(t, gzip.NewWriter(&file), &file, url, answer)
	}
	name := filepath.Join(t.TempDir(), "huge.warc.gz")
	if err := os.WriteFile(name, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// keepManyPages writes a WARC file of 300,000 pages, each with a link to the next one, and returns its name.
func keepManyPages(t *testing.T) string {
	var file bytes.Buffer
	z := gzip.NewWriter(&file)
	for i := range 300_000 {
		answer := httptest.NewRecorder()
		answer.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(answer, "<a href=%d>x</a>", i+1)
		writeRecord(t, z, &file, fmt.Sprint("http://site.example/", i), answer)
	}
	name := filepath.Join(t.TempDir(), "many.warc.gz")
	if err := os.WriteFile(name, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// writeRecord writes the record of an answer to a WARC file.
func writeRecord(t *testing.T, z *gzip.Writer, file *bytes.Buffer, url string, answer *httptest.ResponseRecorder) {
	var block bytes.Buffer
	if err := answer.Result().Write(&block); err != nil {
		t.Fatal(err)
	}
	z.Reset(file)
	fmt.Fprintf(z, "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:%s>\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Target-URI: %[1]s\r\n"+
		"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", url, block.Len(), block.Bytes())
	z.Close()
}
