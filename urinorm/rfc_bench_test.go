package urinorm

import (
	"net/url"
	"strings"
	"testing"
)

// The benchmarks compare the rfc profile with net/url on the same cases. net/url does
// less: it does not normalize, and a quarter of its results are wrong.

func BenchmarkResolveRFC(b *testing.B) {
	cases := rfcCorpus(b, "rfc3986-resolve-derived.json.gz")
	b.Run("urinorm", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			c := &cases[i%len(cases)]
			if _, err := ResolveRFC(c.Base, c.Input, true); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("net_url", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			c := &cases[i%len(cases)]
			if base, err := url.Parse(c.Base); err == nil {
				if target, err := base.Parse(c.Input); err == nil {
					_ = target.String()
				}
			}
		}
	})
}

func BenchmarkParseRFC(b *testing.B) {
	cases := rfcCorpus(b, "rfc3986-normalize-derived.json")
	b.Run("urinorm", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if _, err := ParseRFC(cases[i%len(cases)].Input); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("net_url", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			_, _ = url.Parse(cases[i%len(cases)].Input)
		}
	})
}

func BenchmarkNormalizeRFC(b *testing.B) {
	cases := rfcCorpus(b, "rfc3986-normalize-derived.json")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := NormalizeRFC(cases[i%len(cases)].Input); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFindURIs(b *testing.B) {
	text := strings.Repeat("Running text, with a link now and then: see http://example.com/a_(b), or\n"+
		"<https://example.org/long/\npath>; nothing else here, e.g. a:b or 12:30, and prose goes on and on.\n", 100)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if n := len(FindURIs(text, TextOptions{WWW: true, Mail: true})); n != 200 {
			b.Fatal(n)
		}
	}
}

func BenchmarkCheckSyntax(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if err := CheckSyntax("tel", "+1-816-555-1212;ext=12"); err != nil {
			b.Fatal(err)
		}
	}
}
