package crawler_test

import (
	"context"
	"testing"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// These tests hold the crawl by equality: however a site is crawled, the JSON report and the
// requests are the same. They belong to every change of the engine:
//
//	go test ./crawler -run Equal          # -short kills fewer processes
//
// TestEqualBefore of cmd/orbweaver compares the program with an earlier one.

// TestEqualWays crawls each site with 1 and 64 workers, with a store in memory, on disk and on
// a Redis server, and with two engines that share a store. Reports and requests are the same.
func TestEqualWays(t *testing.T) {
	t.Parallel()
	server := startRedis(t)
	for _, s := range equalSites(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.serve(t)
			one := map[bool]struct{ report, requests string }{}
			for _, numbers := range []bool{true, false} {
				aside := aside{}
				if !numbers {
					aside = unequalCounts
				}
				s.renew()
				report := alone(t, s, aside, nil, 1)
				requests, _ := s.requests(numbers)
				one[numbers] = struct{ report, requests string }{report, requests}
			}
			for _, way := range []struct {
				name     string
				restored bool // the report is made from a store
				engines  int
				crawl    func(aside aside) string
			}{
				{"64 workers", false, 1, func(a aside) string { return alone(t, s, a, nil, 64) }},
				{"store on disk", false, 1, func(a aside) string { return alone(t, s, a, newDisk(t), 8) }},
				{"two engines in memory", true, 2, func(a aside) string { return inSharedMemory(t, s, a, 2) }},
				{"one process on Redis", true, 1, func(a aside) string { return server.crawl(t, s, a, 1, 1) }},
				{"two processes on Redis", true, 2, func(a aside) string { return server.crawl(t, s, a, 2, 1) }},
				{"two processes on two servers", true, 2, func(a aside) string { return server.crawl(t, s, a, 2, 2) }},
				{"two processes on four servers", true, 2, func(a aside) string { return server.crawl(t, s, a, 2, 4) }},
			} {
				numbers := s.varying == never || s.varying == perProcess && way.engines == 1
				aside := aside{}
				if !numbers {
					aside = unequalCounts
				}
				want, requests := one[numbers].report, one[numbers].requests
				s.renew()
				got := way.crawl(aside)
				if way.restored {
					got, want = withoutPages(got), withoutPages(want)
				}
				equal(t, way.name, got, want)
				sent, _ := s.requests(numbers)
				equal(t, "requests of "+way.name, sent, requests)
			}
		})
	}
}

// otherServed are the sites whose reports differ between directory and server, and why. Beyond
// TestEqualDirectory, TestSites holds their findings in both.
var otherServed = map[string]string{
	"town":        "a server has a page at two addresses, with and without index.html",
	"generated":   "a server has a page at two addresses",
	"base":        "a server has a page at two addresses",
	"directories": "a server has a page at two addresses",
	"relative":    "a server has a page at two addresses",
	"names":       "a server has a page at two addresses",
	"schemes":     "links to file: are allowed in a directory",
}

// TestEqualDirectory crawls the documents of each directory as files and over HTTP. The reports
// are the same but for the differences that whereServed names.
func TestEqualDirectory(t *testing.T) {
	for _, s := range equalSites(t) {
		if s.dir == "" || otherServed[s.name] != "" {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			s.serve(t)
			site, seeds := s.openDir(t)
			cfg := s.config(t)
			cfg.Deliver.Pages = false
			run := func(ctx context.Context, sink result.Sink) (*result.Summary, error) {
				return crawler.Run(ctx, cfg, seeds, sink)
			}
			want := reportOf(t, s.whereServed(), run)
			cfg.Sites, cfg.Scope.WorkingDir = []*disk.Site{site}, s.dir
			equal(t, "the directory", reportOf(t, s.whereServed(), run), want)
		})
	}
}

// TestEqualForecast crawls each directory with and without the forecast of which links will be
// shown.
func TestEqualForecast(t *testing.T) {
	for _, s := range equalSites(t) {
		if s.dir == "" {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			s.serve(t)
			var want string
			for _, forecast := range []bool{false, true} {
				site, seeds := s.openDir(t)
				cfg := s.config(t)
				cfg.Sites, cfg.Scope.WorkingDir, cfg.Deliver.Pages, cfg.Reading.ReadAgain = []*disk.Site{site}, s.dir, false, forecast
				cfg.Deliver.Show = result.Show{Broken: true, Unverified: true, Warning: true}
				got := reportOf(t, aside{}, func(ctx context.Context, sink result.Sink) (*result.Summary, error) {
					return crawler.Run(ctx, cfg, seeds, sink)
				})
				if forecast {
					equal(t, "with a forecast", got, want)
				}
				want = got
			}
		})
	}
}
