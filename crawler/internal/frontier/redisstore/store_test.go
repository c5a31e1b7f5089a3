package redisstore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// server is a redis-server that all tests of the package share. It listens on a socket in a
// directory that is removed at the end.
var server = sync.OnceValues(func() (socket string, err error) {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		return "", err
	}
	socket = filepath.Join(serverDir, "s")
	cmd := exec.Command(program, "--port", "0", "--unixsocket", socket, "--dir", serverDir, "--save", "", "--appendonly", "no", "--databases", "64")
	if err := cmd.Start(); err != nil {
		return "", err
	}
	serverProcess = cmd.Process
	for range 1800 {
		if c, err := net.Dial("unix", socket); err == nil {
			c.Close()
			return socket, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return "", fmt.Errorf("redis-server does not answer")
})

var (
	serverDir     string
	serverProcess *os.Process
)

func TestMain(m *testing.M) {
	var err error
	if serverDir, err = os.MkdirTemp("", "r"); err != nil { // the path of a socket must be short
		panic(err)
	}
	code := m.Run()
	if serverProcess != nil {
		_ = serverProcess.Kill()
		_, _ = serverProcess.Wait()
	}
	_ = os.RemoveAll(serverDir)
	os.Exit(code)
}

// openServer returns the socket of the server. Without redis-server the test is skipped, but
// fails in CI.
func openServer(t *testing.T) string {
	t.Helper()
	socket, err := server()
	switch {
	case err == nil:
		return socket
	case os.Getenv("CI") == "true":
		t.Fatal(err)
	}
	t.Skip(err)
	return ""
}

var crawlNumber struct {
	sync.Mutex
	n int
}

// nextCrawl returns the name of another crawl, as a part of an address.
func nextCrawl() string {
	crawlNumber.Lock()
	defer crawlNumber.Unlock()
	crawlNumber.n++
	return fmt.Sprintf("?crawl=t%d", crawlNumber.n)
}

// newCrawl makes an empty crawl.
func newCrawl(t *testing.T) (Lead, *Header) {
	f, headers := newCrawlWith(t, "unix://"+openServer(t)+nextCrawl(), Options{Patience: time.Minute, Now: time.Now}, frontier.Narrow, [16]byte{1})
	return f, headers[0]
}

func newCrawlWith(t testing.TB, address string, o Options, width frontier.Width, key [16]byte) (f Lead, headers []*Header) {
	a, err := ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	f = Open(Addresses{a}, o).Lead()
	for _, shard := range f.Shards() {
		h := &Header{Encoding: Encoding, Targets: frontier.Encoding, Width: width, Key: key[:], Lease: time.Minute}
		if err := shard.Create(context.Background(), h, Limits{Log: 1 << 30}); err != nil {
			t.Fatal(err)
		}
		headers = append(headers, h)
	}
	if _, _, err := f.Change(context.Background(), "filled"); err != nil {
		t.Fatal(err)
	}
	return f, headers
}

// Jobs come back as they were entered, whether or not they contain the host.
func TestJobs(t *testing.T) {
	f, h := newCrawl(t)
	defer f.Close()
	s, ctx := f.Store(h, "", "test"), context.Background()
	jobs := []string{"http://h.example/h.example", "h.example", "another", "", strings.Repeat("x", 300) + "h.example", "\x00\x01h.example\xff"}
	for i, job := range jobs {
		items := []frontier.Item{{Fingerprint: frontier.Fingerprint{Low: uint64(2*i + 1)}, Host: []byte("h.example"), Job: []byte(job)},
			{Fingerprint: frontier.Fingerprint{Low: uint64(2*i + 2)}, Job: []byte(job)}}
		if _, err := s.Add(ctx, items); err != nil {
			t.Fatal(err)
		}
	}
	leases, _, err := s.Claim(ctx, 2*len(jobs), time.Minute)
	if err != nil || len(leases) != 2*len(jobs) {
		t.Fatalf("Claim = %d leases, %v", len(leases), err)
	}
	for _, l := range leases {
		if want := jobs[(l.ID-1)/2]; string(l.Job) != want {
			t.Errorf("the job of target %d is %q, want %q", l.ID, l.Job, want)
		}
	}
	deleteCrawl(t, f)
}

// deleteCrawl deletes a crawl, of which nothing must remain.
func deleteCrawl(t *testing.T, f Lead) {
	t.Helper()
	if _, _, err := f.Delete(context.Background(), true); err != nil {
		t.Fatal(err)
	}
	wantNoKeys(t, f)
}

func wantNoKeys(t *testing.T, f Lead) {
	t.Helper()
	for _, shard := range f.shards {
		for cursor := uint64(0); ; {
			left, next, err := shard.to.scan(context.Background(), cursor)
			if err != nil || len(left) > 0 {
				t.Fatalf("of a crawl that was deleted, the server has %q, %v", left, err)
			}
			if cursor = next; cursor == 0 {
				break
			}
		}
	}
}

// A process that was stopped while the crawl was deleted adds nothing when it continues.
func TestCallsAfterDelete(t *testing.T) {
	f, h := newCrawl(t)
	defer f.Close()
	s, ctx := f.Store(h, "w", "test"), context.Background()
	if err := s.Process().Join(ctx); err != nil {
		t.Fatal(err)
	}
	item := func(n int) []frontier.Item {
		return []frontier.Item{{Fingerprint: frontier.Fingerprint{Low: uint64(n)}, Host: []byte("h"), Job: []byte("job")}}
	}
	if _, err := s.Add(ctx, append(item(7), item(8)...)); err != nil {
		t.Fatal(err)
	}
	leases, _, err := s.Claim(ctx, 2, time.Minute)
	if err != nil || len(leases) != 2 {
		t.Fatalf("Claim = %v, %v", leases, err)
	}
	l, tallies := leases[0], []frontier.Tally{{Name: "pages", By: 1}}
	deleteCrawl(t, f)
	never := func(_ any, err error) error { return err }
	for name, call := range map[string]func() error{
		"Add":        func() error { return never(s.Add(ctx, item(9))) },
		"Complete":   func() error { return never(s.Complete(ctx, l, frontier.Done{Found: item(10), Tally: tallies})) },
		"Release":    func() error { return s.Release(ctx, l, frontier.Deferral{Note: []byte("note"), Tally: tallies}) },
		"Extend":     func() error { return s.Extend(ctx, l, time.Minute) },
		"SetPace":    func() error { return s.SetPace(ctx, "h", frontier.Pace{Interval: time.Second}) },
		"Tally":      func() error { return s.Tally(ctx, tallies) },
		"Claim":      func() error { _, _, err := s.Claim(ctx, 2, time.Minute); return err },
		"Join":       func() error { return s.Process().Join(ctx) },
		"Leave":      func() error { return s.Process().Leave(ctx) },
		"GiveBack":   func() error { return s.Process().GiveBack(ctx, l) },
		"Start":      func() error { return never(s.Process().Start(ctx, l, true)) },
		"BeginPage":  func() error { return never(s.Process().BeginPage(ctx, l, 5)) },
		"Controller": func() error { return never(s.Common().SetController(ctx, "h", 0, []byte("{}"), frontier.Pace{})) },
		"Publish":    func() error { return s.Common().Publish(ctx, "fact", nil) },
		"Once":       func() error { _, _, err := s.Common().Once(ctx, "robots"); return err },
		"KeepOnce":   func() error { return s.Common().KeepOnce(ctx, "robots", nil, time.Hour) },
		"Redirect":   func() error { return never(s.Common().Redirect(ctx, 1, 2, 5)) },
		"CountUp":    func() error { return never(s.Common().CountUp(ctx, []frontier.Count{{Name: "x", By: 1}})) },
		"Coordinate": func() error { return never(f.Coordinate(ctx, "p", time.Minute, false)) },
		"Change":     func() error { _, _, err := f.Change(ctx, "pause"); return err },
		"SetEnd":     func() error { return f.SetEnd(ctx, time.Now()) },
		"SetLog":     func() error { return f.SetLog(ctx, 1<<20) },
		"Rendered":   func() error { return f.EndRendering(ctx) },
		"Clear":      func() error { return f.Clear(ctx) },
		"Trim":       func() error { return f.Shards()[0].Log(h).Trim(ctx, h.First()) },
	} {
		err := call()
		known := errors.Is(err, frontier.ErrStale) || errors.Is(err, frontier.ErrAbsent) || errors.Is(err, frontier.ErrGone)
		if err != nil && !known {
			t.Errorf("%s after the crawl was deleted: %v", name, err)
		}
		if (name == "Claim" || name == "Extend") && !errors.Is(err, frontier.ErrGone) {
			t.Errorf("%s after the crawl was deleted: %v, want %v", name, err, frontier.ErrGone)
		}
	}
	wantNoKeys(t, f)
}

// A server that has lost its last second gives the IDs of that second to other targets.
func TestIDsAfterLoss(t *testing.T) {
	f, h := newCrawl(t)
	defer f.Close()
	s, ctx := f.Store(h, "", "test"), context.Background()
	item := func(n uint64) frontier.Item {
		return frontier.Item{Fingerprint: frontier.Fingerprint{Low: n}, Host: []byte("h"), Job: []byte("job")}
	}
	want := func(ids []frontier.ID, err error, want ...frontier.ID) {
		t.Helper()
		if err != nil || !slices.Equal(ids, want) {
			t.Fatalf("the targets are %v, %v, want %v", ids, err, want)
		}
	}
	ids, err := s.Add(ctx, []frontier.Item{item(7)})
	want(ids, err, 1)
	before, err := redis.String(f.shards[0].to.do(ctx, "GET", f.shards[0].to.key("N")))
	if err != nil {
		t.Fatal(err)
	}
	ids, err = s.Add(ctx, []frontier.Item{item(8)})
	want(ids, err, 2)
	ids, err = s.Add(ctx, []frontier.Item{item(8), item(7)}) // known to this process
	want(ids, err, 2, 1)
	sendAll(t, f.shards[0].to, // a restart that loses the second target
		[]any{"SET", f.shards[0].to.key("N"), before},
		[]any{"HDEL", f.shards[0].to.key("k:0"), "\x08\x00\x00\x00\x00\x00\x00\x00"},
		[]any{"RPOP", f.shards[0].to.key("j:0")},
		[]any{"RPOP", f.shards[0].to.key("q:0:0:o")},
		[]any{"SCRIPT", "FLUSH"})
	other := Open(Addresses{f.shards[0].to.address}, f.shards[0].to.options).Lead()
	defer other.Close()
	ids, err = other.Store(h, "", "test").Add(ctx, []frontier.Item{item(9)})
	want(ids, err, 2)
	leases, _, err := s.Claim(ctx, 1, time.Minute)
	if err != nil || len(leases) != 1 {
		t.Fatalf("Claim = %v, %v", leases, err)
	}
	ids, err = s.Complete(ctx, leases[0], frontier.Done{Found: []frontier.Item{item(7), item(8), item(9)}})
	want(ids, err, 1, 3, 2)
	deleteCrawl(t, f)
}

// Links to known targets change a target only if they need more of it, and pages that are
// settled at the same time are settled together.
func TestKnownTargets(t *testing.T) {
	f, h := newCrawl(t)
	defer f.Close()
	s, ctx := f.Store(h, "", "test"), context.Background()
	const pages = 40
	var items []frontier.Item
	for n := range pages {
		items = append(items, frontier.Item{Fingerprint: frontier.Fingerprint{Low: uint64(n + 1)}, Host: []byte("h"), Job: []byte("job"), Wave: frontier.Leaves})
	}
	if _, err := s.Add(ctx, items); err != nil {
		t.Fatal(err)
	}
	for n := range items {
		items[n].Wave, items[n].Need = 3, frontier.NeedContent|frontier.NeedLinks
	}
	leases, _, err := s.Claim(ctx, pages, time.Minute)
	if err != nil || len(leases) != pages {
		t.Fatalf("Claim = %d leases, %v", len(leases), err)
	}
	var all sync.WaitGroup
	for n, l := range leases {
		all.Go(func() {
			found := items[n:min(n+3, pages)]
			ids, err := s.Complete(ctx, l, frontier.Done{Found: found})
			if err != nil || len(ids) != len(found) || ids[0] != frontier.ID(n+1) {
				t.Errorf("Complete = %v, %v", ids, err)
			}
		})
	}
	all.Wait()
	leases, _, err = s.Claim(ctx, 2*pages, time.Minute)
	if err != nil || len(leases) != pages {
		t.Fatalf("Claim = %d leases, %v, want all again, since their links are needed", len(leases), err)
	}
	if l := leases[0]; l.Wave != 3 || l.Need != frontier.NeedContent|frontier.NeedLinks {
		t.Errorf("a target with two links: %+v", l)
	}
	before, err := f.shards[0].to.counter(ctx, "logs")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(ctx, items); err != nil {
		t.Fatal(err)
	}
	after, err := f.shards[0].to.counter(ctx, "logs")
	if err != nil {
		t.Fatal(err)
	}
	if size := after - before; size > 50 {
		t.Errorf("links that change nothing take %d bytes of the log", size)
	}
	deleteCrawl(t, f)
}

// Entering targets of which one is not known enters none, and leaves no gap in the log.
func TestUnknownIDWritesNothing(t *testing.T) {
	f, h := newCrawl(t)
	defer f.Close()
	s, ctx := f.Store(h, "", "test"), context.Background()
	target := func(n uint64) frontier.Item {
		return frontier.Item{Fingerprint: frontier.Fingerprint{Low: n}, Host: []byte("h"), Job: []byte("job")}
	}
	if _, err := s.Add(ctx, []frontier.Item{target(1)}); err != nil {
		t.Fatal(err)
	}
	leases, _, err := s.Claim(ctx, 1, time.Minute)
	if err != nil || len(leases) != 1 {
		t.Fatalf("Claim = %v, %v", leases, err)
	}
	wrong := []frontier.Item{target(2), {ID: 99, Need: frontier.NeedRender}}
	if _, err := s.Add(ctx, wrong); err == nil || !strings.Contains(err.Error(), "target 99 is not known") {
		t.Errorf("Add = %v, want that target 99 is not known", err)
	}
	if _, err := s.Complete(ctx, leases[0], frontier.Done{Found: wrong}); err == nil || !strings.Contains(err.Error(), "target 99 is not known") {
		t.Errorf("Complete = %v, want that target 99 is not known", err)
	}
	if ids, err := s.Complete(ctx, leases[0], frontier.Done{Outcome: []byte("ok"), Found: []frontier.Item{target(2)}}); err != nil || !slices.Equal(ids, []frontier.ID{2}) {
		t.Errorf("Complete = %v, %v, want target 2", ids, err)
	}
	if events, _, err := f.Shards()[0].Log(h).Read(ctx, h.First(), 0); err != nil || len(events) != 2 {
		t.Errorf("the log has %d entries, %v, want 2", len(events), err)
	}
	deleteCrawl(t, f)
}
