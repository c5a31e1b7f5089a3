package drift

import (
	"strings"
	"testing"
	"time"
)

const essay = "Every spring the river rises above the meadow and leaves its mud on the path, so the people of the village walk along the hill until the summer has dried the ground again"

func TestMainText(t *testing.T) {
	text := OfText([]byte(essay))
	for name, page := range map[string]string{
		"page":             "<title>River</title><p>" + essay,
		"frame":            "<nav>Home News</nav><header>The village paper</header><main><p>" + essay + "</main><aside>More</aside><footer>All rights reserved",
		"frame of div":     "<div class=site-header>The paper</div><div id=sidebar><div>Old news</div></div><p>" + essay + "<div role=contentinfo>All rights reserved</div>",
		"links":            "<ul><li><a href=/>Home</a><li><a href=/n>News of today</a> (3)</ul><p>" + essay + "<p><a href=/1>One</a> | <a href=/2>Two</a>",
		"missing end tag":  "<div class=menu>Home<main><p>" + essay + "</main>",
		"anchor":           "<a name=top>" + essay,
		"numbers, dates":   "<p>1.2.3, 12 March 2026, 17:30 UTC<p>" + strings.Replace(essay, "river", "river 17", 1),
		"case and markup":  "<p><b>" + strings.ToUpper(essay) + "</b>",
		"not visible":      "<script>var river = 'meadow'</script><style>p {color: red}</style><p>" + essay + "<noscript>Enable scripts</noscript>",
		"wide wrapper":     "<div class=has-sidebar><p>" + essay + "</div>",
		"references, soft": "<p>" + strings.Replace(strings.Replace(essay, "village", "vil&shy;lage", 1), "hill", "&#104;ill", 1),
	} {
		s := OfPage([]byte(page))
		if similarity := text.Similarity(&s); similarity != 1 {
			t.Errorf("%s: similarity %v, %d words of %d", name, similarity, s.Words, text.Words)
		}
	}
}

func TestSimilarity(t *testing.T) {
	of := func(s string) Sketch { return OfText([]byte(s)) }
	half := strings.Join(strings.Fields(essay)[:16], " ")
	japanese := strings.Repeat("春になると川が牧草地より高くなり、", 2)
	for _, row := range []struct {
		name, was, is string
		least, most   float64
		drifts        bool
	}{
		{"same", essay, essay, 1, 1, false},
		{"one more word", essay, essay + " indeed", 0.99, 0.99, false},
		{"other order", essay + " " + half, half + " " + essay, 0.9, 0.99, false},
		{"half", essay, half + " and then we all went home because it was late and dark", 0.3, 0.49, true},
		{"nothing", essay, "", 0, 0, true},
		{"emptied", essay, half, 0.3, 0.5, true},
		{"short", "Hello to all of you", "This domain is for sale", 0, 0, false},
		{"Japanese", japanese, japanese + "村", 0.99, 0.99, false},
		{"replaced", japanese, essay, 0, 0, true},
		{"much longer", essay, essay + " " + strings.Repeat("x ", 5000), 0.99, 0.99, false},
	} {
		was, is := of(row.was), of(row.is)
		similarity, drifts := was.Drifts(&is, Threshold)
		if similarity < row.least || similarity > row.most || drifts != row.drifts {
			t.Errorf("%s: similarity %v, drifts %v; want %v to %v, %v", row.name, similarity, drifts, row.least, row.most, row.drifts)
		}
	}
}

// TestEncoding: what is kept is small, and is read as it was written.
func TestEncoding(t *testing.T) {
	corpus, _ := readCorpus(t)
	for _, v := range corpus {
		f := First{Seen: time.Unix(1790000000, 0).UTC(), LastSame: time.Unix(1790000100, 0).UTC(), Title: v.name, Sketch: OfPage(v.page)}
		data := f.Append(nil)
		got, err := ParseFirst(data)
		if err != nil || got.Sketch.Similarity(&f.Sketch) != 1 || got.Title != f.Title || got.Seen != f.Seen || got.LastSame != f.LastSame {
			t.Fatalf("%s: got %+v, %v", v.name, got, err)
		}
		if len(data) > 900 {
			t.Errorf("%s: %d bytes are kept", v.name, len(data))
		}
	}
	for data, other := range map[string]bool{"\x02abc": true, "\x01\x05": false, "": false, "\x01\x05abcdefgh1234123": false, "\x01\x05abcdefgh12341234": false} {
		if _, err := Parse([]byte(data)); err == nil || IsOtherVersion(err) != other {
			t.Errorf("Parse(%q) gives %v", data, err)
		}
	}
}

func FuzzSketch(f *testing.F) {
	f.Add([]byte("<nav>a</nav><p>"+essay), []byte(essay))
	f.Add([]byte("<div class=menu><div><main>a<a href=x>b"), []byte("\x01\x05abcdefgh1234"))
	f.Fuzz(func(t *testing.T, page, other []byte) {
		a, b := OfPage(page), OfText(other)
		similarity, drifts := a.Drifts(&b, Threshold)
		if similarity < 0 || similarity > 1 || drifts && a.IsEmpty() || a.Similarity(&a) != 1 {
			t.Fatalf("similarity %v, drifts %v", similarity, drifts)
		}
		if got, err := Parse(a.Append(nil)); err != nil || got.Similarity(&a) != 1 {
			t.Fatalf("the sketch is read as %v, %v", got, err)
		}
		if s, err := Parse(other); err == nil && s.Similarity(&a) > 1 {
			t.Fatalf("%q is read as %v", other, s)
		}
	})
}
