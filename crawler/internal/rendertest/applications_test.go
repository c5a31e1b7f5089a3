package rendertest

import (
	"archive/zip"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
)

// TestApplications crawls applications built with React, Vue and Svelte (testdata/README.md), the first
// with each mode, the others with one of them, or in the long form with each. The reports of one tab
// and of four are equal, and --render auto finds what always does.
func TestApplications(t *testing.T) {
	auto, always := []crawler.RenderMode{crawler.RenderAuto}, []crawler.RenderMode{crawler.RenderAlways}
	both := slices.Concat(auto, always)
	for name, modes := range map[string][]crawler.RenderMode{"react": both, "vue": auto, "svelte": always} {
		if crawlertest.Long() {
			modes = both
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files, err := zip.OpenReader(filepath.Join("testdata", name+".zip"))
			if err != nil {
				t.Fatal(err)
			}
			defer files.Close()
			root, log := sitetest.Serve(t, http.FileServer(http.FS(files)))
			root = strings.TrimSuffix(root, "/") + "/"
			tabs := map[crawler.RenderMode]int{crawler.RenderAuto: 1, crawler.RenderAlways: 4}
			var reports []string
			for _, mode := range modes {
				before := len(log.Lines())
				s, sum := crawlURL(t, root, crawler.Config{Render: crawler.Render{Mode: mode, Renderer: newCounted(t, tabs[mode])}})
				for _, want := range []string{
					"/#/doc/guide ok ok", "/#/doc/api ok ok", "/missing-from-data.html broken http-404", "/lazy-gone.html broken http-404", "/logo.png broken http-404",
					"/about.html#team ok ok", "/about.html#nobody broken fragment-missing", "\tsoft-404: the view shows the same text as a made-up view",
					"\t/#/doc/guide rendered #doc > a:nth-of-type(1) a href \"missing-from-data.html\" missing-from-data.html",
				} {
					if !s.has(want) {
						t.Errorf("the report has no line %q:\n%s", want, strings.Join(s.lines, "\n"))
					}
				}
				seen := map[string]bool{}
				for _, line := range log.Lines()[before:] {
					if strings.HasPrefix(line, "GET ") && seen[line] {
						t.Errorf("%s was sent twice", line)
					}
					seen[line] = true
				}
				reports = append(reports, fmt.Sprintf("%s\n%d pages, %v", strings.Join(s.lines, "\n"), sum.Pages, sum.ByCode))
			}
			if len(slices.Compact(reports)) > 1 {
				t.Errorf("with auto, one tab:\n%s\nwith always, four tabs:\n%s", reports[0], reports[1])
			}
		})
	}
}
