package report

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
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
	slices.SortFunc(want, func(a, b pageRow) int {
		return cmp.Or(strings.Compare(a.page, b.page), comparePlaces(a.ref, b.ref), a.order-b.order)
	})
	for _, most := range []int{len(want), 777, 0} {
		var got []pageRow
		pages := map[string]bool{}
		if err := rows.each(most, func(page string, of []pageRow) {
			if pages[page] {
				t.Errorf("the rows of %s come in two parts", page)
			}
			pages[page] = true
			for _, r := range of {
				if r.ref != nil {
					ref := *r.ref
					r.ref = &ref
				}
				got = append(got, r)
			}
		}); err != nil {
			t.Fatal(err)
		}
		if len(got) != most || most > 0 && !reflect.DeepEqual(got, want[:most]) {
			t.Errorf("of %d rows, the first %d: got %d that differ", len(want), most, len(got))
		}
	}
	if rows.file.Size() == 0 {
		t.Error("no row was in the temporary file")
	}
	rows.close()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("after close: got %v, %v, want an empty directory", entries, err)
	}
}

// TestPageRowsWithoutFile keeps all rows in memory if no temporary file can be made.
func TestPageRowsWithoutFile(t *testing.T) {
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, t.TempDir()+"/missing")
	}
	var rows pageRows
	defer rows.close()
	const pages, onPage = 7, 3000
	for i := range pages * onPage {
		rows.add(pageRow{fmt.Sprint(i % pages), row{nil, "ok", "ok", "https://example.com/a/long/path", ""}, i})
	}
	var got []int
	if err := rows.each(math.MaxInt, func(page string, of []pageRow) { got = append(got, len(of)) }); err != nil || !slices.Equal(got, slices.Repeat([]int{onPage}, pages)) {
		t.Errorf("got %v rows and %v, want %d on each of %d pages", got, err, onPage, pages)
	}
}

// FuzzPageRow: a damaged record is an error, and others are read as they were written.
func FuzzPageRow(f *testing.F) {
	f.Add(appendRow(nil, &pageRow{"", row{nil, "broken", "http-404", "u", "hint"}, 3}))
	f.Add(appendRow(nil, &pageRow{"", row{&result.Reference{Line: 7, Column: 2, Element: "a", Text: "t", Folder: "f"}, "ok", "ok", "u", ""}, math.MaxInt}))
	f.Add(appendRow(nil, &pageRow{"", row{&result.Reference{Element: "page 9"}, "ok", "ok", "u", ""}, 1}))
	f.Add([]byte{0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 127})
	read := func(record []byte) (pageRow, error) {
		spool := result.NewSpool(1, func(int) int { return 0 })
		defer spool.Close()
		spool.Add(0, record)
		var some someRows
		if err := some.load(spool, 0); err != nil {
			return pageRow{}, err
		}
		rows, err := some.of(0, "p.html", 1)
		if err != nil {
			return pageRow{}, err
		}
		return rows[0], nil
	}
	f.Fuzz(func(t *testing.T, record []byte) {
		r, err := read(record)
		if err != nil {
			return
		}
		again, err := read(appendRow(nil, &r))
		if err != nil || !reflect.DeepEqual(again, r) {
			t.Errorf("%+v became %+v, %v", r, again, err)
		}
	})
}
