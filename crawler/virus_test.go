package crawler

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/crawler/internal/clamdtest"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// openScanner returns an inspector that scans for viruses.
func openScanner(t *testing.T, server *clamdtest.Server, change func(*inspect.Config)) *inspect.Inspector {
	t.Helper()
	address, err := inspect.ParseClamd(server.Address)
	if err != nil {
		t.Fatal(err)
	}
	cfg := inspect.Config{Groups: inspect.Virus, Clamd: address, VirusMax: 1 << 20, VirusTimeout: time.Minute}
	if change != nil {
		change(&cfg)
	}
	inspector, err := inspect.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(inspector.Close)
	return inspector
}

// overHTTP returns the configuration of a crawl of a local server.
func overHTTP(t testing.TB, url string) (*Config, []Seed) {
	t.Helper()
	client, err := fetch.NewHTTP(fetch.HTTPConfig{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return &Config{Fetch: fetch.Mux{"http": client, "https": client}, Politeness: Politeness{Concurrency: 8}}, []Seed{{URL: mustParse(t, url), Follow: true, Crawl: true, Named: true, Raw: url}}
}

// infectedSite has viruses in a page, a file and a compressed answer, and what cannot be
// scanned.
func infectedSite(external string) http.Handler {
	const virus = clamdtest.Pattern
	mux := http.NewServeMux()
	page := func(path, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html><title>t</title>", body)
		})
	}
	page("/{$}", `<a href=clean.html>1</a><a href=infected.html#top>2</a><a href=setup.exe>3</a><a href=packed.html>4</a>`+
		`<a href=large.bin>5</a><a href=large.html>6</a><a href=moved>7</a><img src=big.png><a href="`+external+`">8</a><a href=empty.bin>9</a>`)
	page("/clean.html", `<a href=infected.html>again</a>`)
	page("/infected.html", `<p id=top>`+virus+`<a href=deep.html>x</a>`)
	page("/deep.html", `ok`)
	page("/large.html", strings.Repeat("x", 1<<20)+`<a href=last.html>y</a>`)
	page("/last.html", `ok`)
	mux.HandleFunc("/packed.html", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		fmt.Fprint(z, "<!doctype html>", virus)
		z.Close()
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/setup.exe", http.StatusFound) })
	binary := func(path string, body []byte) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/octet-stream")
			w.Write(body)
		})
	}
	binary("/setup.exe", append(bytes.Repeat([]byte{0}, 600<<10), virus...)) // longer than a small body
	binary("/large.bin", append(bytes.Repeat([]byte{0}, 2<<20), virus...))
	binary("/big.png", bytes.Repeat([]byte{1}, 900<<10))
	binary("/empty.bin", nil)
	return mux
}

// TestVirusScan: every target of the site is scanned, whatever leads to it and however it is
// encoded. An infected page is broken for all links to it, and its own links are followed.
func TestVirusScan(t *testing.T) {
	server := clamdtest.Start(t, clamdtest.Options{})
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, clamdtest.Pattern)
	}))
	defer other.Close()
	site := httptest.NewServer(infectedSite(strings.Replace(other.URL, "127.0.0.1", "localhost", 1) + "/x"))
	defer site.Close()
	const found = "virus-found " + clamdtest.PatternSignature
	for _, all := range []bool{false, true} {
		for _, workers := range []int{1, 4} {
			want := []string{
				"/infected.html " + found, "/infected.html#top " + found, "/moved " + found, "/packed.html " + found, "/setup.exe " + found,
				"/large.bin virus-unscanned", "/large.html virus-unscanned",
			}
			if all {
				want = append(want, "/x "+found)
			}
			cfg, seeds := overHTTP(t, site.URL)
			cfg.Politeness.Concurrency, cfg.Deliver.Show = workers, result.Show{Broken: true, Info: true}
			cfg.Judging.Inspector = openScanner(t, server, func(c *inspect.Config) { c.VirusAll = all })
			c := &collector{}
			sum, err := Run(t.Context(), cfg, seeds, c)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range c.results {
				path := r.URL[strings.LastIndexByte(r.URL, '/'):]
				if r.Verdict == check.Broken {
					got = append(got, path+" "+string(r.Code)+" "+r.Message)
				}
				for _, w := range r.Warnings {
					got = append(got, path+" "+string(w.Code))
				}
				if len(r.References) == 0 {
					t.Errorf("%s has no references", r.URL)
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("all %v, %d workers: got\n%s\nwant\n%s", all, workers, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if !sum.Soundness.Complete() || sum.Pages != 7 {
				t.Errorf("%d pages were read, complete: %v", sum.Pages, sum.Soundness.Complete())
			}
		}
	}
}

// TestVirusScanOfDirectory: files are scanned, too.
func TestVirusScanOfDirectory(t *testing.T) {
	server := clamdtest.Start(t, clamdtest.Options{TCP: true})
	dir := writeFiles(t, map[string]string{
		"index.html": `<!doctype html><a href=eicar.com>1</a><a href=clean.zip>2</a>`,
		"eicar.com":  clamdtest.EICAR,
		"clean.zip":  "PK",
	})
	cfg, seeds := onDisk(t, dir)
	cfg.Deliver.Show = result.Show{Broken: true}
	cfg.Judging.Inspector = openScanner(t, server, nil)
	c := &collector{}
	if _, err := Run(t.Context(), cfg, seeds, c); err != nil {
		t.Fatal(err)
	}
	if len(c.results) != 1 || c.results[0].Code != judging.CodeVirusFound || c.results[0].Message != clamdtest.EICARSignature {
		for _, r := range c.results {
			t.Errorf("got %+v", *r)
		}
	}
}

// TestVirusScanOfManyFiles: workers that scan files do not wait for those that wait for their
// slots.
func TestVirusScanOfManyFiles(t *testing.T) {
	server := clamdtest.Start(t, clamdtest.Options{})
	files := map[string]string{}
	for i := range 60 {
		files[fmt.Sprintf("%d.html", i)] = fmt.Sprintf(`<!doctype html><a href=%d.bin>1</a>`, i)
		files[fmt.Sprintf("%d.bin", i)] = strings.Repeat("x", 600<<10*(i%2))
	}
	cfg, seeds := onDisk(t, writeFiles(t, files))
	cfg.Politeness.Concurrency = 32
	cfg.Judging.Inspector = openScanner(t, server, nil)
	sum, err := Run(t.Context(), cfg, seeds, &collector{})
	if err != nil || !sum.Soundness.Complete() || sum.OK != 60 {
		t.Errorf("got %+v, %v", sum, err)
	}
}

// TestScannerLost: when clamd is lost, nothing is said to be clean any more, and the run is
// not complete.
func TestScannerLost(t *testing.T) {
	server := clamdtest.Start(t, clamdtest.Options{})
	dir := writeFiles(t, map[string]string{
		"index.html": `<!doctype html><a href=eicar.com>1</a>`,
		"eicar.com":  clamdtest.EICAR,
	})
	cfg, seeds := onDisk(t, dir)
	cfg.Deliver.Show = result.Show{Info: true}
	cfg.Judging.Inspector = openScanner(t, server, func(c *inspect.Config) { c.VirusTimeout = 2 * time.Second })
	server.Kill()
	c := &collector{}
	sum, err := Run(t.Context(), cfg, seeds, c)
	if err != nil {
		t.Fatal(err)
	}
	if sum.Soundness.Complete() || sum.Soundness.StoppedBy != "clamd" {
		t.Errorf("complete %v, stopped by %q", sum.Soundness.Complete(), sum.Soundness.StoppedBy)
	}
	for _, r := range c.results {
		if len(r.Warnings) != 1 || r.Warnings[0].Code != judging.CodeVirusUnscanned {
			t.Errorf("%s: %s, %v", r.URL, r.Code, r.Warnings)
		}
	}
	if len(c.results) != 2 {
		t.Errorf("%d targets are unscanned, want 2", len(c.results))
	}
}
