package extract

import (
	"reflect"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// FuzzExtract checks that no input causes a crash, invalid UTF-8 or wrong positions.
func FuzzExtract(f *testing.F) {
	for _, c := range standardCases[struct {
		Input []byte `json:"input_b64"`
	}](f, "html-detect.json") {
		f.Add(c.Input, "", false)
	}
	for _, c := range standardCases[struct{ Input string }](f, "html-links.json") {
		f.Add([]byte(c.Input), "text/html", false)
	}
	for _, c := range elementCases {
		source, _ := unmark(c.html)
		f.Add([]byte(source), "text/html; charset=utf-8", true)
		f.Add([]byte(source), "application/xhtml+xml", false)
	}
	for _, shape := range hostileDocuments {
		f.Add([]byte(shape(500)), "text/html", true)
	}
	main, err := CompileSelector("p, div")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte, contentType string, choose bool) {
		in := Input{Body: body, ContentType: contentType}
		doc := Extract(in)
		if doc.Format != "html" && doc.Format != "css" {
			return
		}
		fallback := htmlFormat.charset
		for _, x := range formats {
			if x == formatOf(contentType, "", body) {
				fallback = x.charset
			}
		}
		text, _ := decode(body, contentType, fallback)
		checkPlaces(t, text, doc)
		for _, l := range doc.Links {
			if !utf8.ValidString(l.Raw+l.Ref+l.Text+l.Base) || len(l.Text) > maxText || l.Element == "" {
				t.Fatalf("%q: %+v", body, l)
			}
		}
		in.AnchorsOnly = true
		if only := Extract(in); len(only.Links) > 0 || !reflect.DeepEqual(only.Anchors, doc.Anchors) || only.Static != doc.Static {
			t.Fatalf("%q: anchors %q of %q", body, only.Anchors, doc.Anchors)
		}
		if choose {
			in = Input{Body: body, ContentType: contentType, Select: main}
			some := Extract(in)
			in.Select, in.IgnoreSelect = Selector{}, main
			others := Extract(in)
			if len(some.Faults) == 0 && len(some.Links)+len(others.Links) != len(doc.Links) {
				t.Fatalf("%q: %d links inside, %d outside, %d in all", body, len(some.Links), len(others.Links), len(doc.Links))
			}
		}
	})
}

func TestConcurrentUse(t *testing.T) {
	main, err := CompileSelector("main, p")
	if err != nil {
		t.Fatal(err)
	}
	var inputs []Input
	var want []*Document
	for _, c := range elementCases {
		source, _ := unmark(c.html)
		inputs = append(inputs, Input{Body: []byte(source), ContentType: "text/html", Select: main}, Input{Body: []byte(source), ContentType: "text/html"})
	}
	for _, in := range inputs {
		want = append(want, Extract(in))
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i, in := range inputs {
				if got := Extract(in); !reflect.DeepEqual(got, want[i]) {
					t.Errorf("%s: %+v, want %+v", in.Body, got, want[i])
				}
			}
		})
	}
	all.Wait()
}

// leastAllocations returns the number of allocations for a document when all pools are filled
// and the reader has seen its tags before. It measures several times, because the race
// detector empties pools at random, and stops once the number is small enough.
func leastAllocations(in Input, enough int) int {
	var doc Document
	least := 1 << 30
	for n := 0; n < 10 || n < 100 && least > enough; n++ {
		least = min(least, int(testing.AllocsPerRun(1, func() { ExtractInto(&doc, in) })))
	}
	return least
}

// mostAllocations are the limits for pages that are read into a reused document: allocations
// for the title, for looking up declarations and for JSON-LD. A block of strings is allocated
// every few pages; a link costs no allocation.
var mostAllocations = map[string]int{
	"docbook": 1, "handmade": 1, "highlighted": 5, "javadoc": 1, "mdbook": 1, "minified": 4, "quickbook": 1, "rustdoc": 2, "sphinx": 4,
}

func TestAllocations(t *testing.T) {
	pages := realPages(t)
	if len(pages) != len(mostAllocations) {
		t.Errorf("%d pages, but allocation limits for %d", len(pages), len(mostAllocations))
	}
	for name, body := range pages {
		most := mostAllocations[name]
		if raceDetector {
			most += 2 // the race detector empties pools at random
		}
		if n := leastAllocations(Input{Body: body, ContentType: "text/html"}, most); n > most {
			t.Errorf("%s: %d allocations, want %d at most", name, n, most)
		}
	}
	links := func(n int) Input {
		return Input{Body: []byte(strings.Repeat("<li id=i><a href='x&amp;y'>text</a><img src=y>\n", n)), ContentType: "text/html; charset=utf-8"}
	}
	if few := leastAllocations(links(10), 0); leastAllocations(links(2000), few) > few {
		t.Errorf("%d allocations for 20 links, more for 4000", few)
	}
}

func BenchmarkExtract(b *testing.B) {
	body := benchmarkPage(b)
	for _, c := range []struct {
		name string
		in   Input
	}{
		{"links", Input{Body: body, ContentType: "text/html; charset=utf-8"}},
		{"anchors", Input{Body: body, ContentType: "text/html; charset=utf-8", AnchorsOnly: true}},
		{"undeclared", Input{Body: body, Name: "page.html"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			links := 0
			for b.Loop() {
				links = len(Extract(c.in).Links)
			}
			b.ReportMetric(float64(links), "links")
		})
	}
}

func BenchmarkSelect(b *testing.B) {
	body := benchmarkPage(b)
	s, err := CompileSelector("div.body")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		Extract(Input{Body: body, ContentType: "text/html; charset=utf-8", Select: s})
	}
}

func BenchmarkCSS(b *testing.B) {
	var body []byte
	for _, c := range cssCases {
		source, _ := unmark(c.css)
		body = append(body, source...)
		body = append(body, "\n}\n*/ .padding { color: #345; margin: 0 auto; transition: opacity 0.3s ease }\n"...)
	}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		Extract(Input{Body: body, ContentType: "text/css"})
	}
}

// TestDecoded checks that a document that was read has the text that Decode returns.
func TestDecoded(t *testing.T) {
	for _, in := range []Input{
		{Body: []byte("<p>é"), ContentType: "text/html; charset=utf-8"},
		{Body: []byte("<p>\xE9"), ContentType: "text/html; charset=latin1"},
		{Body: []byte("\uFEFF<p>é"), ContentType: "text/html"},
		{Body: []byte("<p>\xFF"), ContentType: "text/html; charset=utf-8"},
		{Body: []byte("<p>a"), ContentType: "text/html", Bare: true},
		{Body: []byte("<iframe srcdoc='<a href=x>'></iframe>"), ContentType: "text/html"},
		{Body: []byte("%PDF-1.4"), ContentType: "application/pdf"},
		{ContentType: "text/html"},
	} {
		text, charset := Extract(in).Decoded(in)
		want, wantCharset, _ := Decode(in)
		if string(text) != string(want) || charset != wantCharset {
			t.Errorf("%q: %q in %q, want %q in %q", in.Body, text, charset, want, wantCharset)
		}
	}
}
