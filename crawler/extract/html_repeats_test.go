package extract

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestRepeats(t *testing.T) {
	for _, c := range []struct {
		html string
		want string // for each link, the one it repeats, counted from 1
	}{
		{"<a href=x>1</a><a href=x>2</a><a href=y><a href='x'>", "0 1 0 1"},
		{"<a href='x&amp;y'><a href='x&y'><a href='x&amp;y'><a href=''><a href=''>", "0 0 1 0 4"},
		{"<a href=x rel=nofollow><a href=x><a href=x rel=nofollow>", "0 0 1"},
		{"<a href=x></a><p data-orbweaver-ignore><a href=x></a></p><a href=x></a>", "0 0 1"},
		{"<a href=x>\n<!-- orbweaver-ignore-next-line -->\n<a href=x>\n<a href=x>", "0 0 1"},
		{"<a href=x><area href=x><img src=x><img srcset longdesc=x data-src><img src=x><image src=x>", "0 0 0 0 3 3"},
		{"<link href=x rel=icon><link href=x rel=next><form action=x><form action=x>", "0 0 0"},
		{"<script src=x></script><script src=x type=text/plain></script><script src=x></script>", "0 0 0"},
		{"<svg><use href=#x /><use href=#x /><use xlink:href=#x /><a href=#x /></svg><a href=#x>", "0 1 0 0 0"},
		{"<object codebase=/b data=x classid=x></object><object data=x><object codebase=/c data=x>", "0 0 0 2 0 2"},
		{"<iframe src=x srcdoc='<a href=x><a href=x>'></iframe><iframe src=x></iframe><a href=x><a href=x>", "0 0 0 1 0 5"},
		{"<a href=x></a><iframe srcdoc='<base href=/b/><a href=x></a>'></iframe><a href=x></a>", "0 0 1"},
		{"<a href='" + strings.Repeat("x", longestRepeat+1) + "'><a href='" + strings.Repeat("x", longestRepeat+1) + "'>", "0 0"},
	} {
		in := Input{Body: []byte(c.html), ContentType: "text/html"}
		doc := Extract(in)
		var got []string
		for _, l := range doc.Links {
			got = append(got, fmt.Sprint(l.Repeats))
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %s, want %s", c.html, s, c.want)
		}
		compareDocuments(t, in)
	}
}

// TestRepeatsMany reads more references than the initial table holds, each three times.
func TestRepeatsMany(t *testing.T) {
	const n = 5000
	var b strings.Builder
	for i := range 3 * n {
		fmt.Fprintf(&b, "<a href=page-%d>", i%n)
	}
	in := Input{Body: []byte(b.String()), ContentType: "text/html"}
	for i, l := range Extract(in).Links {
		if want := i%n + 1; i < n && l.Repeats != 0 || i >= n && l.Repeats != want {
			t.Fatalf("link %d repeats %d, want %d", i, l.Repeats, want)
		}
	}
	compareDocuments(t, in)
}

// TestRepeatsSelected checks that a selector can exclude links, including the first of
// several equal ones.
func TestRepeatsSelected(t *testing.T) {
	main, err := CompileSelector("main")
	if err != nil {
		t.Fatal(err)
	}
	doc := Extract(Input{Body: []byte("<a href=x></a><main><a href=y></a><a href=x></a><a href=x></a><a href=y></a></main>"), ContentType: "text/html", Select: main})
	for i, l := range doc.Links {
		if l.Repeats > i || l.Repeats > 0 && doc.Links[l.Repeats-1].Ref != l.Ref {
			t.Errorf("link %d, %s, repeats %d", i, l.Ref, l.Repeats)
		}
	}
	if refs(doc.Links) != "y x x y" || doc.Links[3].Repeats != 1 {
		t.Errorf("links %s, the last repeats %d", refs(doc.Links), doc.Links[3].Repeats)
	}
}

func TestExtractInto(t *testing.T) {
	var doc, first Document
	for i, c := range elementCases {
		source, _ := unmark(c.html)
		in := Input{Body: []byte(source), ContentType: "text/html"}
		ExtractInto(&doc, in)
		want := Extract(in)
		if got := doc; !sameDocument(&got, want) {
			t.Errorf("%s: %+v, want %+v", source, got, *want)
		}
		if i == 0 {
			first = doc
			first.Links = slices.Clone(doc.Links)
		}
	}
	source, _ := unmark(elementCases[0].html)
	if want := page(source); !reflect.DeepEqual(first.Links, want.Links) {
		t.Errorf("%+v became %+v", want.Links, first.Links)
	}
	ExtractInto(&doc, Input{ContentType: "image/png"})
	if len(doc.Links)+len(doc.Anchors)+len(doc.AnchorHashes) > 0 || doc.Format != "" || len(doc.Faults) != 1 {
		t.Errorf("the previous document left %+v", doc)
	}
	ExtractInto(&doc, Input{Body: []byte(strings.Repeat("<a href=x id=i>", keptEntries+1)), ContentType: "text/html"})
	ExtractInto(&doc, Input{Body: []byte("<a href=x id=i>"), ContentType: "text/html"})
	if cap(doc.Links) <= keptEntries || cap(doc.Anchors) <= keptEntries || cap(doc.AnchorHashes) == 0 {
		t.Errorf("capacity for %d links and %d anchors is kept after a large document", cap(doc.Links), cap(doc.Anchors))
	}
	for range largeListsKept {
		ExtractInto(&doc, Input{Body: []byte("<a href=x id=i>"), ContentType: "text/html"})
	}
	if cap(doc.Links) > keptEntries || cap(doc.Anchors) > keptEntries || cap(doc.AnchorHashes) > keptEntries {
		t.Errorf("capacity for %d links is kept after a large document", cap(doc.Links))
	}
}

// sameDocument compares documents, treating empty and nil lists as equal.
func sameDocument(a, b *Document) bool {
	x, y := *a, *b
	x.sinceLarge, y.sinceLarge = 0, 0
	if len(x.Links) == 0 && len(y.Links) == 0 {
		x.Links, y.Links = nil, nil
	}
	if len(x.Anchors) == 0 && len(y.Anchors) == 0 {
		x.Anchors, y.Anchors, x.AnchorHashes, y.AnchorHashes = nil, nil, nil, nil
	}
	return reflect.DeepEqual(x, y)
}

func TestAnchorHashes(t *testing.T) {
	for _, html := range []string{
		"", "<p id=a>", "<p id=b><p id=a><a name=a><a name=c id=c><p id=b><p id=b><p id=''><p id=top>",
		hostileDocuments["ids"](20_000), hostileDocuments["one id"](20_000),
	} {
		doc := page(html)
		var want []uint64
		for _, a := range doc.Anchors {
			want = append(want, HashAnchor([]byte(a)))
		}
		slices.Sort(want)
		if want = slices.Compact(want); !slices.Equal(doc.AnchorHashes, want) {
			t.Errorf("%.100s: hashes %x of %q, want %x", html, doc.AnchorHashes, doc.Anchors, want)
		}
	}
}

// TestRepeatsWithin checks that links of HTML inside a document of another format are never
// bare and do not repeat each other, because other links come between them.
func TestRepeatsWithin(t *testing.T) {
	const links = `<p>a page</p><a href="x">1</a> <a href="y">2</a> <a href="x">3</a> <a href="y">4</a><p>that goes on</p>`
	for name, body := range map[string]string{
		"a.md":    "[a](b) ![c](d)\n\n" + links + "\n\n[e](f) `" + links + "`\n",
		"a.eml":   "From: <mailto:a@example.com>\nList-Help: <https://example.com/>\nContent-Type: text/html\n\n" + links,
		"a.ipynb": `{"cells":[{"cell_type":"markdown","source":["[a](b) [c](d) [a](b)"]},{"cell_type":"markdown","source":[` + strconv.Quote(links) + `]}],"nbformat":4}`,
		"a.rst":   "`a <b>`_ `c <d>`_\n\n.. raw:: html\n\n   " + links + "\n",
	} {
		for _, bare := range []bool{false, true} {
			doc := Extract(Input{Body: []byte(body), Name: name, Bare: bare})
			if len(doc.Links) < 5 {
				t.Errorf("%s: only %d links", name, len(doc.Links))
			}
			for _, l := range doc.Links {
				if l.Repeats != 0 || l.Tag != 0 || l.Line == 0 || l.Text == "" && l.Element == "a" {
					t.Errorf("%s, bare %v: %+v", name, bare, l)
				}
			}
		}
	}
}
