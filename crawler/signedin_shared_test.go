package crawler

import (
	"context"
	"fmt"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
	"github.com/orbweaver/orbweaver/crawler/internal/sharedmemory"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// staleStore is a shared store in which some leases are stale when they are to be settled.
type staleStore struct {
	*sharedmemory.Store
	stale   func(n int64) bool // of the n-th settlement
	settled bool               // the settlement was made, but its answer was lost; else another process may get the target
	calls   atomic.Int64
}

// Complete implements frontier.Store.
func (s *staleStore) Complete(ctx context.Context, l frontier.Lease, d frontier.Done) ([]frontier.ID, error) {
	switch stale := s.stale(s.calls.Add(1)); {
	case !stale:
		return s.Store.Complete(ctx, l, d)
	case s.settled:
		if _, err := s.Store.Complete(ctx, l, d); err != nil {
			return nil, err
		}
	default:
		if err := s.Process().GiveBack(ctx, l); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("target %d: %w", l.ID, frontier.ErrStale)
}

// Visits that are held for a session are settled each by itself: one whose target another process
// has, or whose settlement was made although its answer was lost, ends none of the others.
func TestStaleVisitsOfASession(t *testing.T) {
	alone := serveMembers(t, &membersSite{})
	one, summary := crawlMembers(t, alone, true, excludeOne)
	want := reportOf(one, alone.base)
	for name, stale := range map[string]func(n, at int64) bool{
		"one":   func(n, at int64) bool { return n == at },
		"some":  func(n, at int64) bool { return n >= at && n < at+20 }, // the process was stopped for long
		"every": func(n, at int64) bool { return n%3 == at%3 && n < 90 },
	} {
		for _, settled := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, settled %t", name, settled), func(t *testing.T) {
				t.Parallel()
				for at := int64(1); at <= memberPages; at += 8 {
					got, sum := crawlStale(t, func(n int64) bool { return stale(n, at) }, settled)
					if got != want {
						t.Errorf("from %d: the report differs:\n%s\nwant\n%s", at, got, want)
					}
					if sum.Pages != summary.Pages || sum.Soundness.Complete() != summary.Soundness.Complete() || sum.Soundness.StoppedBy != summary.Soundness.StoppedBy {
						t.Errorf("from %d: the summary is %+v, want %+v", at, sum, summary)
					}
				}
			})
		}
	}
}

// excludeOne excludes a page to which the start page links.
func excludeOne(cfg *Config) { cfg.Scope.Exclude = []*regexp.Regexp{regexp.MustCompile("/p4$")} }

// crawlStale crawls a site with a login over a store in which leases are stale, and reports it.
func crawlStale(t *testing.T, stale func(n int64) bool, settled bool) (string, *result.Summary) {
	t.Helper()
	s := serveMembers(t, &membersSite{})
	store := &staleStore{Store: sharedmemory.New().Store(), stale: stale, settled: settled}
	return crawlOver(t, s, store, store.Store, nil)
}

// crawlOver crawls a site with a login over a shared store, and reports it from a store. before is called
// when the seed was entered.
func crawlOver(t *testing.T, s *membersSite, store frontier.Shared, from frontier.Store, before func()) (string, *result.Summary) {
	t.Helper()
	seeds := seedOf(t, s.base+"/")
	cfg := configOf(t, s, true, excludeOne)
	cfg.Keep.Store, cfg.Keep.Lease = store, time.Minute
	ctx, done := context.WithTimeout(t.Context(), 3*time.Minute)
	defer done()
	if err := enter(ctx, cfg, seeds); err != nil {
		t.Fatal(err)
	}
	if before != nil {
		before()
	}
	worked, err := Run(ctx, cfg, seeds, &collector{})
	if err != nil || ctx.Err() != nil {
		t.Fatalf("Run = %v, %v", err, ctx.Err())
	}
	if kept, err := store.Tallies(ctx); err != nil || kept["rule:exclude /p4$"] == 0 {
		t.Errorf("the store was not told that the exclusion matched: %v, %v", kept, err)
	}
	report, c := *cfg, &collector{}
	report.Keep.Store, report.Keep.Lease = from, 0
	sum, err := judgeStore(ctx, &report, seeds, c, gap.None)
	if err != nil {
		t.Fatal(err)
	}
	if worked.Pages > sum.Pages {
		t.Errorf("the process has counted %d pages, some of which do not count, as the crawl has %d", worked.Pages, sum.Pages)
	}
	return reportOf(c, s.base), sum
}

// A process that joins while others hold all targets signs in, because they may find more.
func TestSignsInWhileOthersHoldAllTargets(t *testing.T) {
	alone, s := serveMembers(t, &membersSite{}), serveMembers(t, &membersSite{})
	one, _ := crawlMembers(t, alone, true, excludeOne)
	store := sharedmemory.New().Store()
	got, _ := crawlOver(t, s, store, store, func() {
		if leases, _, err := store.Claim(t.Context(), 1, time.Second); err != nil || len(leases) != 1 { // it expires
			t.Fatalf("Claim = %v, %v", leases, err)
		}
	})
	if want := reportOf(one, alone.base); got != want || s.signIns != 1 {
		t.Errorf("%d sign-ins, want 1; the report is\n%s\nwant\n%s", s.signIns, got, want)
	}
}
