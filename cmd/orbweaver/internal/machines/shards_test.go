//go:build linux

package machines

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// A server may be away for half a minute, stopped or killed, while the coordinator is killed and begins
// again. The files of the state have the report of one process.
func TestShardAway(t *testing.T) {
	for _, servers := range []int{2, 4} {
		for name, stop := range map[string]func(*server) (again func()){
			"stopped": func(s *server) func() {
				_ = s.cmd.Process.Signal(syscall.SIGSTOP)
				return func() { _ = s.cmd.Process.Signal(syscall.SIGCONT) }
			},
			"killed": func(s *server) func() { s.kill(); return s.start },
		} {
			t.Run(fmt.Sprintf("one of %d servers %s", servers, name), func(t *testing.T) {
				t.Parallel()
				away := 2 * lease
				if crawlertest.Long() {
					away = 30 * time.Second
				}
				d, targets, want := crawlOn(t, servers)
				d.faults.Add(1)
				d.site.at(targets/4, func() {
					d.fail(fault{"a server away", func(d *drill, rng *rand.Rand) int {
						again := stop(d.servers[servers-1])
						wait(away / 2)
						d.mu.Lock()
						_ = d.coordinator.cmd.Process.Kill()
						d.mu.Unlock()
						wait(away / 2)
						again()
						return everybody
					}}, nil)
				})
				d.begin()
				d.finish(targets, want)
				report := run(t, "report", d.state, "--show", "all", "-f", "json")
				if code := report.wait(); code != 1 {
					t.Errorf("report: exit status %d\n%s", code, report.err.Bytes())
				} else if got := without(afterFault, report.out.Bytes()); got != want {
					t.Errorf("the report from the state differs: %s", firstDifference(got, want))
				}
			})
		}
	}
}

// A coordinator that is interrupted reports what the files have, and another one continues. A file that is
// missing is told.
func TestInterruptedShards(t *testing.T) {
	t.Parallel()
	const servers = 2
	d, targets, want := crawlOn(t, servers)
	half := make(chan struct{})
	d.site.at(targets/2, func() { close(half) })
	d.begin()
	<-half
	_ = d.coordinator.cmd.Process.Signal(syscall.SIGTERM)
	if code := d.coordinator.wait(); code != 1 && code != 3 || !strings.Contains(d.coordinator.out.String(), `"stopped_by": "interrupt"`) {
		t.Fatalf("the interrupted coordinator ended with %d\n%s", code, d.coordinator.err.Bytes())
	}
	wantFiles := func(name string, n int) {
		t.Helper()
		if files, err := filepath.Glob(filepath.Join(d.state, name)); err != nil || len(files) != n {
			t.Errorf("the state has %q, %v, want %d files", files, err, n)
		}
	}
	wantFiles("crawl*.sqlite", servers)
	second := filepath.Join(d.state, "crawl-2.sqlite")
	if p := run(t, "report", second); p.wait() != 2 || !strings.Contains(p.err.String(), "it is file 2 of 2") {
		t.Errorf("a report on the second file alone: exit status %d\n%s", p.wait(), p.err.Bytes())
	}
	if err := os.Rename(second, second+".away"); err != nil {
		t.Fatalf("move the second file: %v", err)
	}
	for _, command := range []string{"report", "resume"} {
		args := map[string][]string{"report": {"report", d.state}, "resume": {"resume", "--state", d.state}}[command]
		if p := run(t, args...); p.wait() < 2 || !strings.Contains(p.err.String(), "crawl-2.sqlite: the file is damaged: it is missing") {
			t.Errorf("%s without a file: exit status %d\n%s", command, p.wait(), p.err.Bytes())
		}
	}
	if err := os.Rename(second+".away", second); err != nil {
		t.Fatalf("move the second file: %v", err)
	}
	d.mu.Lock()
	d.coordinator = run(t, "resume", "--state", d.state)
	d.mu.Unlock()
	d.finish(targets, want)
	again := run(t, d.check...)
	again.says(t, "starting a new crawl")
	_ = again.cmd.Process.Kill()
	again.wait()
	wantFiles("previous*.sqlite", servers)
}
