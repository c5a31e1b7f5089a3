package extract

import (
	"slices"
	"testing"
)

// TestImportMap reads import maps in which ‸ precedes every link.
func TestImportMap(t *testing.T) {
	for _, c := range []struct {
		json string
		want []string
	}{
		{`{"imports": {"app": "‸./app.js", "lib/": "/lib/", "vendor": "‸https://e.com/v.mjs", "up": "‸../u.js", "root": "‸/r.js"}}`,
			[]string{"app ./app.js", "vendor https://e.com/v.mjs", "up ../u.js", "root /r.js"}},
		{`{"scopes": {"/old/": {"app": "‸./app-1.js"}, "./new/": {}}, "imports": {"a": "‸./a.js"}}`, []string{"app ./app-1.js", "a ./a.js"}},
		{`{"imports": {"bare": "app.js", "none": null, "empty": "", "deeper": {"x": "./x.js"}, "mail": "mailto:a@e.com"}}`, nil},
		{`{"integrity": {"./app.js": "sha384-x"}, "other": {"x": "./x.js"}, "x": "./x.js"}`, nil},
		{`[{"imports": {"x": "./x.js"}}]`, nil},
		{`{"imports": {"x": "‸.\/x.js"`, []string{"x ./x.js"}},
		{``, nil}, {`"./x.js"`, nil}, {`{"imports": "./x.js"}`, nil},
	} {
		source, places := unmark("<p>é\n<script type=importmap>" + c.json)
		doc := Extract(Input{Body: []byte(source), ContentType: "text/html; charset=utf-8"})
		var got []string
		for i, l := range doc.Links {
			got = append(got, l.Attribute+" "+l.Ref)
			if i < len(places) && places[i] != [2]int{l.Line, l.Column} {
				t.Errorf("%s: %s at %d:%d, want %v", source, l.Ref, l.Line, l.Column, places[i])
			}
			if l.Kind != Resource || l.Expect != ExpectScript || l.Element != "script" {
				t.Errorf("%s: %+v", source, l)
			}
		}
		if !slices.Equal(got, c.want) || !doc.Static {
			t.Errorf("%s gave %q, want %q; static %v", source, got, c.want, doc.Static)
		}
	}
}
