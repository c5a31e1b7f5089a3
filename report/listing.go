package report

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
)

// siteWide is how many pages must share a finding until it is taken for a part
// of the site's frame (header, footer, menu) and listed once instead of on each.
const siteWide = 20

// manyPlaces is how many places on one page may share a finding until only the
// first of them are listed: a generated table of a thousand links into one missing
// page is one mistake.
const manyPlaces = 10

// listing is findings by page and place, as text shows them.
type listing struct {
	pages []pageRow
	wide  []wideRow
}

// pageRow is a finding at one place.
type pageRow struct {
	page string
	row
	order int // in which it was found
}

// wideRow is a finding at very many.
type wideRow struct {
	row
	pages int
	first []string // places
}

func (w wideRow) place() string { return fmt.Sprintf("%d pages", w.pages) }

// addResult lists what is found of a result.
func (l *listing) addResult(show Show, r *crawler.Result) {
	for _, finding := range rowsOf(show, r) {
		if check.OfPage(check.Code(finding.code)) {
			l.add(finding, nil) // listed with the page, not at each link to it
			continue
		}
		l.add(finding, atSources(concerned(r.References, check.Code(finding.code))))
	}
}

// add lists a finding at each of its references, which are sorted, and under the
// page that it is about when it has none.
func (l *listing) add(finding row, refs []crawler.Reference) {
	switch pages := countPages(refs); {
	case pages == 0:
		l.pages = append(l.pages, pageRow{ownPage(finding.url), finding, len(l.pages)})
	case pages > siteWide:
		finding.ref = &refs[0]
		l.wide = append(l.wide, wideRow{finding, pages, firstOfPages(refs)})
	default:
		for i := range refs {
			if i > 0 && alike(&refs[i-1], &refs[i]) {
				continue
			}
			finding.ref = &refs[i]
			l.pages = append(l.pages, pageRow{refs[i].Page, finding, len(l.pages)})
		}
	}
}

// fit makes room for the listing in a table.
func (l *listing) fit(t *table) {
	for _, p := range l.pages {
		t.fit(p.place(), p.row)
	}
	for _, w := range l.wide {
		t.fit(w.place(), w.row)
	}
	t.narrow()
}

// sort orders the rows of pages by page and place.
func (l *listing) sort() {
	slices.SortFunc(l.pages, func(a, b pageRow) int {
		if a.page != b.page {
			return cmp.Compare(a.page, b.page)
		}
		return cmp.Or(compareRows(a.row, b.row), cmp.Compare(a.order, b.order))
	})
}

// write reports whether there was something to write.
func (l *listing) write(out *bufio.Writer, t *table) bool {
	l.sort()
	for i := 0; i < len(l.pages); {
		if i > 0 {
			out.WriteByte('\n')
		}
		page := l.pages[i].page
		after := i
		for after < len(l.pages) && l.pages[after].page == page {
			after++
		}
		out.WriteString(heading(page) + "\n")
		writePage(out, t, l.pages[i:after])
		i = after
	}
	if len(l.wide) == 0 {
		return len(l.pages) > 0
	}
	if len(l.pages) > 0 {
		out.WriteByte('\n')
	}
	fmt.Fprintf(out, "site-wide (on more than %d pages)\n", siteWide)
	for _, w := range l.wide {
		t.write(out, w.place(), w.row)
		fmt.Fprintf(out, "      first at %s\n", visible(strings.Join(w.first, ", ")))
	}
	return true
}

// matter is what findings at several places of one page have in common.
type matter struct{ word, code, url string }

// matterOf a finding is its target; where the whole document is what is wrong, the
// document, whichever places of it are linked to.
func matterOf(word, code, url string) matter {
	switch check.Code(code) {
	case check.CodeFragmentMissing, check.CodeFragmentUnverified, check.CodeFragmentDuplicate:
	default:
		url, _, _ = strings.Cut(url, "#")
	}
	return matter{word, code, url}
}

// fold chooses the rows of one page to write, of n: all but those of a matter that has
// very many, of which it chooses the first. It tells how many more of which matters
// there are.
func fold(n int, of func(int) matter) (shown []int, folded []matter, more map[matter]int) {
	counts := map[matter]int{}
	if n > manyPlaces {
		for i := range n {
			if m := of(i); m.word != check.OK.String() && m.word != check.Skipped.String() { // who asks for those wants all
				counts[m]++
			}
		}
	}
	more = map[matter]int{}
	met := map[matter]int{}
	for i := range n {
		if len(counts) > 0 {
			if m := of(i); counts[m] > manyPlaces {
				if met[m]++; met[m] > firstPlaces {
					if more[m]++; more[m] == 1 {
						folded = append(folded, m)
					}
					continue
				}
			}
		}
		shown = append(shown, i)
	}
	return shown, folded, more
}

// writePage writes the rows of one page; of a matter that has very many the first,
// and behind them how many more there are.
func writePage(out *bufio.Writer, t *table, rows []pageRow) {
	shown, folded, more := fold(len(rows), func(i int) matter { return matterOf(rows[i].word, rows[i].code, rows[i].url) })
	for _, i := range shown {
		t.write(out, rows[i].place(), rows[i].row)
	}
	for _, m := range folded {
		fmt.Fprintf(out, "  and %d more like these (%s): %s\n", more[m], visible(m.code), visible(m.url))
	}
}
