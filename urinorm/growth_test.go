package urinorm

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/urinorm/internal/idna"
)

// growingWork is work on an input that repeats a piece.
type growingWork struct {
	name  string
	piece string
	run   func(s string)
}

// checkGrowth counts the bytes that work allocates on inputs of two sizes, of which the second
// one is growth times as long. The limit is far from linear and from quadratic growth.
func checkGrowth(t *testing.T, w growingWork, large, growth int) {
	t.Helper()
	whole := strings.Repeat(w.piece, large/len(w.piece))
	part := whole[:len(whole)/len(w.piece)/growth*len(w.piece)]
	few := allocated(func() { w.run(part) })
	most := uint64(4*growth) * (few + 4<<10)
	if many := allocated(func() { w.run(whole) }); many > most {
		t.Errorf("%s: %d bytes allocate %d bytes, want %d at most; %d bytes allocate %d", w.name, len(whole), many, most, len(part), few)
	}
}

// benchmarkGrowth reports how many times as long work takes on the longer input, and says if
// its time seems to grow like the square of the length. It needs a quiet machine and some rounds:
//
//	go test ./urinorm -run '^$' -bench Growth -benchtime 8x
func benchmarkGrowth(b *testing.B, w growingWork, large, growth int) {
	b.Run(w.name, func(b *testing.B) {
		whole := strings.Repeat(w.piece, large/len(w.piece))
		part := whole[:len(whole)/len(w.piece)/growth*len(w.piece)]
		measure := func(s string) time.Duration {
			began := time.Now()
			w.run(s)
			return time.Since(began)
		}
		short, long := time.Duration(1<<62), time.Duration(1<<62)
		for b.Loop() {
			short, long = min(short, measure(part)), min(long, measure(whole))
		}
		b.ReportMetric(float64(long)/float64(short), "growth")
		const noise = 50 * time.Microsecond
		if long > time.Duration(4*growth)*(short+noise) {
			b.Logf("not linear: %d bytes take %v, %d bytes %v", len(part), short, len(whole), long)
		}
	})
}

// allocated returns the number of bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

const (
	growingWeb = 1 << 20 // bytes of the longer input
	webGrowth  = 16      // times the length of the shorter one
)

func TestGrowth(t *testing.T) {
	for _, w := range webWork(t) {
		checkGrowth(t, w, growingWeb, webGrowth)
	}
}

func BenchmarkGrowth(b *testing.B) {
	for _, w := range webWork(b) {
		benchmarkGrowth(b, w, growingWeb, webGrowth)
	}
}

// webWork returns work on references that repeat a piece.
func webWork(t testing.TB) []growingWork {
	t.Helper()
	https := mustBase(t, "https://example.com/a/b", "")
	japanese := mustBase(t, "https://example.com/a/b", "iso-2022-jp")
	file := mustBase(t, "file:///C:/a/b", "")
	other := mustBase(t, "foo:/a/b", "")
	resolve := func(base *Base, prefix string) func(string) {
		var buf []byte
		return func(s string) { buf, _, _, _ = base.Append(buf[:0], prefix+s) }
	}
	key := func(prefix string) func(string) {
		var u URL
		var parsed string
		var buf []byte
		return func(s string) {
			if parsed != s {
				u, _, _ = ParseWeb(prefix + s)
				parsed = s
			}
			buf = appendKey(buf[:0], u.href, u.at)
			buf = appendPrinted(buf[:0], u.href, &u.at)
		}
	}
	return []growingWork{
		{"climbing", "../", resolve(https, "")},
		{"climbing encoded", "%2e%2e/", resolve(https, "")},
		{"staying", "%2e/", resolve(https, "")},
		{"down and up", "a/../", resolve(https, "")},
		{"down and up encoded", "a/.%2e/", resolve(https, "")},
		{"deep", "a/", resolve(https, "")},
		{"deep and back", "a/", func(s string) { resolve(https, "")(s + strings.Repeat("../", len(s)/3)) }},
		{"backslashes", `\`, resolve(https, "")},
		{"backslashes behind a scheme", `\`, resolve(https, "https:")},
		{"slashes of another scheme", "/", resolve(other, "/.")},
		{"drive letters", "C|/../", resolve(file, "/")},
		{"at signs", "@", resolve(https, "//")},
		{"colons", ":", resolve(https, "//u")},
		{"passwords", "a:b@", func(s string) { resolve(https, "//")(s + "h") }},
		{"brackets", "[", resolve(https, "//")},
		{"closed brackets", "[]", resolve(https, "//")},
		{"letters of a scheme", "a", resolve(https, "")},
		{"tabs", "\t", func(s string) { resolve(https, "")(s + "x") }},
		{"tabs inside", "a\t", resolve(https, "")},
		{"spaces of an opaque path", " ", func(s string) { resolve(https, "foo:")(s + "?") }},
		{"percent signs", "%", resolve(https, "")},
		{"questions", "?", resolve(https, "?")},
		{"hashes", "#", resolve(https, "?")},
		{"bytes that are not UTF-8", "\xff", resolve(https, "?")},
		{"query in a charset", "日", resolve(japanese, "?")},
		{"query beyond a charset", "☃a", resolve(japanese, "?")},
		{"labels", "a.", resolve(https, "//")},
		{"numbers", "1.", resolve(https, "//")},
		{"zeros", "0", resolve(https, "//")},
		// A host that is not ASCII has at most idna.MaxDomain bytes.
		{"marks in a host", "e\u0301\u0323", resolve(https, "//")},
		{"marks in a label of legal length", strings.Repeat("\u0301\u0323", 400) + ".", resolve(https, "//e")},
		{"labels beyond ASCII", "é.", resolve(https, "//")},
		{"many characters a label", distinctLabel() + ".", resolve(https, "//")},
		{"punycode", "xn--" + strings.Repeat("a", 900) + ".", resolve(https, "//ß.")},
		{"joiners", "ب\u200c\u0301.", resolve(https, "//")},
		{"full stops in a mapping", "⒈", resolve(https, "//a")},
		{"key of escapes", "%7e%2f", key("https://example.com/")},
		{"key of a broken escape", "%7e|", func(s string) { key("https://example.com/")(s + "%") }},
		{"redact at signs", "@", func(s string) { Redact(s) }},
		{"redact slashes", "//", func(s string) { Redact(s + "@") }},
		{"redact schemes", "http:", func(s string) { Redact(s + "@") }},
		{"redact passwords", "//a:b@", func(s string) { Redact(s) }},
		{"redact broken passwords", "//a:b/", func(s string) { Redact(s + "@") }},
		{"redact broken passwords without end", "//a:b/", func(s string) { Redact("@ " + s) }},
		{"redact tabs", "\t:", func(s string) { Redact(s + "@") }},
		{"error of a user name", "a.", func(s string) { _, _, _ = ParseWeb("http://" + s + "@") }},
	}
}

// distinctLabel returns the label that takes Punycode the longest.
func distinctLabel() string {
	var b strings.Builder
	for r := rune(0x4E00); r < 0x4E00+idna.MaxLabel; r++ {
		b.WriteRune(r)
	}
	return b.String()
}
