package servetest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPageSizes holds what a first visit costs: a page with its styles and scripts has at most 100 kB
// as sent, and no page more than 300 kB unpacked.
func TestPageSizes(t *testing.T) {
	site := t.TempDir()
	for n := range 101 {
		var page strings.Builder
		fmt.Fprintf(&page, "<!doctype html><title>Page %d with a title of some length</title>", n)
		for k := range 60 {
			fmt.Fprintf(&page, `<a href="a-directory-with-a-name-of-some-length/missing-%d-%d.html">a link</a> <a href="p%d.html">next</a>`, n, k, k)
		}
		if err := os.WriteFile(filepath.Join(site, fmt.Sprintf("p%d.html", n)), []byte(page.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, t.TempDir(), "--files", site)
	project := s.create(object{"targets": []string{site}})
	run := s.checked(project)
	issue := s.items("runs/" + run + "/issues?verdict=broken")[0]["id"].(string)
	page := s.items("runs/" + run + "/pages?sort=broken")[0]["url"].(string)
	plain := func(path string) []byte {
		return wants(t, path, s.send("GET", path, nil, header("Accept-Encoding", "identity")), 200).body
	}
	sent := func(path string) int {
		a := wants(t, path, s.send("GET", path, nil, header("Accept-Encoding", "br;q=1, GZIP;q=0.5")), 200)
		if a.header.Get("Content-Encoding") != "gzip" {
			return len(a.body) // it is short
		}
		r, err := gzip.NewReader(bytes.NewReader(a.body))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil || a.header.Get("Vary") != "Accept-Encoding" || !bytes.Equal(text, plain(path)) {
			t.Errorf("%s unpacked is another text, %v: %v", path, err, a.header)
		}
		return len(a.body)
	}
	assets := regexp.MustCompile(`(?:src|href)="(static/[^"]+)"`)
	for _, path := range []string{"", "projects/" + project, "projects/" + project + "/settings", "runs/" + run, "runs/" + run + "/findings", "runs/" + run + "/findings?view=links", "runs/" + run + "/findings?by=page",
		"runs/" + run + "/findings/" + s.items("runs/" + run + "/findings?limit=1")[0]["id"].(string), "runs/" + run + "/issues/" + issue, "runs/" + run + "/pages", "runs/" + run + "/pages/view?show=all&url=" + page,
		"runs/" + run + "/compare", "runs/" + run + "/map", "settings"} {
		text := plain(path)
		if len(text) > 300_000 {
			t.Errorf("%s has %d bytes", path, len(text))
		}
		whole := sent(path)
		for _, match := range assets.FindAllSubmatch(text, -1) {
			whole += sent(string(match[1]))
		}
		if whole > 100_000 {
			t.Errorf("a first visit to %s takes %d bytes", path, whole)
		}
		t.Logf("%s: %d bytes, first visit %d", path, len(text), whole)
	}
	if a := s.send("GET", "settings", nil, header("Accept-Encoding", "gzip;q=0")); a.header.Get("Content-Encoding") != "" {
		t.Errorf("a client that refuses gzip gets %v", a.header)
	}
}
