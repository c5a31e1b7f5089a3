package extract

import "testing"

func TestUnreadable(t *testing.T) {
	damaged := []byte(`{"roots": {"bar": {"type": "folder", "children": [{"type": "url", "url": "https://example.com/", "name": "a"}, `)
	for name, test := range map[string]struct {
		in   Input
		want bool
	}{
		"a damaged PDF":                            {Input{Name: "a.pdf", Body: []byte("%PDF-1.4\nnothing")}, true},
		"text named PDF":                           {Input{Name: "a.pdf", Body: []byte("text")}, true},
		"no archive":                               {Input{Name: "a.docx", Body: []byte("text")}, true},
		"a damaged feed":                           {Input{Name: "a.rss", Body: []byte("<rss><channel")}, true},
		"a feed with one link":                     {Input{Name: "a.rss", Body: []byte("<rss><channel><link>https://example.com/</link><")}, false},
		"damaged bookmarks":                        {Input{Name: "Bookmarks", Body: damaged[:20]}, true},
		"damaged bookmarks with one link":          {Input{Name: "Bookmarks", Body: damaged}, false},
		"the same in batches":                      {Input{Name: "Bookmarks", Body: damaged, Batch: func([]Link, int) {}}, false},
		"a PDF of which only the anchors are read": {Input{Name: "a.pdf", Body: []byte("text"), AnchorsOnly: true}, false},
		"a block that is never closed":             {Input{Name: "a.adoc", Body: []byte("----\ntext")}, false},
		"an empty page":                            {Input{Name: "a.html"}, false},
	} {
		doc := Extract(test.in)
		if got := doc.Unreadable(); got != test.want {
			t.Errorf("%s: unreadable %v, want %v (faults %q, %d links)", name, got, test.want, doc.Faults, len(doc.Links))
		}
	}
}
