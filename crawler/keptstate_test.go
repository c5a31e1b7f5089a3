package crawler

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/internal/sitetest"
)

var update = flag.Bool("update", false, "crawl the state in testdata anew, and write what it should tell")

const keptState, keptReport = "testdata/state/crawl.sqlite.gz", "testdata/state/report.txt"

// A state that lies in testdata, of a crawl that was stopped on its way, tells what
// it told when it was made. When it does not, states that users have would not be
// understood any more: raise frontier.Encoding, or better, read what was written
// before, and renew the state with -update.
func TestKeptState(t *testing.T) {
	if *update {
		keepState(t)
	}
	file := filepath.Join(t.TempDir(), "crawl.sqlite")
	packed, err := os.Open(keptState)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := diskstore.Open(file)
	if errors.Is(err, diskstore.ErrOtherVersion) {
		t.Fatalf("%v: renew the state with -update", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	start, err := store.Value("start")
	if err != nil {
		t.Fatal(err)
	}
	cfg := web(t)
	cfg.Keep.Store, cfg.Deliver.Pages = store, true
	c := &collector{}
	sum, err := Report(t.Context(), cfg, seedOf(t, string(start)), c)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d pages, %d targets, %d references, %d requests; %d ok, %d broken, %d unverified, %d skipped\n",
		sum.Soundness.StoppedBy, sum.Pages, sum.Results, sum.References, sum.Requests, sum.OK, sum.Broken, sum.Unverified, sum.Skipped)
	for _, r := range c.results {
		fmt.Fprintf(&b, "%s %s %s %d %s %d\n", r.URL, r.Verdict, r.Code, r.Status, r.ContentType, r.Size)
		for _, hop := range r.Redirects {
			fmt.Fprintf(&b, "\tby %s %d to %s\n", hop.URL, hop.Status, r.FinalURL)
		}
		for _, ref := range r.References {
			fmt.Fprintf(&b, "\t%s %d:%d %s %s %q %q\n", ref.Page, ref.Line, ref.Column, ref.Element, ref.Attribute, ref.Raw, ref.Text)
		}
	}
	for _, p := range c.pages {
		fmt.Fprintf(&b, "page %s %q %d clicks away, %s, noindex %v, canonical %q, %d links\n", p.URL, p.Title, p.Depth, p.Format, p.NoIndex, p.Canonical, len(p.Links))
	}
	if *update {
		if err := os.WriteFile(keptReport, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(keptReport)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the state tells:\n%s\nand told:\n%s", b.String(), want)
	}
}

// keepState crawls a site until half of it is read, and keeps the state.
func keepState(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/", crawlertest.Generate(5, 16, 4))
	mux.HandleFunc("/d0/p1.html", linking("/busy", "/moved", "https://example.com/", "not a:uri", "/d0/p2.html#s1", "/page#place", "mailto:x"))
	mux.HandleFunc("/busy", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	mux.Handle("/moved", http.RedirectHandler("/d0/p3.html", http.StatusMovedPermanently))
	mux.HandleFunc("/page", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `<title>A page</title><link rel=canonical href=/canonical><meta name=robots content=noindex><p id=Place>`)
	})
	base, _ := sitetest.Serve(t, mux)
	file := filepath.Join(t.TempDir(), "crawl.sqlite")
	store, err := diskstore.Create(file, frontier.Narrow, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.SetValue("start", []byte(base+"/")); err != nil {
		t.Fatal(err)
	}
	cfg := web(t)
	stop := make(chan struct{})
	cfg.Scope.External = SkipExternal
	cfg.Fetch = &stopper{Fetcher: cfg.Fetch, left: 14, stop: stop}
	cfg.Keep.Store, cfg.Stop, cfg.Limits.Grace, cfg.Politeness.Concurrency, cfg.Politeness.Retries, cfg.Politeness.Backoff = store, stop, time.Millisecond, 1, 2, time.Hour // what failed waits
	if _, err := Run(context.Background(), cfg, seedOf(t, base+"/"), &collector{}); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is one there is
	z.Write(data)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(keptState), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(keptState, packed.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}
