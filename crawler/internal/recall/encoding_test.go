package recall

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/internal/cacheentry"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/crawler/internal/versions"
	"github.com/orbweaver/orbweaver/crawler/store"
)

const document = `<!doctype html><title>Guide</title><h1 id=setup>Setup</h1><a href="a.html#x">One</a><a name=b></a>`

// sample returns an entry of each kind.
func samples(t testing.TB) []*Entry {
	t.Helper()
	doc := extract.Extract(extract.Input{Body: []byte(document), ContentType: "text/html"})
	page := judging.Outcome{Code: check.CodeOK, Status: 200, ContentType: "text/html", Size: int64(len(document)), Modified: time.Unix(1_700_000_000, 0).UTC()}
	page = page.With(judging.DocumentFacts(doc)).With(judging.Facts{Content: judging.Content{Names: judging.PackNames(doc.Anchors)}})
	anchors := page
	anchors.Warnings = nil
	targets, references := bytes.Repeat([]byte("https://example.com/a.html\x00\x01"), 100), []byte("a.html#x One\x00\x01")
	return []*Entry{
		{Outcome: judging.Outcome{Code: check.CodeOK, Status: 200, Size: -1}},
		{Outcome: judging.Outcome{Code: check.CodeRedirect, Status: 301, Size: -1, Next: "https://example.com/new"}, NotAfter: time.Unix(1_900_000_000, 0).UTC()},
		{Outcome: anchors, Content: true, Validators: versions.Validators{ETag: `W/"x"`}},
		{Outcome: page, Validators: versions.Validators{LastModified: "Fri, 02 Jan 2026 03:04:05 GMT"}, Page: &Page{
			Reader: "0.1.0", Format: "html", Canonical: "https://example.com/", Unfollowed: true, NoIndex: true, Shell: true, Blank: true, SitemapIndex: true, Listed: 3, Targets: targets, References: references}},
		{Outcome: judging.Outcome{Code: check.CodeOK, Status: 204, Size: 0}, Page: &Page{Targets: []byte{0}, References: []byte{}}},
		{Outcome: page, Validators: versions.Validators{ETag: `"y"`}, Page: &Page{Reader: "0.1.0", Format: "html", Targets: targets, References: references, Rendered: true,
			Loaded: []Loaded{{"https://example.com/a.js", versions.Validators{ETag: `"a"`}}, {"https://example.com/b.js", versions.Validators{LastModified: "Fri, 02 Jan 2026 03:04:05 GMT"}}}}},
		{Outcome: judging.Outcome{Code: check.CodeOK, Status: 204, Size: 0}, Page: &Page{Hidden: 2, Text: 1 << 31, Targets: []byte{0}, References: []byte{}}},
	}
}

func TestEncoding(t *testing.T) {
	kinds := []string{"presence", "redirect", "anchors", "page", "page", "page", "page"}
	for i, want := range samples(t) {
		record := encode(want)
		got, err := decode(record)
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
	}
}

// TestEncodedBytes tests that the form of entries does not change: users have files with it.
func TestEncodedBytes(t *testing.T) {
	want := []string{"13 5fc0964dd436377a9", "43 543ee9880a2de9b27", "57 53ba500fefc5491cc", "2917 ce1909249fd7e8e", "22 f5701c07a3690d947", "2958 f5856e1a467be1c", "28 7b4704e6d64ec045d"}
	for i, e := range samples(t) {
		var use buffers
		use.compress(e, judging.AppendOutcome(nil, &e.Outcome))
		if got := fmt.Sprintf("%d %x", len(use.body), sha256.Sum256(use.body))[:20]; got != want[i] {
			t.Errorf("sample %d is encoded as %q, want %q", i, got, want[i])
		}
	}
}

// TestDecodeTakesSuccessesOnly tests that an entry with a failure is damage.
func TestDecodeTakesSuccessesOnly(t *testing.T) {
	for _, code := range []check.Code{check.CodeTimeout, check.HTTPCode(404), check.CodeExcluded} {
		if _, err := decode(encode(&Entry{Outcome: judging.Outcome{Code: code}})); err == nil {
			t.Errorf("%s was read back", code)
		}
	}
}

func TestEncodeIsBounded(t *testing.T) {
	big := make([]byte, maxRecord+1) // incompressible
	rand.NewChaCha8([32]byte{}).Read(big)
	e := &Entry{Outcome: judging.Outcome{Code: check.CodeOK}, Page: &Page{References: big}}
	if record := encode(e); record != nil {
		t.Errorf("%d bytes are kept", len(record))
	}
}

// FuzzDecode decodes arbitrary records.
func FuzzDecode(f *testing.F) {
	for _, e := range samples(f) {
		record := encode(e)
		n := headBytes + int(binary.LittleEndian.Uint32(record[1:]))
		body, err := s2.Decode(nil, record[headBytes:n])
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body, record[n:])
	}
	f.Add([]byte{}, []byte{})
	f.Fuzz(func(t *testing.T, body, references []byte) {
		compressed := s2.Encode(nil, body)
		record := binary.LittleEndian.AppendUint32([]byte{encodingVersion}, uint32(len(compressed)))
		record = append(append(record, compressed...), references...)
		e, err := decode(record)
		if err != nil {
			return
		}
		again, err := decode(encode(e))
		if err != nil || !reflect.DeepEqual(again, e) {
			t.Errorf("%v: %+v became %+v", err, e, again)
		}
		_, _ = decode(append([]byte{encodingVersion}, body...)) // without valid compression
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
			all.SitemapIndex, all.Rendered, all.Listed, all.Hidden = all.SitemapIndex || p.SitemapIndex, all.Rendered || p.Rendered, max(all.Listed, p.Listed), max(all.Hidden, p.Hidden)
			all.Text = max(all.Text, p.Text)
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
			record := encode(want)
			end := headBytes + int(binary.LittleEndian.Uint32(record[1:]))
			record = append([]byte{version}, record[headBytes:end]...)
			got, err := decode(record)
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
		key := cacheentry.Key{byte(i)}
		kept := encodePage(key, want)
		var references []byte
		if want.Page != nil {
			references = want.Page.References
		}
		got := decodePage(key, kept, &want.Outcome, references)
		if want.Page == nil {
			if got != nil {
				t.Errorf("%d: an entry without a page was read: %+v", i, got)
			}
			continue
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d: got\n%+v %+v\nwant\n%+v %+v", i, got, got.Page, want, want.Page)
		}
		if decodePage(cacheentry.Key{99}, kept, &want.Outcome, references) != nil {
			t.Errorf("%d: read under another key", i)
		}
		for n := range kept {
			_ = decodePage(key, kept[:n], &want.Outcome, references) // the store notices damage
		}
		kept[0]--
		if decodePage(key, kept, &want.Outcome, references) != nil {
			t.Errorf("%d: read from another version", i)
		}
	}
}

// FuzzDecodePage decodes arbitrary bytes.
func FuzzDecodePage(f *testing.F) {
	for _, e := range samples(f) {
		f.Add(encodePage(cacheentry.Key{}, e), []byte("references"))
	}
	f.Fuzz(func(t *testing.T, kept, references []byte) {
		o := judging.Outcome{Code: check.CodeOK}
		e := decodePage(cacheentry.Key{}, kept, &o, references)
		if e == nil {
			return
		}
		if again := decodePage(cacheentry.Key{}, encodePage(cacheentry.Key{}, e), &o, references); !reflect.DeepEqual(again, e) {
			t.Errorf("%+v became %+v", e, again)
		}
	})
}

var sample = flag.Bool("sample", false, "write a file of today's version into testdata, for later versions to be tested with")

// The entries in the files of older versions of package store are read, but for pages.
func TestMigratedEntries(t *testing.T) {
	const testdata = "../../store/testdata"
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	options := store.CacheOptions{Now: func() time.Time { return noon }}
	key := func(c *store.Cache, i int) cacheentry.Key {
		return c.Key("https://example.com/", traffic.Identity{Open: fmt.Sprint(i), Secret: "s3cret"})
	}
	if *sample {
		c, err := store.OpenCache(filepath.Join(testdata, "version4.db"), options)
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range samples(t) {
			c.Put(key(c, i), cacheentry.Record{Checked: noon, Data: encode(e), URL: "https://example.com/", Kind: e.kind(), Status: e.Outcome.Status})
		}
		if err := errors.Join(c.AddRun(0, noon, true, []store.Result{{URL: "https://example.com/gone", Code: "http-404"}}, nil), c.Close()); err != nil {
			t.Fatal(err)
		}
	}
	for old := 1; old < 4; old++ {
		text, err := os.ReadFile(filepath.Join(testdata, fmt.Sprintf("version%d.db", old)))
		file := filepath.Join(t.TempDir(), "c.db")
		if err == nil {
			err = os.WriteFile(file, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		c, err := store.OpenCache(file, options)
		if err != nil {
			t.Fatal(err)
		}
		const known = 5 // samples that older versions have written
		for i, want := range samples(t)[:known] {
			r, ok := c.Get(key(c, i))
			e := entryIn(r)
			if e == nil && want.Page != nil {
				continue // it is read again
			}
			if e == nil || want.Page != nil || e.kind() != want.kind() || !ok || !r.Earlier(1).Equal(noon) {
				t.Errorf("from version %d: %d: %+v", old, i, e)
			}
		}
		c.Close()
	}
}
