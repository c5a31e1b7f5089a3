package storetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// runShared tests what a store that several processes share offers them. open returns an empty
// crawl: a function that returns the store of one process, by its name. It is called for each
// test inside a testing/synctest bubble.
func runShared(t *testing.T, open func(t *testing.T) func(process string) frontier.Shared) {
	for name, test := range map[string]func(a, b *harness){
		"leases are extended together":                testExtendAll,
		"leases are given back when a process leaves": testLeave,
		"many leases are given back":                  testLeaveWithMany,
		"an abandoned lease is given back":            testGiveBack,
		"late requests keep the interval":             testStart,
		"the limit of pages holds for all":            testBeginPage,
		"one version of a controller is kept":         testControllers,
		"facts are learned in order":                  testFacts,
		"one process finds out for all":               testOnce,
		"cycles of redirects are found":               testRedirects,
		"counts are common":                           testCountUp,
		"hosts of a domain have one limit":            testDomains,
		"hosts at an address have one limit":          testAddresses,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := open(t)
				a, b := store("a"), store("b")
				for _, s := range []frontier.Shared{a, b} {
					if err := s.Process().Join(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				test(&harness{T: t, Store: a, ctx: context.Background()}, &harness{T: t, Store: b, ctx: context.Background()})
			})
		})
	}
}

func (s *harness) process() frontier.Process { return s.Store.(frontier.Shared).Process() }
func (s *harness) common() frontier.Common   { return s.Store.(frontier.Shared).Common() }

// claimFor leases one target for some time.
func (s *harness) claimFor(d time.Duration) frontier.Lease {
	s.Helper()
	leases, next, err := s.Claim(s.ctx, 1, d)
	if err != nil || len(leases) != 1 {
		s.Fatalf("Claim = %v, %v, %v; want a lease", leases, next, err)
	}
	return leases[0]
}

func testExtendAll(a, b *harness) {
	a.add(a.item(1, "h", frontier.Pages, 0), a.item(2, "h", frontier.Pages, 0))
	mine, other := a.claimFor(time.Minute), a.claimFor(time.Minute)
	time.Sleep(50 * time.Second)
	if lost, err := a.process().ExtendAll(a.ctx, mine.Server, []frontier.Lease{mine}, time.Minute); err != nil || len(lost) > 0 {
		a.Fatalf("ExtendAll = %v, %v", lost, err)
	}
	time.Sleep(20 * time.Second)
	if again := b.claimFor(time.Minute); again.ID != other.ID {
		a.Errorf("the other process got target %d, want %d", again.ID, other.ID)
	}
	lost, err := a.process().ExtendAll(a.ctx, mine.Server, []frontier.Lease{mine, other}, time.Minute)
	if err != nil || len(lost) != 1 || lost[0] != other.ID {
		a.Errorf("ExtendAll = %v, %v, want that target %d is lost", lost, err, other.ID)
	}
	a.settle(mine)
}

func testLeave(a, b *harness) {
	a.add(a.item(1, "h", frontier.Pages, 0))
	l := a.claimFor(time.Hour)
	b.claimNone()
	if err := a.process().Leave(a.ctx); err != nil {
		a.Fatal(err)
	}
	if again := b.claimFor(time.Hour); again.ID != l.ID {
		a.Errorf("the other process got %+v", again)
	}
	if _, err := a.Complete(a.ctx, l, frontier.Done{}); !errors.Is(err, frontier.ErrStale) {
		a.Errorf("Complete after Leave: %v", err)
	}
}

func testLeaveWithMany(a, b *harness) {
	const n = 5_000
	a.claimMany(n)
	if err := a.process().Leave(a.ctx); err != nil {
		a.Fatal(err)
	}
	if leases, _, err := b.Claim(b.ctx, n, time.Hour); err != nil || len(leases) != n {
		b.Errorf("the other process got %d leases, %v; want %d", len(leases), err, n)
	}
}

func testGiveBack(a, b *harness) {
	a.add(a.item(1, "h", frontier.Pages, 0))
	l := a.claimFor(time.Hour)
	if err := a.process().GiveBack(a.ctx, l); err != nil {
		a.Fatal(err)
	}
	again := b.claimFor(time.Hour)
	if again.ID != l.ID {
		a.Errorf("the other process got %+v", again)
	}
	if err := a.process().GiveBack(a.ctx, l); err != nil { // it is stale
		a.Fatal(err)
	}
	b.settle(again)
	b.wantEnd()
}

func testStart(a, b *harness) {
	if _, err := a.common().SetController(a.ctx, "h", 0, []byte("state"), frontier.Pace{Interval: time.Second}); err != nil {
		a.Fatal(err)
	}
	a.add(a.item(1, "h", frontier.Pages, 0), a.item(2, "h", frontier.Pages, 0), a.item(3, "h", frontier.Pages, 0))
	first := a.claimFor(time.Hour)
	if first.Interval != time.Second {
		a.Errorf("the interval of the lease is %v", first.Interval)
	}
	time.Sleep(time.Second)
	second := b.claimFor(time.Hour)
	wait := func(s *harness, l frontier.Lease, further bool, want time.Duration) {
		s.Helper()
		got, err := s.process().Start(s.ctx, l, further)
		if err != nil || got != want {
			s.Errorf("Start = %v, %v, want %v", got, err, want)
		}
	}
	wait(b, second, false, 0)
	wait(a, first, false, time.Second) // it comes after the second
	wait(a, first, false, time.Second) // its answer was lost
	b.claimNone()
	wait(b, second, true, 2*time.Second)
	time.Sleep(3 * time.Second)
	third := b.claimFor(time.Hour)
	wait(b, third, true, time.Second)
	a.settle(first)
	if _, err := a.process().Start(a.ctx, first, false); err != nil && !errors.Is(err, frontier.ErrStale) {
		a.Errorf("Start of a lease that has ended: %v", err)
	}
}

func testBeginPage(a, b *harness) {
	a.add(a.item(1, "h", frontier.Pages, 0), a.item(2, "h", frontier.Pages, 0), a.item(3, "h", frontier.Pages, 0))
	x, y := a.claimFor(time.Hour), b.claimFor(time.Hour)
	turn := func(s *harness, l frontier.Lease, want frontier.PageTurn) {
		s.Helper()
		if got, err := s.process().BeginPage(s.ctx, l, 1); err != nil || got != want {
			s.Errorf("BeginPage = %v, %v, want %v", got, err, want)
		}
	}
	turn(a, x, frontier.PageBegins)
	turn(a, x, frontier.PageBegins) // its answer was lost
	turn(b, y, frontier.PageWaits)
	a.settle(x)             // it was no page
	time.Sleep(time.Second) // another server may count the pages
	turn(b, y, frontier.PageBegins)
	if _, err := b.Complete(b.ctx, y, frontier.Done{Outcome: []byte("o"), Tally: []frontier.Tally{{Name: "pages", By: 1}}}); err != nil {
		a.Fatal(err)
	}
	time.Sleep(time.Second)
	turn(a, a.claimFor(time.Hour), frontier.PageLimit)
}

func testControllers(a, b *harness) {
	set := func(s *harness, version uint64, state string) frontier.Controller {
		s.Helper()
		c, err := s.common().SetController(s.ctx, "h", version, []byte(state), frontier.Pace{Concurrency: 2})
		if err != nil {
			s.Fatal(err)
		}
		return c
	}
	if c := set(a, 0, "one"); !c.Set || c.Version != 1 {
		a.Errorf("the first state: %+v", c)
	}
	if c := set(b, 0, "two"); c.Set || c.Version != 1 || string(c.State) != "one" {
		a.Errorf("a state that is based on an old one: %+v", c)
	}
	if c := set(b, 1, "two"); !c.Set || c.Version != 2 {
		a.Errorf("the second state: %+v", c)
	}
	a.add(a.item(1, "h", frontier.Pages, 0))
	if l := a.claimFor(time.Hour); l.Controller != 2 {
		a.Errorf("the version of the lease is %d, want 2", l.Controller)
	}
}

func testFacts(a, b *harness) {
	a.add(a.item(1, "h", frontier.Pages, 0), a.item(2, "h", frontier.Pages, 0))
	first := b.claimFor(time.Hour)
	before := first.Facts
	for _, name := range []string{"x", "y", "x"} { // x is not new
		if err := a.common().Publish(a.ctx, name, []byte("value")); err != nil {
			a.Fatal(err)
		}
	}
	after := b.claimFor(time.Hour).Facts
	facts, version, err := b.common().Facts(b.ctx, first.Server, before)
	if err != nil || len(facts) != 2 || facts[0].Name != "x" || facts[1].Name != "y" || string(facts[1].Value) != "value" || version != after {
		a.Errorf("Facts = %v, %d, %v, want x and y, %d", facts, version, err, after)
	}
}

func testOnce(a, b *harness) {
	want := func(s *harness, state frontier.OnceState, value string) {
		s.Helper()
		v, got, err := s.common().Once(s.ctx, "robots")
		if err != nil || got != state || string(v) != value {
			s.Errorf("Once = %q, %v, %v, want %q, %v", v, got, err, value, state)
		}
	}
	want(a, frontier.Mine, "")
	want(b, frontier.Busy, "")
	want(a, frontier.Mine, "") // its answer was lost
	if err := a.common().KeepOnce(a.ctx, "robots", nil, 0); err != nil {
		a.Fatal(err)
	}
	want(b, frontier.Mine, "") // the first one has failed
	if err := b.common().KeepOnce(b.ctx, "robots", []byte("text"), time.Hour); err != nil {
		a.Fatal(err)
	}
	want(a, frontier.Known, "text")
	time.Sleep(time.Hour)
	want(a, frontier.Mine, "")
	time.Sleep(time.Hour) // it says no more
	want(b, frontier.Mine, "")
}

func testRedirects(a, b *harness) {
	for _, row := range []struct {
		s        *harness
		from, to frontier.ID
		closes   bool
	}{{a, 1, 2, false}, {b, 2, 3, false}, {a, 4, 1, false}, {b, 3, 1, true}} {
		if closes, err := row.s.common().Redirect(a.ctx, row.from, row.to, 10); err != nil || closes != row.closes {
			a.Errorf("Redirect %d to %d = %t, %v", row.from, row.to, closes, err)
		}
	}
}

func testCountUp(a, b *harness) {
	for i, s := range []*harness{a, b, a} {
		if n, err := s.common().CountUp(s.ctx, []frontier.Count{{Name: "calendar", By: 2, Most: -1}}); err != nil || !slices.Equal(n, []int{2 * (i + 1)}) {
			a.Errorf("CountUp = %d, %v, want %d", n, err, 2*(i+1))
		}
	}
	for _, row := range []struct {
		calendar, month int // the limits
		want            []int
	}{{20, 0, []int{8, 1}}, {20, 1, []int{10, 2}}, {20, 3, []int{12, 3, 1}}, {13, 3, []int{14}}} {
		list := []frontier.Count{{Name: "calendar", By: 2, Most: row.calendar}, {Name: "month", By: 1, Most: row.month}, {Name: "day", By: 1, Most: 5}}
		if n, err := b.common().CountUp(b.ctx, list); err != nil || !slices.Equal(n, row.want) {
			a.Errorf("CountUp with limits = %d, %v, want %d", n, err, row.want)
		}
	}
}

// testDomains tests that all processes together hold no more leases of hosts of a domain than it may have, and that
// they get as many, whatever becomes of the leases.
func testDomains(a, b *harness) {
	const most, ofHost, hosts = 3, 2, 24
	random := rand.New(rand.NewPCG(7, 1))
	domainOf := func(n int) string { return fmt.Sprintf("d%d.example", n%5) } // the last one has no limit
	hostOf := func(n int) string { return fmt.Sprintf("h%d.%s", n, domainOf(n)) }
	queued, held := map[string][]time.Time{}, map[string]int{} // of hosts
	for n := range hosts {
		p := frontier.Pace{Concurrency: ofHost}
		if n%5 < 4 {
			p.Within[frontier.ByDomain] = frontier.Share{Key: "domain " + domainOf(n), Most: most}
		}
		if _, err := a.common().SetController(a.ctx, hostOf(n), 0, []byte("state"), p); err != nil {
			a.Fatal(err)
		}
	}
	made := 0
	item := func() frontier.Item {
		host := hostOf(random.IntN(hosts))
		made++
		queued[host] = append(queued[host], time.Time{})
		return a.item(made, host, frontier.Leaves, 0)
	}
	for range 150 {
		a.add(item())
	}
	// room returns how many more leases there may be and how many there must be now.
	room := func() (left int) {
		now := time.Now()
		for d := range 5 {
			all, free := 0, 0
			for n := d; n < hosts; n += 5 {
				ready := 0
				for _, at := range queued[hostOf(n)] {
					if !at.After(now) {
						ready++
					}
				}
				all, free = all+held[hostOf(n)], free+min(ready, ofHost-held[hostOf(n)])
			}
			if d < 4 {
				free = min(free, most-all)
			}
			if free < 0 {
				a.Fatalf("the domain d%d.example has %d leases, want at most %d", d, all, most)
			}
			left += free
		}
		return left
	}
	var leases []frontier.Lease
	for steps := 0; ; steps++ {
		s := []*harness{a, b}[random.IntN(2)]
		if len(leases) == 0 || random.IntN(4) == 0 {
			want := room()
			got, next, err := s.Claim(s.ctx, 1000, time.Hour)
			for more := got; err == nil && len(more) > 0; got = append(got, more...) { // of other servers
				more, next, err = s.Claim(s.ctx, 1000, time.Hour)
			}
			if err == io.EOF && made > 300 {
				break
			}
			if err != nil || len(got) != want {
				s.Fatalf("step %d: Claim = %d leases, %v, %v; want %d", steps, len(got), next, err, want)
			}
			for _, l := range got {
				at := slices.IndexFunc(queued[l.Host], func(at time.Time) bool { return !at.After(time.Now()) })
				queued[l.Host], held[l.Host] = slices.Delete(queued[l.Host], at, at+1), held[l.Host]+1
			}
			if leases = append(leases, got...); len(leases) == 0 {
				time.Sleep(time.Until(next))
			}
			room()
			continue
		}
		i := random.IntN(len(leases))
		l := leases[i]
		leases, held[l.Host] = slices.Delete(leases, i, i+1), held[l.Host]-1
		switch random.IntN(5) {
		case 0:
			later := time.Now().Add(time.Duration(random.IntN(3)) * time.Second)
			queued[l.Host] = append(queued[l.Host], later)
			if err := s.Release(s.ctx, l, frontier.Deferral{Wave: l.Wave, NotBefore: later}); err != nil {
				s.Fatal(err)
			}
		case 1:
			queued[l.Host] = append(queued[l.Host], time.Time{})
			if err := s.process().GiveBack(s.ctx, l); err != nil {
				s.Fatal(err)
			}
		default:
			var found []frontier.Item
			if made <= 300 {
				found = append(found, item())
			}
			s.settle(l, found...)
		}
	}
}

// testAddresses leases targets of hosts at a few addresses, each of which is in a domain, too. Neither has more
// leases than its limit, and all targets are settled.
func testAddresses(a, b *harness) {
	const ofDomain, hosts, targets = 3, 24, 150
	ofAddress := max(4, a.process().Servers()) // each server has its part of the limit, at least one
	random := rand.New(rand.NewPCG(9, 1))
	domainOf := func(n int) string { return fmt.Sprintf("domain d%d.example", n%8) }
	addressOf := func(n int) string { return fmt.Sprintf("address 192.0.2.%d", n%3) }
	for n := range hosts {
		var p frontier.Pace
		p.Within[frontier.ByDomain] = frontier.Share{Key: domainOf(n), Most: ofDomain}
		host := fmt.Sprintf("h%d.d%d.example", n, n%8)
		if _, err := a.common().SetController(a.ctx, host, 0, []byte("state"), p); err != nil { // the address is found later
			a.Fatal(err)
		}
		p.Within[frontier.ByAddress] = frontier.Share{Key: addressOf(n), Most: ofAddress}
		if _, err := b.common().SetController(b.ctx, host, 1, []byte("state"), p); err != nil {
			a.Fatal(err)
		}
	}
	for n := range targets {
		host := random.IntN(hosts)
		a.add(a.item(n+1, fmt.Sprintf("h%d.d%d.example", host, host%8), frontier.Leaves, 0))
	}
	held, leases := map[string]int{}, []frontier.Lease(nil)
	count := func(l frontier.Lease, by int) {
		var host int
		if _, err := fmt.Sscanf(l.Host, "h%d.", &host); err != nil {
			a.Fatal(err)
		}
		held[domainOf(host)] += by
		held[addressOf(host)] += by
		if held[domainOf(host)] > ofDomain || held[addressOf(host)] > ofAddress {
			a.Fatalf("a lease of %s: there are %d in its domain and %d at its address, want at most %d and %d", l.Host, held[domainOf(host)], held[addressOf(host)], ofDomain, ofAddress)
		}
	}
	for left := targets; left > 0; {
		some, _, err := []*harness{a, b}[random.IntN(2)].Claim(a.ctx, 1+random.IntN(9), time.Hour)
		if err != nil || len(leases)+len(some) == 0 {
			a.Fatalf("Claim = %v, %v with %d targets left and no lease", some, err, left)
		}
		for _, l := range some {
			count(l, 1)
		}
		leases = append(leases, some...)
		for range 1 + random.IntN(len(leases)) {
			i := random.IntN(len(leases))
			a.settle(leases[i])
			count(leases[i], -1)
			leases = slices.Delete(leases, i, i+1)
			left--
			if len(leases) == 0 {
				break
			}
		}
	}
	a.wantEnd()
}
