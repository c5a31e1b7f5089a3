package urinorm

import (
	"hash/maphash"
	"net/url"
	"testing"
	"time"
)

// webLink is a reference with its base, parsed by this package and by net/url.
type webLink struct {
	ref  string
	base *Base
	net  *url.URL
}

// benchmarkLinks returns the references of real documents, each as often as it
// occurs.
func benchmarkLinks(b testing.TB) []webLink {
	var links []webLink
	bases := map[string]*Base{}
	for _, c := range webCorpus(b, "hrefs-real") {
		base := bases[*c.Base]
		if base == nil {
			u, _, err := ParseWeb(*c.Base)
			if err != nil {
				b.Fatal(err)
			}
			if base, err = NewBase(u, ""); err != nil {
				b.Fatal(err)
			}
			bases[*c.Base] = base
		}
		parsed, err := url.Parse(*c.Base)
		if err != nil {
			b.Fatal(err)
		}
		links = append(links, webLink{c.Input, base, parsed})
	}
	return links
}

// sink keeps the compiler from removing the work.
var sink struct {
	text string
	hash uint64
}

// benchmarkRatio runs a benchmark over n cases and reports the ratio of its time to
// that of the baseline. For the ratio the two alternate and the best run of each
// counts, so that other work on the machine has little effect.
func benchmarkRatio(b *testing.B, name string, n int, baseline, f func(i int)) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if i == n {
				i = 0
			}
			f(i)
		}
		turn := func(f func(i int)) time.Duration {
			start := time.Now()
			for i := range n {
				f(i)
			}
			return time.Since(start)
		}
		ours, theirs := turn(f), turn(baseline)
		for range 10 {
			ours, theirs = min(ours, turn(f)), min(theirs, turn(baseline))
		}
		b.ReportMetric(float64(ours)/float64(theirs), "ratio")
	})
}

// BenchmarkRealLinks resolves the links of real documents against a parsed base. The
// limits of the ratios to net/url's Parse, ResolveReference and String are: append
// 0.20, string 0.35, key-and-hash 0.15.
func BenchmarkRealLinks(b *testing.B) {
	links := benchmarkLinks(b)
	urls := make([]URL, len(links))
	hrefs := make([][]byte, len(links))
	for i, l := range links {
		urls[i], _, _ = l.base.Resolve(l.ref)
		hrefs[i] = []byte(urls[i].String())
	}
	netURL := func(i int) {
		if u, err := url.Parse(links[i].ref); err == nil {
			sink.text = links[i].net.ResolveReference(u).String()
		}
	}
	var buf []byte
	seed := maphash.MakeSeed()
	benchmarkRatio(b, "net-url", len(links), netURL, netURL)
	benchmarkRatio(b, "append", len(links), netURL, func(i int) {
		buf, _, _, _ = links[i].base.Append(buf[:0], links[i].ref)
	})
	benchmarkRatio(b, "string", len(links), netURL, func(i int) {
		u, _, _ := links[i].base.Resolve(links[i].ref)
		sink.text = u.String()
	})
	benchmarkRatio(b, "key-and-hash", len(links), netURL, func(i int) {
		buf = AppendKey(buf[:0], hrefs[i], urls[i].at)
		sink.hash = maphash.Bytes(seed, buf)
	})
	benchmarkRatio(b, "append-key-hash", len(links), netURL, func(i int) {
		href, at, _, _ := links[i].base.Append(buf[:0], links[i].ref)
		buf = AppendKey(href, href, at)
		sink.hash = maphash.Bytes(seed, buf[len(href):])
	})
	benchmarkRatio(b, "printed", len(links), netURL, func(i int) {
		buf = AppendPrinted(buf[:0], hrefs[i], urls[i].at)
	})
}

// BenchmarkHardMix parses the base and the reference of each case of the web platform
// tests, of which about a third are invalid. The limit of the ratio is 1.
func BenchmarkHardMix(b *testing.B) {
	cases := webCorpus(b, "wpt-urltestdata")
	netURL := func(i int) {
		var base *url.URL
		if cases[i].Base != nil {
			base, _ = url.Parse(*cases[i].Base)
		}
		ref, err := url.Parse(cases[i].Input)
		if err != nil {
			return
		}
		if base != nil {
			ref = base.ResolveReference(ref)
		}
		sink.text = ref.String()
	}
	benchmarkRatio(b, "net-url", len(cases), netURL, netURL)
	benchmarkRatio(b, "string", len(cases), netURL, func(i int) {
		var base *Base
		if cases[i].Base != nil {
			u, _, _ := ParseWeb(*cases[i].Base)
			base, _ = NewBase(u, "")
		}
		var u URL
		if base != nil {
			u, _, _ = base.Resolve(cases[i].Input)
		} else {
			u, _, _ = ParseWeb(cases[i].Input)
		}
		sink.text = u.String()
	})
}
