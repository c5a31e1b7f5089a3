package extract

import (
	"fmt"
	"slices"
	"testing"
)

func TestRedirects(t *testing.T) {
	const file = "# /comment /no\n/old /new\n  /a\t/b  301!\n/store id=:id /blog/:id 301\n/* /index.html 200\n/news/* https://blog.example.com/:splat\n" +
		"/q /find?x=:x\n/t /12:30\nhttps://example.com/x /y\n/only\n/de /de/home 302 Language=de # why\n/c https://e.example/?a=b\n/z # /no\n"
	doc := Extract(Input{Body: []byte(file), Name: "_redirects"})
	var got []string
	for _, l := range doc.Links {
		got = append(got, fmt.Sprintf("%d:%d %s %s %s %t", l.Line, l.Column, l.Element, l.Attribute, l.Ref, l.Placeholder))
	}
	want := []string{"2:6 redirect to /new false", "3:6 redirect to /b false", "4:15 redirect to /blog/:id true", "5:4 redirect to /index.html false",
		"6:9 redirect to https://blog.example.com/:splat true", "7:4 redirect to /find?x=:x true", "8:4 redirect to /12:30 false",
		"11:5 redirect to /de/home false", "12:4 redirect to https://e.example/?a=b false"}
	if doc.Format != "redirects" || !slices.Equal(got, want) {
		t.Errorf("%s\ngot  %q\nwant %q", doc.Format, got, want)
	}
}

func FuzzRedirects(f *testing.F) {
	f.Add([]byte("/a b=c /d/:e 301! F=g\n# x\n/ /"))
	f.Fuzz(func(t *testing.T, body []byte) {
		doc := Extract(Input{Body: body, Name: "_redirects"})
		for _, l := range doc.Links {
			if l.Raw == "" || l.Line < 1 || l.Column < 1 {
				t.Errorf("%+v", l)
			}
		}
	})
}
