package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/result"
)

// TestPageRows: rows come back by page and place as they were added, although most of them are in
// a temporary file, and as many of them as are wanted. The file is gone after close.
func TestPageRows(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, dir)
	}
	random := rand.New(rand.NewPCG(3, 4))
	var rows pageRows
	var want []pageRow
	for i := range 20_000 {
		r := pageRow{fmt.Sprintf("p%d.html", random.IntN(300)), row{nil, "ok", "ok", fmt.Sprint("gone", i), "a hint"}, i}
		if i%5 > 0 {
			r.ref = &result.Reference{Page: r.page, Line: random.IntN(9), Column: random.IntN(9), Element: "page 7", Text: "é", Folder: "in/a folder"}
		}
		rows.add(r)
		want = append(want, r)
	}
	slices.SortFunc(want, (*rowOrder)(nil).Compare)
	for _, most := range []int{len(want), 777, 0} {
		var got []pageRow
		pages := map[string]bool{}
		if err := rows.each(most, func(page string, of []pageRow) {
			if pages[page] {
				t.Errorf("the rows of %s come in two parts", page)
			}
			pages[page] = true
			got = append(got, of...)
		}); err != nil {
			t.Fatal(err)
		}
		if len(got) != most || most > 0 && !reflect.DeepEqual(got, want[:most]) {
			t.Errorf("of %d rows, the first %d: got %d that differ", len(want), most, len(got))
		}
	}
	if len(rows.sorted.Order.(*rowOrder).names) == 0 {
		t.Error("no row was in the temporary file")
	}
	rows.close()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("after close: got %v, %v, want an empty directory", entries, err)
	}
}

func FuzzPageRow(f *testing.F) {
	rows := rowOrder{numbers: map[string]int{}}
	f.Add(rows.Append(nil, pageRow{"p.html", row{nil, "broken", "http-404", "u", "hint"}, 3}))
	f.Add(rows.Append(nil, pageRow{"q.html", row{&result.Reference{Line: 7, Column: 2, Element: "a", Text: "t", Folder: "f"}, "ok", "ok", "u", ""}, math.MaxInt}))
	f.Add([]byte{0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 127})
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := rows.Decode(data)
		if err != nil {
			return
		}
		again, err := rows.Decode(rows.Append(nil, r))
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Errorf("%+v became %+v, %v", r, again, err)
		}
	})
}
