package crawlertest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// Handler serves the site: the answers of its archive first, then its files as a
// plain web server would (FileServer).
func (s *Site) Handler() http.Handler {
	files := static{s.files}
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

// Serve serves the site on a loopback port until the test ends. The URL has no
// slash at its end.
func (s *Site) Serve(t testing.TB) (baseURL string, log *RequestLog) {
	t.Helper()
	return Serve(t, s.Handler())
}

// Serve runs a handler on a loopback port until the test ends.
func Serve(t testing.TB, handler http.Handler) (baseURL string, log *RequestLog) {
	t.Helper()
	log = &RequestLog{handler: handler}
	server := httptest.NewServer(log)
	t.Cleanup(server.Close)
	return server.URL, log
}

// RequestLog counts the requests a server got. It is safe for concurrent use.
type RequestLog struct {
	handler http.Handler

	mu     sync.Mutex
	counts map[request]int
	total  int
}

// request is a method and a target as it came over the wire, query included.
type request struct{ method, target string }

// ServeHTTP counts a request and passes it on.
func (l *RequestLog) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	if l.counts == nil {
		l.counts = map[request]int{}
	}
	l.counts[request{r.Method, r.RequestURI}]++
	l.total++
	l.mu.Unlock()
	l.handler.ServeHTTP(w, r)
}

// Total is the number of requests so far.
func (l *RequestLog) Total() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.total
}

// Count is the number of requests with a method ("" for any) for a target, which
// is path and query as they came over the wire.
func (l *RequestLog) Count(method, target string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if method != "" {
		return l.counts[request{method, target}]
	}
	n := 0
	for r, count := range l.counts {
		if r.target == target {
			n += count
		}
	}
	return n
}

// Lines lists the requests as "GET /target 2", sorted.
func (l *RequestLog) Lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := make(map[string]bool, len(l.counts))
	for r, count := range l.counts {
		lines[fmt.Sprintf("%s %s %d", r.method, r.target, count)] = true
	}
	return sortedKeys(lines)
}
