package admit

import (
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// An index may list full sitemaps, and a sitemap that other sitemaps list ends at its limit.
func TestSitemapLimits(t *testing.T) {
	const full = 50_000
	var l Sitemaps
	if _, ok := l.Admit(1, IndexSitemap, full); !ok {
		t.Fatal("a full index is not admitted")
	}
	l.List(IndexSitemap, []frontier.ID{2, 3})
	for id := range frontier.ID(40) {
		if pattern, ok := l.Admit(2+id, URLSitemap, full); !ok {
			t.Fatalf("sitemap %d of two million URLs is not admitted: %s", id, pattern)
		}
	}
	if _, cut := l.cut(3); cut {
		t.Error("a target of the index is left out within the limits")
	}
	if pattern, ok := l.Admit(99, URLSitemap, full); ok || !strings.Contains(pattern, "2000000 URLs") {
		t.Errorf("more than two million URLs: %q, %v", pattern, ok)
	}

	var nested Sitemaps
	nested.List(URLSitemap, []frontier.ID{1, 2, 3, 4})
	for id := range frontier.ID(2) {
		if _, ok := nested.Admit(1+id, URLSitemap, full); !ok {
			t.Fatal("a sitemap that is listed as a page is not admitted")
		}
	}
	if _, cut := nested.cut(4); cut {
		t.Error("a target is left out within the limits")
	}
	if pattern, ok := nested.Admit(3, URLSitemap, full); ok || !strings.Contains(pattern, "100000 sitemaps") {
		t.Errorf("sitemaps of sitemaps: %q, %v", pattern, ok)
	}
	if _, cut := nested.cut(4); !cut {
		t.Error("a target that nested sitemaps list is requested")
	}
}
