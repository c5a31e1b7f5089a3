package sitetest

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// Serve serves a handler on a loopback port until the test ends. The URL does not end with
// a slash.
func Serve(t testing.TB, handler http.Handler) (baseURL string, log *RequestLog) {
	t.Helper()
	log = &RequestLog{handler: handler}
	server := httptest.NewServer(log)
	t.Cleanup(server.Close)
	return server.URL, log
}

// RequestLog counts the requests to a server. It is safe for concurrent use.
type RequestLog struct {
	handler http.Handler

	mu     sync.Mutex
	counts map[request]int
	total  int
}

// request is a method and a request target.
type request struct{ method, target string }

// ServeHTTP counts a request and calls the handler.
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

// Total returns the number of requests so far.
func (l *RequestLog) Total() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.total
}

// Count returns the number of requests with a method ("" for any) for a request target,
// which is the path and the query as sent.
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

// Lines returns the requests as "GET /target 2", sorted.
func (l *RequestLog) Lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := make(map[string]bool, len(l.counts))
	for r, count := range l.counts {
		lines[fmt.Sprintf("%s %s %d", r.method, r.target, count)] = true
	}
	return slices.Sorted(maps.Keys(lines))
}
