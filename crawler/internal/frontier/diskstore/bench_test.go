package diskstore

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

var targets = flag.Int("targets", 20_000, "targets of BenchmarkCrawl")

// BenchmarkCrawl measures the work of the store in a crawl with the access pattern of a
// real one: 64 workers and a thousand hosts. One target in ten is a page, with links to ten
// new and fifty known targets, half of which add needs; the others are only checked. Then
// the crawl is read as for a report, and opened as for a resumption. -targets sets the
// number of targets.
func BenchmarkCrawl(b *testing.B) {
	for _, w := range widths {
		b.Run(fmt.Sprint(w), func(b *testing.B) { benchmarkCrawl(b, w) })
	}
}

func benchmarkCrawl(b *testing.B, w frontier.Width) {
	for b.Loop() {
		file := filepath.Join(b.TempDir(), "crawl.sqlite")
		s, err := Create(file, w, nil)
		if err != nil {
			b.Fatal(err)
		}
		n := *targets
		began, used := time.Now(), userTime()
		crawl(b, s, n)
		b.ReportMetric(float64(userTime()-used)/1e3/float64(n), "cpu-µs/target")
		b.ReportMetric(float64(time.Since(began))/1e3/float64(n), "µs/target")
		b.Logf("crawled: %s, %v", memory(), time.Since(began).Round(time.Millisecond))
		began = time.Now()
		s.Seal()
		count := 0
		if err := s.Scan(b.Context(), frontier.AllParts, func(*frontier.Record) error { count++; return nil }); err != nil || count != n {
			b.Fatalf("read %d targets of %d: %v", count, n, err)
		}
		b.ReportMetric(float64(time.Since(began))/1e3/float64(n), "read-µs/target")
		b.Logf("read: %s", memory())
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		s = nil
		runtime.GC()
		began = time.Now()
		if s, err = Open(file); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(time.Since(began))/1e3/float64(n), "open-µs/target")
		b.Logf("opened: %s", memory())
		s.Close()
		info, err := os.Stat(file)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(info.Size())/float64(n), "B/target")
	}
}

// crawl crawls n targets, of which target t is found on page t/10.
func crawl(tb testing.TB, s *Store, n int) {
	ctx := context.Background()
	item := func(t int, known bool) frontier.Item {
		it := frontier.Item{Fingerprint: printOf(uint64(t)+1, s.Width()), Wave: frontier.Leaves, Need: frontier.NeedLinked,
			Host: fmt.Appendf(nil, "www.host-%d.example.com", t%1000),
			Job:  fmt.Appendf(nil, "\x00\x00\x01https://www.host-%d.example.com/documents/page-%d.html", t%1000, t)}
		if t < n/10 {
			it.Wave, it.Need = frontier.Pages, frontier.NeedLinked|frontier.NeedContent|frontier.NeedLinks
		} else if known {
			it.Need |= frontier.NeedContent
		}
		return it
	}
	if _, err := s.Add(ctx, []frontier.Item{item(0, false)}); err != nil {
		tb.Fatal(err)
	}
	outcome, links := make([]byte, 30), make([]byte, 900)
	completed := make(chan struct{}, 64) // wakes workers that have no target
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for {
				leases, next, err := s.Claim(ctx, 1, 0)
				if err == io.EOF {
					return
				}
				if err != nil {
					tb.Error(err)
					return
				}
				if len(leases) == 0 {
					wait := time.Second
					if !next.IsZero() {
						wait = time.Until(next)
					}
					select {
					case <-completed:
					case <-time.After(min(wait, 10*time.Millisecond)):
					}
					continue
				}
				l := leases[0]
				var t int
				if _, err := fmt.Sscanf(string(l.Job[strings.LastIndexByte(string(l.Job), '/'):]), "/page-%d.html", &t); err != nil {
					tb.Error(err)
				}
				done := frontier.Done{Outcome: binary.LittleEndian.AppendUint64(outcome[:len(outcome):len(outcome)], uint64(t)),
					Tally: []frontier.Tally{{Name: "requests", By: 1}, {Name: "checked", By: 1}}}
				if t < n/10 {
					done.Links = links
					for c := 10*t + 1; c <= 10*t+10 && c < n; c++ {
						done.Found = append(done.Found, item(c, false))
					}
					for c := range 50 {
						done.Found = append(done.Found, item(int(spread(uint64(60*t+c))%uint64(10*t+1)), c%2 == 0))
					}
				}
				if _, err := s.Complete(ctx, l, done); err != nil {
					tb.Error(err)
					return
				}
				select {
				case completed <- struct{}{}:
				default:
				}
			}
		})
	}
	wg.Wait()
}

func spread(n uint64) uint64 { return n * 0x9E3779B97F4A7C15 }

// printOf makes a fingerprint of a number. Two wide ones share each low half.
func printOf(n uint64, w frontier.Width) frontier.Fingerprint {
	if w == frontier.Wide {
		return frontier.Fingerprint{Low: spread(n / 2), High: spread(n)}
	}
	return frontier.Fingerprint{Low: spread(n)}
}

var widths = []frontier.Width{frontier.Narrow, frontier.Wide}

// memory describes the memory of the process, now and at most, if the system reports it.
func memory() string {
	text, _ := os.ReadFile("/proc/self/status")
	var lines []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "VmHWM:") || strings.HasPrefix(line, "VmRSS:") {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
	}
	return strings.Join(lines, ", ")
}
