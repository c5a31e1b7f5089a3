//go:build !race

package crawler

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
)

// A page of many megabytes, of a hundred thousand links, nested deeply: findings, and bounded memory.
func TestMonsters(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("long.html", strings.Repeat("x", 12<<20)+"<a href=missing-after-the-limit.html>")
	write("many.html", strings.Repeat("<a href=many.html#no>x</a>\n", 100_000))
	write("deep.html", strings.Repeat("<div>", 100_000)+"<a href=missing.html>x</a>")
	write("bytes.html", "<a href='\x00\xff\xfe.html'>\x00</a><a id=\xff href=#\xff>")
	cfg, seeds := onDisk(t, dir)
	c, sum := crawl(t, cfg, seeds)
	if r := c.find("missing.html"); r == nil || r.Code != check.CodeFileMissing {
		t.Errorf("the link in the deep page = %+v", r)
	}
	if r := c.find("many.html#no"); r == nil || r.Code != check.CodeFragmentMissing || len(r.References) != 100_000 {
		t.Errorf("many.html#no was not found missing at all its places")
	}
	if r := c.find("missing-after-the-limit.html"); r != nil {
		t.Errorf("a link behind the limit was read: %+v", r)
	}
	if r := c.find("long.html"); r == nil || len(r.Warnings) != 1 || r.Warnings[0].Code != check.CodeBodyTruncated {
		t.Errorf("long.html = %+v, want the warning that it was cut", r)
	}
	if sum.Pages != 4 {
		t.Errorf("%d pages were read, want 4", sum.Pages)
	}
}
