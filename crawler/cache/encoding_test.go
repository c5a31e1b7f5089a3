package cache

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net/http"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
)

const document = `<!doctype html><title>Guide</title><base href="/docs/"><meta name=robots content="nofollow, noindex"><link rel=canonical href="./">
<a href="a.html#x" rel=nofollow>One &amp; two</a> <a href="a.html#x" rel=nofollow>again</a> <a href='a.html#y'>Two</a>
<img src=pic.png alt="A picture"><link rel=stylesheet href=style.css>
<a href="&#104;ttp://example.com/">Entities</a><map name=m></map><img usemap="#m" src=b.png>
<style>@font-face{src:url(f.svg#f)}</style><p id=setup><script src=s.js></script><a data-orbweaver-ignore href=gone.html>gone</a><form action=send></form>`

// sample returns an entry of each kind.
func samples(t testing.TB) []*Entry {
	t.Helper()
	doc := extract.Extract(extract.Input{Body: []byte(document), ContentType: "text/html"})
	if len(doc.Links) < 8 {
		t.Fatalf("only %d links", len(doc.Links))
	}
	for i, set := range []func(*extract.Link){func(l *extract.Link) { l.Acts = true }, func(l *extract.Link) { l.Placeholder = true }, func(l *extract.Link) { l.IgnoredCandidate = true }, func(l *extract.Link) { l.Wiki = true }} {
		set(&doc.Links[len(doc.Links)-1-i])
	}
	page := check.Outcome{Code: check.CodeOK, Status: 200, ContentType: "text/html", Size: int64(len(document)), Modified: time.Unix(1_700_000_000, 0).UTC()}
	page.ReadDocument(doc)
	page.KeepNames(doc)
	anchors := page
	anchors.Warnings = nil
	return []*Entry{
		{Outcome: check.Outcome{Code: check.CodeOK, Status: 200, Size: -1}},
		{Outcome: check.Outcome{Code: check.CodeRedirect, Status: 301, Size: -1, Next: "https://example.com/new"}, NotAfter: time.Unix(1_900_000_000, 0).UTC()},
		{Outcome: anchors, Content: true, Validators: fetch.Validators{ETag: `W/"x"`}},
		{Outcome: page, Validators: fetch.Validators{LastModified: "Fri, 02 Jan 2026 03:04:05 GMT"}, Page: &Page{
			Reader: "0.1.0", Format: doc.Format, Base: doc.Base, Charset: doc.Charset, Canonical: doc.Canonical, NoFollow: doc.NoFollow, NoIndex: doc.NoIndex, Shell: true, SitemapIndex: true,
			Header: http.Header{"Link": {"<a>; rel=next", "<b>; rel=prev"}, "X-Robots-Tag": {"nofollow"}}, Links: doc.Links}},
		{Outcome: check.Outcome{Code: check.CodeOK, Status: 204, Size: 0}, Page: &Page{}},
		{Outcome: page, Validators: fetch.Validators{ETag: `"y"`}, Page: &Page{Reader: "0.1.0", Format: doc.Format, Links: doc.Links, Rendered: &Rendered{Base: "https://example.com/sub/",
			Links: doc.Links[:2], Selectors: []string{"#a > b", ""}, Loaded: []Loaded{{"https://example.com/a.js", fetch.Validators{ETag: `"a"`}}, {"https://example.com/b.js", fetch.Validators{LastModified: "Fri, 02 Jan 2026 03:04:05 GMT"}}}}}},
	}
}

func TestEncoding(t *testing.T) {
	kinds := []string{"presence", "redirect", "anchors", "page", "page", "page"}
	for i, want := range samples(t) {
		key := Key{byte(i)}
		record := encode(key, want)
		got, err := decode(key, record)
		if err != nil {
			t.Errorf("%d: %v", i, err)
			continue
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d: got\n%+v %+v\nwant\n%+v %+v", i, got, got.Page, want, want.Page)
		}
		if want.kind() != kinds[i] {
			t.Errorf("%d: kind %s, want %s", i, want.kind(), kinds[i])
		}
		if _, err := decode(Key{99}, record); err == nil {
			t.Errorf("%d: read under another key", i)
		}
		for n := range record {
			if _, err := decode(key, record[:n]); err == nil {
				t.Fatalf("%d: read %d of %d bytes", i, n, len(record))
			}
			damaged := bytes.Clone(record)
			damaged[n] ^= 0x20
			if _, err := decode(key, damaged); err == nil {
				t.Fatalf("%d: byte %d changed, and nobody saw it", i, n)
			}
		}
	}
}

// TestDecodeTakesSuccessesOnly tests that an entry with a failure is damage.
func TestDecodeTakesSuccessesOnly(t *testing.T) {
	for _, code := range []check.Code{check.CodeTimeout, check.HTTPCode(404), check.CodeExcluded} {
		if _, err := decode(Key{}, encode(Key{}, &Entry{Outcome: check.Outcome{Code: code}})); err == nil {
			t.Errorf("%s was read back", code)
		}
	}
}

func TestEncodeIsBounded(t *testing.T) {
	big := make([]byte, maxRecord+1) // incompressible
	rand.NewChaCha8([32]byte{}).Read(big)
	e := &Entry{Outcome: check.Outcome{Code: check.CodeOK}, Page: &Page{Links: []extract.Link{{Raw: string(big), Ref: "x"}}}}
	if record := encode(Key{}, e); record != nil {
		t.Errorf("%d bytes are kept", len(record))
	}
}

func TestPageHeader(t *testing.T) {
	h := http.Header{"Link": {"<a>; rel=next"}, "Set-Cookie": {"secret"}, "Refresh": {"0"}, "Content-Type": {"text/html"}}
	if got, want := PageHeader(h), (http.Header{"Link": {"<a>; rel=next"}, "Refresh": {"0"}}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	if PageHeader(http.Header{"Date": {"x"}}) != nil {
		t.Error("a header of nothing")
	}
}

// FuzzDecode decodes arbitrary records, with a valid checksum.
func FuzzDecode(f *testing.F) {
	for _, e := range samples(f) {
		record := encode(Key{}, e)
		body, err := s2.Decode(nil, record[1:len(record)-checksumBytes])
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, body []byte) {
		record := append([]byte{encodingVersion}, s2.Encode(nil, body)...)
		record = binary.LittleEndian.AppendUint64(record, checksum(Key{}, record))
		e, err := decode(Key{}, record)
		if err != nil {
			return
		}
		again, err := decode(Key{}, encode(Key{}, e))
		if err != nil || !reflect.DeepEqual(again, e) {
			t.Errorf("%v: %+v became %+v", err, e, again)
		}
		raw := append([]byte{encodingVersion}, body...)
		raw = binary.LittleEndian.AppendUint64(raw, checksum(Key{}, raw))
		_, _ = decode(Key{}, raw) // without valid compression
	})
}

func TestSamplesHaveEverything(t *testing.T) {
	var all extract.Link
	for _, l := range samples(t)[3].Page.Links {
		all.NoFollow, all.Ignored, all.SameDocument = all.NoFollow || l.NoFollow, all.Ignored || l.Ignored, all.SameDocument || l.SameDocument
		all.AnyFragment, all.Acts = all.AnyFragment || l.AnyFragment, all.Acts || l.Acts
		all.Placeholder, all.IgnoredCandidate, all.Wiki = all.Placeholder || l.Placeholder, all.IgnoredCandidate || l.IgnoredCandidate, all.Wiki || l.Wiki
		all.Repeats, all.Kind, all.Expect = all.Repeats+l.Repeats, max(all.Kind, l.Kind), max(all.Expect, l.Expect)
		if l.Ref != l.Raw {
			all.Ref = l.Ref
		}
	}
	if !all.AnyFragment || !all.Wiki || !all.Acts || !all.Placeholder || !all.IgnoredCandidate || !all.NoFollow || !all.Ignored || !all.SameDocument || all.Repeats == 0 || all.Kind == 0 || all.Expect == 0 || all.Ref == "" {
		t.Errorf("the sample lacks something: %+v", all)
	}
	everyField := func(of reflect.Type, known string) {
		for i := range of.NumField() {
			if name := of.Field(i).Name; of.Field(i).IsExported() && !slices.Contains(strings.Fields(known), name) {
				t.Errorf("%v has a field %s: is it kept?", of, name)
			}
		}
	}
	// Bookmark is left out on purpose, and links that have a Tag are not kept.
	everyField(reflect.TypeFor[extract.Link](), "Raw Ref Base Line Column Element Attribute Text Repeats Kind Expect NoFollow Ignored SameDocument Wiki AnyFragment Acts Placeholder IgnoredCandidate Bookmark Tag")
	// Title, Static, LoginForm, AccountForm, Anchors, Duplicates and Faults are in the outcome. BareRepeats
	// have a Tag each.
	everyField(reflect.TypeFor[extract.Document](), "Format Base Charset Title Links BareRepeats Anchors AnchorHashes Static NoFollow NoIndex SitemapIndex Canonical LoginForm AccountForm Duplicates Faults")
}

// A record of version 1 has the links that repeat others in the same form as all links.
func TestDecodeFirstVersion(t *testing.T) {
	var use buffers
	use.encode(Key{}, &Entry{Outcome: check.Outcome{Code: check.CodeOK, Status: 200}, Page: &Page{}})
	body := append(use.body[:len(use.body)-1], 2)
	for _, link := range []string{"\x00\x00\x00\x02\x06\x01a\x04href\x01x\x03one", "\x41\x00\x00\x02\x06\x01\x01x\x03two"} {
		body = append(body, link...)
	}
	record := append([]byte{firstEncoding}, s2.Encode(nil, body)...)
	got, err := decode(Key{}, binary.LittleEndian.AppendUint64(record, checksum(Key{}, record)))
	if err != nil {
		t.Fatal(err)
	}
	want := []extract.Link{{Raw: "x", Ref: "x", Element: "a", Attribute: "href", Text: "one", Line: 1, Column: 3},
		{Raw: "x", Ref: "x", Element: "a", Attribute: "href", Text: "two", Line: 2, Column: 3, Repeats: 1}}
	if !reflect.DeepEqual(got.Page.Links, want) {
		t.Errorf("the links are\n%+v, want\n%+v", got.Page.Links, want)
	}
	if again, err := decode(Key{}, encode(Key{}, got)); err != nil || !reflect.DeepEqual(again, got) {
		t.Errorf("%v: %+v became %+v", err, got, again)
	}
}

// The memory of links is used again, and holds nothing of the entry that it was used for.
func TestRelease(t *testing.T) {
	want := samples(t)[3]
	key := Key{1}
	record := encode(key, want)
	for range 3 {
		got, err := decode(key, record)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got\n%+v\nwant\n%+v", got.Page, want.Page)
		}
		links := got.Page.Links
		got.Release()
		if got.Page.Links != nil || links[0] != (extract.Link{}) {
			t.Fatal("the released links are still there")
		}
		got.Release()
	}
	(*Entry)(nil).Release()
	(&Entry{}).Release()
}

// Reading an entry again allocates its text, and no links.
func TestReleaseSavesMemory(t *testing.T) {
	links := make([]extract.Link, 1000)
	for i := range links {
		links[i] = extract.Link{Raw: "x", Ref: "x", Element: "a", Attribute: "href", Line: i}
	}
	e := &Entry{Outcome: check.Outcome{Code: check.CodeOK}, Page: &Page{Links: links}}
	record := encode(Key{}, e)
	const times = 100
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		got, err := decode(Key{}, record)
		if err != nil {
			t.Fatal(err)
		}
		got.Release()
	}
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) / times; n > 100<<10 { // 16 KB, but the race detector drops some of what a pool keeps
		t.Errorf("an entry with 1000 links takes %d bytes of new memory", n)
	}
}
