//go:build linux

package machines

import (
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// BenchmarkServer crawls a generated site of b.N pages with 10 links each, with the number of workers that
// is named, and reports what the server takes for a page: its processor time, commands and memory.
//
//	go test ./cmd/orbweaver/internal/machines -run '^$' -bench Server -benchtime 20000x
func BenchmarkServer(b *testing.B) {
	for _, workers := range []int{1, 3} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			site := httptest.NewServer(crawlertest.Generate(1, b.N, 10))
			b.Cleanup(site.Close)
			s := startServer(b)
			state := filepath.Join(b.TempDir(), "state")
			b.ResetTimer()
			for n := range workers {
				run(b, "worker", "--frontier", s.address("bench"), "--name", fmt.Sprint(n), "--concurrency", "16")
			}
			if p := run(b, "check", site.URL+"/", "--frontier", s.address("bench"), "--state", state, "--workers-here", "0"); p.wait() > 1 {
				b.Fatalf("the crawl ended with %d\n%s", p.wait(), p.err.Bytes())
			}
			b.StopTimer()
			processor := s.info(b, "cpu", "used_cpu_user") + s.info(b, "cpu", "used_cpu_sys")
			b.ReportMetric(1000*processor/float64(b.N), "server-ms/page")
			b.ReportMetric(s.info(b, "memory", "used_memory_peak")/float64(b.N), "peak-B/page")
			if testing.Verbose() {
				b.Log(s.cli("info", "commandstats"))
			}
		})
	}
}

// info returns a number that the server tells of itself.
func (s *server) info(b *testing.B, section, name string) float64 {
	b.Helper()
	m := regexp.MustCompile(name + `:([0-9.]+)`).FindStringSubmatch(s.cli("info", section))
	if m == nil {
		b.Fatalf("the server does not tell its %s", name)
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		b.Fatal(err)
	}
	return n
}
