package crawler_test

import (
	"context"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/evidence"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// replayed returns the report of a site that was kept in a file.
func replayed(t *testing.T, s *equalSite, aside aside, file string, workers int) string {
	t.Helper()
	a, err := evidence.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	cfg := s.config(t)
	cfg.Login = crawler.Login{}
	p := &cfg.Politeness
	p.Concurrency, p.Still, p.Delay, p.Backoff, p.SecondPassAfter = workers, true, 0, 1, time.Nanosecond
	clientOf(cfg).Replay(a)
	_, before := s.requests(true)
	text := reportOf(t, aside, func(ctx context.Context, sink result.Sink) (*result.Summary, error) {
		return crawler.Run(ctx, cfg, s.seeds(t), sink)
	})
	if _, n := s.requests(true); n != before {
		t.Errorf("the replay sent %d requests", n-before)
	}
	if a.Damaged() > 0 {
		t.Errorf("%d damaged records", a.Damaged())
	}
	return text
}

func clientOf(cfg *crawler.Config) *fetch.HTTP {
	return cfg.Fetch.(fetch.Mux)["http"].(*fetch.HTTP)
}
