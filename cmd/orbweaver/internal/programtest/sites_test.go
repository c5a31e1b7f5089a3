//go:build unix

package programtest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/programtest"
	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// The benchmarks run the program on whole sites, each time as a process in an empty
// directory. They report wall and CPU time, peak memory, requests as counted by the server,
// and more. Variables of the environment choose what is measured:
//
//	BENCH_SITES      directories, and sites to generate: PAGESxLINKS[@SEED], separated by spaces
//	BENCH_EXTERNAL   HOSTSxLINKS: links to that many hosts over TLS
//	BENCH_LATENCY    the time before each answer, such as 50ms
//	BENCH_FLAGS      more flags for the program
//	BENCH_PEERS      other checkers on PATH that BenchmarkSites measures, too; "all" for those that are there
//
// With -v they print the command lines, and the rates of requests in long runs, as in
//
//	BENCH_SITES=1000000x50 go test ./cmd/orbweaver/internal/programtest -bench Sites -benchtime 1x -v -timeout 1h
func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

// concurrency is for checkers that have such a setting.
const concurrency = 64

// program is the one to measure.
var program string

func TestMain(m *testing.M) {
	programtest.Launch()
	os.Exit(programtest.Run(m, &program))
}

// run runs a checker in an empty directory, and returns what it took and its output.
func run(t testing.TB, c checker, args []string) (programtest.Usage, *os.File) {
	t.Helper()
	if testing.Verbose() {
		t.Log(c.path, strings.Join(args, " "))
	}
	dir := t.TempDir()
	out, err := os.Create(filepath.Join(dir, "output"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	if err := os.WriteFile(filepath.Join(dir, configFile), []byte(c.config), 0o644); err != nil {
		t.Fatal(err)
	}
	return programtest.Measure(t, dir, out, append([]string{c.path}, args...)...), out
}

// A site is a directory or a generated site.
type site struct {
	name, dir string // no dir: it is generated
	files     http.Handler
}

// sites are those of BENCH_SITES.
func sites(t testing.TB, names string) (sites []site) {
	for _, name := range strings.Fields(names) {
		dir, err := filepath.Abs(name)
		if info, statErr := os.Stat(name); err == nil && statErr == nil && info.IsDir() {
			sites = append(sites, site{filepath.Base(dir), dir, http.FileServerFS(os.DirFS(dir))})
			continue
		}
		pages, links, seed := 0, 0, uint64(1)
		if n, err := fmt.Sscanf(name, "%dx%d@%d", &pages, &links, &seed); n < 2 {
			t.Fatalf("BENCH_SITES: %s is neither a directory nor PAGESxLINKS[@SEED], such as 1000x50: %v", name, err)
		}
		sites = append(sites, site{name, "", unchanging(crawlertest.Generate(seed, pages, links), strconv.Quote(name))})
	}
	return sites
}

// unchanging adds a validator to the answers of a generated site, whose pages never change.
// Without one, a second run would have to read them again.
func unchanging(pages http.Handler, etag string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Etag"] = []string{etag}
		if r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		pages.ServeHTTP(w, r)
	})
}

// A counter notes the times of the requests, and answers after BENCH_LATENCY.
type counter struct {
	http.Handler
	latency time.Duration
	mu      sync.Mutex
	times   []time.Time
}

func newCounter(t testing.TB, answer http.Handler) *counter {
	latency, err := time.ParseDuration(setting("BENCH_LATENCY", "0s"))
	if err != nil {
		t.Fatalf("BENCH_LATENCY: %v", err)
	}
	return &counter{Handler: answer, latency: latency}
}

// ServeHTTP turns off a limit of LinkChecker: without the header it waits a third of a second
// between two requests, whatever its configuration.
func (c *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.times = append(c.times, time.Now())
	c.mu.Unlock()
	w.Header()["Linkchecker"] = []string{"1"}
	time.Sleep(c.latency)
	c.Handler.ServeHTTP(w, r)
}

// take returns the times since it was called before.
func (c *counter) take() (times []time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	times, c.times = c.times, nil
	return times
}

// rate returns the requests a second in the part from..to of all requests.
func rate(times []time.Time, from, to float64) float64 {
	first, last := int(from*float64(len(times)-1)), int(to*float64(len(times)-1))
	return float64(last-first) / max(times[last].Sub(times[first]).Seconds(), 1e-9)
}

// slowdown compares the rate in the last fifth of a run with that in the first.
func slowdown(times []time.Time) float64 { return rate(times, 0.8, 1) / rate(times, 0, 0.2) }

func tenths(times []time.Time) (rates []float64) {
	for i := range 10 {
		rates = append(rates, rate(times, float64(i)/10, float64(i+1)/10))
	}
	return rates
}

// sums are what several runs took, by unit.
type sums map[string]float64

func (s sums) add(u programtest.Usage) {
	s["wall-s"] += u.Wall.Seconds()
	s["cpu-s"] += u.CPU.Seconds()
	s["MB"] += float64(u.Memory) / (1 << 20)
}

// measure reports the means of what the runs add, and not the time of the loop.
func measure(b *testing.B, once func(sums)) {
	taken := sums{}
	for b.Loop() {
		once(taken)
	}
	b.ReportMetric(0, "ns/op")
	for unit, sum := range taken {
		b.ReportMetric(sum/float64(b.N), unit)
	}
}

// serve serves a handler until the test ends.
func serve(t testing.TB, handler http.Handler) (url string) {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// BenchmarkSites measures the program and its peers on sites, from the directory and over
// HTTP. They do not check links to other hosts, so that the results do not depend on the
// network.
func BenchmarkSites(b *testing.B) {
	checkers := append([]checker{ours()}, findPeers(b, setting("BENCH_PEERS", ""))...)
	for _, s := range sites(b, setting("BENCH_SITES", "1000x50")) {
		requests := newCounter(b, s.files)
		url := serve(b, requests)
		for _, c := range checkers {
			if c.directory != nil && s.dir != "" {
				b.Run(s.name+"/dir/"+c.name, func(b *testing.B) {
					measure(b, func(to sums) { runOn(b, c, c.directory(s.dir), requests, to) })
				})
			}
			if c.url != nil {
				b.Run(s.name+"/http/"+c.name, func(b *testing.B) {
					measure(b, func(to sums) { runOn(b, c, c.url(url+"/"), requests, to) })
				})
			}
		}
	}
}

// runOn adds what one run of a checker takes.
func runOn(t testing.TB, c checker, args []string, requests *counter, to sums) {
	u, out := run(t, c, args)
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	times := requests.take()
	to.add(u)
	to["broken"] += float64(c.findings(text))
	to["requests"] += float64(len(times))
	if len(times) > 0 && times[len(times)-1].Sub(times[0]) > 4*time.Second { // shorter runs have no steady rate
		to["end/start"] += slowdown(times)
		if testing.Verbose() {
			t.Logf("requests a second in each tenth: %.0f", tenths(times))
		}
	}
}

// keepModes are ways to run that keep more than what is wrong. A repeated run uses what the
// run before it has kept.
var keepModes = []struct {
	name      string
	arguments []string // KEPT is a directory that is new for each round
	repeated  bool
}{
	{"state, first run", []string{"--state", "KEPT/state"}, false},
	{"state, nothing changed", []string{"--state", "KEPT/state"}, true},
	{"cache, first run", []string{"--cache", "KEPT/cache"}, false},
	{"cache, nothing changed", []string{"--cache", "KEPT/cache"}, true},
	{"show all, json", []string{"--show", "all"}, false},
	{"show all, ndjson", []string{"--show", "all", "--format", "ndjson"}, false},
	{"show all, csv", []string{"--show", "all", "--format", "csv"}, false},
	{"show all, xml", []string{"--show", "all", "--format", "xml"}, false},
	{"show all, sqlite", []string{"--show", "all", "--format", "sqlite"}, false},
}

// BenchmarkKeep measures what states, caches and full reports cost. Ratios are to a plain run
// of the same round.
func BenchmarkKeep(b *testing.B) {
	for _, s := range sites(b, setting("BENCH_SITES", "1000x50")) {
		url := serve(b, newCounter(b, s.files))
		for i, m := range keepModes {
			b.Run(s.name+"/"+m.name, func(b *testing.B) {
				measure(b, func(to sums) { runKeeping(b, i, url+"/", to) })
			})
		}
	}
}

// runKeeping adds what a round takes.
func runKeeping(t testing.TB, mode int, url string, to sums) {
	c, kept := ours(), t.TempDir()
	plain, report := run(t, c, c.url(url))
	args := c.url(url)
	for _, arg := range keepModes[mode].arguments {
		args = append(args, strings.Replace(arg, "KEPT", kept, 1))
	}
	u, out := run(t, c, args)
	if keepModes[mode].repeated {
		u, out = run(t, c, args)
	}
	pages, references := sizeIn(t, report)
	to.add(u)
	to["cpu/plain"] += u.CPU.Seconds() / plain.CPU.Seconds()
	to["memory/plain"] += float64(u.Memory) / float64(plain.Memory)
	to["cpu-us/page"] += float64(u.CPU.Microseconds()) / float64(pages)
	to["cpu-ns/link"] += float64(u.CPU.Nanoseconds()) / float64(references)
	to["report-MB"] += sizeOf(out.Name()) / 1e6
	to["kept-MB"] += sizeOf(kept) / 1e6
}

// sizeOf returns the size of a file or of the files in a directory.
func sizeOf(path string) (size float64) {
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error { // files that cannot be read do not count
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				size += float64(info.Size())
			}
		}
		return nil
	})
	return size
}

// sizeIn returns the size of the site in the summary of a JSON report, which precedes the
// results. Only the beginning is read, because reports are large.
func sizeIn(t testing.TB, report io.ReaderAt) (pages, references int) {
	t.Helper()
	head := make([]byte, 64<<10)
	n, _ := report.ReadAt(head, 0) // usually less than that
	_, after, _ := strings.Cut(string(head[:n]), `"summary":`)
	var size struct{ Pages, References int }
	if err := json.NewDecoder(strings.NewReader(after)).Decode(&size); err != nil || size.References == 0 {
		t.Fatalf("no summary in the report: %v\n%.500s", err, head[:n])
	}
	return size.Pages, size.References
}

// The program is measured on a directory and on a generated site, whose pages have validators
// that a second run is answered with.
func TestSites(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte("<a href=x>"), 0o644); err != nil {
		t.Fatal(err)
	}
	for i, s := range sites(t, dir+" 10x3@4") {
		requests, c := newCounter(t, s.files), ours()
		url := serve(t, requests)
		measured, want := sums{}, []float64{2, 11}[i]
		runOn(t, c, c.url(url+"/"), requests, measured)
		if s.dir != "" {
			runOn(t, c, c.directory(dir), requests, measured)
		}
		if measured["requests"] != want || measured["broken"] != 2 || measured["cpu-s"] <= 0 || measured["MB"] < 10 {
			t.Errorf("%s: %v, want %v requests and 2 broken targets", s.name, measured, want)
		}
		first, second := httptest.NewRecorder(), httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		s.files.ServeHTTP(first, r)
		r.Header.Set("If-None-Match", first.Header().Get("ETag"))
		r.Header.Set("If-Modified-Since", first.Header().Get("Last-Modified"))
		if s.files.ServeHTTP(second, r); first.Code != http.StatusOK || second.Code != http.StatusNotModified || second.Body.Len() > 0 {
			t.Errorf("%s: the answers are %d and %d with %d bytes", s.name, first.Code, second.Code, second.Body.Len())
		}
	}
}

// A mode keeps something if it is to.
func TestKeep(t *testing.T) {
	url := serve(t, sites(t, "10x3@4")[0].files)
	for i, m := range keepModes {
		measured, keeps := sums{}, strings.HasPrefix(m.arguments[1], "KEPT")
		if runKeeping(t, i, url+"/", measured); measured["cpu/plain"] <= 0 || measured["report-MB"] <= 0 || (measured["kept-MB"] > 0) != keeps {
			t.Errorf("%s: %v", m.name, measured)
		}
	}
}

func TestRates(t *testing.T) {
	var even, slowing []time.Time
	for i := range 1000 {
		even = append(even, time.Unix(0, 0).Add(time.Duration(i)*10*time.Millisecond))
		slowing = append(slowing, time.Unix(0, 0).Add(time.Duration(i*i)*10*time.Microsecond))
	}
	if steady, late := slowdown(even), slowdown(slowing); steady < 0.95 || steady > 1.05 || late > 0.2 {
		t.Errorf("a steady run: %.2f; a run that slows down: %.2f", steady, late)
	}
	if got := tenths(even); len(got) != 10 || got[0] < 90 || got[9] > 110 {
		t.Errorf("a steady run of 100 requests a second: %.0f", got)
	}
	if got := tenths(slowing); got[0] < 3*got[9] {
		t.Errorf("a run that slows down: %.0f", got)
	}
}
