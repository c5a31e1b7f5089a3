package urinorm

import (
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/urinorm/idna"
)

// A linear function takes 16 times as long for 16 times the input, a quadratic one
// 256 times, so the limit of 64 is far from both. Runs over the limit are repeated,
// so that a busy machine does not matter.
func TestLinearTime(t *testing.T) {
	const (
		large  = 1 << 20
		growth = 16
		limit  = 64
	)
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
	for _, c := range []struct {
		name  string
		piece string
		run   func(s string)
	}{
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
	} {
		t.Run(c.name, func(t *testing.T) {
			whole := strings.Repeat(c.piece, large/len(c.piece))
			part := whole[:len(whole)/len(c.piece)/growth*len(c.piece)]
			const noise = 50 * time.Microsecond
			short, long := time.Duration(1<<62), time.Duration(1<<62)
			for range 8 {
				short = min(short, elapsed(c.run, part))
				long = min(long, elapsed(c.run, whole))
				if long <= limit*(short+noise) {
					return
				}
			}
			t.Errorf("%d bytes take %v, %d bytes %v", len(part), short, len(whole), long)
		})
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
