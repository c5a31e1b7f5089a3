package facts

import (
	"bytes"
	"crypto/sha512"
	"errors"
	"math/bits"
	"reflect"
	"strings"
	"testing"
)

func samplePage() *Page {
	link := func(url, raw string, line int) Link { return Link{Place: Place{line, 7}, URL: url, Raw: raw} }
	return &Page{
		URL: "https://example.com/guide/", HasIcon: true,
		Title:       Text{Place{3, 9}, 0x1234567890ABCDEF, "Guide", "Guide"},
		Description: Text{Place{4, 1}, 5, "A guide for all", "A  guide for&#32;all"},
		NoIndex:     true, NoIndexPlace: Place{5, 2}, NoIndexRaw: "<meta name=robots content=noindex>",
		Body: Fingerprint{Hash: 1, Words: 2000, Similar: 1 << 63},
		Canonicals: []Canonical{
			{link("https://example.com/guide/", "", 8), true},
			{link("https://example.com/guide/", "/guide/", 8), true},
			{link("https://example.com/other", "../other", 9), false},
		},
		Alternates:  []Alternate{{link("https://example.com/guide/de", "de", 10), "de-AT"}},
		Images:      []Image{{link("https://cdn.example.net/a.png", "//cdn.example.net/a.png", 20), 300, 200}, {link("https://example.com/b.png", "../b.png", 21), 0, 0}},
		Integrities: []Integrity{{link("https://example.com/guide/a.js", "a.js", 30), true, SHA256, strings.Repeat("x", 64), true, "https://example.com"}},
	}
}

func TestPageEncoding(t *testing.T) {
	var decoded Page
	for _, p := range []*Page{samplePage(), {URL: "guide/a.html"}, samplePage()} {
		data := AppendPage(nil, p)
		if err := decoded.Decode(data); err != nil {
			t.Fatal(err)
		}
		if len(p.Canonicals) > 0 && !reflect.DeepEqual(&decoded, p) {
			t.Errorf("decoded\n%+v, want\n%+v", decoded, *p)
		}
		if again := AppendPage(nil, &decoded); !bytes.Equal(again, data) {
			t.Errorf("encoded again: %q, want %q", again, data)
		}
		for n := range data {
			if err := decoded.Decode(data[:n]); !errors.Is(err, ErrMalformed) {
				t.Fatalf("%d bytes of %d: %v", n, len(data), err)
			}
		}
		if !IsPage(data) {
			t.Error("the facts are not those of a page")
		}
	}
}

func TestSmallPagesAreSmall(t *testing.T) {
	p := &Page{URL: "https://example.com/guide/", Body: Fingerprint{Hash: 1, Words: 2000, Similar: 2},
		Canonicals: []Canonical{{Link{Place: Place{10, 5}, URL: "https://example.com/guide/", Raw: "https://example.com/guide/"}, true}}}
	if n := len(AppendPage(nil, p)); n > 60 {
		t.Errorf("%d bytes", n)
	}
}

func TestListsAreLimited(t *testing.T) {
	p := &Page{URL: "https://example.com/", Images: make([]Image, MaxLinks+1)}
	var decoded Page
	if err := decoded.Decode(AppendPage(nil, p)); err != nil || len(decoded.Images) != MaxLinks {
		t.Errorf("%d images, %v", len(decoded.Images), err)
	}
}

func FuzzDecodePage(f *testing.F) {
	f.Add(AppendPage(nil, samplePage()))
	f.Add([]byte{pageVersion, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		var p, again Page
		if err := p.Decode(data); err != nil {
			return
		}
		if err := again.Decode(AppendPage(nil, &p)); err != nil {
			t.Errorf("encoded again: %v", err)
		}
	})
}

func TestTarget(t *testing.T) {
	gif := "GIF89a\x2c\x01\xc8\x00"
	sum := sha512.Sum384([]byte("body"))
	for _, test := range []struct {
		body          string
		limit         int64
		width, height int
		digest        []byte
	}{
		{"body", 4, 0, 0, sum[:]},
		{"body", 3, 0, 0, nil},
		{gif + strings.Repeat(" ", 1<<20), 100 << 10, 300, 200, nil},
		{strings.Repeat(" ", 1<<20), 100 << 10, 0, 0, nil},
	} {
		target, err := TargetOf(strings.NewReader(test.body), test.limit)
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := DecodeTarget(AppendTarget(nil, &target))
		if err != nil {
			t.Fatal(err)
		}
		if decoded.Width != test.width || decoded.Height != test.height || !bytes.Equal(decoded.Digest(SHA384), test.digest) {
			t.Errorf("%.10q: %d by %d, digest %x", test.body, decoded.Width, decoded.Height, decoded.Digest(SHA384))
		}
	}
	failing := errors.New("reset")
	if _, err := TargetOf(&brokenReader{failing}, 100); !errors.Is(err, failing) {
		t.Errorf("broken body: %v", err)
	}
	if IsPage(AppendTarget(nil, &Target{})) {
		t.Error("the facts of a target are those of a page")
	}
}

type brokenReader struct{ err error }

func (b *brokenReader) Read([]byte) (int, error) { return 0, b.err }

func FuzzDecodeTarget(f *testing.F) {
	f.Add(AppendTarget(nil, &Target{Width: 300, Height: 200}))
	f.Add(AppendTarget(nil, &Target{Digests: make([]byte, digestsSize)}))
	f.Fuzz(func(t *testing.T, data []byte) {
		if target, err := DecodeTarget(data); err == nil {
			target.Digest(SHA512)
		}
	})
}

func TestAlgorithmOf(t *testing.T) {
	for name, want := range map[string]Algorithm{"sha256": SHA256, "SHA384": SHA384, "sha512": SHA512, "sha1": NoAlgorithm, "": NoAlgorithm} {
		if got := AlgorithmOf(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

// words returns a text of n different words.
func words(n int, seed string) []string {
	var w []string
	for i := range n {
		w = append(w, seed+strings.Repeat(string(rune('a'+i%26)), 1+i/26%9)+string(rune('a'+i/234)))
	}
	return w
}

func TestFingerprint(t *testing.T) {
	text := words(400, "")
	of := func(w []string) Fingerprint { return FingerprintOf([]byte(strings.Join(w, " "))) }
	one := of(text)
	if one.Words != 400 || one.Hash == 0 || one != of(text) {
		t.Fatalf("%+v", one)
	}
	changed := append([]string{}, text...)
	changed[200] = "changed"
	if other := of(changed); other.Hash == one.Hash || bits.OnesCount64(other.Similar^one.Similar) > 6 {
		t.Errorf("one word of 400 changed: distance %d", bits.OnesCount64(other.Similar^one.Similar))
	}
	if other := of(words(400, "x")); bits.OnesCount64(other.Similar^one.Similar) < 10 {
		t.Errorf("another text: distance %d", bits.OnesCount64(other.Similar^one.Similar))
	}
	for _, test := range []struct {
		text  string
		words int
	}{
		{"", 0}, {"one", 1}, {"eight888", 1}, {"eight888 seven77 x", 3}, {"exactly8 then more", 3}, {"sixteen letters!!", 2},
		{"größe zählt", 2}, {"日本語 mixed", 4}, {"Go言語", 3}, {"a longer-than-eight-letters word", 3}, {"한국어 문장", 2},
	} {
		if f := FingerprintOf([]byte(test.text)); f.Words != test.words {
			t.Errorf("%q: %d words, want %d", test.text, f.Words, test.words)
		}
	}
	// Where a word begins in memory does not matter.
	if FingerprintOf([]byte("a bb ccc dddd eeeee")).Similar != FingerprintOf([]byte("a bb ccc dddd eeeee")[:19:19]).Similar {
		t.Error("the fingerprint depends on the memory")
	}
}

// FuzzFingerprint compares the fingerprint of a text with that of its words one by one, and
// with that of the text when its white space and zero-width characters are others.
func FuzzFingerprint(f *testing.F) {
	for _, s := range []string{"", "a", "one two three four", "eight888 sixteen letters!!x and more", "größe 日本語 mixed words", "\x01 \x00",
		"one\u00a0two\u3000three", "hy\u00adphen \u00ad zero\u200bwidth", "ends here\u00ad", "exactly8é then", "\n\t a \v\f b \r\n"} {
		f.Add(s)
	}
	f.Add(strings.Join(words(100, ""), " "))
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "")
		got := FingerprintOf([]byte(text))
		visible := strings.Map(func(r rune) rune {
			switch {
			case IsZeroWidth(r):
				return -1
			case r < ' ':
				return ' '
			}
			return r
		}, text)
		var want fingerprinter
		for _, field := range strings.Fields(visible) {
			var w word
			for _, r := range field {
				if isWordByItself(r) {
					want.end(&w)
					want.addHash(mix(uint64(r)))
					continue
				}
				for _, c := range []byte(string(r)) {
					w.add(c)
				}
			}
			want.end(&w)
		}
		want.count()
		if got.Hash != max(want.hash, 1) || got.Words != want.words || got.Similar != want.sequences.bits() {
			t.Errorf("%q: %+v, word by word %+v", text, got, want)
		}
		if other := FingerprintOf([]byte(strings.Join(strings.Fields(visible), "\n\u2003"))); other != got {
			t.Errorf("%q: %+v, with other white space %+v", text, got, other)
		}
	})
}

func TestMajority(t *testing.T) {
	var m majority
	var counts [64]int
	h := uint64(1)
	for n := 1; n <= 1000; n++ {
		h = mix(h + 1)
		skewed := h | mix(h)&uint64(n) // not all bits alike
		m.add([]uint64{skewed})
		want := uint64(0)
		for i := range counts {
			if counts[i] += int(skewed >> i & 1); 2*counts[i] > n {
				want |= 1 << i
			}
		}
		if got := m.bits(); got != want {
			t.Fatalf("%d numbers: %#x, want %#x", n, got, want)
		}
	}
}

func TestFingerprintAllocatesNothing(t *testing.T) {
	text := []byte(strings.Join(words(400, ""), " "))
	if n := testing.AllocsPerRun(10, func() { FingerprintOf(text) }); n > 0 {
		t.Errorf("%g allocations", n)
	}
}

func BenchmarkFingerprint(b *testing.B) {
	text := []byte(strings.Join(words(5000, ""), " "))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		FingerprintOf(text)
	}
}
