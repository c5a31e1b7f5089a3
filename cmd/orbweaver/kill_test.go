package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/frontier/diskstore"
)

// kills is how often a process is killed.
const kills = 200

// killSite serves a generated site, some pages of which have moved, and lets a test
// know of each request.
type killSite struct {
	pages http.Handler

	mu      sync.Mutex
	session string        // whose requests count: those of a killed process may come late
	left    int           // requests until now is closed
	now     chan struct{} // it is time to kill
	asked   map[string]int
}

func (s *killSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	if r.Header.Get("X-Session") == s.session {
		s.asked[r.URL.Path]++
		if s.left--; s.left == 0 {
			close(s.now)
		}
	}
	s.mu.Unlock()
	if rest, ok := strings.CutPrefix(r.URL.Path, "/d0/p1"); ok && len(rest) > len("0.html") {
		http.Redirect(w, r, "/moved/p1"+rest, http.StatusMovedPermanently)
		return
	}
	if rest, ok := strings.CutPrefix(r.URL.Path, "/moved/"); ok {
		r.URL.Path = "/d0/" + rest
	}
	s.pages.ServeHTTP(w, r)
}

// begin forgets what was asked, and closes the channel at the n-th request of a session.
func (s *killSite) begin(session string, n int) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.session, s.left, s.now, s.asked = session, n, make(chan struct{}), map[string]int{}
	return s.now
}

// requests are those of the session, by path.
func (s *killSite) requests() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.asked)
}

// TestKilled kills a process with SIGKILL again and again, at any moment, until its
// crawl is over: nothing that was settled is asked for again, and the report is that
// of a crawl that nobody disturbed.
func TestKilled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	site := &killSite{pages: crawlertest.Generate(11, 240, 8)}
	server := httptest.NewServer(site)
	t.Cleanup(server.Close)
	start := func(args ...string) *process {
		p := &process{}
		p.cmd = exec.Command(self)
		p.cmd.Args = append([]string{"orbweaver"}, args...) // the test's main takes its name for the command
		p.cmd.Args = append(p.cmd.Args, "--header", "X-Session: "+site.session)
		p.cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
		p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = t.TempDir(), &p.out, &p.err
		if err := p.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return p
	}
	check := []string{"check", server.URL + "/", "-f", "json", "--show", "all", "--no-config", "--concurrency", "8"}
	site.begin("alone", -1)
	alone := start(check...)
	alone.cmd.Wait()
	want := reportOf(t, alone)

	rng := rand.New(rand.NewPCG(7, 8))
	for killed, session := 0, 0; killed < kills; {
		dir := filepath.Join(t.TempDir(), "state")
		args := append(check[:len(check):len(check)], "--state", dir)
		for {
			settled := settledIn(t, dir)
			session++
			now := site.begin(strconv.Itoa(session), 1+rng.IntN(40))
			p := start(args...)
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
			for path, n := range site.requests() {
				if settled[server.URL+path] {
					t.Fatalf("%s was settled, and is asked for again", path)
				}
				if n > 1 {
					t.Errorf("%s is asked for %d times in one session", path, n)
				}
			}
			if p.cmd.ProcessState.ExitCode() < 0 {
				killed++
				args = []string{"resume", "--state", dir}
				if rng.IntN(4) == 0 || settledIn(t, dir) == nil { // it had not come so far
					args = append(check[:len(check):len(check)], "--state", dir)
				}
				continue
			}
			if got := reportOf(t, p); !reflect.DeepEqual(got, want) {
				t.Fatalf("the report differs from that of a crawl that was not disturbed:\n%s\nwant\n%s", pretty(got), pretty(want))
			}
			break
		}
	}
}

// process is one run of the program.
type process struct {
	cmd      *exec.Cmd
	out, err bytes.Buffer
}

// settledIn are the URLs that a state knows an outcome of; nil when there is no state.
func settledIn(t *testing.T, dir string) map[string]bool {
	t.Helper()
	s, err := diskstore.View(filepath.Join(dir, stateFile))
	if err != nil {
		return nil
	}
	defer s.Close()
	settled := map[string]bool{}
	err = s.Scan(context.Background(), frontier.PartJob, func(r *frontier.Record) error {
		job, err := frontier.DecodeJob(r.Job)
		settled[string(job.URL)] = settled[string(job.URL)] || r.Settled
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return settled
}

// reportOf reads a report, without what may differ from run to run: times, and how
// often something had to be asked.
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

func pretty(v any) string {
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text[:min(len(text), 4000)])
}
