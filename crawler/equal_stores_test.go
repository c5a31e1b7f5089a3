package crawler_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/crew"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/redisstore"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/shards"
	"github.com/orbweaver/orbweaver/crawler/internal/sharedmemory"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/store"
	"github.com/orbweaver/orbweaver/urinorm"
)

// alone crawls a site in one process with a store; nil is the memory.
func alone(t *testing.T, s *equalSite, aside aside, store frontier.Store, workers int) string {
	t.Helper()
	cfg := s.config(t)
	cfg.Politeness.Concurrency = workers
	if store != nil {
		cfg.Keep.Store = store
		defer store.Close()
	}
	return reportOf(t, aside, func(ctx context.Context, sink result.Sink) (*result.Summary, error) {
		return crawler.Run(ctx, cfg, s.seeds(t), sink)
	})
}

func newDisk(t *testing.T) *diskstore.Store {
	t.Helper()
	store, err := diskstore.Create(filepath.Join(t.TempDir(), "crawl.sqlite"), frontier.Narrow, nil)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// together crawls a site with engines that share a store, as processes do. It returns when
// all have ended.
func together(t *testing.T, s *equalSite, engines int, open func() frontier.Shared) {
	t.Helper()
	with := func(store frontier.Store) *crawler.Config {
		cfg := s.config(t)
		cfg.Keep.Store, cfg.Keep.Lease = store, time.Minute
		return cfg
	}
	var working sync.WaitGroup
	for range engines {
		store := open()
		if err := store.Process().Join(t.Context()); err != nil {
			t.Fatal(err)
		}
		cfg := with(store)
		working.Go(func() {
			if _, err := crawler.Run(t.Context(), cfg, s.seeds(t), &reporter{}); err != nil {
				t.Error(err)
			}
		})
	}
	working.Wait()
}

// conclude reports a shared crawl from the store that has all of it.
func conclude(t *testing.T, s *equalSite, aside aside, store frontier.Store) string {
	t.Helper()
	cfg := s.config(t)
	cfg.Keep.Store = store
	return reportOf(t, aside, func(ctx context.Context, sink result.Sink) (*result.Summary, error) {
		return crawler.Report(ctx, cfg, s.seeds(t), sink)
	})
}

func (s *equalSite) enter(t *testing.T, store frontier.Shared) {
	t.Helper()
	cfg := s.config(t)
	cfg.Keep.Store, cfg.Keep.Lease = store, time.Minute
	if err := crawler.EnterShared(t.Context(), cfg, s.seeds(t)); err != nil {
		t.Fatal(err)
	}
}

// inSharedMemory crawls a site with engines that share a store in memory.
func inSharedMemory(t *testing.T, s *equalSite, aside aside, engines int) string {
	t.Helper()
	shared := sharedmemory.New()
	s.enter(t, shared.Store())
	together(t, s, engines, func() frontier.Shared { return shared.Store() })
	return conclude(t, s, aside, shared.Store())
}

// redis is a redis-server.
type redis struct {
	socket string
	crawls atomic.Int32
}

// startRedis starts a redis-server until the test ends. Without the program the test is
// skipped, but fails in CI. Clients wait until the server answers.
func startRedis(t *testing.T) *redis {
	t.Helper()
	program, err := exec.LookPath("redis-server")
	switch {
	case err != nil && os.Getenv("CI") == "true":
		t.Fatal(err)
	case err != nil:
		t.Skip(err)
	}
	dir, err := os.MkdirTemp("", "r") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	r := &redis{socket: filepath.Join(dir, "s")}
	cmd := exec.Command(program, "--port", "0", "--unixsocket", r.socket, "--dir", dir, "--save", "", "--appendonly", "no")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = os.RemoveAll(dir)
	})
	return r
}

// crawl crawls a site with engines that share a crawl, which is divided among databases of the server, and
// reports it from the state of the coordinator.
func (r *redis) crawl(t *testing.T, s *equalSite, aside aside, engines, databases int) string {
	t.Helper()
	ctx := t.Context()
	number := r.crawls.Add(1)
	var addresses redisstore.Addresses
	for db := range databases {
		address, err := redisstore.ParseAddress(fmt.Sprintf("unix://%s?crawl=c%d&db=%d", r.socket, number, db))
		if err != nil {
			t.Fatal(err)
		}
		addresses = append(addresses, address)
	}
	crawl := redisstore.Open(addresses, redisstore.Options{Patience: time.Minute}).Lead()
	defer crawl.Close()
	file := filepath.Join(t.TempDir(), "crawl.sqlite")
	if err := shards.Create(file, databases, frontier.Narrow, nil, nil); err != nil {
		t.Fatalf("create the files of the state: %v", err)
	}
	opened, err := shards.Open(file, diskstore.Open)
	if err != nil {
		t.Fatalf("open the files of the state: %v", err)
	}
	defer opened.Close()
	state := shards.Of(opened)
	key := state.FingerprintKey()
	var headers []*redisstore.Header
	for _, server := range crawl.Shards() {
		h := &redisstore.Header{Encoding: redisstore.Encoding, Targets: frontier.Encoding, Width: state.Width(), Key: key[:], Lease: time.Minute}
		if err := server.Create(ctx, h, redisstore.Limits{Log: 1 << 30, Lost: crew.LostOutcome()}); err != nil {
			t.Fatal(err)
		}
		headers = append(headers, h)
	}
	if err := crawl.EndRendering(ctx); err != nil { // no coordinator holds the end back
		t.Fatal(err)
	}
	first := crawl.Store(headers[0], "", "test")
	s.enter(t, first)
	for i := range headers {
		if complete, err := first.Filled(ctx, i, 0); err != nil || !complete {
			t.Fatalf("fill the crawl: complete %t, %v", complete, err)
		}
	}
	n := 0
	together(t, s, engines, func() frontier.Shared { n++; return crawl.Store(headers[0], fmt.Sprint("process", n), "test") })
	for i, server := range crawl.Shards() {
		for at := headers[i].First(); ; {
			events, next, err := server.Log(headers[i]).Read(ctx, at, 0)
			if err != nil {
				t.Fatal(err)
			}
			if len(events) == 0 {
				break
			}
			if err := (diskstore.Replica{Store: state.Files()[i]}).Apply(events, next.String()); err != nil {
				t.Fatal(err)
			}
			at = next
		}
	}
	state.Refresh()
	return conclude(t, s, aside, state)
}

// mortal is a store on disk that ends its process at a random step, by an error of the disk or
// by an interrupt.
type mortal struct {
	*diskstore.Store

	mu     sync.Mutex
	steps  int
	dieAt  int
	cancel func() // nil: the store fails
}

var errDied = errors.New("the disk is full")

// died reports whether the process has ended.
func (m *mortal) died() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.dieAt > 0 && m.steps >= m.dieAt
}

// step counts a step, and returns an error when the store has failed.
func (m *mortal) step() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.steps++
	switch {
	case m.dieAt == 0 || m.steps < m.dieAt:
		return nil
	case m.cancel != nil:
		m.cancel()
		return nil
	}
	return errDied
}

func (m *mortal) Add(ctx context.Context, items []frontier.Item) ([]frontier.ID, error) {
	if err := m.step(); err != nil {
		return nil, err
	}
	return m.Store.Add(ctx, items)
}

func (m *mortal) Claim(ctx context.Context, most int, lease time.Duration) ([]frontier.Lease, time.Time, error) {
	if err := m.step(); err != nil {
		return nil, time.Time{}, err
	}
	return m.Store.Claim(ctx, most, lease)
}

func (m *mortal) Complete(ctx context.Context, l frontier.Lease, d frontier.Done) ([]frontier.ID, error) {
	if err := m.step(); err != nil {
		return nil, err
	}
	return m.Store.Complete(ctx, l, d)
}

func (m *mortal) Release(ctx context.Context, l frontier.Lease, d frontier.Deferral) error {
	if err := m.step(); err != nil {
		return err
	}
	return m.Store.Release(ctx, l, d)
}

func (m *mortal) Tally(ctx context.Context, list []frontier.Tally) error {
	if err := m.step(); err != nil {
		return err
	}
	return m.Store.Tally(ctx, list)
}

// A Coordination needs no more than the crawl and two names; a Sink of results alone is enough.
func TestCoordinationDefaults(t *testing.T) {
	site := exampleSite()
	defer site.Close()
	client, err := fetch.NewHTTP(fetch.HTTPConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	addresses, err := store.ParseAddresses("redis://127.0.0.1:" + crawlertest.ServeRedis(t) + "?crawl=c")
	if err != nil {
		t.Fatal(err)
	}
	file, err := store.Create(filepath.Join(t.TempDir(), "crawl.sqlite"), store.FileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	start, _, err := urinorm.ParseWeb(site.URL + "/")
	if err != nil {
		t.Fatal(err)
	}
	crawl := store.Redis(addresses, store.RedisOptions{Patience: time.Minute})
	coordination := &store.Coordination{Crawl: crawl, Process: "main", Version: "1", WorkersHere: 2}
	defer coordination.Close()
	var codes []check.Code
	sink := result.Func(func(r *result.Result) error {
		codes = append(codes, r.Code)
		return nil
	})
	config := &crawler.Config{Fetch: client, Keep: crawler.Keep{Store: file.Store(), Coordination: coordination}}
	summary, err := crawler.Run(t.Context(), config, []crawler.Seed{{URL: start, Follow: true, Crawl: true}}, sink)
	if err != nil || summary.Pages != 2 || !slices.Equal(codes, []check.Code{check.HTTPCode(404)}) {
		t.Errorf("the crawl has %+v, %v, and the results %v, want 2 pages and http-404", summary, err, codes)
	}
	if err := coordination.Finish(t.Context(), true); err != nil {
		t.Error(err)
	}
}
