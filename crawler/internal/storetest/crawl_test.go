package storetest

import (
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// testCrawl walks a random graph with several workers, some of whose leases expire or
// are released, and wants each target settled once and all findings of each page kept.
func testCrawl(s *harness) {
	targets, workers := crawlertest.Count(500, 2000), 8
	c := &crawl{harness: s, graph: randomGraph(targets), settled: map[frontier.ID]int{}}
	s.add(c.item(1))
	var wg sync.WaitGroup
	for k := range workers {
		wg.Go(func() { c.work(rand.New(rand.NewPCG(3, uint64(k)))) })
	}
	wg.Wait()
	if len(c.settled) != targets {
		s.Errorf("%d targets were settled, want %d", len(c.settled), targets)
	}
	for id, times := range c.settled {
		if times != 1 {
			s.Errorf("target %d was settled %d times", id, times)
		}
	}
	edges := 0
	if err := s.Scan(s.ctx, frontier.AllParts, func(r *frontier.Record) error { edges += len(r.Found); return nil }); err != nil {
		s.Error(err)
	}
	want := 0
	for _, to := range c.graph {
		want += len(to)
	}
	if edges != want {
		s.Errorf("%d edges were kept, want %d", edges, want)
	}
}

// randomGraph returns for each of n pages the pages that it links to. Each can be
// reached from every other.
func randomGraph(n int) [][]int {
	rng := rand.New(rand.NewPCG(1, 2))
	graph := make([][]int, n)
	for page := range graph {
		graph[page] = []int{(page + 1) % n}
		for range rng.IntN(10) {
			graph[page] = append(graph[page], rng.IntN(n))
		}
	}
	return graph
}

// crawl is a crawl of a graph by several workers.
type crawl struct {
	*harness
	graph [][]int

	mu      sync.Mutex
	settled map[frontier.ID]int // how often each target was settled
}

// item is a page of the graph as it is entered.
func (c *crawl) item(page int) frontier.Item {
	w := frontier.Pages
	if page%5 == 0 {
		w = frontier.Leaves
	}
	return c.harness.item(page, fmt.Sprintf("host %d", page%17), w, frontier.NeedLinks)
}

// work visits targets until the crawl ends.
func (c *crawl) work(rng *rand.Rand) {
	for {
		leases, next, err := c.Claim(c.ctx, 1+rng.IntN(3), time.Second)
		if err == io.EOF {
			return
		}
		if err != nil {
			c.Errorf("Claim: %v", err)
			return
		}
		if len(leases) == 0 {
			wait := 100 * time.Millisecond
			if !next.IsZero() {
				wait = min(wait, max(time.Until(next), time.Microsecond))
			}
			time.Sleep(wait)
		}
		for _, l := range leases {
			switch rng.IntN(20) {
			case 0: // the worker fails: the lease expires
			case 1:
				if err := c.Release(c.ctx, l, frontier.Deferral{Wave: l.Wave, NotBefore: time.Now().Add(50 * time.Millisecond)}); err != nil {
					c.Errorf("Release: %v", err)
				}
			default:
				c.complete(l)
			}
		}
	}
}

// complete settles a target with the links of its page.
func (c *crawl) complete(l frontier.Lease) {
	var page int
	if _, err := fmt.Sscanf(string(l.Job), "job %d", &page); err != nil {
		c.Errorf("job %q: %v", l.Job, err)
	}
	done := frontier.Done{Outcome: []byte("ok"), Links: fmt.Appendf(nil, "links of %d", page)}
	for _, to := range c.graph[page] {
		done.Found = append(done.Found, c.item(to))
	}
	if _, err := c.Complete(c.ctx, l, done); err != nil {
		c.Errorf("Complete: %v", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.settled[l.ID]++
}
