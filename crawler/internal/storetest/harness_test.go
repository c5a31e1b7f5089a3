package storetest

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// harness is a store under test.
type harness struct {
	*testing.T
	frontier.Store
	ctx context.Context
}

// fingerprint returns the fingerprint of target n. Wide ones share one half with others.
func (s *harness) fingerprint(n int) frontier.Fingerprint {
	if s.Width() == frontier.Wide {
		return frontier.Fingerprint{Low: uint64(n/3 + 1000), High: uint64(n%3 + 1000)}
	}
	return frontier.Fingerprint{Low: uint64(n + 1000)}
}

func (s *harness) item(n int, host string, w frontier.Wave, need frontier.Need) frontier.Item {
	return frontier.Item{Fingerprint: s.fingerprint(n), Host: []byte(host), Wave: w, Need: need, Job: fmt.Appendf(nil, "job %d", n)}
}

func (s *harness) add(items ...frontier.Item) []frontier.ID {
	s.Helper()
	ids, err := s.Add(s.ctx, items)
	if err != nil {
		s.Fatalf("Add: %v", err)
	}
	if len(ids) != len(items) {
		s.Fatalf("Add returned %d ids for %d items", len(ids), len(items))
	}
	return ids
}

// claim leases one target, which must be ready now.
func (s *harness) claim() frontier.Lease {
	s.Helper()
	leases, next, err := s.Claim(s.ctx, 1, 0)
	if err != nil || len(leases) != 1 {
		s.Fatalf("Claim = %d leases, ask again at %v, %v; want a lease", len(leases), next, err)
	}
	return leases[0]
}

// claimNone fails the test if a target can be leased now. It returns the time to ask
// again.
func (s *harness) claimNone() time.Time {
	s.Helper()
	leases, next, err := s.Claim(s.ctx, 1, 0)
	if err != nil || len(leases) > 0 {
		s.Fatalf("Claim = %v, %v; want a time to ask again", leases, err)
	}
	return next
}

// wantEnd fails the test unless the crawl is over.
func (s *harness) wantEnd() {
	s.Helper()
	if leases, _, err := s.Claim(s.ctx, 1, 0); err != io.EOF {
		s.Fatalf("Claim = %v, %v; want the end", leases, err)
	}
}

func (s *harness) settle(l frontier.Lease, found ...frontier.Item) []frontier.ID {
	s.Helper()
	ids, err := s.Complete(s.ctx, l, frontier.Done{Outcome: []byte("outcome"), Found: found})
	if err != nil {
		s.Fatalf("Complete: %v", err)
	}
	s.relay()
	return ids
}

// relay waits until what was found is on its server.
func (s *harness) relay() {
	if several, ok := s.Store.(interface{ wait() }); ok {
		several.wait()
	}
}

// release queues a leased target again, with a note.
func (s *harness) release(l frontier.Lease, note string) {
	s.Helper()
	if err := s.Release(s.ctx, l, frontier.Deferral{Wave: l.Wave, Note: []byte(note)}); err != nil {
		s.Fatalf("Release: %v", err)
	}
}

func (s *harness) count() frontier.Counts {
	s.Helper()
	c, err := s.Count(s.ctx)
	if err != nil {
		s.Fatalf("Count: %v", err)
	}
	return c
}

func (s *harness) get(id frontier.ID) frontier.Record {
	s.Helper()
	r, err := s.Get(s.ctx, id, frontier.AllParts)
	if err != nil {
		s.Fatalf("Get: %v", err)
	}
	return r
}
