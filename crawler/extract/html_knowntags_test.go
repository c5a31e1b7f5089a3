package extract

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestKnownTags checks which tags are stored after two documents that contain them.
func TestKnownTags(t *testing.T) {
	for source, want := range map[string]bool{
		`<link rel="stylesheet" href="../s.css" disabled>`:               true,
		`<link rel=icon title="a &amp; b" href='a&amp;b' id="icon">`:     true,
		"<link rel=\"search\"\n  href=\"search.html\" />":                true,
		`<link rel="canonical" href="http://example.com/page">`:          false,
		`<link rel="preload" as="image" href=a imagesrcset="b 1x,c 2x">`: false,
		`<link rel="stylesheet" href="s" data-orbweaver-ignore>`:         false,
		`<link rel="stylesheet" href="a>b">`:                             false,
		`<link href="` + strings.Repeat("x", maxKnownTagLength) + `">`:   false,
		`<meta name="viewport" content="width=device-width">`:            true,
		`<meta http-equiv="refresh" content="5; url=next.html">`:         true,
		`<meta property="og:image" content="image.png">`:                 true,
		`<meta name="robots" content="nofollow, noindex">`:               false,
		`<script src="../script.js" defer>`:                              true,
		`<script type="application/json" id="data">`:                     true,
		`<script type="application/ld+json">`:                            false,
		`<img src="a.png" alt="not in the head of pages">`:               false,
	} {
		r := &htmlReader{known: new(knownTags), attributes: htmlAttributes{want: true}}
		doc := []byte(source + "</script>" + strings.Repeat("<p>text</p>\n", 10))
		for range 3 {
			h := &harvest{}
			h.reset(&Document{}, doc)
			h.repeats.reset()
			r.begin(h, &h.src)
			r.read()
		}
		at, hash := knownTagSource(doc, 0)
		if got := r.known.find(at, hash) != nil; got != want {
			t.Errorf("%s is known: %v", source, got)
		}
	}
}

// TestKnownTagsRandom checks that known tags give the same result as the tokenizer, in any
// context.
func TestKnownTagsRandom(t *testing.T) {
	pieces := []string{
		`<link rel="stylesheet" href="../s.css">`, `<link rel="icon" title="a &amp; b" href='a&amp;b' id="icon">`, `<LINK rel="next" href="n">`,
		`<link rel="next" href="x" style="background: url(y)">`, `<link rel="canonical" href="c">`, `<link rel="preload" as="image" href=a imagesrcset="b 1x,c 2x">`,
		"<link rel=\"search\"\n  href=\"search.html\" />", `<link rel="stylesheet" href="s" data-orbweaver-ignore>`, `<link rel="next" href="a>b">`, `<link href=" ">`,
		`<meta name="viewport" content="w">`, `<meta http-equiv="refresh" content="5; url=next.html">`, `<meta property="og:image" content="image.png" alt="text">`,
		`<meta name="robots" content="nofollow">`, `<meta name="description" content="é">`, `<meta id="top" name="x" content="y"/>`,
		`<script src="s.js">`, `<script src="s.js"></script>`, `<script src="s.js" rel="nofollow"></script>`, `<script src="s.js"/>`, `<script id=data type="application/json">`, `<script type="application/ld+json">`, `{"url": "http://example.com/"}`, `</script>`, `</SCRIPT >`, "<!--",
		"<noscript>", "</noscript>", "<svg>", "</svg>", "<template>", "<template shadowrootmode=open>", "</template>", "<!-- orbweaver-ignore-next-line -->\n", "<a href=x>", `<a href="x">`, "</a>",
		"<title>", "</title>", "<body>", "<frameset>", "<frame src=f>", "<p>", "text", "\n", " \r\n", "é", "<iframe srcdoc='<link rel=\"stylesheet\" href=\"../s.css\">'>", "</iframe>", "<textarea>", "</textarea>",
	}
	head, err := CompileSelector("head, noscript")
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(11, 13))
	for range 20_000 {
		var b strings.Builder
		for range random.IntN(16) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		if random.IntN(8) > 0 {
			b.WriteString(strings.Repeat("<p>that goes on</p>\n", 4))
		}
		in := Input{Body: []byte(b.String()), ContentType: "text/html; charset=utf-8", AnchorsOnly: random.IntN(8) == 0}
		if random.IntN(8) == 0 {
			in.ContentType = "application/xhtml+xml"
		}
		if random.IntN(8) == 0 {
			in.Select = head
		}
		compareDocuments(t, in)
	}
}
