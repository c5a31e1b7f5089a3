//go:build !race

package main

import (
	"math/rand/v2"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// TestKilled kills 6 processes, or 210 in the long form, half of them in first crawls and half in second
// crawls with a cache. Some tests run in parallel, because a crawl mostly waits for the disk. Each
// kills a process with SIGKILL at random moments until its crawl is complete.
// No finished target is requested again, and the report is that of a crawl that is not
// killed. The same holds for a second crawl, which uses the cache of the first.
func TestKilled(t *testing.T) {
	program := program(t)
	for i := range uint64(killers) {
		t.Run(strconv.FormatUint(i, 10), func(t *testing.T) {
			t.Parallel()
			killAgain(t, program, rand.New(rand.NewPCG(7, i)), []string{"64", "128"}[i%2])
		})
	}
}

// TestKilledAtStart kills processes while they start a crawl, in a new directory or in one
// with a finished crawl. The next process starts a crawl or resumes one, without a word about
// damage.
func TestKilledAtStart(t *testing.T) {
	program, starts := program(t), crawlertest.Count(6, 500)
	site := &killSite{pages: crawlertest.Generate(11, 6, 2)}
	server := httptest.NewServer(site)
	t.Cleanup(server.Close)
	site.other = strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	k := &killing{T: t, program: program, url: server.URL, site: site, rng: rand.New(rand.NewPCG(8, 9)), bits: "64"}
	finished := filepath.Join(t.TempDir(), "finished")
	first := k.whole(k.check(finished)...)
	second := filepath.Join(t.TempDir(), "second")
	copyState(t, finished, second)
	next := k.whole(k.check(second)...)
	kills, damaged := 0, regexp.MustCompile("damaged|renamed|set aside")
	for n := 0; kills < starts && n < 20*starts; n++ {
		dir := filepath.Join(t.TempDir(), "state")
		if n%2 == 1 {
			copyState(t, finished, dir)
		}
		site.begin("killed", -1)
		p := k.start(k.check(dir)...)
		kill := time.AfterFunc(time.Duration(k.rng.IntN(60_000))*time.Microsecond, func() { p.cmd.Process.Kill() })
		p.cmd.Wait()
		if kill.Stop() || p.cmd.ProcessState.ExitCode() >= 0 {
			continue // it was faster
		}
		kills++
		site.begin("next", -1)
		p = k.start(k.check(dir)...)
		p.cmd.Wait()
		if damaged.MatchString(p.err.String()) {
			t.Errorf("%s", p.err.String())
		}
		// The killed process may have finished its crawl.
		if got := reportOf(t, p); !reflect.DeepEqual(got, first) && !reflect.DeepEqual(got, next) {
			t.Errorf("the report differs from that of a crawl that was not killed:\n%s", difference(got, first))
		}
	}
	if kills < starts {
		t.Errorf("only %d processes were killed", kills)
	}
}
