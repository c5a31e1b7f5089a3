package frontier

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
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
		if l.HasFragment && (l.Tag == 0 || l.Fragment != nil) && l.Hash != judging.HashAnchor(string(l.Fragment)) {
			t.Errorf("%q has the hash %x", l.Fragment, l.Hash)
		}
		links = append(links, Link{Target: l.Target, Fragment: bytes.Clone(l.Fragment), HasFragment: l.HasFragment, Hash: l.Hash, Line: l.Line, Column: l.Column,
			Element: l.Element, Attribute: l.Attribute, Raw: string(l.Raw), Text: string(l.Text), Mark: l.Mark})
		if l.Tag != 0 { // a bare reference does not set the rest
			last := &links[len(links)-1]
			last.Line, last.Column, last.Element, last.Attribute, last.Raw, last.Text = bareLine, int(l.Tag), "", "", "", ""
		}
	}
}

func TestLinks(t *testing.T) {
	links := []Link{
		{Target: 0, Line: 3, Column: 17, Element: "a", Attribute: "href", Raw: "x.html", Text: "X"},
		{Target: 300, Fragment: []byte("top"), HasFragment: true, Hash: judging.HashAnchor("top"), Line: 3, Column: 90, Element: "a", Attribute: "href", Raw: "y.html#top", Text: "", Mark: 5 | 7<<32},
		{Target: 1, Fragment: []byte{}, HasFragment: true, Hash: judging.HashAnchor(""), Line: 2, Column: 1, Element: "img", Attribute: "src", Raw: "#", Text: "back to an earlier line"},
		{Target: 9, Fragment: []byte("b%20c"), HasFragment: true, Hash: judging.HashAnchor("b%20c"), Line: 2, Column: 5, Element: "a", Attribute: "href", Raw: "y#b c", Text: "repaired"},
		{Target: 9, Fragment: []byte("c"), HasFragment: true, Hash: judging.HashAnchor("c"), Line: 2, Column: 7, Element: "a", Attribute: "href", Raw: "#b#c"},
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
	b.Reset(false)
	if b.Encode(nil) != nil {
		t.Error("a block that was reset is not empty")
	}
}

// TestBriefs tests that briefs of all sizes are read as written, and that a truncated one
// is an error.
func TestBriefs(t *testing.T) {
	for _, target := range []int{0, 31, 32, 4095, 4096, 1<<19 - 1, 1 << 19, math.MaxInt32} {
		for _, want := range []Brief{{}, {Mark: 1}, {Mark: 5 | 7<<32}, {HasFragment: true, Hash: 9 << 50}, {HasFragment: true, Hash: 9 << 50, Mark: 300}} {
			want.Target = target
			var b Links
			b.brief(&want)
			for n := range len(b.briefs) + 1 {
				var got Brief
				r := BriefReader{briefs: b.briefs[:n]}
				more, err := r.Next(&got)
				switch {
				case n == 0 && (more || err != nil), n > 0 && n < len(b.briefs) && err == nil, n == len(b.briefs) && (!more || err != nil || got != want):
					t.Errorf("%d of %d bytes of %+v: %+v, %t, %v", n, len(b.briefs), want, got, more, err)
				}
			}
		}
	}
}

// TestRepeatedLinks tests that a reference that repeats another is read like one that does
// not, and takes fewer bytes.
func TestRepeatedLinks(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	for range 200 {
		var short, long Links
		var links []Link
		firsts := map[string]int{}
		for n := range random.IntN(60) {
			name := string(rune('a' + random.IntN(20)))
			l := Link{Target: random.IntN(9), Line: 1 + random.IntN(50), Column: random.IntN(300), Element: []string{"a", "img"}[random.IntN(2)], Attribute: "href",
				Raw: "page-" + name, Text: strings.Repeat("text", random.IntN(3)), Mark: uint64(random.IntN(2))}
			if name < "h" {
				l.Raw += "#x y"
				l.Fragment, l.HasFragment, l.Hash = []byte("x%20y"), true, judging.HashAnchor("x%20y")
			}
			long.Add(&l)
			links = append(links, l)
			if first, ok := firsts[l.Element+l.Raw]; ok {
				l.Repeats, l.SameText = first+1, l.Text == links[first].Text
			} else {
				firsts[l.Element+l.Raw] = n
			}
			short.Add(&l)
		}
		for _, b := range []*Links{&short, &long} {
			if got := readAll(t, b.Encode(nil)); !reflect.DeepEqual(got, links) {
				t.Fatalf("%d links came back as %+v, want %+v", len(links), got, links)
			}
		}
		if len(firsts) < len(links) && short.Size() > long.Size() {
			t.Errorf("%d links take %d bytes, without repeats %d", len(links), short.Size(), long.Size())
		}
	}
}

// TestBareLinks tests that the tag, the brief and the fragment of a bare reference are read
// as written, among references that are not bare.
func TestBareLinks(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 3))
	for range 200 {
		var b Links
		b.Reset(true)
		var want []Link
		firsts := map[string]int{}
		tag := int32(0)
		for range random.IntN(60) {
			tag += 1 + int32(random.IntN(1<<random.IntN(20)))
			l := Link{Target: random.IntN(400), Mark: uint64(random.IntN(2)), Raw: "page-" + string(rune('a'+random.IntN(20)))}
			if random.IntN(2) == 0 {
				l.Raw += "#x"
				l.Fragment, l.HasFragment, l.Hash = []byte("x"), true, judging.HashAnchor("x")
			}
			kept := l
			switch random.IntN(4) {
			case 0:
				l.Line, l.Column, l.Element, l.Attribute, l.Text = 1+random.IntN(50), random.IntN(300), "a", "href", "text"
				kept = l
				if first, ok := firsts[l.Raw]; ok {
					l.Repeats, l.SameText = first+1, true
				} else {
					firsts[l.Raw] = b.Written()
				}
				b.Add(&l)
			case 1:
				kept.Line, kept.Column, kept.Raw = bareLine, int(tag), ""
				b.AddBare(brief(&l), tag, l.Fragment)
			default:
				kept.Line, kept.Column, kept.Raw, kept.Fragment = bareLine, int(tag), "", nil
				b.AddBare(brief(&l), tag, nil)
			}
			want = append(want, kept)
		}
		if got := readAll(t, b.Encode(nil)); !reflect.DeepEqual(got, want) {
			t.Fatalf("%d links came back as %+v, want %+v", len(want), got, want)
		}
	}
	var b Links
	b.Reset(true)
	b.AddBare(&Brief{}, -5, nil)
	var r LinkReader
	var l RawLink
	if err := r.Reset(b.Encode(nil)); err != nil {
		t.Fatal(err)
	}
	if more, err := r.Next(&l); more || err == nil {
		t.Errorf("a tag before the page came back as %+v", l)
	}
}

// bareLine is the Line that readAll sets for bare references. Their Column is the tag.
const bareLine = -1

func brief(l *Link) *Brief {
	return &Brief{Target: l.Target, HasFragment: l.HasFragment, Hash: l.Hash, Mark: l.Mark}
}

// TestFirstEncoding tests that blocks of the first encoding can be read.
func TestFirstEncoding(t *testing.T) {
	want := []Link{
		{Target: 4, Line: 9, Column: 2, Element: "a", Attribute: "href", Raw: "z#q", Text: "zed", Fragment: []byte("q"), HasFragment: true, Hash: judging.HashAnchor("q")},
		{Target: 4, Line: 8, Column: 3, Element: "a", Attribute: "href", Raw: "z#b c", Text: "zed", Fragment: []byte("b%20c"), HasFragment: true, Hash: judging.HashAnchor("b%20c"), Mark: 7},
		{Target: 1, Line: 12, Column: 5, Element: "img", Attribute: "src", Raw: "i.png"},
	}
	if got := readAll(t, []byte(firstPlain)); !reflect.DeepEqual(got, want) {
		t.Errorf("a block that is not compressed came back as %+v", got)
	}
	for range 40 {
		want = append(want, Link{Target: 1, Line: 12, Column: 5, Element: "img", Attribute: "src", Raw: "images/i.png"})
	}
	if got := readAll(t, []byte(firstCompressed)); !reflect.DeepEqual(got, want) {
		t.Errorf("a compressed block came back as %+v", got)
	}
}

const (
	firstPlain      = "\x14\x11M\x8aG\n\xa9\xb0\x00\x1b\x13\as\xe3_\xb0\xcc\x1e\xf6\xdc\x04\x00I\x02\x01a\x04href\x03z#q\x03zed\x06\x03\x05z#b c\x03zed\x05b%20c \x05\x03img\x03src\x05i.png\x00"
	firstCompressed = "<\x11M\x8aG\n\xa9\xb0\x00\x1b\x13\as\xe3_\xb0\xcc\x1e\xf6\xdc\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04\x04" +
		"\x01\xb4\x05`I\x02\x01a\x04href\x03z#q\x03zed\x06\x03\x05z#b c\x01\f\x80\x05b%20c \x05\x03img\x03src\x05i.png\x00\x02\x05\fimages/\x11\x10\x19\x00j\x01"
)

func FuzzLinkReader(f *testing.F) {
	var b Links
	b.Add(&Link{Target: 4, Line: 9, Column: 2, Element: "a", Attribute: "href", Raw: "z", Text: "zed", Fragment: []byte("q"), HasFragment: true, Hash: judging.HashAnchor("q")})
	f.Add(b.Encode(nil))
	for range 100 {
		b.Add(&Link{Target: 4, Line: 9, Column: 2, Element: "a", Attribute: "href", Raw: "z", Text: "zed"})
	}
	f.Add(b.Encode(nil))
	b.Add(&Link{Target: 4, Line: 10, Column: 2, Element: "a", Attribute: "href", Raw: "z", Text: "other", Repeats: 2})
	b.Add(&Link{Target: 4, Line: 11, Column: 2, Element: "a", Attribute: "href", Raw: "z", Text: "zed", Repeats: 2, SameText: true})
	f.Add(b.Encode(nil))
	b.Reset(true)
	for i := range int32(40) {
		var named []byte
		if i%4 > 2 {
			named = []byte("q")
		}
		b.AddBare(&Brief{Target: 4, HasFragment: i%2 > 0, Hash: judging.HashAnchor("q")}, 1+40*i, named)
		b.Add(&Link{Target: 4, Line: 9, Column: 2, Element: "a", Attribute: "href", Raw: "z", Text: "zed"})
	}
	f.Add(b.Encode(nil))
	f.Add([]byte(firstPlain))
	f.Add([]byte(firstCompressed))
	f.Add([]byte{1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, block []byte) {
		var r LinkReader
		if r.Reset(block) != nil {
			return
		}
		var briefs BriefReader
		if err := briefs.Reset(block); err != nil {
			t.Fatalf("LinkReader reads the block, BriefReader returns %v", err)
		}
		var l RawLink
		var b Brief
		for {
			more, err := r.Next(&l)
			if err != nil || !more {
				return
			}
			if more, err := briefs.Next(&b); !more || err != nil || b != l.Brief {
				t.Fatalf("BriefReader reads %+v, %v, %v, LinkReader %+v", b, more, err, l.Brief)
			}
		}
	})
}

func TestJob(t *testing.T) {
	for _, j := range []Job{
		{URL: []byte("https://example.com/")},
		{URL: []byte("x"), Internal: true, Verbatim: true, Depth: 100000, Hops: 10},
	} {
		got, err := DecodeJob(AppendJob(nil, j))
		if err != nil || !reflect.DeepEqual(got, j) {
			t.Errorf("%+v came back as %+v, %v", j, got, err)
		}
	}
	for _, bad := range []string{"", "\x00", "\x00\x00", "\x00\x00\xff"} {
		if _, err := DecodeJob([]byte(bad)); !errors.Is(err, check.ErrMalformed) {
			t.Errorf("DecodeJob(%q): %v, want %v", bad, err, check.ErrMalformed)
		}
	}
}
