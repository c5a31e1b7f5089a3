package frontier

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
)

func readAll(t testing.TB, block []byte) []Link {
	t.Helper()
	var r LinkReader
	if err := r.Reset(block); err != nil {
		t.Fatal(err)
	}
	var links []Link
	for {
		var l RawLink
		more, err := r.Next(&l)
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			return links
		}
		if l.HasFragment && l.Hash != check.HashAnchor(string(l.Fragment)) {
			t.Errorf("%q has the hash %x", l.Fragment, l.Hash)
		}
		links = append(links, Link{l.Target, bytes.Clone(l.Fragment), l.HasFragment, l.Hash, l.Line, l.Column, l.Element, l.Attribute, string(l.Raw), string(l.Text), l.Mark})
	}
}

func TestLinks(t *testing.T) {
	links := []Link{
		{Target: 0, Line: 3, Column: 17, Element: "a", Attribute: "href", Raw: "x.html", Text: "X"},
		{Target: 300, Fragment: []byte("top"), HasFragment: true, Hash: check.HashAnchor("top"), Line: 3, Column: 90, Element: "a", Attribute: "href", Raw: "y.html#top", Text: "", Mark: 5 | 7<<32},
		{Target: 1, Fragment: []byte{}, HasFragment: true, Hash: check.HashAnchor(""), Line: 2, Column: 1, Element: "img", Attribute: "src", Raw: "#", Text: "back to an earlier line"},
		{Target: 9, Fragment: []byte("b%20c"), HasFragment: true, Hash: check.HashAnchor("b%20c"), Line: 2, Column: 5, Element: "a", Attribute: "href", Raw: "y#b c", Text: "mended on the way"},
		{Target: 9, Fragment: []byte("c"), HasFragment: true, Hash: check.HashAnchor("c"), Line: 2, Column: 7, Element: "a", Attribute: "href", Raw: "#b#c"},
		{Target: 2, Line: 1 << 30, Column: 1 << 20, Element: "img", Attribute: "src", Raw: strings.Repeat("long/", 1000)},
	}
	for n := range len(links) + 1 {
		var b Links
		for i := range links[:n] {
			b.Add(&links[i])
		}
		if b.Len() != n {
			t.Errorf("Len = %d, want %d", b.Len(), n)
		}
		got := readAll(t, b.Encode(nil))
		if len(got) != n || n > 0 && !reflect.DeepEqual(got, links[:n]) {
			t.Errorf("%d links came back as %+v", n, got)
		}
	}
	var b Links
	b.Add(&links[1])
	b.Reset()
	if b.Encode(nil) != nil {
		t.Error("a block that was reset is not empty")
	}
}

func FuzzLinkReader(f *testing.F) {
	var b Links
	b.Add(&Link{Target: 4, Line: 9, Column: 2, Element: "a", Attribute: "href", Raw: "z", Text: "zed", Fragment: []byte("q"), HasFragment: true, Hash: check.HashAnchor("q")})
	f.Add(b.Encode(nil))
	for range 100 {
		b.Add(&Link{Target: 4, Line: 9, Column: 2, Element: "a", Attribute: "href", Raw: "z", Text: "zed"})
	}
	f.Add(b.Encode(nil))
	f.Add([]byte{1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, block []byte) {
		var r LinkReader
		if r.Reset(block) != nil {
			return
		}
		var briefs BriefReader
		if err := briefs.Reset(block); err != nil {
			t.Fatalf("the whole reader takes the block, that of briefs says %v", err)
		}
		var l RawLink
		var b Brief
		for {
			more, err := r.Next(&l)
			if err != nil || !more {
				return
			}
			if more, err := briefs.Next(&b); !more || err != nil || b != l.Brief {
				t.Fatalf("a brief reads %+v, %v, %v, the whole %+v", b, more, err, l.Brief)
			}
		}
	})
}

func TestJob(t *testing.T) {
	for _, j := range []Job{
		{URL: []byte("https://example.com/")},
		{URL: []byte("x"), Internal: true, Page: true, Verbatim: true, Depth: 100000, Hops: 10},
	} {
		got, err := DecodeJob(AppendJob(nil, j))
		if err != nil || !reflect.DeepEqual(got, j) {
			t.Errorf("%+v came back as %+v, %v", j, got, err)
		}
	}
	for _, bad := range []string{"", "\x00", "\x00\x00", "\x00\x00\xff"} {
		if _, err := DecodeJob([]byte(bad)); err == nil {
			t.Errorf("DecodeJob(%q): no error", bad)
		}
	}
}
