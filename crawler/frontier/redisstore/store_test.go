package redisstore

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/frontier/storetest"
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

// newCrawl makes an empty crawl.
func newCrawl(t *testing.T, server string, width frontier.Width, key [16]byte) (*Crawl, *Header) {
	crawlNumber.Lock()
	crawlNumber.n++
	name := fmt.Sprintf("t%d", crawlNumber.n)
	crawlNumber.Unlock()
	return newCrawlWith(t, server+"?crawl="+name, Options{Patience: time.Minute, now: time.Now}, width, key)
}

func newCrawlWith(t *testing.T, address string, o Options, width frontier.Width, key [16]byte) (*Crawl, *Header) {
	a, err := ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	f := Open(a, o)
	h := &Header{Encoding: Encoding, Targets: frontier.Encoding, Width: width, Key: key[:], Lease: time.Minute}
	if err := f.Create(context.Background(), h, Limits{Log: 1 << 30}); err != nil {
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
	*Store
	crawl  *Crawl
	header *Header
	disk   *diskstore.Store
	mu     sync.Mutex
	at     Position
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
	if err == nil {
		err = w.Store.Close()
	}
	return err
}

func TestContract(t *testing.T) {
	socket := openServer(t)
	for _, width := range []frontier.Width{frontier.Narrow, frontier.Wide} {
		t.Run(fmt.Sprint(width, " bits"), func(t *testing.T) {
			storetest.Run(t, func(t *testing.T) frontier.Store {
				disk, err := diskstore.Create(filepath.Join(t.TempDir(), "state"), width, nil)
				if err != nil {
					t.Fatal(err)
				}
				f, h := newCrawl(t, "unix://"+socket, width, disk.FingerprintKey())
				return &whole{Store: f.Store(h, "", "test"), crawl: f, header: h, disk: disk, at: h.First()}
			})
		})
	}
}

// loadScripts lets a server know the scripts: those that it runs for the first time since its
// start take precautions.
func loadScripts(t *testing.T, server string) {
	t.Helper()
	a, err := ParseAddress(server + "?crawl=none")
	if err != nil {
		t.Fatal(err)
	}
	f := Open(a, Options{})
	defer f.Close()
	for _, script := range scripts() {
		if err := script.Load(context.Background(), f.redis).Err(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestShared(t *testing.T) {
	socket := openServer(t)
	loadScripts(t, "unix://"+socket)
	storetest.RunShared(t, func(t *testing.T) func(string) frontier.Shared {
		f, h := newCrawl(t, "unix://"+socket, frontier.Narrow, [16]byte{1})
		t.Cleanup(func() { f.Close() })
		return func(process string) frontier.Shared { return f.Store(h, process, "test") }
	})
}
