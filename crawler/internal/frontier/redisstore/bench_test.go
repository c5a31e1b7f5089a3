package redisstore

import (
	"fmt"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// BenchmarkKnown enters b.N targets, with URLs of 58 bytes on 10,000 hosts, on two servers, and reports the memory
// of each.
//
//	go test ./crawler/internal/frontier/redisstore -run '^$' -bench Known -benchtime 10000000x -timeout 1h
func BenchmarkKnown(b *testing.B) {
	const atOnce, hosts, callers = 1000, 10_000, 4
	var addresses Addresses
	for range 2 {
		a, err := ParseAddress("redis://127.0.0.1:" + crawlertest.ServeRedis(b) + "?crawl=known")
		if err != nil {
			b.Fatal(err)
		}
		addresses = append(addresses, a)
	}
	f := Open(addresses, Options{Patience: time.Minute}).Lead()
	defer f.Close()
	var h *Header
	for _, shard := range f.Shards() {
		h = &Header{Encoding: Encoding, Targets: frontier.Encoding, Width: frontier.Narrow, Key: make([]byte, 16), Lease: time.Minute}
		if err := shard.Create(b.Context(), h, Limits{Log: 1 << 30}); err != nil {
			b.Fatal(err)
		}
	}
	s := f.Store(h, "", "bench")
	enter := func(from, upto int) error {
		items := make([]frontier.Item, 0, atOnce)
		for n := from; n < upto; n++ {
			host := fmt.Sprintf("www.host%04d.example", n%hosts)
			items = append(items, frontier.Item{Fingerprint: frontier.Fingerprint{Low: uint64(n+1) * 0x9e3779b97f4a7c15}, Host: []byte(host), Wave: 3, Need: frontier.NeedContent | frontier.NeedLinks,
				Job: fmt.Appendf(nil, "http://%s/section/p%013d.html", host, n)})
		}
		_, err := s.Add(b.Context(), items)
		return err
	}
	b.ResetTimer()
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			for from := caller * atOnce; from < b.N; from += callers * atOnce {
				if err := enter(from, min(from+atOnce, b.N)); err != nil {
					b.Error(err)
					return
				}
				for _, shard := range f.Shards() { // as a coordinator does that has stored everything
					if _, err := shard.to.do(b.Context(), "XTRIM", shard.to.key("log"), "MAXLEN", 0); err != nil {
						b.Error(err)
						return
					}
				}
			}
		})
	}
	all.Wait()
	b.StopTimer()
	n, err := f.Count(b.Context())
	if err != nil || n.Known != b.N {
		b.Fatalf("%d targets are known, %v, want %d", n.Known, err, b.N)
	}
	for i, shard := range f.Shards() {
		info, err := redis.String(shard.to.do(b.Context(), "INFO"))
		if err != nil {
			b.Fatal(err)
		}
		for field, unit := range map[string]string{"used_memory": "used", "used_memory_rss": "resident"} {
			m := regexp.MustCompile(`\n` + field + `:(\d+)`).FindStringSubmatch(info)
			if m == nil {
				b.Fatalf("the server does not tell its %s", field)
			}
			bytes, _ := strconv.ParseFloat(m[1], 64)
			b.ReportMetric(bytes/1e6, fmt.Sprintf("MB-%s-%d", unit, i+1))
		}
	}
}
