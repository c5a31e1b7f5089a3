package frontier_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// sharing is what a test knows of the leases of a crawl.
type sharing struct {
	hosts  map[string]frontier.Pace
	queued map[string]int
	leased map[string]int // by host, and by the keys of shares
}

func (s *sharing) add(host string, by int) {
	s.leased[host] += by
	for _, w := range s.hosts[host].Within {
		s.leased[w.Key] += by
	}
}

// free reports whether the limits of a host allow one more lease.
func (s *sharing) free(host string) bool {
	p := s.hosts[host]
	free := p.Concurrency == 0 || s.leased[host] < p.Concurrency
	for _, w := range p.Within {
		free = free && (w.Key == "" || s.leased[w.Key] < w.Most)
	}
	return free
}

// TestShares tests with random crawls that no share has more leases than it may, that no host waits
// while its limits allow a visit, and that the crawl ends, although hosts move from address to
// address meanwhile.
func TestShares(t *testing.T) {
	for n := range uint64(40) {
		random := rand.New(rand.NewPCG(n, 1))
		s := sharing{hosts: map[string]frontier.Pace{}, queued: map[string]int{}, leased: map[string]int{}}
		pace := func(address int) frontier.Pace {
			p := frontier.Pace{Concurrency: random.IntN(4)}
			p.Within[frontier.ByDomain] = frontier.Share{Key: fmt.Sprint("domain ", address%7), Most: 3}
			if address > 0 {
				p.Within[frontier.ByAddress] = frontier.Share{Key: fmt.Sprint("address ", address), Most: 4}
			}
			return p
		}
		f := frontier.New(frontier.NewMemory(), paces(func(host string) frontier.Pace {
			s.hosts[host] = pace(random.IntN(4))
			return s.hosts[host]
		}))
		var items []frontier.Item
		for i := range 400 {
			host := fmt.Sprint("host", random.IntN(60))
			it := seed(f, i, host)
			if it.Wave = frontier.Pages; n%2 == 1 { // with several waves, a host may wait for another
				it.Wave = []frontier.Wave{frontier.Pages, frontier.Leaves, frontier.SecondPass}[random.IntN(3)]
			}
			s.queued[host]++
			items = append(items, it)
		}
		if _, err := f.Refer(t.Context(), items); err != nil {
			t.Fatal(err)
		}
		var held []frontier.Lease
		moved := false
		for {
			leases, _, err := f.Store().Claim(t.Context(), 1+random.IntN(8), 0)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range leases {
				if !s.free(l.Host) {
					t.Fatalf("seed %d: %s is visited beyond its limits %+v: %v", n, l.Host, s.hosts[l.Host], s.leased)
				}
				s.add(l.Host, +1)
				s.queued[l.Host]--
			}
			held = append(held, leases...)
			if len(leases) == 0 && len(held) == 0 {
				t.Fatalf("seed %d: nothing is handed out although targets are queued: %v", n, s.queued)
			}
			for host := range s.hosts {
				if n%2 == 0 && len(leases) == 0 && s.queued[host] > 0 && s.free(host) {
					t.Fatalf("seed %d: %s waits, although its limits %+v allow a visit (moved: %v)", n, host, s.hosts[host], moved)
				}
			}
			if len(held) > 0 && (len(leases) == 0 || random.IntN(3) == 0) {
				at := random.IntN(len(held))
				l := held[at]
				held = append(held[:at], held[at+1:]...)
				s.add(l.Host, -1)
				switch random.IntN(4) {
				case 0:
					s.queued[l.Host]++
					err = f.Store().Release(t.Context(), l, frontier.Deferral{Wave: l.Wave, Unvisited: random.IntN(2) == 0})
				default:
					_, err = f.Store().Complete(t.Context(), l, frontier.Done{Outcome: []byte{0}})
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if host := fmt.Sprint("host", random.IntN(60)); random.IntN(10) == 0 && s.hosts[host].Within != [frontier.Shares]frontier.Share{} {
				moved = true
				leased := s.leased[host]
				s.add(host, -leased)
				s.hosts[host] = pace(random.IntN(4))
				s.add(host, leased)
				if err := f.Store().SetPace(t.Context(), host, s.hosts[host]); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// paces is a politeness that differs from host to host.
type paces func(host string) frontier.Pace

func (p paces) Treatment(host string) frontier.Treatment { return frontier.Treatment{Pace: p(host)} }
func (p paces) IsStill() bool                            { return false }

// TestLocate tests that a host is bound by its address from the time at which that is known, and that
// a lease that is given back is no visit.
func TestLocate(t *testing.T) {
	ctx := t.Context()
	var pace frontier.Pace
	pace.Within[frontier.ByAddress].Most = 1
	f := frontier.New(frontier.NewMemory(), frontier.Treatment{Pace: pace})
	if _, err := f.Refer(ctx, []frontier.Item{seed(f, 0, "a"), seed(f, 1, "b")}); err != nil {
		t.Fatal(err)
	}
	var targets []*frontier.Target
	for range 2 {
		target, err := f.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		targets = append(targets, target)
	}
	for i, target := range targets {
		early, err := f.Hosts().Locate(ctx, target.Host, "address 1", 0)
		if err != nil || !early {
			t.Fatalf("locate host %d: early %v, %v", i, early, err)
		}
		if err := f.GiveBack(ctx, target, nil); err != nil {
			t.Fatal(err)
		}
	}
	if early, err := f.Hosts().Locate(ctx, "a", "address 2", 0); err != nil || early {
		t.Errorf("locate a host again: early %v, %v", early, err)
	}
	if early, err := f.Hosts().Locate(ctx, "a", "address 1", 0); err != nil || early {
		t.Errorf("locate a host again: early %v, %v", early, err)
	}
	leases, _, err := f.Store().Claim(ctx, 2, 0)
	if err != nil || len(leases) != 1 {
		t.Fatalf("%d leases at one address, %v, want 1", len(leases), err)
	}
	if leases[0].Tries != 0 {
		t.Errorf("%d tries of a target that was given back, want 0", leases[0].Tries)
	}
}
