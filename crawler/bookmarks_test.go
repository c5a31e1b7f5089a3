//go:build !race

package crawler

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/internal/document"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// A long bookmark file is read piece by piece, and its links are entered in lots. The
// results are those of a file that is read as a whole, and each of its bookmarks takes
// no more than so many bytes, dead or alive.
func TestLongBookmarkFile(t *testing.T) {
	const count, most = 30_000, 1600
	var b strings.Builder
	b.WriteString("<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<META charset=utf-8>\n<TITLE>T</TITLE>\n<H1>R</H1>\n<DL><p>\n")
	for i := range count {
		ref := fmt.Sprintf("https://host%d.example/page-%d", i%100, i-i%3) // two of three repeat it
		if i%10 == 0 {
			ref = fmt.Sprintf("missing-%d.html#part", i)
		}
		fmt.Fprintf(&b, "    <DT><A HREF=\"%s\" ADD_DATE=\"1700000000\" ICON=\"data:image/png;base64,%s\">Tïtle &amp; %d</A>\n", ref, strings.Repeat("A", 60), i)
	}
	b.WriteString("</DL><p>\n")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "bookmarks.html"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if b.Len() < 4*document.MaxShell {
		t.Fatalf("%d bytes are not long", b.Len())
	}
	read := func(whole bool, show result.Show) (c *collector, sum *result.Summary, bytes uint64) {
		cfg, seeds := onDisk(t, dir)
		cfg.Scope.External, cfg.Deliver.Show, cfg.Deliver.Pages = SkipExternal, show, whole // who wants the pages told wants all their links
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c, sum = crawl(t, cfg, seeds)
		runtime.ReadMemStats(&after)
		return c, sum, (after.TotalAlloc - before.TotalAlloc) / count
	}
	pieces, sum, _ := read(false, showAll())
	whole, _, _ := read(true, showAll())
	if sum.References != count || sum.Broken != count/10 {
		t.Errorf("%d references, %d broken", sum.References, sum.Broken)
	}
	if len(pieces.results) != len(whole.results) {
		t.Fatalf("%d results, want %d", len(pieces.results), len(whole.results))
	}
	for i, r := range pieces.results {
		want := *whole.results[i]
		want.Elapsed = r.Elapsed
		if !reflect.DeepEqual(*r, want) {
			t.Fatalf("%+v\nwant %+v", *r, want)
		}
	}
	_, _, got := read(false, result.Show{None: true})
	_, _, all := read(true, result.Show{None: true})
	t.Logf("%d bytes for each bookmark, %d in a file that is read as a whole", got, all)
	if got > most {
		t.Errorf("%d bytes for each bookmark of %d", got, b.Len()/count)
	}
}
