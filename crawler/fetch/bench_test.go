package fetch

import (
	"io"
	"net/http"
	"testing"

	"github.com/orbweaver/orbweaver/urinorm"
)

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

func get(b testing.TB, h *HTTP, u urinorm.URL, need Need) error {
	resp, err := h.Fetch(b.Context(), &Request{URL: u, Need: need, Internal: true})
	if err != nil || resp.Body == nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	return err
}
