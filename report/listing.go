package report

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler"
)

// siteWide is how many pages must share a finding until it is taken for a part
// of the site's frame (header, footer, menu) and listed once instead of on each.
const siteWide = 20

// firstPlaces is how many places a site-wide finding names.
const firstPlaces = 3

// listing is findings by page and place, as text shows them.
type listing struct {
	pages []pageRow
	wide  []wideRow
}

// pageRow is a finding at one place.
type pageRow struct {
	page string
	row
}

// wideRow is a finding at very many.
type wideRow struct {
	row
	pages int
	first []string // places
}

func (w wideRow) place() string { return fmt.Sprintf("%d pages", w.pages) }

// add lists a finding at each of its references, which are sorted, and under its
// own URL when it has none.
func (l *listing) add(finding row, refs []crawler.Reference) {
	switch pages := countPages(refs); {
	case pages == 0:
		l.pages = append(l.pages, pageRow{finding.url, finding})
	case pages > siteWide:
		finding.ref = &refs[0]
		l.wide = append(l.wide, wideRow{finding, pages, firstOfPages(refs)})
	default:
		for i := range refs {
			finding.ref = &refs[i]
			l.pages = append(l.pages, pageRow{refs[i].Page, finding})
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
}

// sort orders the rows of pages by page and place.
func (l *listing) sort() {
	slices.SortStableFunc(l.pages, func(a, b pageRow) int {
		return cmp.Or(cmp.Compare(a.page, b.page), compareRows(a.row, b.row))
	})
}

// write reports whether there was something to write.
func (l *listing) write(out *bufio.Writer, t *table) bool {
	l.sort()
	for i, p := range l.pages {
		if i == 0 || p.page != l.pages[i-1].page {
			if i > 0 {
				out.WriteByte('\n')
			}
			out.WriteString(heading(p.page) + "\n")
		}
		t.write(out, p.place(), p.row)
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

// countPages counts the pages of references, which are sorted by page.
func countPages(refs []crawler.Reference) int {
	n := 0
	for i := range refs {
		if i == 0 || refs[i].Page != refs[i-1].Page {
			n++
		}
	}
	return n
}

// firstOfPages names the first place on each of the first pages, as editors open
// them.
func firstOfPages(refs []crawler.Reference) []string {
	var places []string
	for i := range refs {
		if i > 0 && refs[i].Page == refs[i-1].Page {
			continue
		}
		place := refs[i].Page
		if refs[i].Line > 0 {
			place = fmt.Sprintf("%s:%d:%d", place, refs[i].Line, refs[i].Column)
		}
		if places = append(places, place); len(places) == firstPlaces {
			break
		}
	}
	return places
}
