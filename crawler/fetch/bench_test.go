package fetch

import (
	"io"
	"net/http"
	"testing"

	"github.com/orbweaver/orbweaver/urinorm"
)

func BenchmarkSiteFetch(b *testing.B) {
	dir := writeTree(b, "index.html", "guide/install/page.html="+string(page[:20_000]), "guide/install/index.html")
	site := openSite(b, "https://example.com/", dir, HostAuto)
	for name, row := range map[string]struct {
		path string
		need Need
	}{
		"content":   {"guide/install/page.html", Content},
		"existence": {"guide/install/page.html", Existence},
		"directory": {"guide/install/", Content},
		"redirect":  {"guide/install", Content},
		"missing":   {"guide/install/gone.html", Content},
	} {
		b.Run(name, func(b *testing.B) {
			req := &Request{URL: mustParse(b, "https://example.com/"+row.path), Need: row.need}
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

func BenchmarkHTTP(b *testing.B) {
	body := page[:10_000]
	server, _ := serve(b, nil)
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write(body) })
	h := newHTTP(b, HTTPConfig{})
	u := mustParse(b, server.URL+"/page.html")
	for name, need := range map[string]Need{"GET": Content, "HEAD": Existence} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := get(b, h, u, need); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}

func get(b *testing.B, h *HTTP, u urinorm.URL, need Need) error {
	resp, err := h.Fetch(b.Context(), &Request{URL: u, Need: need, Internal: true})
	if err != nil || resp.Body == nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	return err
}
