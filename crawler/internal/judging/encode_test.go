package judging

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
)

func sampleOutcomes() []Outcome {
	page := pageWith("a", "b", "setup", "user-content-x")
	page.Size, page.Requests, page.Elapsed = 5120, 1, 12345678*time.Nanosecond
	page.Modified = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	page.Title = "Guide to the web"
	full := page
	full.Login, full.Path, full.Next, full.Message = true, "/srv/x.html", "https://e.test/a#b", "a message – with ünïcode"
	full.Names = PackNames([]string{"a", "b"})
	full.Modified = time.Date(1969, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
	full.Warnings = []check.Warning{{Code: CodeNoMX, Message: "m"}, {Code: "of-the-future", Message: "x", Proposal: "https://e.test/"}}
	inspection := sampleInspection()
	full.Inspection, full.Sketch = inspection.Encode(), []byte("a sketch")
	return []Outcome{
		{},
		{Content: Content{Inspection: []byte{}}},
		{Content: Content{Sketch: []byte("a sketch")}},
		{Code: check.CodeOK, Status: 200, Size: -1},
		page,
		full,
		{Code: "http-404", Status: 404, Message: statusMessage(404), Size: -1, Requests: 2},
		{Code: "http-404", Status: 200}, // a code that does not follow from the status
		{Code: "http-999", Status: 999, ContentType: "application/x-unheard-of"},
		{Code: "of-the-future", Size: math.MaxInt64, Requests: math.MaxInt32, Elapsed: math.MaxInt64},
		{Code: check.CodeRedirect, Status: 301, Next: "https://e.test/"},
		{Code: check.CodeLimit, LocalLimit: true, Gap: gap.Machine, Size: math.MinInt64, Status: -1, Elapsed: -1},
		{Code: check.CodeExcluded, Message: strings.Repeat("long ", 1000)},
	}
}

func TestEncodeRoundTrip(t *testing.T) {
	for i, o := range sampleOutcomes() {
		prefix := []byte("before")
		encoded := AppendOutcome(prefix, &o)
		if string(encoded[:6]) != "before" {
			t.Fatalf("%d: the prefix was lost", i)
		}
		got, err := DecodeOutcome(encoded[6:])
		if err != nil {
			t.Errorf("%d: %v", i, err)
			continue
		}
		if !reflect.DeepEqual(got, o) {
			t.Errorf("%d: got  %+v\nwant %+v", i, got, o)
		}
		for cut := range encoded[6:] {
			if _, err := DecodeOutcome(encoded[6 : 6+cut]); err == nil {
				t.Errorf("%d: the first %d bytes of %d decode", i, cut, len(encoded)-6)
			}
		}
		if _, err := DecodeOutcome(append(encoded[6:], 0)); err == nil {
			t.Errorf("%d: a byte too many decodes", i)
		}
	}
}

// TestEncodeReflectsEveryField fails when Outcome gains a field that is not encoded.
func TestEncodeReflectsEveryField(t *testing.T) {
	full := sampleOutcomes()[5]
	full.LocalLimit, full.Gap, full.Cached, full.Temporary = true, gap.Machine, true, true
	v := reflect.ValueOf(full)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("the sample has no %s", v.Type().Field(i).Name)
		}
	}
	got, err := DecodeOutcome(AppendOutcome(nil, &full))
	if err != nil || !reflect.DeepEqual(got, full) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestEncodedSize(t *testing.T) {
	page := sampleOutcomes()[2]
	if n := len(AppendOutcome(nil, &page)) - 8*len(page.Anchors); n >= 40 {
		t.Errorf("an ordinary page takes %d bytes", n)
	}
	leaf := Outcome{Code: check.CodeOK, Status: 200, ContentType: "image/png", Size: 20_000, Requests: 1, Elapsed: 30 * time.Millisecond}
	if n := len(AppendOutcome(nil, &leaf)); n > 16 {
		t.Errorf("an ordinary leaf takes %d bytes", n)
	}
}

// TestFormatIsStable: encoded outcomes outlive a release. See also
// TestReleasedCodesKeepTheirNumbers.
func TestFormatIsStable(t *testing.T) {
	for place, want := range map[int]string{0: "", 1: "text/html", 13: "image/png", 30: "application/manifest+json"} {
		if typeBook[place] != want {
			t.Errorf("type %d is %s, was %s", place, typeBook[place], want)
		}
	}
	golden := "010100" + "00" + "01" + "8050" + "02" // read; ok; text/html; 5120 bytes; one request
	o := Outcome{Code: check.CodeOK, Status: 200, ContentType: "text/html", Size: 5120, Requests: 1, Content: Content{Read: true}}
	if got := fmt.Sprintf("%x", AppendOutcome(nil, &o)); got != golden {
		t.Errorf("encoded as %s, was %s", got, golden)
	}
}

func TestDecodeRejects(t *testing.T) {
	ok := AppendOutcome(nil, &Outcome{Code: check.CodeOK, Status: 200})
	tests := map[string][]byte{
		"nothing":                 nil,
		"another version":         append([]byte{2}, ok[1:]...),
		"unknown flags":           {1, 0, 0xff, 0, 0, 0, 0},
		"number of no code":       {1, 0, 0, 200, 0, 0, 0},
		"type beyond the book":    {1, 0, 0, 0, 200, 0, 0},
		"http code of no status":  {1, 0x20, 0, codeStatus, 2, 0, 0, 0},
		"anchors beyond the end":  {1, 0x10, 0, 0xff, 0xff, 0xff, 0xff, 0x0f},
		"status beyond 32 bits":   {1, 0x20, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 0, 0, 0},
		"a time with 2 s of ns":   {1, 0x80, 0, 0, 0, 0, 0, 2, 0x80, 0xa8, 0xd6, 0xb9, 0x07},
		"anchors that overflow":   {1, 0x10, 0, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20},
		"warnings beyond the end": {1, 0, 0x10, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f},
	}
	for name, data := range tests {
		if o, err := DecodeOutcome(data); err == nil {
			t.Errorf("%s: %+v", name, o)
		}
	}
	if _, err := GlanceAt([]byte{1, 0x10, 0, 2, 1, 2, 3}); err == nil {
		t.Error("anchors that are cut off are returned")
	}
	if _, err := GlanceAt(tests["warnings beyond the end"]); err == nil {
		t.Error("warnings that are cut off are accepted")
	}
}

// TestGlanceAtWarnings: the codes of warnings are found after any other parts.
func TestGlanceAtWarnings(t *testing.T) {
	own, other := check.Warning{Code: check.CodeFragmentDuplicate, Message: "m"}, check.Warning{Code: check.CodeSoft404, Message: "m", Proposal: "p"}
	unknown := check.Warning{Code: "a-later-code"}
	for _, o := range sampleOutcomes() {
		for _, tt := range []struct {
			warnings []check.Warning
			ofPage   bool
		}{{nil, false}, {[]check.Warning{own}, true}, {[]check.Warning{own, own}, true}, {[]check.Warning{own, other}, false}, {[]check.Warning{other, own}, false}, {[]check.Warning{own, unknown}, false}} {
			o.Warnings = tt.warnings
			g, err := GlanceAt(AppendOutcome(nil, &o))
			if err != nil || g.HasWarnings != (len(tt.warnings) > 0) || g.OfPage != tt.ofPage {
				t.Errorf("%+v: warned %v, of the page %v, %v", o, g.HasWarnings, g.OfPage, err)
			}
		}
	}
}

func TestEncodedAnchors(t *testing.T) {
	var names []string
	for i := range 1000 {
		names = append(names, fmt.Sprintf("id-%d", i))
	}
	set, more := NewAnchors(append(names, names...))
	if more || len(set) != len(names) {
		t.Fatalf("%d anchors of %d names", len(set), len(names))
	}
	o := Outcome{Code: check.CodeOK, Content: Content{Anchors: set}}
	seen, err := GlanceAt(AppendOutcome(nil, &o))
	view := seen.Anchors
	if err != nil || view.Len() != len(set) || !reflect.DeepEqual(view.Decode(), set) {
		t.Fatalf("%d anchors, %v", view.Len(), err)
	}
	for i := range 2000 {
		hash := HashAnchor(fmt.Sprintf("id-%d", i))
		if want := i < 1000; view.Has(hash) != want || set.Has(hash) != want {
			t.Errorf("id-%d: %v, %v", i, view.Has(hash), set.Has(hash))
		}
	}
	for _, hash := range []uint64{0, math.MaxUint64} {
		if view.Has(hash) || set.Has(hash) || EncodedAnchors(nil).Has(hash) || Anchors(nil).Has(hash) {
			t.Errorf("%d is in the set", hash)
		}
	}
}

// What is observed of a target is the same however it was observed, and else differs.
func TestAppendObserved(t *testing.T) {
	seen := map[string]int{}
	for i, o := range sampleOutcomes() {
		first, err := AppendObserved(nil, AppendOutcome(nil, &o))
		if err != nil {
			t.Fatal(err)
		}
		if other, known := seen[string(first)]; known {
			t.Errorf("outcome %d is observed as outcome %d is", i, other)
		}
		seen[string(first)] = i
		for _, change := range []func(){func() { o.Requests += 3 }, func() { o.Elapsed += time.Hour }, func() { o.Elapsed = 0 }, func() { o.Cached = !o.Cached }} {
			change()
			if got, err := AppendObserved([]byte("x"), AppendOutcome(nil, &o)); err != nil || string(got) != "x"+string(first) {
				t.Errorf("outcome %d: got %x, %v; want %x", i, got, err, first)
			}
		}
	}
	encoded := AppendOutcome(nil, &Outcome{Code: check.CodeOK, Status: 200})
	for cut := range 5 {
		if got, err := AppendObserved(nil, encoded[:cut]); err == nil {
			t.Errorf("of %d bytes: %x", cut, got)
		}
	}
}

func FuzzDecodeOutcome(f *testing.F) {
	for _, o := range sampleOutcomes() {
		f.Add(AppendOutcome(nil, &o))
	}
	f.Add([]byte{1, 0x10, 0, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := DecodeOutcome(data)
		seen, glanceErr := GlanceAt(data)
		if err != nil {
			return
		}
		if _, err := AppendObserved(nil, data); err != nil {
			t.Fatalf("%x decodes, but what it observed cannot be read: %v", data, err)
		}
		if glanceErr != nil || seen.Anchors.Len() != len(o.Anchors) {
			t.Fatalf("%d anchors decoded, %d in place, %v", len(o.Anchors), seen.Anchors.Len(), glanceErr)
		}
		if seen.Code != "" && seen.Code != o.Code || seen.Code == "" && numbered(o.Code) && !spelledOut(data) {
			t.Fatalf("a glance at %x sees the code %q, want %q", data, seen.Code, o.Code)
		}
		if string(seen.Path) != o.Path {
			t.Fatalf("a glance at %x sees the path %q, want %q", data, seen.Path, o.Path)
		}
		seen.Anchors, seen.Code, seen.Path = nil, "", nil
		ofPage := !slices.ContainsFunc(o.Warnings, func(w check.Warning) bool { return !check.OfPage(w.Code) })
		if want := (Glance{OK: o.Code == check.CodeOK, Redirect: o.Code == check.CodeRedirect, HasNext: o.Next != "", HasWarnings: len(o.Warnings) > 0,
			OfPage: len(o.Warnings) > 0 && ofPage, Read: o.Read, Cached: o.Cached, Inspected: o.Inspection != nil, Sketched: o.Sketch != nil, HTML: isHTML(o.ContentType)}); !reflect.DeepEqual(seen, want) && !spelledOut(data) {
			t.Fatalf("a glance at %x sees %+v, want %+v", data, seen, want)
		}
		o.Judge(Question{Fragment: "x", HasFragment: true})
		again, err := DecodeOutcome(AppendOutcome(nil, &o))
		if err != nil || !reflect.DeepEqual(again, o) {
			t.Fatalf("decoded   %+v\nthen again %+v, %v", o, again, err)
		}
	})
}

func numbered(c check.Code) bool { _, ok := c.Number(); return ok }

// spelledOut reports whether data may be encoded otherwise than by AppendOutcome, such
// as with an empty Next or "ok" as a string.
func spelledOut(data []byte) bool {
	o, err := DecodeOutcome(data)
	return err != nil || !bytes.Equal(AppendOutcome(nil, &o), data)
}

func BenchmarkGlanceAt(b *testing.B) {
	encoded := AppendOutcome(nil, &sampleOutcomes()[2])
	b.ReportAllocs()
	for b.Loop() {
		if _, err := GlanceAt(encoded); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeHead(b *testing.B) {
	encoded := AppendOutcome(nil, &sampleOutcomes()[2])
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := DecodeHead(encoded); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendOutcome(b *testing.B) {
	missing := Outcome{Code: check.CodeFileMissing, Message: "there is no such file", Size: -1}
	warned := sampleOutcomes()[2]
	warned.Warnings = []check.Warning{{Code: check.CodeFragmentDuplicate, Message: "m"}}
	for name, o := range map[string]Outcome{"page": sampleOutcomes()[2], "missing": missing, "warned": warned, "http-404": sampleOutcomes()[5]} {
		b.Run(name, func(b *testing.B) {
			buffer := make([]byte, 0, 1024)
			b.ReportAllocs()
			for b.Loop() {
				buffer = AppendOutcome(buffer[:0], &o)
			}
		})
	}
}
