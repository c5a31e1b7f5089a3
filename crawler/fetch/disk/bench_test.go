package disk

import (
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/fetch"
)

func BenchmarkSiteFetch(b *testing.B) {
	dir := writeTree(b, "index.html", "guide/install/page.html="+strings.Repeat("x", 20_000), "guide/install/index.html")
	site := openSite(b, "https://example.com/", dir, hostAuto)
	for name, row := range map[string]struct {
		path string
		need fetch.Need
	}{
		"content":   {"guide/install/page.html", fetch.Content},
		"existence": {"guide/install/page.html", fetch.Existence},
		"directory": {"guide/install/", fetch.Content},
		"redirect":  {"guide/install", fetch.Content},
		"missing":   {"guide/install/gone.html", fetch.Content},
	} {
		b.Run(name, func(b *testing.B) {
			req := &fetch.Request{URL: mustParse(b, "https://example.com/"+row.path), Need: row.need}
			buffer := make([]byte, 64<<10)
			b.ReportAllocs()
			for b.Loop() {
				resp, err := site.Fetch(b.Context(), req)
				if err != nil || resp.Body == nil {
					continue
				}
				for {
					if _, err := resp.Body.Read(buffer); err != nil {
						break
					}
				}
				resp.Body.Close()
			}
		})
	}
}
