package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/store"
)

// killers is the number of tests that kill in parallel.
const killers = 3

// killSite serves a generated site with entity tags, redirects and links to another host,
// and counts requests.
type killSite struct {
	pages http.Handler
	other string // the same server under another host name

	mu      sync.Mutex
	session string        // the session whose requests are counted: requests of a killed process may arrive late
	left    int           // requests until now is closed
	now     chan struct{} // closed when the process is to be killed
	asked   map[string]int
}

func (s *killSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	// Headers are only sent to the site. Requests to its other name are counted too.
	if session := r.Header.Get("X-Session"); session == s.session || session == "" {
		s.asked[r.Method+" http://"+r.Host+r.URL.Path]++
		if s.left--; s.left == 0 {
			close(s.now)
		}
	}
	s.mu.Unlock()
	if rest, ok := strings.CutPrefix(r.URL.Path, "/x/"); ok {
		s.elsewhere(w, rest)
		return
	}
	if rest, ok := strings.CutPrefix(r.URL.Path, "/d0/p1"); ok && len(rest) > len("0.html") {
		http.Redirect(w, r, "/moved/p1"+rest, http.StatusMovedPermanently)
		return
	}
	if rest, ok := strings.CutPrefix(r.URL.Path, "/moved/"); ok {
		r.URL.Path = "/d0/" + rest
	}
	s.tagged(w, r)
}

// elsewhere serves the other host: page n, and a redirect to it at n+100.
func (s *killSite) elsewhere(w http.ResponseWriter, path string) {
	n, err := strconv.Atoi(path)
	switch {
	case err != nil || n%17 == 5:
		w.WriteHeader(http.StatusNotFound)
	case n >= 100:
		w.Header().Set("Location", "/x/"+strconv.Itoa(n-100))
		w.WriteHeader(http.StatusMovedPermanently)
	default:
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<p id=a>")
	}
}

// tagged serves a page of the site with links to the other host.
func (s *killSite) tagged(w http.ResponseWriter, r *http.Request) {
	rec := httptest.NewRecorder()
	s.pages.ServeHTTP(rec, r)
	body := rec.Body.String()
	hash := fnv.New32a()
	io.WriteString(hash, r.URL.Path)
	n := int(hash.Sum32() % 60)
	if rec.Code == http.StatusOK && r.Method != http.MethodHead {
		body += fmt.Sprintf(`<a href="%[1]s/x/%[2]d">x</a><a href="%[1]s/x/%[3]d#a">x</a><a href="%[1]s/x/%[4]d">x</a><a href="%[1]s/x/%[5]d#b">x</a>`,
			s.other, n, (n+7)%60, 100+(n+11)%60, n/9)
	}
	maps.Copy(w.Header(), rec.Header())
	w.Header().Del("Content-Length")
	if rec.Code == http.StatusOK && n%3 > 0 {
		tag := fmt.Sprintf(`"%d-%d"`, n, len(body))
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	w.WriteHeader(rec.Code)
	io.WriteString(w, body)
}

// begin resets the counts, and closes the channel at the n-th request of a session.
func (s *killSite) begin(session string, n int) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session, s.left, s.now, s.asked = session, n, make(chan struct{}), map[string]int{}
	return s.now
}

// requests returns the requests of the session by method and URL.
func (s *killSite) requests() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.asked)
}

// killing kills processes that crawl one site.
type killing struct {
	*testing.T
	program string
	url     string
	site    *killSite
	rng     *rand.Rand
	session int
	bits    string // of fingerprints
}

func (k *killing) start(args ...string) *process {
	k.Helper()
	p := &process{}
	p.cmd = exec.Command(k.program, args...)
	if args[0] != "report" {
		p.cmd.Args = append(p.cmd.Args, "--header", "X-Session: "+k.site.session)
	}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = k.TempDir(), &p.out, &p.err
	if err := p.cmd.Start(); err != nil {
		k.Fatal(err)
	}
	return p
}

// whole runs a command that is not killed.
func (k *killing) whole(args ...string) map[string]any {
	k.Helper()
	k.site.begin(args[0], -1)
	p := k.start(args...)
	p.cmd.Wait()
	return reportOf(k.T, p)
}

func (k *killing) check(dir string) []string {
	return []string{"check", k.url + "/", "-f", "json", "--show", "all", "--no-config", "--concurrency", "8", "--fingerprint-bits", k.bits, "--state", dir}
}

func killAgain(t *testing.T, program string, rng *rand.Rand, bits string) {
	kills := crawlertest.Count(6, 210) / 2 / killers
	site := &killSite{pages: crawlertest.Generate(11, 160, 8)}
	server := httptest.NewServer(site)
	t.Cleanup(server.Close)
	site.other = strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	k := &killing{T: t, program: program, url: server.URL, site: site, rng: rng, bits: bits}

	first := filepath.Join(t.TempDir(), "first")
	want := k.whole(k.check(first)...)
	k.again(kills, want, func(string) {})

	kept := filepath.Join(t.TempDir(), "kept")
	copyState(t, first, kept)
	want = k.whole(k.check(kept)...)
	if cached, _ := want["summary"].(map[string]any)["cached"].(float64); cached < 20 {
		t.Errorf("a second crawl requests all targets but %v", cached)
	}
	k.again(kills, want, func(dir string) { copyState(t, first, dir) })
}

// again kills processes until the given number is reached.
func (k *killing) again(kills int, want map[string]any, prepare func(dir string)) {
	k.Helper()
	for killed := 0; killed < kills; {
		dir := filepath.Join(k.TempDir(), "state")
		prepare(dir)
		n, got := k.crawl(dir)
		killed += n
		if !reflect.DeepEqual(got, want) {
			k.Fatalf("the report differs from that of a crawl that was not killed:\n%s", difference(got, want))
		}
	}
}

// crawl kills one crawl until it is complete. It returns the number of kills and the
// report.
func (k *killing) crawl(dir string) (killed int, report map[string]any) {
	k.Helper()
	args := k.check(dir)
	var before kept
	for {
		k.session++
		now := k.site.begin(strconv.Itoa(k.session), 1+k.rng.IntN(40))
		p := k.start(args...)
		over := make(chan struct{})
		go func() {
			select {
			case <-now:
				p.cmd.Process.Kill()
			case <-over:
			}
		}()
		p.cmd.Wait()
		close(over)
		for request, n := range k.site.requests() {
			_, url, _ := strings.Cut(request, " ")
			if before.settled[url] {
				k.Fatalf("%s: it was finished", request)
			}
			if n > 1 && !strings.Contains(url, "/x/") { // a request to the other host of the previous process may arrive late
				k.Errorf("%s: %d times in one session", request, n)
			}
		}
		if p.cmd.ProcessState.ExitCode() >= 0 {
			return killed, reportOf(k.T, p)
		}
		killed++
		after := keptIn(k.T, dir)
		switch {
		case after.finished && before.begun: // it was killed while it wrote the report
			return killed, k.whole("report", dir, "-f", "json", "--show", "all")
		case after.begun && !after.finished && k.rng.IntN(4) > 0:
			args = []string{"resume", "--state", dir}
		default: // there was no crawl yet, or the same command was run again
			args = k.check(dir)
		}
		if before = after; after.finished { // the previous crawl
			before = kept{}
		}
	}
}

// process is one run of the program.
type process struct {
	cmd      *exec.Cmd
	out, err bytes.Buffer
}

// kept is what a state directory knows of a crawl.
type kept struct {
	begun, finished bool
	settled         map[string]bool // URLs with an outcome
}

func keptIn(t *testing.T, dir string) (found kept) {
	t.Helper()
	s, err := store.OpenReadOnly(filepath.Join(dir, stateFile))
	if err != nil {
		return kept{}
	}
	defer s.Close()
	command, err := readCommand(s)
	if err != nil {
		t.Fatal(err)
	}
	at, err := standing(s)
	if err != nil {
		t.Fatal(err)
	}
	found = kept{begun: command != nil, finished: at.Finished, settled: map[string]bool{}}
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(filepath.Join(dir, stateFile))+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	urls, err := db.Query("SELECT url, settled FROM urls")
	if err != nil {
		t.Fatal(err)
	}
	defer urls.Close()
	for urls.Next() {
		var url string
		var settled bool
		if err := urls.Scan(&url, &settled); err != nil {
			t.Fatal(err)
		}
		found.settled[url] = found.settled[url] || settled
	}
	if err := urls.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

// reportOf reads a report without values that differ between runs: times, and numbers of
// requests.
func reportOf(t *testing.T, p *process) map[string]any {
	t.Helper()
	var report map[string]any
	if err := json.Unmarshal(p.out.Bytes(), &report); err != nil {
		t.Fatalf("%s: %v\n%s", p.cmd.Args, err, p.err.String())
	}
	delete(report, "started")
	delete(report, "elapsed_ms")
	delete(report["summary"].(map[string]any), "requests")
	for _, r := range report["results"].([]any) {
		delete(r.(map[string]any), "elapsed_ms")
		delete(r.(map[string]any), "attempts")
	}
	return report
}

// copyState copies a directory that no process is using.
func copyState(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// difference returns what differs first in the first results that differ between two
// reports, or in the other parts if all results are equal.
func difference(got, want map[string]any) string {
	a, b := got["results"].([]any), want["results"].([]any)
	for i := range min(len(a), len(b)) {
		if !reflect.DeepEqual(a[i], b[i]) {
			url := func(result any) any { return result.(map[string]any)["url"] }
			return fmt.Sprintf("%s: %s\nwant\n%s: %s", url(a[i]), fromDifference(a[i], b[i]), url(b[i]), fromDifference(b[i], a[i]))
		}
	}
	return pretty(got["summary"]) + "\nwant\n" + pretty(want["summary"])
}

// fromDifference returns the lines of a value that follow what it has in common with another
// one, and a few before.
func fromDifference(v, other any) string {
	lines, others := strings.Split(pretty(v), "\n"), strings.Split(pretty(other), "\n")
	i := 0
	for i < len(lines) && i < len(others) && lines[i] == others[i] {
		i++
	}
	return strings.Join(lines[max(0, i-10):min(len(lines), i+30)], "\n")
}

func pretty(v any) string {
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}
