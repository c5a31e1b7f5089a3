package serve

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
)

// metrics counts answers and streams.
type metrics struct {
	mu      sync.Mutex
	answers map[int]int
	streams atomic.Int64
}

func newMetrics() *metrics { return &metrics{answers: map[int]int{http.StatusOK: 0}} }

func (m *metrics) count(w *countingWriter) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answers[w.status]++
}

// stream counts a stream of events until the function that it returns is called.
func (m *metrics) stream() func() {
	m.streams.Add(1)
	return func() { m.streams.Add(-1) }
}

// write writes the metrics in the text format of Prometheus.
func (s *Server) writeMetrics(ctx context.Context) (string, error) {
	_, projects, err := s.store.Projects(ctx, store.Scope{}, "", 1)
	if err != nil {
		return "", err
	}
	states, err := s.store.CountRuns(ctx)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	head := func(name, kind, help string) {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
	}
	head("orbweaver_projects", "gauge", "Projects.")
	fmt.Fprintf(&b, "orbweaver_projects %d\n", projects)
	head("orbweaver_runs", "gauge", "Runs that are kept, by state.")
	for _, state := range api.States {
		fmt.Fprintf(&b, "orbweaver_runs{state=%q} %d\n", state, states[state])
	}
	head("orbweaver_http_requests_total", "counter", "Requests that were answered, by status.")
	s.metrics.mu.Lock()
	codes := make([]int, 0, len(s.metrics.answers))
	for code := range s.metrics.answers {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	for _, code := range codes {
		fmt.Fprintf(&b, "orbweaver_http_requests_total{code=\"%d\"} %d\n", code, s.metrics.answers[code])
	}
	s.metrics.mu.Unlock()
	head("orbweaver_event_streams", "gauge", "Open streams of events.")
	fmt.Fprintf(&b, "orbweaver_event_streams %d\n", s.metrics.streams.Load())
	head("orbweaver_start_time_seconds", "gauge", "Start of the server, in seconds since 1970.")
	fmt.Fprintf(&b, "orbweaver_start_time_seconds %d\n", s.started.Unix())
	return b.String(), nil
}

// ready reports whether the server can do its work.
func ready(c *call) error {
	text := "ready\n"
	status := http.StatusOK
	ctx, cancel := context.WithTimeout(c.Context(), 5*time.Second)
	defer cancel()
	switch {
	case c.server.isStopping():
		status, text = http.StatusServiceUnavailable, "stopping\n"
	case !c.server.settings.ReadOnly && c.server.store.Writable(ctx) != nil:
		status, text = http.StatusServiceUnavailable, "the database cannot be written\n"
	case !c.server.settings.ReadOnly && c.server.service.Manager.Disk.Writable() != nil:
		status, text = http.StatusServiceUnavailable, "the disk is full, or cannot be written\n"
	}
	return c.raw(status, "text/plain; charset=utf-8", []byte(text))
}

func showMetrics(c *call) error {
	text, err := c.server.writeMetrics(c.Context())
	if err != nil {
		return err
	}
	return c.raw(http.StatusOK, "text/plain; version=0.0.4; charset=utf-8", []byte(text))
}
