package storetest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/redisstore"
)

func TestRedis(t *testing.T) {
	r := &redis{server: "redis://127.0.0.1:" + crawlertest.ServeRedis(t), width: frontier.Narrow}
	r.test(t)
}

func TestRedisCluster(t *testing.T) {
	port := crawlertest.ServeRedis(t, "--port", "PORT", "--cluster-enabled", "yes")
	if out, err := exec.Command("redis-cli", "-p", port, "cluster", "addslotsrange", "0", "16383").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r := &redis{server: "redis-cluster://127.0.0.1:" + port, width: frontier.Narrow}
	first, _ := r.crawl(t, [16]byte{}) // waits until the cluster is up, which simulated time would not
	if _, _, err := first.Delete(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	r.test(t)
}

// TestRedisTLS tests wide fingerprints with TLS and a password.
func TestRedisTLS(t *testing.T) {
	signer := (*crawlertest.Authority)(nil).Issue(t, &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Unix(0, 0)}) // simulated time begins long ago
	cert, pool := signer.File(t), x509.NewCertPool()
	pool.AddCert(signer.Cert)
	port := crawlertest.ServeRedis(t, "--port", "0", "--tls-port", "PORT", "--tls-cert-file", cert, "--tls-key-file", cert,
		"--tls-ca-cert-file", cert, "--tls-auth-clients", "no", "--requirepass", "a:b")
	r := &redis{server: "rediss://:a%3Ab@127.0.0.1:" + port, tls: &tls.Config{RootCAs: pool}, width: frontier.Wide}
	r.test(t)
}

// redis is a server for crawls.
type redis struct {
	server string // its address
	tls    *tls.Config
	width  frontier.Width
	crawls int
}

// test tests all that a store promises.
func (r *redis) test(t *testing.T) {
	run(t, func(t *testing.T) frontier.Store {
		disk, err := diskstore.Create(filepath.Join(t.TempDir(), "state"), r.width, nil)
		if err != nil {
			t.Fatal(err)
		}
		f, h := r.crawl(t, disk.FingerprintKey())
		return &whole{Store: f.Store(h, "", "test"), crawl: f, header: h, disk: disk, at: h.First()}
	})
	runShared(t, func(t *testing.T) func(string) frontier.Shared {
		f, h := r.crawl(t, [16]byte{1})
		t.Cleanup(func() { _ = closeInBubble(f) })
		return func(process string) frontier.Shared { return f.Store(h, process, "test") }
	})
}

// crawl makes an empty crawl.
func (r *redis) crawl(t *testing.T, key [16]byte) (redisstore.Lead, *redisstore.Header) {
	r.crawls++
	a, err := redisstore.ParseAddress(fmt.Sprintf("%s?crawl=t%d", r.server, r.crawls))
	if err != nil {
		t.Fatal(err)
	}
	f := redisstore.Open(a, redisstore.Options{TLS: r.tls, Patience: time.Minute, Now: time.Now}).Lead()
	h := &redisstore.Header{Encoding: redisstore.Encoding, Targets: frontier.Encoding, Width: r.width, Key: key[:], Lease: time.Minute}
	if err := f.Create(context.Background(), h, redisstore.Limits{Log: 1 << 30}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Change(context.Background(), "filled"); err != nil {
		t.Fatal(err)
	}
	return f, h
}

// whole is a store together with the state directory to which its log is applied, so that
// everything can be read.
type whole struct {
	*redisstore.Store
	crawl  redisstore.Lead
	header *redisstore.Header
	disk   *diskstore.Store
	mu     sync.Mutex
	at     redisstore.Position
}

func (w *whole) apply(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		events, at, err := w.crawl.Log(w.header).Read(ctx, w.at, 0)
		if err != nil || len(events) == 0 {
			return err
		}
		if err := (diskstore.Replica{Store: w.disk}).Apply(events, at.String()); err != nil {
			return err
		}
		if err := w.crawl.Log(w.header).Trim(ctx, at); err != nil {
			return err
		}
		w.at = at
	}
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
