package crew

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/shards"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/sharedmemory"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/store"
)

// item is a target that is not settled.
func item(n int) frontier.Item {
	return frontier.Item{Fingerprint: frontier.Fingerprint{Low: uint64(n) + 1}, Host: []byte("start.test"),
		Job: frontier.AppendJob(nil, frontier.Job{URL: fmt.Appendf(nil, "http://start.test/%d", n), Internal: true})}
}

// found is the outcome of a page that was read.
var found = judging.AppendOutcome(nil, &judging.Outcome{Code: check.CodeOK, Status: 200, ContentType: "text/html"})

// A site that makes up pages is found by what all engines together see of it.
func TestCutsEndlessSites(t *testing.T) {
	const links = 200_000
	for name, row := range map[string]struct {
		step frontier.ID // between the first targets of two pages
		cut  bool
	}{"ever new pages": {links, true}, "pages that others link to": {links / 2, false}} {
		t.Run(name, func(t *testing.T) {
			ctx, store := t.Context(), sharedmemory.New().Store()
			var events []frontier.Event
			for page := range frontier.ID(4) {
				ids, err := store.Add(ctx, []frontier.Item{item(int(page))})
				if err != nil {
					t.Fatal(err)
				}
				e := frontier.Event{Kind: frontier.EventSettled, ID: ids[0], Met: frontier.NeedContent | frontier.NeedLinks, Done: frontier.Done{Outcome: found}}
				for i := range frontier.ID(links) {
					e.Found = append(e.Found, 10+page*row.step+i)
				}
				events = append(events, e)
			}
			watch := &growthWatch{state: store, to: store}
			if err := watch.observe(ctx, events, func(frontier.ID) (frontier.Need, bool) { return frontier.NeedLinks, true }); err != nil {
				t.Fatal(err)
			}
			facts, _, err := store.Common().Facts(ctx, 0, 0)
			if err != nil || len(facts) == 1 != row.cut || row.cut && facts[0].Name != FactCut+"start.test" {
				t.Errorf("cut: %v, %v, want %t", facts, err, row.cut)
			}
		})
	}
}

// A server that loses the crawl after it was filled, before the coordinator works itself, is filled again.
func TestFillsAgainBeforeItWorks(t *testing.T) {
	port := crawlertest.ServeRedis(t)
	addresses, err := store.ParseAddresses("redis://127.0.0.1:" + port + "?crawl=c")
	if err != nil {
		t.Fatal(err)
	}
	state, err := diskstore.Create(filepath.Join(t.TempDir(), "crawl.sqlite"), frontier.Narrow, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer state.Close()
	coordination := &store.Coordination{Crawl: store.Redis(addresses, store.RedisOptions{Patience: time.Minute}), Process: "main", Version: "1",
		WorkersHere: 2, Notes: t.Output()}
	defer coordination.Close()
	c := newCoordinator(coordination, Engine{State: shards.Of(state), Sink: result.Func(func(*result.Result) error { return nil }), Work: settle,
		Enter: func(ctx context.Context, to frontier.Shared, _ time.Duration) error {
			_, err := to.Add(ctx, []frontier.Item{item(1), item(2)})
			return err
		}})
	if err := c.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	server, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if _, err := server.Write([]byte("FLUSHALL\r\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := server.Read(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	if g, err := c.conduct(t.Context()); err != nil || g != gap.None {
		t.Errorf("the crawl ended by %v, %v", g, err)
	}
	c.state.Refresh()
	if n, err := c.state.Count(t.Context()); err != nil || n.Known != 2 || n.Queued != 0 {
		t.Errorf("the state has %+v, %v", n, err)
	}
}

// settle settles targets until there are none.
func settle(ctx context.Context, on *store.Joined) error {
	for {
		leases, _, err := on.Store.Claim(ctx, 1, on.Lease)
		if err != nil || len(leases) == 0 {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return err
		}
		if _, err := on.Store.Complete(ctx, leases[0], frontier.Done{Outcome: found}); err != nil {
			return err
		}
	}
}
