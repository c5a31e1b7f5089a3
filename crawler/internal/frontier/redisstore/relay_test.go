package redisstore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// twoServers makes an empty crawl on two databases of the server.
func twoServers(t *testing.T, now *time.Time) (Lead, *Store) {
	t.Helper()
	name := nextCrawl()
	var list Addresses
	for db := range 2 {
		a, err := ParseAddress(fmt.Sprintf("unix://%s%s&db=%d", openServer(t), name, db+10))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, a)
	}
	f := Open(list, Options{Patience: time.Minute, Now: func() time.Time { return *now }}).Lead()
	var h *Header
	for _, s := range f.Shards() {
		h = &Header{Encoding: Encoding, Targets: frontier.Encoding, Width: frontier.Narrow, Key: make([]byte, 16), Lease: time.Minute}
		if err := s.Create(t.Context(), h, Limits{Log: 1 << 30}); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := f.Change(t.Context(), "filled"); err != nil {
		t.Fatal(err)
	}
	return f, f.Store(h, "", "test")
}

// hostsOf returns a host of each of so many servers.
func hostsOf(servers int) []string {
	hosts := make([]string, servers)
	for n, left := 0, servers; left > 0; n++ {
		host := fmt.Sprintf("h%d.example", n)
		if at := ServerOf(host, servers); hosts[at] == "" {
			hosts[at] = host
			left--
		}
	}
	return hosts
}

// What was found for another server is entered once, though two relays bring it, and one that is late
// removes nothing that came later.
func TestRelayedTwice(t *testing.T) {
	now := time.Now()
	f, s := twoServers(t, &now)
	defer f.Close()
	ctx, hosts := t.Context(), hostsOf(2)
	item := func(n int, host string) frontier.Item {
		return frontier.Item{Fingerprint: frontier.Fingerprint{Low: uint64(n)}, Host: []byte(host), Job: []byte("job")}
	}
	visit := func(n int, found frontier.Item) {
		t.Helper()
		if _, err := s.Add(ctx, []frontier.Item{item(n, hosts[0])}); err != nil {
			t.Fatal(err)
		}
		leases, _, err := s.Claim(ctx, 5, time.Minute)
		at := slices.IndexFunc(leases, func(l frontier.Lease) bool { return l.Host == hosts[0] })
		if err != nil || at < 0 {
			t.Fatalf("Claim = %+v, %v, want a target of %s", leases, err, hosts[0])
		}
		if ids, err := s.Complete(ctx, leases[at], frontier.Done{Outcome: []byte("ok"), Found: []frontier.Item{found}}); err != nil || ids[0] != 0 {
			t.Fatalf("Complete = %v, %v, want no ID of a target of another server", ids, err)
		}
	}
	relayOf := func(name string) *relayed {
		other := f.Store(s.parts.all[0].header, name, "test")
		return &relayed{from: other.parts.all[0], to: other.parts.all[1]}
	}
	step := func(r *relayed, want int) {
		t.Helper()
		if n, err := r.step(ctx); err != nil || n != want {
			t.Errorf("the relay entered %d entries, %v, want %d", n, err, want)
		}
	}
	visit(1, item(2, hosts[1]))
	dying, next := relayOf("dying"), relayOf("next")
	step(dying, 1)
	step(next, 0) // the other one is at work
	now = now.Add(10 * time.Second)
	step(next, 1)
	step(next, 0)
	visit(3, item(4, hosts[1]))
	step(dying, 1) // it removes nothing of what came meanwhile
	step(dying, 0)
	n, err := s.Count(ctx)
	if err != nil || n.Known != 4 {
		t.Errorf("Count = %+v, %v, want 4 targets", n, err)
	}
	if c, err := f.shards[1].to.counter(ctx, "known"); err != nil || c != 2 {
		t.Errorf("the second server has %d targets, %v, want 2", c, err)
	}
	deleteCrawl(t, f)
}

// The crawl is not over while something is on its way to another server.
func TestEndWithOutbox(t *testing.T) {
	now := time.Now()
	f, s := twoServers(t, &now)
	defer f.Close()
	ctx, hosts := context.Background(), hostsOf(2)
	if err := f.EndRendering(ctx); err != nil {
		t.Fatal(err)
	}
	target := func(n int, host string) frontier.Item {
		return frontier.Item{Fingerprint: frontier.Fingerprint{Low: uint64(n)}, Host: []byte(host), Job: []byte("job")}
	}
	if _, err := s.Add(ctx, []frontier.Item{target(1, hosts[1])}); err != nil {
		t.Fatal(err)
	}
	leases, _, err := s.Claim(ctx, 1, time.Minute)
	if err != nil || len(leases) != 1 {
		t.Fatalf("Claim = %v, %v", leases, err)
	}
	if _, err := s.Complete(ctx, leases[0], frontier.Done{Outcome: []byte("ok"), Found: []frontier.Item{target(2, hosts[0])}}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if why, err := s.Tick(ctx); err != nil || why == "end" {
			t.Errorf("Tick = %q, %v, although a target is in the outbox", why, err)
		}
	}
	if n, err := (&relayed{from: s.parts.all[1], to: s.parts.all[0]}).step(ctx); err != nil || n != 1 {
		t.Errorf("the relay entered %d entries, %v", n, err)
	}
	if leases, _, err = s.Claim(ctx, 1, time.Minute); err != nil || len(leases) != 1 {
		t.Fatalf("Claim = %v, %v, want what was found", leases, err)
	}
	deleteCrawl(t, f)
}

// A server with an unfinished crawl refuses another number or order of servers, and the same server
// twice.
func TestOtherServers(t *testing.T) {
	now := time.Now()
	f, _ := twoServers(t, &now)
	defer f.Close()
	first, second := f.shards[0].to.address, f.shards[1].to.address
	for name, list := range map[string]Addresses{"one of two": {first}, "another order": {second, first}} {
		other := Open(list, Options{Patience: time.Second})
		if _, err := other.Check(t.Context()); err == nil {
			t.Errorf("%s: Check accepts it", name)
		}
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := f.Check(t.Context()); err != nil {
		t.Errorf("the same servers: %v", err)
	}
	if _, err := ParseAddresses(first.String() + " " + first.String()); err == nil {
		t.Error("the same address twice is accepted")
	}
	deleteCrawl(t, f)
}

// An unfinished crawl that an earlier version began on one server is not passed over by one of the same
// name on two.
func TestServersOfEarlierVersions(t *testing.T) {
	now := time.Now()
	f, _ := twoServers(t, &now)
	defer f.Close()
	deleteCrawl(t, f)
	one := Open(Addresses{f.shards[0].to.address}, Options{Patience: time.Second})
	defer one.Close()
	h := &Header{Encoding: Encoding - 1, Targets: frontier.Encoding, Width: frontier.Narrow, Key: make([]byte, 16), Lease: time.Minute}
	if err := one.Lead().Shards()[0].Create(t.Context(), h, Limits{Log: 1 << 30}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "was begun with 1 server") {
		t.Errorf("Check says %v, want a refusal", err)
	}
	deleteCrawl(t, one.Lead())
}

// IDs have 64 bits, and the numbers of a server 32. A number that does not fit is an error, not the ID of
// another target.
func TestNumbersOfServers(t *testing.T) {
	for _, row := range []struct {
		number    int64
		shard, of int
		want      frontier.ID // 0 for an error
	}{{1, 0, 1, 1}, {1<<32 - 2, 0, 1, 1<<32 - 2}, {1<<32 - 1, 0, 1, 0}, {1, 1, 2, 3}, {1<<31 - 1, 0, 2, 1<<32 - 2}, {1<<31 - 1, 1, 2, 1<<32 - 1}, {1 << 31, 0, 2, 1 << 32}, {1<<32 - 2, 15, 16, 1<<36 - 17}, {1<<32 - 1, 15, 16, 0}, {-1, 0, 1, 0}} {
		p := place{row.shard, row.of}
		id, err := p.global(row.number)
		if id != row.want || (err == nil) != (row.want != 0) {
			t.Errorf("target %d of server %d of %d: %d, %v, want %d", row.number, row.shard, row.of, id, err, row.want)
		}
		if err == nil && int64(p.local(id)) != row.number {
			t.Errorf("%d is number %d, want %d", id, p.local(id), row.number)
		}
	}
}

// All hosts of a registrable domain have the same server, whatever their ports.
func TestServerOf(t *testing.T) {
	for _, hosts := range [][]string{{"example.com", "www.example.com", "a.b.example.com:8080"}, {"127.0.0.1", "127.0.0.1:81"}, {"[::1]", "[::1]:81"}} {
		for _, host := range hosts[1:] {
			if a, b := ServerOf(hosts[0], 13), ServerOf(host, 13); a != b {
				t.Errorf("%s is on server %d, and %s on %d", hosts[0], a, host, b)
			}
		}
	}
	if ServerOf("a.co.uk", 1<<30) == ServerOf("b.co.uk", 1<<30) {
		t.Error("two domains below a public suffix have the same server")
	}
}
