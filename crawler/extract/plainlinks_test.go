package extract

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestPlainLinks: links put together at random of what is plain and of what only
// looks so are those that the tokenizer finds, with the same texts.
func TestPlainLinks(t *testing.T) {
	pieces := []string{"text", "two words", " ", "  ", "\n", "\t", "\r\n", "\x00", "é", "\u00a0", "&amp;", "&lt", "&nbsp", "<", "< ", "<1", "a<b", ">", `"`,
		"<span class=pre>", "<code class=\"x y\">", "</span>", "</code>", "<b>", "</b>", "<i id=x>", `<i title="t" alt="in place of i">`, `<p id="p" title="t" rel="nofollow">`, `<q cite="w" title="t">`, `<td type="t" background="w">`,
		`<em aria-label="l" style="background: url(w)" rel="nofollow">`, `<u data-orbweaver-ignore="" title="t">`, `<h2 title="t">`, "<h2>", "</h2>", "</h7>", `<b class="short">`, `<b class="short"title="t">`, "<img src=y alt=z>", "<a>", "<a href=z>", "<A HREF=z>", "</a>", "</A>", "</a >", "</ a>",
		"<!-- c -->", "<br/>", "<script>1</script>", "<form>", "</form>", "<p", "</", "<svg>", "</svg>", "<template>", "</template>", strings.Repeat("long ", 60), strings.Repeat("x", MaxText), "<?x?>"}
	tags := []string{`<a href="%">`, `<a class="c" href="%" title="t  t">`, `<a href='%'>`, `<a href="%" id="i">`, `<a title="&amp;" href="%">`, `<a href="%" rel="nofollow">`, `<a aria-label=l href="%">`, `<a  href="%" >`}
	random := rand.New(rand.NewPCG(3, 5))
	for range 20_000 {
		var b strings.Builder
		b.WriteString("<body><p>")
		for range 1 + random.IntN(4) {
			b.WriteString(strings.Replace(tags[random.IntN(len(tags))], "%", []string{"u", "v#w", "", "x&amp;y"}[random.IntN(4)], 1))
			for range random.IntN(4) {
				b.WriteString(pieces[random.IntN(len(pieces))])
			}
			if random.IntN(8) > 0 {
				b.WriteString("</a>")
			}
		}
		if random.IntN(8) > 0 {
			b.WriteString(strings.Repeat("<p>that goes on</p>\n", 4))
		}
		compareDocuments(t, Input{Body: []byte(b.String()), ContentType: "text/html; charset=utf-8"})
	}
}
