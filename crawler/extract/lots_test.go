package extract

import (
	"reflect"
	"runtime"
	"testing"
)

// Bookmarks in lots are those of the document, without what only the file says of them.
func TestBookmarksInLots(t *testing.T) {
	const count = 3*bookmarkLot + 7
	for name, make := range manyBookmarks {
		in := make(t, count)
		in.Name = name
		want := Extract(in)
		var links []Link
		sizes := map[int]int{}
		in.Lots = func(lot []Link, all int) {
			if all != count {
				t.Errorf("%s: %d links are said to be there", name, all)
			}
			sizes[len(lot)]++
			links = append(links, lot...)
		}
		got := Extract(in)
		if len(got.Links) > 0 || len(links) != len(want.Links) || sizes[bookmarkLot] != 3 || sizes[7] != 1 {
			t.Fatalf("%s: %d links of the document, %d in lots of %v", name, len(got.Links), len(links), sizes)
		}
		for i := range links {
			want.Links[i].Bookmark = nil
			if links[i] != want.Links[i] {
				t.Fatalf("%s: link %d: %+v, want %+v", name, i, links[i], want.Links[i])
			}
		}
		want.Links = nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

// In lots a bookmark takes its strings and a folder's share, and nothing beside: what
// is allocated for each, in bytes.
func TestBookmarkLotsAreSmall(t *testing.T) {
	const count, most = 20_000, 120
	in := Input{Name: "b.html", Body: largeBookmarkFile(count), Lots: func([]Link, int) {}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	Extract(in)
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) / count; got > most {
		t.Errorf("%d bytes for each bookmark", got)
	}
}
