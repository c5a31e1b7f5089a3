package cache

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
)

const document = `<!doctype html><title>Guide</title><h1 id=setup>Setup</h1><a href="a.html#x">One</a><a name=b></a>`

// sample returns an entry of each kind.
func samples(t testing.TB) []*Entry {
	t.Helper()
	doc := extract.Extract(extract.Input{Body: []byte(document), ContentType: "text/html"})
	page := check.Outcome{Code: check.CodeOK, Status: 200, ContentType: "text/html", Size: int64(len(document)), Modified: time.Unix(1_700_000_000, 0).UTC()}
	page = page.With(check.DocumentFacts(doc)).With(check.Facts{Names: check.PackNames(doc.Anchors)})
	anchors := page
	anchors.Warnings = nil
	targets, references := bytes.Repeat([]byte("https://example.com/a.html\x00\x01"), 100), []byte("a.html#x One\x00\x01")
	return []*Entry{
		{Outcome: check.Outcome{Code: check.CodeOK, Status: 200, Size: -1}},
		{Outcome: check.Outcome{Code: check.CodeRedirect, Status: 301, Size: -1, Next: "https://example.com/new"}, NotAfter: time.Unix(1_900_000_000, 0).UTC()},
		{Outcome: anchors, Content: true, Validators: fetch.Validators{ETag: `W/"x"`}},
		{Outcome: page, Validators: fetch.Validators{LastModified: "Fri, 02 Jan 2026 03:04:05 GMT"}, Page: &Page{
			Reader: "0.1.0", Format: "html", Canonical: "https://example.com/", Unfollowed: true, NoIndex: true, Shell: true, Blank: true, SitemapIndex: true, Listed: 3, Targets: targets, References: references}},
		{Outcome: check.Outcome{Code: check.CodeOK, Status: 204, Size: 0}, Page: &Page{Targets: []byte{0}}},
		{Outcome: page, Validators: fetch.Validators{ETag: `"y"`}, Page: &Page{Reader: "0.1.0", Format: "html", Targets: targets, References: references, Rendered: true,
			Loaded: []Loaded{{"https://example.com/a.js", fetch.Validators{ETag: `"a"`}}, {"https://example.com/b.js", fetch.Validators{LastModified: "Fri, 02 Jan 2026 03:04:05 GMT"}}}}},
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
	e := &Entry{Outcome: check.Outcome{Code: check.CodeOK}, Page: &Page{References: big}}
	if record := encode(Key{}, e); record != nil {
		t.Errorf("%d bytes are kept", len(record))
	}
}

// FuzzDecode decodes arbitrary records, with a valid checksum.
func FuzzDecode(f *testing.F) {
	for _, e := range samples(f) {
		record := encode(Key{}, e)
		n := headBytes + int(binary.LittleEndian.Uint32(record[1:]))
		body, err := s2.Decode(nil, record[headBytes:n])
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body, record[n:len(record)-checksumBytes])
	}
	f.Add([]byte{}, []byte{})
	f.Fuzz(func(t *testing.T, body, references []byte) {
		compressed := s2.Encode(nil, body)
		record := binary.LittleEndian.AppendUint32([]byte{encodingVersion}, uint32(len(compressed)))
		record = append(append(record, compressed...), references...)
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

// The samples have every field, and the entry of a page keeps all that a run needs to know of it.
func TestSamplesHaveEverything(t *testing.T) {
	var all Page
	for _, e := range samples(t) {
		if p := e.Page; p != nil {
			all.Reader, all.Format, all.Canonical = max(all.Reader, p.Reader), max(all.Format, p.Format), max(all.Canonical, p.Canonical)
			all.Unfollowed, all.NoIndex, all.Shell = all.Unfollowed || p.Unfollowed, all.NoIndex || p.NoIndex, all.Shell || p.Shell
			all.Blank = all.Blank || p.Blank
			all.SitemapIndex, all.Rendered, all.Listed = all.SitemapIndex || p.SitemapIndex, all.Rendered || p.Rendered, max(all.Listed, p.Listed)
			all.Targets, all.References = append(all.Targets, p.Targets...), append(all.References, p.References...)
			all.Loaded = append(all.Loaded, p.Loaded...)
		}
	}
	for v, i := reflect.ValueOf(all), 0; i < v.NumField(); i++ {
		if v.Field(i).IsZero() {
			t.Errorf("no sample has the field %s", v.Type().Field(i).Name)
		}
	}
}

// In records of versions 1 and 2, pages had their links, so the pages are read again. Everything
// else is read as it was.
func TestDecodeEarlierVersions(t *testing.T) {
	for i, want := range samples(t) {
		for version := byte(firstEncoding); version < encodingVersion; version++ {
			record := encode(Key{}, want)
			end := headBytes + int(binary.LittleEndian.Uint32(record[1:]))
			record = append([]byte{version}, record[headBytes:end]...)
			got, err := decode(Key{}, binary.LittleEndian.AppendUint64(record, checksum(Key{}, record)))
			switch {
			case err != nil:
				t.Errorf("%d, version %d: %v", i, version, err)
			case want.Page != nil && got != nil:
				t.Errorf("%d, version %d: a page was read", i, version)
			case want.Page == nil && !reflect.DeepEqual(got, want):
				t.Errorf("%d, version %d: got %+v", i, version, got)
			}
		}
	}
}

// What a store keeps of a page is read back with the outcome and the references that the store has,
// for the same request and by the same version only.
func TestEncodePage(t *testing.T) {
	for i, want := range samples(t) {
		key := Key{byte(i)}
		kept := EncodePage(key, want)
		var references []byte
		if want.Page != nil {
			references = want.Page.References
		}
		got := DecodePage(key, kept, &want.Outcome, references)
		if want.Page == nil {
			if got != nil {
				t.Errorf("%d: an entry without a page was read: %+v", i, got)
			}
			continue
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d: got\n%+v %+v\nwant\n%+v %+v", i, got, got.Page, want, want.Page)
		}
		if DecodePage(Key{99}, kept, &want.Outcome, references) != nil {
			t.Errorf("%d: read under another key", i)
		}
		for n := range kept {
			_ = DecodePage(key, kept[:n], &want.Outcome, references) // the store notices damage
		}
		kept[0]--
		if DecodePage(key, kept, &want.Outcome, references) != nil {
			t.Errorf("%d: read from another version", i)
		}
	}
}

// FuzzDecodePage decodes arbitrary bytes.
func FuzzDecodePage(f *testing.F) {
	for _, e := range samples(f) {
		f.Add(EncodePage(Key{}, e), []byte("references"))
	}
	f.Fuzz(func(t *testing.T, kept, references []byte) {
		o := check.Outcome{Code: check.CodeOK}
		e := DecodePage(Key{}, kept, &o, references)
		if e == nil {
			return
		}
		if again := DecodePage(Key{}, EncodePage(Key{}, e), &o, references); !reflect.DeepEqual(again, e) {
			t.Errorf("%+v became %+v", e, again)
		}
	})
}
