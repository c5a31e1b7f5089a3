package extract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"unicode/utf8"
)

// TestLinkedData reads JSON-LD in which ‸ precedes every link.
func TestLinkedData(t *testing.T) {
	for _, c := range []struct {
		json string
		want []string
	}{
		{`{"@context": "https://schema.org", "@type": "Article", "url": "‸https://e.com/a", "headline": "no"}`, []string{"url https://e.com/a"}},
		{`{"@context": {"@vocab": "https://no.example/", "name": "http://no.example/name"}, "url":"‸http://e.com/"}`, []string{"url http://e.com/"}},
		{`{"@context": ["https://no.example/", {"x": {"@id": "https://no.example/x"}}], "sameAs": ["‸https://e.com/1", "‸https://e.com/2"]}`, []string{"sameAs https://e.com/1", "sameAs https://e.com/2"}},
		{`{"image": {"@type": "ImageObject", "url": "‸https:\/\/e.com\/i.png"}, "logo": "‸/l.png"}`, []string{"url https://e.com/i.png", "logo /l.png"}},
		{`{"sameAs": [{"url": "‸a/b"}, "‸c/d"]}`, []string{"url a/b", "sameAs c/d"}},
		{`{"@id": "https://e.com/#org", "item": {"@id": "‸https://e.com/books"}, "@graph": [{"@id": "_:b0"}, {"@id": "#x"}, {"@id":"wd:Q42"}]}`, []string{"@id https://e.com/books"}},
		{`{"availability": "https://schema.org/InStock", "eligible": "http://www.schema.org/x", "anything": "‸https://e.com/x?y=1#z"}`, []string{"anything https://e.com/x?y=1#z"}},
		{`{"target": "https://e.com/search?q={term}", "description": "see https://e.com/ for more", "text": "", "logo": "Acme"}`, nil},
		{`{"url": "‸https://e.com/\u00e9\ud83d\ude00\ud83d\"", "name": "n"}`, []string{"url https://e.com/é😀�\""}},
		{`["‸https://e.com/a"]`, []string{" https://e.com/a"}},
		// Not JSON.
		{`{"url": "‸http://e.com/a", oops "url": "‸http://e.com/b"`, []string{"url http://e.com/a", "url http://e.com/b"}},
		{`<!-- {"url": "‸http://e.com/a"} -->`, []string{"url http://e.com/a"}},
		{`]]}}{"url": "‸http://e.com/a`, []string{"url http://e.com/a"}},
		{``, nil}, {`"`, nil}, {`"\`, nil}, {`{"url": "\u12"}`, nil},
	} {
		source, places := unmark("<p>é\n<script type='application/ld+json; charset=utf-8'>" + c.json)
		doc := Extract(Input{Body: []byte(source), ContentType: "text/html; charset=utf-8"})
		var got []string
		for i, l := range doc.Links {
			got = append(got, l.Attribute+" "+l.Ref)
			if i < len(places) && places[i] != [2]int{l.Line, l.Column} {
				t.Errorf("%s: %s at %d:%d, want %v", source, l.Ref, l.Line, l.Column, places[i])
			}
			if l.Kind != Metadata || l.Element != "script" {
				t.Errorf("%s: %+v", source, l)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s gave %q, want %q", source, got, c.want)
		}
		if !doc.Static {
			t.Errorf("%s is not static", source)
		}
	}
}

// FuzzJSON checks that the scanner finds the same strings and keys as encoding/json in valid
// JSON.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{
		`{"a": ["b", {"c": "d", "e": ["f"]}, "g"], "h": "i\n\u00e9\ud83d\ude00\ud800"}`, `["x", ["y"], {}]`, `"s"`, `{"": {"": ""}}`, `{"a":1,"b":"c\/d"}`,
		`{"imports": {"a": "./a.js", "b/": "/b/"}, "scopes": {"/c/": {"a": "https://e.com/d.mjs"}}}`, `[[{"scopes": ["./x", {"y": {"z": "/"}}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		s := jsonScanner{}
		s.reset(src)
		var got []string
		for {
			key, at, text, ok := s.next()
			if !ok {
				break
			}
			if at.start < 0 || at.end > len(src) || at.start > at.end {
				t.Fatalf("%q: %v", src, at)
			}
			got = append(got, fmt.Sprintf("%q=%q", key, text))
		}
		imports := Extract(Input{Body: slices.Concat([]byte("<script type=importmap>"), src), ContentType: "text/html; charset=utf-8"})
		for _, l := range imports.Links {
			if !bytes.Contains(src, []byte("<")) && !isModuleAddress([]byte(l.Ref)) {
				t.Fatalf("%q gave %+v", src, l)
			}
		}
		if !json.Valid(src) || !utf8.Valid(src) || bytes.Contains(src, []byte("@context")) || bytes.Count(src, []byte{'['})+bytes.Count(src, []byte{'{'}) > jsonNesting {
			return
		}
		if want := jsonStrings(t, src); !slices.Equal(got, want) {
			t.Fatalf("%q gave %q, want %q", src, got, want)
		}
	})
}

// jsonStrings returns the string values of valid JSON with their keys as written.
func jsonStrings(t *testing.T, src []byte) (list []string) {
	d := json.NewDecoder(bytes.NewReader(src))
	type level struct {
		object, value bool
		outer         string
	}
	var open []level
	key := ""
	for {
		start := int(d.InputOffset())
		token, err := d.Token()
		if err != nil {
			return list
		}
		top := &level{}
		if len(open) > 0 {
			top = &open[len(open)-1]
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			top.value = false
			open = append(open, level{object: token == json.Delim('{'), outer: key})
			continue
		case json.Delim('}'), json.Delim(']'):
			key = top.outer
			open = open[:len(open)-1]
			continue
		}
		if top.object && !top.value {
			written := src[start:d.InputOffset()]
			key = string(written[bytes.IndexByte(written, '"')+1 : len(written)-1])
			top.value = true
			continue
		}
		top.value = false
		if s, ok := token.(string); ok {
			list = append(list, fmt.Sprintf("%q=%q", key, s))
		}
	}
}
