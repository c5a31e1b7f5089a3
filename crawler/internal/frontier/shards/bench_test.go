//go:build unix

package shards

import (
	"fmt"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/redisstore"
)

// BenchmarkRecord records b.N pages with ten links, five of them to new targets, and with a new target of
// another server for each page if there are others: one recorder for each file, all at once. Then the files
// are joined.
//
//	go test ./crawler/internal/frontier/shards -run '^$' -bench Record -benchtime 100000x
func BenchmarkRecord(b *testing.B) {
	for _, files := range []int{1, 2, 4} {
		b.Run(fmt.Sprintf("files=%d", files), func(b *testing.B) { benchmarkRecord(b, files) })
	}
}

func benchmarkRecord(b *testing.B, files int) {
	file := filepath.Join(b.TempDir(), "crawl.sqlite")
	if err := Create(file, files, frontier.Narrow, nil, nil); err != nil {
		b.Fatal(err)
	}
	opened, err := Open(file, diskstore.Open)
	if err != nil {
		b.Fatal(err)
	}
	defer opened.Close()
	s, logs := Of(opened), make([][]frontier.Event, files)
	var used time.Duration
	b.ResetTimer()
	for done := 0; done < b.N; { // what a server logs is read meanwhile, which is not measured
		b.StopTimer()
		pages := min(b.N-done, 10_000)
		for n := range logs {
			logs[n] = events(n, files, done/files, (done+pages)/files)
		}
		done += pages
		b.StartTimer()
		before := processorTime(b)
		var recording sync.WaitGroup
		for n, f := range s.Files() {
			recording.Go(func() {
				for log := logs[n]; len(log) > 0; {
					some := min(len(log), 50)
					if err := (diskstore.Replica{Store: f}).Apply(log[:some], "position"); err != nil {
						b.Error(err)
						return
					}
					log = log[some:]
				}
			})
		}
		recording.Wait()
		used += processorTime(b) - before
	}
	b.StopTimer()
	b.ReportMetric(5*float64(b.N)/b.Elapsed().Seconds(), "targets/s")
	b.ReportMetric(float64(used.Microseconds())/float64(5*b.N), "cpu-µs/target")
	began := time.Now()
	s.Refresh()
	b.ReportMetric(float64(time.Since(began).Nanoseconds())/float64(5*b.N), "join-ns/target")
}

// processorTime returns what the process has used, in its own code and in calls of the system.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// events returns what server number n of so many logs of some of its pages.
func events(n, of, from, to int) []frontier.Event {
	const hosts = 1000
	item := func(server, number int) frontier.Item {
		host := hostOf(server, of, number%hosts)
		return frontier.Item{Fingerprint: name(server, number), Host: []byte(host), Wave: frontier.Pages, Need: frontier.NeedLinks,
			Job: frontier.AppendJob(nil, frontier.Job{URL: fmt.Appendf(nil, "http://%s/a/page/of/the/site/%d.html", host, number), Internal: true})}
	}
	var list []frontier.Event
	for page := from; page < to; page++ {
		e := frontier.Event{Kind: frontier.EventSettled, Name: name(n, page), Met: frontier.NeedContent | frontier.NeedLinks,
			Done: frontier.Done{Outcome: make([]byte, 60), Links: make([]byte, 228), Tally: []frontier.Tally{{Name: "pages", By: 1}}}}
		if page == 0 {
			e.Items = append(e.Items, item(n, 0))
		}
		for link := 5*page + 1; link <= 5*page+5; link++ {
			e.Items, e.Names = append(e.Items, item(n, link)), append(e.Names, name(n, link))
		}
		for link := range 5 {
			e.Names = append(e.Names, name(n, page-page%(link+1)))
		}
		if of > 1 {
			e.Items, e.Names = append(e.Items, item((n+1)%of, page)), append(e.Names, name((n+1)%of, page))
		}
		list = append(list, e)
	}
	return list
}

// name returns the fingerprint of a target of a server.
func name(server, number int) frontier.Fingerprint {
	return frontier.Fingerprint{Low: uint64(server+1)<<40 | uint64(number+1)}
}

var hostNames sync.Map

// hostOf returns one of the hosts of a server.
func hostOf(server, of, number int) string {
	key := [3]int{server, of, number}
	if name, ok := hostNames.Load(key); ok {
		return name.(string)
	}
	for try := 0; ; try++ {
		host := fmt.Sprintf("h%d-%d-%d.example", server, number, try)
		if redisstore.ServerOf(host, of) == server {
			hostNames.Store(key, host)
			return host
		}
	}
}
