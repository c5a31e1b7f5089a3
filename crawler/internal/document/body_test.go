package document

import (
	"io"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/internal/buffers"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/urinorm"
)

// TestTake: plain text is read when the user names it, not when a page leads there. The file that
// a user names is read to its end unless its length is limited expressly; one of a site is not.
func TestTake(t *testing.T) {
	u, _, _ := urinorm.ParseWeb("https://0.site.invalid/")
	site, err := disk.OpenSite(disk.SiteConfig{Base: u, Dir: t.TempDir(), Synthetic: true})
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	const page, notes = "<p>text</p><a href=gone.html>gone</a>", "http://example.com/gone"
	for _, row := range []struct {
		what, kind, body   string
		seed, given, crawl bool
		read, cut          bool
	}{
		{"text on the way", "text/plain", notes, false, false, false, false, false},
		{"named text", "text/plain", notes, true, false, false, true, false},
		{"a page on the way", "text/html", page, false, false, false, true, true},
		{"a named page", "text/html", page, true, false, false, true, false},
		{"a named page with a limit", "text/html", page, true, true, false, true, true},
		{"a page of a site", "text/html", page, true, false, true, true, true},
	} {
		scope := scope.New(scope.Settings{Rules: &scope.Rules{}, Sites: []*disk.Site{site}}, []scope.Seed{{URL: u, Follow: true, Crawl: row.crawl}})
		d := &Document{Target: Target{Scope: scope, Seed: row.seed, Follow: true}, Outcome: judging.Outcome{Code: check.CodeOK},
			Response: &fetch.Response{Path: "file", ContentType: row.kind, Size: int64(len(row.body)), Body: io.NopCloser(strings.NewReader(row.body))}}
		d.URL, _, _ = urinorm.ParseWeb(u.String() + "file")
		r := NewReader(Settings{MaxBody: 30, MaxBodyGiven: row.given}, &buffers.Pool{})
		if read := r.Take(d, true); read != row.read || d.Outcome.Incomplete() != row.cut {
			t.Errorf("%s: read: %t, cut: %t, %q", row.what, read, d.Outcome.Incomplete(), d.Body)
		}
	}
}
