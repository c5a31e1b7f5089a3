package storetest

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/redisstore"
)

func TestRedis(t *testing.T) {
	t.Parallel() // it waits for its server most of the time
	r := &redis{servers: []string{"redis://127.0.0.1:" + crawlertest.ServeRedis(t)}, width: frontier.Narrow}
	r.test(t)
}

// TestSeveralRedis tests crawls that are divided among servers, by the registrable domains of hosts.
func TestSeveralRedis(t *testing.T) {
	t.Parallel() // it waits for its server most of the time
	for n, width := range map[int]frontier.Width{2: frontier.Narrow, 4: frontier.Wide} {
		t.Run(fmt.Sprintf("%d servers", n), func(t *testing.T) {
			t.Parallel()
			r := &redis{width: width}
			for range n {
				r.servers = append(r.servers, "redis://127.0.0.1:"+crawlertest.ServeRedis(t))
			}
			r.test(t)
		})
	}
}

func TestRedisCluster(t *testing.T) {
	t.Parallel() // it waits for its server most of the time
	r := &redis{servers: []string{"redis-cluster://127.0.0.1:" + crawlertest.ServeRedisCluster(t, 2)[1]}, width: frontier.Narrow}
	first, _ := r.crawl(t, [16]byte{}) // waits until the cluster is up, which simulated time would not
	if _, _, err := first.Delete(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	r.test(t)
}

// redis has the servers for crawls.
type redis struct {
	servers []string // their addresses
	tls     *tls.Config
	width   frontier.Width
	crawls  int
}

// test tests all that a store promises.
func (r *redis) test(t *testing.T) {
	run(t, func(t *testing.T) frontier.Store {
		disk, err := diskstore.Create(filepath.Join(t.TempDir(), "state"), r.width, nil)
		if err != nil {
			t.Fatal(err)
		}
		f, headers := r.crawl(t, disk.FingerprintKey())
		w := &whole{relayed: relay(f.Store(headers[0], "", "test")), crawl: f, headers: headers, disk: disk, numbers: map[frontier.ID]frontier.ID{}}
		for _, h := range headers {
			w.at = append(w.at, h.First())
		}
		return w
	})
	runShared(t, func(t *testing.T) func(string) frontier.Shared {
		f, headers := r.crawl(t, [16]byte{1})
		var opened []*relayed
		t.Cleanup(func() {
			for _, s := range opened {
				s.stop()
			}
			_ = closeInBubble(f)
		})
		return func(process string) frontier.Shared {
			opened = append(opened, relay(f.Store(headers[0], process, "test")))
			return opened[len(opened)-1]
		}
	})
}

// crawl makes an empty crawl.
func (r *redis) crawl(t *testing.T, key [16]byte) (f redisstore.Lead, headers []*redisstore.Header) {
	r.crawls++
	var addresses redisstore.Addresses
	for _, server := range r.servers {
		a, err := redisstore.ParseAddress(fmt.Sprintf("%s?crawl=t%d", server, r.crawls))
		if err != nil {
			t.Fatal(err)
		}
		addresses = append(addresses, a)
	}
	f = redisstore.Open(addresses, redisstore.Options{TLS: r.tls, Patience: time.Minute, Now: time.Now}).Lead()
	for _, s := range f.Shards() {
		h := &redisstore.Header{Encoding: redisstore.Encoding, Targets: frontier.Encoding, Width: r.width, Key: key[:], Lease: time.Minute}
		if err := s.Create(context.Background(), h, redisstore.Limits{Log: 1 << 30}); err != nil {
			t.Fatal(err)
		}
		headers = append(headers, h)
	}
	if err := f.EndRendering(context.Background()); err != nil { // no coordinator holds the end back
		t.Fatal(err)
	}
	if _, _, err := f.Change(context.Background(), "filled"); err != nil {
		t.Fatal(err)
	}
	return f, headers
}

// relayed is a store whose relays begin with the first page that is settled: an idle hour is long.
type relayed struct {
	*redisstore.Store
	begin func()
	stop  func()
}

func relay(s *redisstore.Store) *relayed {
	ctx, cancel := context.WithCancel(context.Background())
	var relaying sync.WaitGroup
	begin := sync.OnceFunc(func() { relaying.Go(func() { _ = s.Process().Relay(ctx) }) })
	return &relayed{s, begin, func() { cancel(); relaying.Wait() }}
}

func (r *relayed) Complete(ctx context.Context, l frontier.Lease, d frontier.Done) ([]frontier.ID, error) {
	r.begin()
	return r.Store.Complete(ctx, l, d)
}

// wait waits until the relays have nothing to do.
func (r *relayed) wait() {
	if r.Process().Servers() > 1 {
		synctest.Wait()
	}
}

// whole is a store together with the state directory to which its logs are applied, so that
// everything can be read. Its IDs are those of the state directory.
type whole struct {
	*relayed
	crawl   redisstore.Lead
	headers []*redisstore.Header
	disk    *diskstore.Store
	mu      sync.Mutex
	at      []redisstore.Position
	numbers map[frontier.ID]frontier.ID // the IDs on the servers
}

func (w *whole) apply(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, s := range w.crawl.Shards() {
		for {
			events, at, err := s.Log(w.headers[i]).Read(ctx, w.at[i], 0)
			if err != nil {
				return err
			}
			if len(events) == 0 {
				break
			}
			if err := (diskstore.Replica{Store: w.disk}).Apply(events, at.String()); err != nil {
				return err
			}
			if err := s.Log(w.headers[i]).Trim(ctx, at); err != nil {
				return err
			}
			w.at[i] = at
		}
	}
	return nil
}

// known returns the IDs of items, which the servers know under other ones.
func (w *whole) known(ctx context.Context, items []frontier.Item, numbers []frontier.ID) ([]frontier.ID, error) {
	if err := w.apply(ctx); err != nil {
		return nil, err
	}
	names := make([]frontier.Fingerprint, len(items))
	for i := range items {
		names[i] = items[i].Fingerprint
	}
	ids, err := w.disk.Find(ctx, names)
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, id := range ids {
		if numbers[i] != 0 {
			w.numbers[id] = numbers[i]
		}
	}
	return ids, err
}

// number returns the ID of a target on its server.
func (w *whole) number(id frontier.ID) frontier.ID {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := w.numbers[id]; n != 0 {
		return n
	}
	return id
}

func (w *whole) numbered(items []frontier.Item) []frontier.Item {
	items = slices.Clone(items)
	for i := range items {
		if items[i].ID != 0 {
			items[i].ID = w.number(items[i].ID)
		}
	}
	return items
}

// Add enters one item after the other on several servers, so that they are numbered in this order.
func (w *whole) Add(ctx context.Context, items []frontier.Item) (ids []frontier.ID, err error) {
	most := len(items)
	if w.Process().Servers() > 1 && most < 100 {
		most = 1
	}
	for some := range slices.Chunk(items, most) {
		numbers, err := w.relayed.Add(ctx, w.numbered(some))
		if err != nil {
			return nil, err
		}
		more, err := w.known(ctx, some, numbers)
		if err != nil {
			return nil, err
		}
		ids = append(ids, more...)
	}
	return ids, nil
}

func (w *whole) Claim(ctx context.Context, most int, d time.Duration) ([]frontier.Lease, time.Time, error) {
	leases, next, err := w.relayed.Claim(ctx, most, d)
	if err != nil || len(leases) == 0 {
		return leases, next, err
	}
	items, numbers := make([]frontier.Item, len(leases)), make([]frontier.ID, len(leases))
	for i, l := range leases {
		items[i].Fingerprint, numbers[i] = l.Fingerprint, l.ID
	}
	ids, err := w.known(ctx, items, numbers)
	for i := range ids {
		leases[i].ID = ids[i]
	}
	return leases, next, err
}

func (w *whole) Complete(ctx context.Context, l frontier.Lease, d frontier.Done) ([]frontier.ID, error) {
	found := d.Found
	l.ID, d.Found = w.number(l.ID), w.numbered(found)
	numbers, err := w.relayed.Complete(ctx, l, d)
	if err != nil || len(found) == 0 {
		return numbers, err
	}
	return w.known(ctx, found, numbers)
}

func (w *whole) Release(ctx context.Context, l frontier.Lease, d frontier.Deferral) error {
	l.ID = w.number(l.ID)
	return w.relayed.Release(ctx, l, d)
}

func (w *whole) Extend(ctx context.Context, l frontier.Lease, d time.Duration) error {
	l.ID = w.number(l.ID)
	return w.relayed.Extend(ctx, l, d)
}

func (w *whole) Process() frontier.Process { return wholeProcess{w.relayed.Process(), w} }

// wholeProcess extends leases by the IDs of the state directory.
type wholeProcess struct {
	frontier.Process
	of *whole
}

func (p wholeProcess) ExtendAll(ctx context.Context, server int, leases []frontier.Lease, d time.Duration) ([]frontier.ID, error) {
	leases = slices.Clone(leases)
	for i := range leases {
		leases[i].ID = p.of.number(leases[i].ID)
	}
	return p.Process.ExtendAll(ctx, server, leases, d)
}

func (w *whole) Find(ctx context.Context, f []frontier.Fingerprint) ([]frontier.ID, error) {
	if err := w.apply(ctx); err != nil {
		return nil, err
	}
	return w.disk.Find(ctx, f)
}

func (w *whole) Get(ctx context.Context, id frontier.ID, parts frontier.Parts) (frontier.Record, error) {
	if err := w.apply(ctx); err != nil {
		return frontier.Record{}, err
	}
	return w.disk.Get(ctx, id, parts)
}

func (w *whole) Scan(ctx context.Context, parts frontier.Parts, fn func(*frontier.Record) error) error {
	if err := w.apply(ctx); err != nil {
		return err
	}
	return w.disk.Scan(ctx, parts, fn)
}

func (w *whole) Close() error {
	w.stop()
	err := w.disk.Close()
	if _, _, err := w.crawl.Delete(context.Background(), true); err != nil {
		return err
	}
	return errors.Join(err, closeInBubble(w.crawl))
}

// closeInBubble closes connections at the end of a synctest bubble. The client of a cluster
// sleeps for a moment before it ends.
func closeInBubble(f redisstore.Lead) error {
	err := f.Close()
	time.Sleep(time.Second)
	return err
}
