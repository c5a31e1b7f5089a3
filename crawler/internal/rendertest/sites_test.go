package rendertest

import (
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler"
)

var (
	sites  = flag.String("sites", "", "a directory with sites, one in each directory, for TestSites")
	always = flag.Bool("always", false, "TestSites also renders all pages")
)

// TestSites measures what rendering finds on sites, and how many pages it renders. It is run
// by hand.
func TestSites(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join(*sites, "*", ""))
	if err != nil || *sites == "" {
		t.Skip("measures sites that are given with -sites")
	}
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue
		}
		server := httptest.NewServer(http.FileServer(http.Dir(dir)))
		root := server.URL + "/"
		if _, err := os.Stat(filepath.Join(dir, "index.html")); err != nil {
			root += "std/index.html"
		}
		count := func(mode crawler.RenderMode) {
			browser := newCounted(t, 4)
			s, sum := crawlURL(t, root, crawler.Config{Render: crawler.Render{Mode: mode, Renderer: browser}, Scope: crawler.ScopeRules{External: crawler.SkipExternal}})
			made := 0
			for _, line := range s.lines {
				if strings.Contains(line, " rendered ") {
					made++
				}
			}
			t.Logf("%-10s %-7s %4d pages, %3d rendered, %5d targets, %5d references, %4d of them rendered, %v", filepath.Base(dir), [...]string{"", "never", "auto", "always"}[mode],
				sum.Pages, len(browser.urls), sum.Results, sum.References, made, sum.ByCode)
		}
		count(crawler.RenderNever)
		count(crawler.RenderAuto)
		if *always {
			count(crawler.RenderAlways)
		}
		server.Close()
	}
}
