package crawler

import (
	"context"
	"runtime"
	"slices"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/frontier"
)

// A link that ends the session is reported, and is not requested again.
func TestLinkThatEndsTheSession(t *testing.T) {
	for _, row := range []struct {
		path string
		most int // requests
	}{{"/forget", 1}, {"/quit", 1}, {"/bye", 3}} {
		for _, workers := range []int{1, 16} {
			s := &membersSite{asked: map[string]int{}, hit: map[string]bool{}}
			s.base, _ = crawlertest.Serve(t, withLinks(s, "<a href="+row.path+">x</a>"))
			c, sum := crawlMembers(t, s, true, func(cfg *Config) {
				cfg.Concurrency, cfg.Store = workers, &patientStore{Memory: frontier.NewMemory(), site: s}
			})
			r := c.find(s.base + row.path)
			if r == nil || r.Verdict != check.OK || !slices.ContainsFunc(r.Warnings, func(w check.Warning) bool { return w.Code == check.CodeLoginEndedBy }) {
				t.Errorf("%s, %d workers: %+v", row.path, workers, r)
			}
			if !sum.Soundness.Complete() || s.asked[row.path] > row.most || sum.Pages < memberPages+2 {
				t.Errorf("%s, %d workers: complete %t, %d requests, %d pages", row.path, workers, sum.Soundness.Complete(), s.asked[row.path], sum.Pages)
			}
		}
	}
}

// patientStore lets other workers go first when it has queued a target again: they visit
// it while the worker that queues targets after a loss has not queued all of them yet.
type patientStore struct {
	*frontier.Memory
	site *membersSite
}

func (s *patientStore) Release(ctx context.Context, l frontier.Lease, d frontier.Deferral) error {
	err := s.Memory.Release(ctx, l, d)
	before := s.requests()
	for range 1000 {
		if s.requests() != before {
			break
		}
		runtime.Gosched()
	}
	return err
}

// requests returns the number of requests that the site has seen.
func (s *patientStore) requests() int {
	s.site.mu.Lock()
	defer s.site.mu.Unlock()
	return s.site.requests
}
