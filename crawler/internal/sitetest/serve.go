package sitetest

import (
	"net/http"
	"slices"
	"testing"
)

// Handler serves the site: the answers of its archive, and for other request targets its
// files, as a simple web server does.
func (s *Site) Handler() http.Handler {
	files := fileServer{s.files}
	if s.Static() {
		return files
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := s.answers[r.RequestURI]
		if a == nil {
			files.ServeHTTP(w, r)
			return
		}
		for name, values := range a.header {
			w.Header()[name] = slices.Clone(values)
		}
		if a.status == http.StatusOK {
			files.ServeHTTP(w, r)
			return
		}
		name, _ := fileName(r)
		files.answer(w, a.status, name)
	})
}

// Serve serves the site on a loopback port until the test ends. The URL does not end with a
// slash.
func (s *Site) Serve(t testing.TB) (baseURL string, log *RequestLog) {
	t.Helper()
	return Serve(t, s.Handler())
}
