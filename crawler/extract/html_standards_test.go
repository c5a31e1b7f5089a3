package extract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/orbweaver/orbweaver/urinorm"
)

// standardCases reads the cases in a file of test data for a standard.
func standardCases[T any](t testing.TB, name string) []T {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../testdata/standards", name))
	if err != nil {
		t.Fatal(err)
	}
	var cases []T
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(cases) == 0 {
		t.Fatalf("%s: no cases", name)
	}
	return cases
}

// TestStandardSrcset checks all candidates that the standard returns. The candidate that
// a browser would choose ("expect" of a case) does not matter.
func TestStandardSrcset(t *testing.T) {
	type want struct {
		URL     string
		W, H, X *float64
	}
	number := func(has bool, n float64) *float64 {
		if !has {
			return nil
		}
		return &n
	}
	same := func(a, b *float64) bool {
		return a == b || a != nil && b != nil && math.Abs(*a-*b) < 1e-9
	}
	for _, c := range standardCases[struct {
		ID, Input  string
		Candidates []want
	}](t, "srcset.json") {
		var got []want
		set := srcset{in: []byte(c.Input)}
		for {
			one, ok := set.next()
			if !ok {
				break
			}
			if one.ignored {
				continue
			}
			got = append(got, want{
				c.Input[one.url.start:one.url.end],
				number(one.width > 0, float64(one.width)), number(one.height > 0, float64(one.height)), number(one.hasX, densityIn(c.Input[one.url.end:set.pos])),
			})
		}
		if !slices.EqualFunc(got, c.Candidates, func(a, b want) bool {
			return a.URL == b.URL && same(a.W, b.W) && same(a.H, b.H) && same(a.X, b.X)
		}) {
			t.Errorf("%s: %q gave %v, want %v", c.ID, c.Input, got, c.Candidates)
		}
	}
}

// densityIn returns the density among the descriptors of an image candidate, 0 if there is
// none.
func densityIn(descriptors string) float64 {
	for _, d := range strings.FieldsFunc(descriptors, func(r rune) bool { return r == ',' || r <= ' ' }) {
		if number, ok := strings.CutSuffix(d, "x"); ok {
			density, _ := floatingPoint(number)
			return density
		}
	}
	return 0
}

// TestStandardMetaRefresh ignores the delay before a page is left ("time" of a case).
func TestStandardMetaRefresh(t *testing.T) {
	for _, c := range standardCases[struct {
		ID, Input, Expect string
		Self, Error       bool
	}](t, "meta-refresh.json") {
		at, ok := refreshURL([]byte(c.Input))
		if got := c.Input[at.start:at.end]; ok != (!c.Error && !c.Self) || got != c.Expect {
			t.Errorf("%s: %q gave %q, %v", c.ID, c.Input, got, ok)
		}
	}
}

func TestStandardTokenizerAttributes(t *testing.T) {
	for _, c := range standardCases[struct {
		ID, Input string
		Tokens    [][]json.RawMessage
	}](t, "tokenizer-attributes.json") {
		var tk tokens
		tk.reset([]byte(c.Input))
		for _, token := range c.Tokens {
			var kind, name string
			if json.Unmarshal(token[0], &kind); kind != "StartTag" {
				continue
			}
			want := map[string]string{}
			if err := json.Unmarshal(token[1], &name); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(token[2], &want); err != nil {
				t.Fatal(err)
			}
			e := tk.next()
			for e != eventStartTag && e != eventEnd {
				e = tk.next()
			}
			if e == eventEnd {
				t.Errorf("%s: %q has no tag %s", c.ID, c.Input, name)
				break
			}
			if got := allAttributes(tk.raw()); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: %q gave %q, want %q", c.ID, c.Input, got, want)
			}
		}
	}
}

// allAttributes returns all attributes of a raw start tag, the first of each name.
func allAttributes(tag []byte) map[string]string {
	got := map[string]string{}
	s := attributeScanner{tag: tag, pos: tagName(tag).end}
	for {
		name, value, ok := s.next()
		if !ok {
			return got
		}
		if name.start == name.end {
			continue
		}
		key := string(appendLower(nil, tag[name.start:name.end]))
		key = strings.ReplaceAll(key, "\x00", "\uFFFD")
		if _, known := got[key]; !known {
			decoded, _ := unescape(nil, nil, tag[value.start:value.end], true)
			got[key] = string(decoded)
		}
	}
}

// linkDifferences are the cases of links.json with deliberately different results.
var linkDifferences = map[string]string{
	"links-0043": "the URLs of a style sheet are links",
	"links-0047": "the links in a srcdoc are links of the page that shows it",
}

func TestStandardLinks(t *testing.T) {
	type link struct{ Element, Attr, Raw, URL string }
	for _, c := range standardCases[struct {
		ID, Input, Note, Document string
		Links                     []link
	}](t, "html-links.json") {
		doc := Extract(Input{Body: []byte(c.Input), ContentType: "text/html; charset=utf-8"})
		var got, want []string
		for _, l := range doc.Links {
			got = append(got, fmt.Sprintf("%s %s %q %s", l.Element, l.Attribute, l.Ref, resolved(t, c.Document, doc, &l)))
		}
		first := true
		for _, l := range c.Links {
			if l.Element == "base" { // not a link; the first one is the document's base
				if first && doc.Base != l.Raw {
					t.Errorf("%s: base %q, want %q", c.ID, doc.Base, l.Raw)
				}
				first = false
				continue
			}
			want = append(want, fmt.Sprintf("%s %s %q %s", l.Element, l.Attr, l.Raw, l.URL))
		}
		slices.Sort(got)
		slices.Sort(want)
		if why, differs := linkDifferences[c.ID]; slices.Equal(got, want) == differs {
			t.Errorf("%s (%s): %q gave\n%q, want\n%q %s", c.ID, c.Note, c.Input, got, want, why)
		}
	}
}

// resolved returns the target of a link, resolved as in a crawl.
func resolved(t *testing.T, document string, doc *Document, l *Link) string {
	t.Helper()
	u, _, err := urinorm.ParseWeb(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{doc.Base, l.Base} {
		if ref == "" {
			continue
		}
		base, err := urinorm.NewBase(u, doc.Charset)
		if err != nil {
			t.Fatal(err)
		}
		if next, _, err := base.Resolve(ref); err == nil && next.Scheme() != "data" && next.Scheme() != "javascript" {
			u = next.WithoutFragment()
		}
	}
	base, err := urinorm.NewBase(u, doc.Charset)
	if err != nil {
		return ""
	}
	if u, _, err = base.Resolve(l.Ref); err != nil {
		return ""
	}
	return u.String()
}

func TestStandardEncodingDetection(t *testing.T) {
	for _, c := range standardCases[struct {
		ID, Note, Expect string
		Input            []byte `json:"input_b64"`
		ContentType      string `json:"content_type"`
	}](t, "html-detect.json") {
		if _, got := decode(c.Input, c.ContentType, htmlCharset); got != c.Expect {
			t.Errorf("%s (%s): %.60q with %q gave %s, want %s", c.ID, c.Note, c.Input, c.ContentType, got, c.Expect)
		}
	}
}

func TestStandardEncodingLabels(t *testing.T) {
	for _, c := range standardCases[struct{ ID, Input, Expect string }](t, "encoding-labels.json") {
		if got := lookup([]byte(c.Input)); got != c.Expect {
			t.Errorf("%s: %q gave %q, want %q", c.ID, c.Input, got, c.Expect)
		}
	}
}

// noSniff is the one deliberate difference from mime-sniff.json. If a server sends
// X-Content-Type-Options: nosniff and no type, a browser shows a page as plain text. Its
// links are still read, because its author wants to know about them.
const noSniff = "nosniff is not obeyed"

func TestStandardSniffing(t *testing.T) {
	for _, c := range standardCases[struct {
		ID, Note, Expect string
		Input            []byte `json:"input_b64"`
		ContentType      string `json:"content_type"`
		NoSniff          bool
	}](t, "mime-sniff.json") {
		format, _ := Readable(c.ContentType, "", c.Input)
		if c.NoSniff {
			if format != "html" {
				t.Errorf("%s: %q, though %s", c.ID, format, noSniff)
			}
			continue
		}
		// Only HTML pages, PDF and content declared as text are read for links; the latter
		// even if it is not text and therefore contains no links.
		want := map[string]string{"text/html": "html", "application/pdf": "pdf"}[c.Expect]
		if strings.HasPrefix(strings.ToLower(c.ContentType), "text/plain") {
			want = "text"
		}
		if format != want {
			t.Errorf("%s (%s): %q with %q gave %q, want %q for %s", c.ID, c.Note, c.Input, c.ContentType, format, want, c.Expect)
		}
	}
}

// FuzzAttributes checks that attributeScanner and unescape give the same attributes as
// TagAttr of the tokenizer.
func FuzzAttributes(f *testing.F) {
	for _, c := range standardCases[struct{ Input string }](f, "tokenizer-attributes.json") {
		f.Add([]byte(c.Input))
	}
	for _, s := range []string{
		`<a href="?a&amp;b&copy=c&copy;&copyright&fjlig;&semi;&notit;&CounterClockwiseContourIntegral;" b='&#0;&#x110000;&#xD800;&#128;'>`,
		"<a\thref=x\r\ny='1\r2\r\n3' z=a/b/>", "<a / = x==y ='q' \"=1 a=1 A=2>", "<img src=a.png/>", "<a b=&#x26 c=&#38d e=&amp=f g=&amp>",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		z := html.NewTokenizer(bytes.NewReader(doc))
		for {
			switch z.Next() {
			case html.ErrorToken:
				return
			case html.StartTagToken, html.SelfClosingTagToken:
			default:
				continue
			}
			raw := slices.Clone(z.Raw())
			at := tagName(raw)
			name := appendLower(nil, raw[at.start:at.end])
			want, more := z.TagName()
			if string(want) != strings.ReplaceAll(string(name), "\x00", "\uFFFD") {
				t.Fatalf("%q: name %q, the tokenizer says %q", raw, name, want)
			}
			s := attributeScanner{tag: raw, pos: at.end}
			seen := map[string]bool{}
			for {
				name, value, ok := s.next()
				if !ok {
					break
				}
				key := string(appendLower(nil, raw[name.start:name.end]))
				if key == "" || seen[key] {
					continue
				}
				seen[key] = true
				if !more {
					t.Fatalf("%q: attribute %q is not the tokenizer's", raw, key)
				}
				var wantKey, wantValue []byte
				wantKey, wantValue, more = z.TagAttr()
				decoded, marks := unescape(nil, nil, raw[value.start:value.end], true)
				if string(wantKey) != strings.ReplaceAll(key, "\x00", "\uFFFD") || string(wantValue) != string(decoded) {
					t.Fatalf("%q: attribute %q=%q, the tokenizer says %q=%q", raw, key, decoded, wantKey, wantValue)
				}
				checkMarks(t, raw[value.start:value.end], decoded, marks)
			}
			if more {
				key, value, _ := z.TagAttr()
				t.Fatalf("%q: the tokenizer has one more attribute, %q=%q", raw, key, value)
			}
		}
	})
}

// checkMarks checks that offsets in the decoded text and in the source increase together and
// have the same end.
func checkMarks(t *testing.T, src, decoded []byte, marks []mark) {
	t.Helper()
	v := view{text: decoded, marks: marks, parent: &view{}}
	last := 0
	for off := 0; off <= len(decoded); off++ {
		at := v.source(off)
		if at < last || at > len(src) {
			t.Fatalf("offset %d of %q maps to %d in %q", off, decoded, at, src)
		}
		last = at
	}
	if got := v.source(len(decoded)); got != len(src) {
		t.Fatalf("the end of %q is at %d of %q", decoded, got, src)
	}
}
