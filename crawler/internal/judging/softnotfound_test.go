package judging

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
)

const lorem = `the crawler visits every page of a site once and keeps the links it finds there with the place where each
stands so that a person who reads the report can go and mend them one after the other without looking for long`

func notFoundPage(path, token string) string {
	return fmt.Sprintf(`<!DOCTYPE html><html><head><title>Oops</title><script nonce="%s">var t = "%s"; document.write("<p>")</script>
<style>.a{color:red}</style></head><body><!-- served %s --><nav>%s</nav><h1>We could not find that</h1><p>The address <code>%s</code> is not
known to us, perhaps it was moved or the link you followed is old, please use the search</p><p>Request %s</p></body></html>`, token, token, token, lorem, path, token)
}

func articlePage(n int) string {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	words := strings.Fields(lorem)
	var b strings.Builder
	for range 600 {
		b.WriteString(words[r.IntN(len(words))] + " ")
	}
	return "<html><body><nav>" + lorem + "</nav><article>" + b.String() + "</article></body></html>"
}

func TestSoftNotFound(t *testing.T) {
	madeUp := FingerprintOf([]byte(notFoundPage("/docs/x7f3q1", "8c1f00")))
	tests := []struct {
		name string
		page string
		want bool
	}{
		{"the same template", notFoundPage("/docs/gone.html", "77aa21"), true},
		{"an article", articlePage(1), false},
		{"an article in the same frame", "<nav>" + lorem + "</nav>" + articlePage(2), false},
		{"a changelog that says not found", "<h1>Changes</h1><p>We could not find that bug; status 404 not found is now handled, page not found too " + articlePage(3), false},
		{"nothing", "", false},
		{"markup only", "<html><body><div></div></body></html>", false},
	}
	for _, test := range tests {
		w, got := SoftNotFound(FingerprintOf([]byte(test.page)), madeUp)
		if got != test.want || got && (w.Code != check.CodeSoft404 || w.Message == "") {
			t.Errorf("%s: %v, similarity %.2f", test.name, got, FingerprintOf([]byte(test.page)).similarity(madeUp))
		}
	}
	if _, soft := SoftNotFound(Fingerprint{}, Fingerprint{}); soft {
		t.Error("two empty pages prove nothing")
	}
}

func TestSimilarity(t *testing.T) {
	for n := range 5 {
		a, b := FingerprintOf([]byte(articlePage(n))), FingerprintOf([]byte(articlePage(n+100)))
		if s := a.similarity(a); s != 1 {
			t.Errorf("a page is like itself by %v", s)
		}
		if ab, ba := a.similarity(b), b.similarity(a); ab != ba || ab > 0.5 {
			t.Errorf("two articles: %v and %v", ab, ba)
		}
	}
	// Half of the words are shared: a third of the union.
	half := FingerprintOf([]byte(articlePage(1) + articlePage(2)))
	other := FingerprintOf([]byte(articlePage(1) + articlePage(3)))
	if s := half.similarity(other); s < 0.2 || s > 0.5 {
		t.Errorf("pages that share half: %.2f", s)
	}
	chinese := FingerprintOf([]byte("<h1>抱歉，您所访问的页面不存在或者已经被删除，请检查您输入的网址是否正确</h1><p>您可以返回首页</p>"))
	if chinese.IsZero() || chinese.similarity(chinese) != 1 {
		t.Error("text without blanks is not compared")
	}
	short := FingerprintOf([]byte("<p>Not found</p>"))
	if short.IsZero() || short.similarity(FingerprintOf([]byte("<b>not</b> FOUND"))) != 1 {
		t.Error("short pages are not compared")
	}
}

func TestTextWithoutTags(t *testing.T) {
	tests := map[string]string{
		"a<b>c</b>d":                      "a c d",
		"a<SCRIPT>x<y</script >b":         "a b",
		"a<style>x</STYLE>b":              "a b",
		"a<!-- <p>x --> b":                "a b",
		"a<scripted>x</scripted>b":        "a x b",
		"a<script>x":                      "a",
		"a<":                              "a",
		"a<b":                             "a",
		"a<!--":                           "a",
		strings.Repeat("<", 100):          "",
		strings.Repeat("<script><", 1000): "",
		strings.Repeat("<!-- -->", 1000) + " end": "end",
	}
	for html, want := range tests {
		if got := strings.Join(strings.Fields(textWithoutTags(html)), " "); got != want {
			t.Errorf("%.40q: %q, want %q", html, got, want)
		}
	}
}

func FuzzFingerprint(f *testing.F) {
	f.Add([]byte(notFoundPage("/x", "1")))
	f.Add([]byte("<script"))
	f.Add([]byte("<!-"))
	f.Fuzz(func(t *testing.T, body []byte) {
		a := FingerprintOf(body)
		if s := a.similarity(a); !a.IsZero() && s != 1 || len(a.hashes) > fingerprintSize {
			t.Errorf("%d hashes, similarity %v", len(a.hashes), s)
		}
	})
}
