package urinorm

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// In the texts, «…» marks the URIs to be found, and nothing else may be found.
func TestFindURIs(t *testing.T) {
	all := TextOptions{WWW: true, Mail: true}
	tests := []struct {
		text string
		opts TextOptions
		uris []string // where they differ from the marked text
	}{
		{text: "no URI: here, nor (there)"},
		{text: "at «http://example.com/»"},
		{text: "«http://example.com»"},
		{text: "see «http://example.com/a.html»."},
		{text: "see «http://example.com/a.html», «https://h/b»; or «ftp://h/c»!"},
		{text: "is it «http://example.com/?q=1»?"},
		{text: "(«http://example.com/a»)"},
		{text: "(see «http://example.com/a_(b)»)."},
		{text: "«http://en.example/wiki/Rust_(language)» is it"},
		{text: "[«http://example.com/a»]"},
		{text: "[a](«http://example.com/a»)"},
		{text: "«http://[2001:db8::1]:8080/x»"},
		{text: "«http://h/?a[]=1&b[2]=3»"},
		{text: `"«http://example.com/a»"`},
		{text: `href="«http://example.com/a b"`, uris: []string{"http://example.com/a"}},
		{text: "'«http://example.com/it»'"},
		{text: "**«http://example.com/b»** and _«http://example.com/c»_"},
		{text: "«http://example.com/under_»"},
		{text: "the «http://example.com»'s page"},
		{text: "|«http://example.com/a»|«http://example.com/b»|"},
		{text: "«http://example.com/»{id}"},
		{text: "<«http://example.com/a»>"},
		{text: "<URL:«http://example.com/a»>"},
		{text: "<url: «http://example.com/a» >"},
		{text: "URL:«http://example.com/a»"},
		{text: "<«info:lccn/2002022641»> but not info:lccn/2002022641"},
		{text: "<«http://example.com/a»> <b> <a:b> <std:vector>"},
		{text: "if a<b and http:>c"},
		{text: "<«http://example.com/» and more>"},
		{text: "See«http://example.com/» and v1.«https://h/»"},
		{text: "«git+ssh://git@h/p.git» «myscheme://a/b»"},
		{text: "«mailto:joe@example.com», «tel:+1-816-555-1212», «urn:isbn:0-395-36341-1»."},
		{text: "«doi:10.1000/182» «geo:48.2,16.4» «data:text/plain,hi» «magnet:?xt=urn:btih:0123456789abcdef0123456789abcdef01234567»"},
		{text: "mailto: us; tel:none, data:1,2 urn:x geo:a doi:2"},
		{text: "std::string note:this 12:30 C:\\x C:/x Re:http"},
		{text: "http:// http://. https:///x ://x"},
		{text: "«file:///etc/hosts» file:///"},
		{text: "«http://example.com/Müller» «http://例え.テスト/パス»、次。"},
		{text: "“«http://example.com/a»” …«http://example.com/b»…"},
		{text: "«http://a/» «http://b/»"},
		{text: "www.example.com joe@example.com"},
		{text: "«www.example.com», (see «WWW.example.org/a?b»)", opts: all,
			uris: []string{"https://www.example.com", "https://WWW.example.org/a?b"}},
		{text: "www. www.x wwww.example.com x.www.example.com", opts: all},
		{text: "«joe.doe+tag@mail.example.com», a@b @example.com joe@ x@1.2.3", opts: all,
			uris: []string{"mailto:joe.doe+tag@mail.example.com"}},
		{text: "<«joe@example.com»> «http://joe@example.com/»", opts: all,
			uris: []string{"mailto:joe@example.com", "http://joe@example.com/"}},
		{text: "pip@git@host.example", opts: all},
	}
	for _, test := range tests {
		var text strings.Builder
		var want []string
		for i, part := range strings.Split(test.text, "«") {
			if i == 0 {
				text.WriteString(part)
				continue
			}
			uri, rest, marked := strings.Cut(part, "»")
			if marked {
				want = append(want, fmt.Sprintf("%d %s", text.Len(), uri))
			} else {
				want = append(want, fmt.Sprintf("%d %s", text.Len(), test.uris[i-1]))
			}
			text.WriteString(uri + rest)
		}
		var got []string
		for i, span := range FindURIs(text.String(), test.opts) {
			found := text.String()[span.Start:span.End]
			got = append(got, fmt.Sprintf("%d %s", span.Start, found))
			wantURI := found
			if i < len(test.uris) {
				wantURI = test.uris[i]
			}
			if span.URI != wantURI {
				t.Errorf("%q: URI %q, want %q", text.String(), span.URI, wantURI)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q:\n got %q\nwant %q", text.String(), got, want)
		}
	}
}

// The example of RFC 3986 appendix C.
func TestFindURIsAppendixC(t *testing.T) {
	const text = `Yes, Jim, I found it under "http://www.w3.org/Addressing/",
but you can probably pick it up from <ftp://foo.example.
com/rfc/>.  Note the warning in <http://www.ics.uci.edu/pub/
ietf/uri/historical.html#WARNING>, or <http://h/long-
   name>.`
	want := []string{
		"http://www.w3.org/Addressing/",
		"ftp://foo.example.com/rfc/",
		"http://www.ics.uci.edu/pub/ietf/uri/historical.html#WARNING",
		"http://h/long-name",
	}
	for i, span := range FindURIs(text, TextOptions{}) {
		if i >= len(want) || span.URI != want[i] || span.HyphenBreak != (i == 3) {
			t.Errorf("found %+v", span)
		}
	}
}

func FuzzFindURIs(f *testing.F) {
	for _, s := range []string{
		"see <http://a/\nb> and (http://h/(x)) 'ftp://f/'s www.a.b x@y.z", "a:a:a:tel:tel:1", "<<<<>", "http://\xff",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, span := range FindURIs(text, TextOptions{WWW: true, Mail: true}) {
			if span.Start < end || span.End <= span.Start || span.End > len(text) || span.URI == "" {
				t.Fatalf("%q: span %+v after %d", text, span, end)
			}
			end = span.End
		}
	})
}
