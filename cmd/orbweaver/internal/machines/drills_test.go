//go:build linux

package machines

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

const (
	lease           = 5 * time.Second // a slow machine extends it in time
	workerRequests  = 4               // in flight of a worker
	hereRequests    = 2               // in flight of the coordinator
	everybody       = 2*workerRequests + hereRequests
	requestsOfLease = 2 // HEAD and GET
	faultsOfDrill   = 3
)

// drill is a crawl by a coordinator and two workers on one server or several, some of which fail. One of
// the workers reaches the first server through a proxy.
type drill struct {
	t       *testing.T
	site    *website
	servers []*server
	proxy   *proxy
	state   string // directory
	check   []string

	failing sync.Mutex // held by a fault of a server

	mu          sync.Mutex
	workers     []*process
	coordinator *process
	repeats     int       // requests that the faults may cost
	over        time.Time // end of the last fault
	told        []string  // the faults
	faults      sync.WaitGroup
}

// fault is something that fails. It returns when that is over, and the number of leases that
// may have been lost.
type fault struct {
	name string
	do   func(d *drill, rng *rand.Rand) (lost int)
}

var allFaults = []fault{
	{"worker killed", func(d *drill, rng *rand.Rand) int {
		d.mu.Lock()
		defer d.mu.Unlock()
		_ = d.workers[rng.IntN(len(d.workers))].cmd.Process.Kill()
		d.work(fmt.Sprintf("new%d", len(d.workers)))
		return workerRequests
	}},
	{"worker replaced under its name", func(d *drill, _ *rand.Rand) int {
		d.mu.Lock()
		defer d.mu.Unlock()
		_ = d.workers[0].cmd.Process.Kill()
		d.work("a")
		return workerRequests
	}},
	{"worker ended by SIGTERM", func(d *drill, rng *rand.Rand) int {
		d.mu.Lock()
		defer d.mu.Unlock()
		_ = d.workers[rng.IntN(len(d.workers))].cmd.Process.Signal(syscall.SIGTERM)
		d.work(fmt.Sprintf("new%d", len(d.workers)))
		return workerRequests
	}},
	{"worker stopped beyond its lease", func(d *drill, rng *rand.Rand) int {
		d.mu.Lock()
		p := d.workers[rng.IntN(len(d.workers))].cmd.Process
		d.mu.Unlock()
		_ = p.Signal(syscall.SIGSTOP)
		wait(lease + time.Second)
		_ = p.Signal(syscall.SIGCONT)
		return workerRequests
	}},
	{"coordinator killed", func(d *drill, _ *rand.Rand) int {
		d.mu.Lock()
		defer d.mu.Unlock()
		_ = d.coordinator.cmd.Process.Kill()
		return hereRequests
	}},
	{"coordinator stopped beyond its lease", func(d *drill, _ *rand.Rand) int {
		d.mu.Lock()
		p := d.coordinator.cmd.Process
		d.mu.Unlock()
		_ = p.Signal(syscall.SIGSTOP)
		wait(lease + time.Second)
		_ = p.Signal(syscall.SIGCONT)
		return hereRequests
	}},
	{"server killed", func(d *drill, rng *rand.Rand) int {
		d.failing.Lock()
		defer d.failing.Unlock()
		s := d.server(rng)
		s.kill()
		wait(upTo(rng, 2*time.Second))
		s.start()
		return everybody
	}},
	{"server without power", func(d *drill, rng *rand.Rand) int {
		d.failing.Lock()
		defer d.failing.Unlock()
		s, lost := d.server(rng), upTo(rng, 900*time.Millisecond)
		s.losePower(lost)
		again := d.site.since(time.Now().Add(-lost - 200*time.Millisecond))
		s.start()
		return everybody + again
	}},
	{"connections cut", func(d *drill, _ *rand.Rand) int {
		d.proxy.cut()
		return 0
	}},
	{"connections stalled", func(d *drill, rng *rand.Rand) int {
		end := d.proxy.stall()
		wait(upTo(rng, 4*time.Second))
		end()
		return workerRequests
	}},
	{"replies dropped", func(d *drill, rng *rand.Rand) int {
		d.proxy.drop(1 + rng.IntN(8))
		return 0
	}},
	{"server full", func(d *drill, rng *rand.Rand) int {
		d.failing.Lock()
		defer d.failing.Unlock()
		end := d.server(rng).fillMemory()
		wait(upTo(rng, 4*time.Second))
		end()
		return 0
	}},
	{"disk full", func(d *drill, rng *rand.Rand) int {
		d.failing.Lock()
		defer d.failing.Unlock()
		end := d.server(rng).fillDisk()
		wait(upTo(rng, 3*time.Second))
		end()
		return everybody
	}},
	{"server stopped", func(d *drill, rng *rand.Rand) int {
		d.failing.Lock()
		defer d.failing.Unlock()
		s := d.server(rng)
		_ = s.cmd.Process.Signal(syscall.SIGSTOP)
		wait(upTo(rng, 2*lease))
		_ = s.cmd.Process.Signal(syscall.SIGCONT)
		return everybody
	}},
}

// server returns one of the servers.
func (d *drill) server(rng *rand.Rand) *server {
	if len(d.servers) == 1 {
		return d.servers[0]
	}
	return d.servers[rng.IntN(len(d.servers))]
}

// addresses returns those of all servers, the first one as it is given.
func (d *drill) addresses(first string) string {
	for _, s := range d.servers[1:] {
		first += " " + s.address("drill")
	}
	return first
}

// frontier returns the addresses of all servers.
func (d *drill) frontier() string { return d.addresses(d.servers[0].address("drill")) }

// upTo returns a random time.
func upTo(rng *rand.Rand, most time.Duration) time.Duration {
	return time.Duration(rng.Int64N(int64(most)))
}

// wait lets a fault last.
func wait(d time.Duration) { <-time.After(d) }

func TestDrills(t *testing.T) {
	for n := range crawlertest.Count(3, 100) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			runDrill(t, n)
		})
	}
}

// runDrill crawls a site with one process, and then with several of which some fail, and wants
// the same report.
func runDrill(t *testing.T, n int) {
	d, targets, want := crawlOn(t, [...]int{1, 2, 4}[(n+n/len(allFaults))%3]) // each fault comes with each number
	rng := rand.New(rand.NewPCG(23, uint64(n)))
	for i := range faultsOfDrill {
		// The first faults of the drills are all there are, one after another.
		f := allFaults[rng.IntN(len(allFaults))]
		if i == 0 {
			f = allFaults[n%len(allFaults)]
		}
		own := rand.New(rand.NewPCG(uint64(n), uint64(i)))
		d.faults.Add(1) // each target is requested at least once, so every fault happens
		d.site.at(1+rng.IntN(targets*9/10), func() { d.fail(f, own) })
	}
	d.begin()
	d.finish(targets, want)
}

// crawlOn returns a crawl of the website on so many servers that has not begun, and the report of one
// process.
func crawlOn(t *testing.T, servers int) (d *drill, targets int, want string) {
	site := startWebsite(t)
	flags := []string{site.url(0, "/"), "--show", "all", "-f", "json", "--delay", interval.String()}
	for host := range siteHosts {
		flags = append(flags, "--include", "^"+strings.ReplaceAll(site.url(host, "/"), ".", `\.`))
	}
	one := run(t, append([]string{"check"}, flags...)...)
	if code := one.wait(); code != 1 {
		t.Fatalf("one process: exit status %d\n%s", code, one.err.Bytes())
	}
	targets, _ = site.count()
	site.reset()
	d = &drill{t: t, site: site, state: filepath.Join(t.TempDir(), "state")}
	for range servers {
		d.servers = append(d.servers, startServer(t))
	}
	d.proxy = startProxy(t, d.servers[0])
	d.check = append([]string{"check", "--frontier", d.frontier(), "--state", d.state, "--frontier-lease", lease.String(), "--workers-here", fmt.Sprint(hereRequests)}, flags...)
	return d, targets, without(afterFault, one.out.Bytes())
}

// begin starts the processes of a crawl.
func (d *drill) begin() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.work("a")
	d.work("b")
	d.coordinator = run(d.t, d.check...)
}

// work starts a worker. Callers hold mu.
func (d *drill) work(name string) {
	address := d.frontier()
	if len(d.workers)%2 == 0 {
		address = d.addresses(d.proxy.address("drill"))
	}
	d.workers = append(d.workers, run(d.t, "worker", "--frontier", address, "--name", name, "--concurrency", fmt.Sprint(workerRequests)))
}

// fail lets something fail. Faults may overlap.
func (d *drill) fail(f fault, rng *rand.Rand) {
	d.mu.Lock()
	d.told = append(d.told, f.name)
	d.mu.Unlock()
	defer d.faults.Done()
	lost := f.do(d, rng)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.repeats += lost * requestsOfLease
	d.over = time.Now()
}

// finish waits for the end of the crawl and checks everything. A coordinator that was killed
// is started again.
func (d *drill) finish(targets int, want string) {
	t := d.t
	ended := d.coordinator
	code := ended.wait()
	for code == -1 {
		d.mu.Lock()
		d.coordinator = run(t, d.check...)
		ended = d.coordinator
		d.over = time.Now()
		d.mu.Unlock()
		code = ended.wait()
	}
	d.faults.Wait()
	faults := strings.Join(d.told, ", ")
	if code != 1 {
		status := run(t, "frontier", "status", d.frontier())
		status.wait()
		t.Fatalf("%s: with %d servers, the coordinator ended with %d\n%s\n%s", faults, len(d.servers), code, status.out.Bytes(), ended.err.Bytes())
	}
	if got := without(afterFault, ended.out.Bytes()); got != want {
		t.Errorf("%s: the report differs: %s", faults, firstDifference(got, want))
	}
	requests, last := d.site.count()
	if requests > targets+d.repeats {
		t.Errorf("%s: %d requests, want %d and at most %d more", faults, requests, targets, d.repeats)
	}
	if wrong := d.site.tooMany(); wrong != "" {
		t.Errorf("%s: %s", faults, wrong)
	}
	if d.over.After(last) {
		last = d.over
	}
	took := ended.ended.Sub(last)
	for _, w := range d.workers {
		if code := w.wait(); code != 0 && code != -1 && !(code == 2 && strings.Contains(faults, "under its name")) {
			t.Errorf("%s: a worker ended with %d\n%s", faults, code, w.err.Bytes())
		}
	}
	if p := run(t, "frontier", "delete", d.frontier(), "--force"); p.wait() != 0 {
		t.Errorf("delete: %s", p.err.Bytes())
	}
	for _, s := range d.servers {
		if size := s.cli("dbsize"); size != "0" {
			t.Errorf("%s: after delete, a server has %s keys", faults, size)
		}
	}
	t.Logf("%d servers, %d requests for %d, end after %v: %s", len(d.servers), requests, targets, took.Round(time.Millisecond), faults)
}
