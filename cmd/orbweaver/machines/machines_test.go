//go:build unix

// Package machines tests crawls of several processes with a real server: whatever is killed
// at any instant, the report equals that of one process.
//
//	go test ./cmd/orbweaver/machines -drills 100
//
// runs that many drills with random faults; without the flag there are three.
package machines

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

var drills = flag.Int("drills", 3, "number of drills with random faults")

// patience is how long a test waits for anything.
const patience = 3 * time.Minute

var program string

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "m") // the path of a socket must be short
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "orbweaver")
	if out, err := exec.Command("go", "build", "-o", program, "..").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// server is a redis-server that can be killed and started again.
type server struct {
	t      *testing.T
	dir    string
	mu     sync.Mutex
	cmd    *exec.Cmd
	exited chan struct{}
}

func startServer(t *testing.T) *server {
	if _, err := exec.LookPath("redis-server"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	dir, err := os.MkdirTemp("", "r")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, dir: dir}
	t.Cleanup(func() {
		s.kill()
		_ = os.RemoveAll(dir)
	})
	s.start()
	return s
}

func (s *server) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	cmd := exec.Command("redis-server", "--port", "0", "--unixsocket", s.dir+"/s", "--dir", s.dir, "--save", "", "--appendonly", "yes", "--appendfsync", "everysec")
	if err := cmd.Start(); err != nil {
		s.t.Error(err)
		return
	}
	exited := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(exited)
	}()
	s.cmd, s.exited = cmd, exited
}

// kill kills the server and waits for its end.
func (s *server) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.cmd.Process.Kill()
	<-s.exited
}

func (s *server) address(crawl string) string { return "unix://" + s.dir + "/s?crawl=" + crawl }

// site is a website whose requests are counted, and may trigger a fault.
type site struct {
	*httptest.Server
	requests atomic.Int64
	faults   sync.Map // number of a request → func()
}

const pages = 300

func startSite(t *testing.T) *site {
	s := &site{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := s.requests.Add(1)
		if fault, ok := s.faults.LoadAndDelete(n); ok {
			fault.(func())()
		}
		var page int
		if r.URL.Path != "/" {
			if _, err := fmt.Sscanf(r.URL.Path, "/p%d.html", &page); err != nil || page >= pages {
				http.NotFound(w, r)
				return
			}
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><title>%d</title><h1 id=top%d>Page</h1>", page, page)
		for i := 1; i <= 8; i++ {
			fmt.Fprintf(w, "<a href='/p%d.html#top%d'>next</a>\n", page*3+i, page*3+i)
		}
		fmt.Fprintf(w, "<a href='/gone%d'>gone</a><a href='/'>home</a>", page%40)
	}))
	t.Cleanup(s.Close)
	return s
}

// process is a running orbweaver.
type process struct {
	cmd  *exec.Cmd
	out  bytes.Buffer
	err  bytes.Buffer
	done chan struct{}
}

func run(t *testing.T, args ...string) *process {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	p := &process{cmd: exec.CommandContext(ctx, program, args...), done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.err
	if err := p.cmd.Start(); err != nil {
		t.Error(err)
	}
	go func() {
		_ = p.cmd.Wait()
		cancel()
		close(p.done)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.done
	})
	return p
}

func (p *process) wait() int {
	<-p.done
	return p.cmd.ProcessState.ExitCode()
}

var (
	times    = regexp.MustCompile(`"(elapsed_ms|attempts|requests)": ?[0-9.]+`)
	started  = regexp.MustCompile(`"started": ?"[^"]*"`)
	sameRows = func(report []byte) string {
		return string(started.ReplaceAll(times.ReplaceAll(report, []byte(`"$1":0`)), []byte(`"started":""`)))
	}
)

// firstDifference returns the first line in which two reports differ.
func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("line %d: %s\n%s", i+1, x[i], y[i])
		}
	}
	return fmt.Sprintf("%d and %d lines", len(x), len(y))
}

func TestDrills(t *testing.T) {
	s, redis := startSite(t), startServer(t)
	one := run(t, "check", s.URL+"/", "--show", "all", "-f", "json")
	if code := one.wait(); code != 1 {
		t.Fatalf("one process: exit %d\n%s", code, one.err.Bytes())
	}
	want, targets := sameRows(one.out.Bytes()), s.requests.Load()
	for n := range *drills {
		drill(t, n, s, redis, want, targets)
	}
}

// drill crawls the site with a coordinator and two workers, kills some of what runs, and wants
// the report of one process.
func drill(t *testing.T, n int, s *site, redis *server, want string, targets int64) {
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	s.requests.Store(0)
	crawl, state := fmt.Sprintf("drill%d", n), filepath.Join(t.TempDir(), "state")
	address := redis.address(crawl)
	worker := func(name string) *process {
		return run(t, "worker", "--frontier", address, "--name", name, "--concurrency", "8")
	}
	var mu sync.Mutex
	workers := []*process{worker("a"), worker("b")}
	check := []string{"check", s.URL + "/", "--show", "all", "-f", "json", "--frontier", address, "--state", state, "--frontier-lease", "2s", "--workers-here", "2"}
	coordinator := run(t, check...)
	kinds := ""
	for i := range 3 {
		kind := rng.IntN(4)
		kinds += fmt.Sprint(kind)
		s.faults.Store(1+rng.Int64N(targets*2/3), func() {
			mu.Lock()
			defer mu.Unlock()
			switch w := rng.IntN(len(workers)); kind {
			case 0:
				_ = workers[w].cmd.Process.Kill()
				workers = append(workers, worker(fmt.Sprintf("c%d", i)))
			case 1:
				redis.kill()
				redis.start()
			case 2:
				_ = coordinator.cmd.Process.Kill()
			case 3:
				p := workers[w].cmd.Process
				_ = p.Signal(syscall.SIGSTOP)
				time.AfterFunc(3*time.Second, func() { _ = p.Signal(syscall.SIGCONT) }) // beyond the lease
			}
		})
	}
	code := coordinator.wait()
	for code == -1 { // it was killed
		mu.Lock()
		coordinator = run(t, check...)
		mu.Unlock()
		code = coordinator.wait()
	}
	if code != 1 {
		t.Fatalf("drill %d (faults %s): the coordinator ended with %d\n%s", n, kinds, code, coordinator.err.Bytes())
	}
	if got := sameRows(coordinator.out.Bytes()); got != want {
		t.Errorf("drill %d (faults %s): the report differs: %s", n, kinds, firstDifference(got, want))
	}
	if got, most := s.requests.Load(), targets+3*20; got > most {
		t.Errorf("drill %d (faults %s): %d requests, want %d at most", n, kinds, got, most)
	}
	for _, w := range workers {
		if code := w.wait(); code != 0 && code != -1 {
			t.Errorf("drill %d (faults %s): a worker ended with %d\n%s", n, kinds, code, w.err.Bytes())
		}
	}
	s.faults.Clear()
	if p := run(t, "frontier", "delete", address, "--force"); p.wait() != 0 {
		t.Errorf("delete: %s", p.err.Bytes())
	}
	size, err := exec.Command("redis-cli", "-s", redis.dir+"/s", "dbsize").Output()
	if err != nil || strings.TrimSpace(string(size)) != "0" {
		t.Errorf("drill %d: after delete, the server has %s keys, %v", n, size, err)
	}
}
