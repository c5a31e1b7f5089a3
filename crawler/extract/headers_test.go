package extract

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func TestFromHeaders(t *testing.T) {
	tests := []struct{ header, value, want string }{
		{"Link", `<https://example.com/?a=1,2;3>; rel="next"`, `link navigation "https://example.com/?a=1,2;3" "next"`},
		{"Link", `</a>;rel=canonical, </b>; rel="preload" ;as=style`, `link metadata "/a" "canonical"|link stylesheet "/b" "preload"`},
		{"Link", `</a>; title="quo\"ted, <x>"; rel=alternate`, `link navigation "/a" "quo\"ted, <x>"`},
		{"Link", `</a>; rel=help; title="x"; title*=UTF-8'de'n%c3%a4chstes`, `link navigation "/a" "nächstes"`},
		{"Link", `</a>; rel=help; title="x"; title*=bad`, `link navigation "/a" "x"`},
		{"Link", `</a>`, ``},
		{"Link", `</a>; anchor="#x"; rel=help; rel=stylesheet`, `link navigation "/a" "help"`},
		{"Link", `garbage, "quoted, <no>", </ok>; rel=help`, `link navigation "/ok" "help"`},
		{"Link", `<unclosed; rel=help`, ``},
		{"Link", `< /blank >  ;  rel = "help" ;; flag ;, </b>;rel=help`, `link navigation "/blank" "help"|link navigation "/b" "help"`},
		{"Link", `<https://cdn.example>; rel=preconnect`, `link host "https://cdn.example" "preconnect"`},
		{"Link", `</a>; rel=preload; as=image; imagesrcset="/b 1x, /c?x,y 2x,/d 1y", </e>; rel=preload; as=image; imagesrcset=""`,
			`link resource "/a" "preload"|link resource "/b" "preload"|link resource "/c?x,y" "preload"|link resource "/d" "preload"|link resource "/e" "preload"`},
		{"Refresh", `5; url="https://example.com/next"`, `refresh navigation "https://example.com/next" ""`},
		{"Refresh", `5`, ``},
		{"Content-Location", ` /en.html `, `content-location metadata "/en.html" ""`},
		{"Content-Location", ``, ``},
	}
	for _, tt := range tests {
		var got []string
		for _, l := range FromHeaders(http.Header{tt.header: {tt.value}}) {
			if l.Element != "header" || l.Line != 0 || l.Column != 0 {
				t.Errorf("%s: %+v", tt.value, l)
			}
			got = append(got, fmt.Sprintf("%s %v %q %q", l.Attribute, l.Kind, l.Ref, l.Text))
		}
		if s := strings.Join(got, "|"); s != tt.want {
			t.Errorf("%s: %s\ngot  %s\nwant %s", tt.header, tt.value, s, tt.want)
		}
	}
	if n := len(FromHeaders(http.Header{"Link": {strings.Repeat("<a>;rel=help,", 5*maxHeaderLinks)}})); n != maxHeaderLinks {
		t.Errorf("%d links", n)
	}
}

func FuzzFromHeaders(f *testing.F) {
	f.Add(`<https://example.com/>; rel="next"; title*=UTF-8'de'n%c3%a4, <b>; rel=x`)
	f.Add("5; url=a")
	f.Add(`"\`)
	f.Fuzz(func(t *testing.T, value string) {
		FromHeaders(http.Header{"Link": {value, value}, "Refresh": {value}, "Content-Location": {value}})
	})
}

func TestHeaderLinks(t *testing.T) {
	h := http.Header{"Link": {`<a>; rel="canonical x", </de>; rel=alternate; hreflang="de-AT"; hreflang=fr`, `<b>; title=x, <c>;rel=next`}}
	want := []HeaderLink{{"a", "canonical x", ""}, {"/de", "alternate", "de-AT"}, {"c", "next", ""}}
	if got := HeaderLinks(h); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if n := len(HeaderLinks(http.Header{"Link": {strings.Repeat("<a>;rel=x,", maxHeaderLinks+1)}})); n != maxHeaderLinks {
		t.Errorf("%d links", n)
	}
}
