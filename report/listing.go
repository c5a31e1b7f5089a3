package report

import (
	"bufio"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// siteWidePages is the largest number of pages that list a shared finding one by one. A
// finding on more pages is probably in a template (header, footer, menu) and is listed
// once.
const siteWidePages = 20

// maxPlacesOnPage is the largest number of places on one page that are all listed for a
// finding. If there are more, only the first are listed: a generated table of a thousand
// links to one missing page is one mistake.
const maxPlacesOnPage = 10

// maxMissingOnPage is the largest number of missing documents of one directory that a page in
// another directory lists one by one. If there are more, that directory was not published.
const maxMissingOnPage = 100

// listing holds the findings by page and place, as a text report shows them.
type listing struct {
	blocks bool               // list what is the same on several pages once
	every  bool               // list every place
	most   int                // the largest number of rows; 0 for all
	rest   func(n int) string // what the n findings are that most leaves out
	table  *table             // into which they are written
	cut    int                // number of findings that most left out

	pages    pageRows
	siteWide []block
	codes    catalog
	faults   []*fault                   // findings about targets, until settle
	checks   map[checkKey][]pageFinding // findings about pages, until settle
	omitted  bool                       // write has not listed every place
	order    int                        // findings so far
}

// next returns the number of a finding, in the order in which they are added.
func (l *listing) next() int {
	l.order++
	return l.order
}

// checkKey identifies findings about pages that are the same fault on other pages.
type checkKey struct {
	word string
	code check.Code
	rule string // of a content check
	hint string // of another warning about a page, without its line
}

func compareChecks(a, b checkKey) int {
	return cmp.Or(cmp.Compare(a.code, b.code), cmp.Compare(a.rule, b.rule), cmp.Compare(a.hint, b.hint), cmp.Compare(a.word, b.word))
}

// pageFinding is a finding about one page. A warning that is not from a content check has no
// reference.
type pageFinding struct {
	row
	page  string
	order int // as of a pageRow
}

func (l *listing) addRow(finding row, r *result.Result) {
	switch {
	case r.Kind == result.KindPage:
		l.addCheck(finding, r.Rule, r.References)
	case check.OfPage(check.Code(finding.code)) && l.blocks && !l.every:
		l.addToChecks(checkKey{word: finding.word, code: check.Code(finding.code), hint: lineOfID.ReplaceAllString(finding.hint, "")}, pageFinding{finding, ownPage(finding.url), l.next()})
	case check.OfPage(check.Code(finding.code)):
		l.add(finding, nil) // listed with the page, not at each link to it
	default:
		l.add(finding, atSourcePlaces(affectedReferences(r.References, check.Code(finding.code))))
	}
}

func (l *listing) addCheck(finding row, rule string, refs []result.Reference) {
	key := checkKey{word: finding.word, code: check.Code(finding.code), rule: rule}
	refs = atSourcePlaces(refs)
	for i := range refs {
		finding.ref = &refs[i]
		l.addToChecks(key, pageFinding{finding, refs[i].Page, l.next()})
	}
}

func (l *listing) addToChecks(key checkKey, f pageFinding) {
	if l.checks == nil {
		l.checks = map[checkKey][]pageFinding{}
	}
	l.checks[key] = append(l.checks[key], f)
}

// lineOfID matches the part of a message that differs between the pages of a template.
var lineOfID = regexp.MustCompile(` \(line \d+\)`)

// settle lists the faults of several pages once, and the others on their pages.
func (l *listing) settle() {
	if l.checks == nil && l.faults == nil {
		return
	}
	blocks, rest := blocksOf(l.faults)
	l.siteWide = append(l.siteWide, blocks...)
	for i, f := range rest {
		refs := make([]result.Reference, len(f.spots))
		for k := range f.spots {
			refs[k] = f.spots[k].reference()
		}
		l.onPages(f.row, refs)
		rest[i] = nil
	}
	l.faults = nil
	alike := map[checkKey][]pageFinding{} // but for what the messages say
	for key, all := range l.checks {
		if l.settleChecks(key, all) {
			continue
		}
		if key.hint = ""; !check.OfPage(key.code) {
			l.listChecks(all)
			continue
		}
		alike[key] = append(alike[key], all...)
	}
	for key, all := range alike {
		if !l.settleChecks(key, all) {
			l.listChecks(all)
		}
	}
	l.checks = nil
	slices.SortStableFunc(l.siteWide, func(a, b block) int {
		return cmp.Or(cmp.Compare(b.pages, a.pages), cmp.Compare(a.code, b.code), cmp.Compare(a.url, b.url), cmp.Compare(a.hint, b.hint))
	})
}

// settleChecks lists findings about pages once. It returns false if they are on too few pages.
func (l *listing) settleChecks(key checkKey, all []pageFinding) bool {
	refs := make([]result.Reference, len(all))
	for i := range all {
		refs[i] = result.Reference{Page: all[i].page}
		if all[i].ref != nil {
			refs[i] = *all[i].ref
		}
	}
	slices.SortFunc(refs, byPlace)
	pages := countPages(refs)
	if pages <= siteWidePages || l.every {
		return false
	}
	shared := row{word: key.word, code: string(key.code), hint: key.hint}
	if shared.hint == "" {
		shared.hint = ofRule(key.rule, visible(l.codes.title(key.code)))
	}
	l.siteWide = append(l.siteWide, block{row: shared, pages: pages, links: len(refs), places: firstOfPages(refs)})
	return true
}

// listChecks lists findings about pages on their pages.
func (l *listing) listChecks(all []pageFinding) {
	for i := range all {
		l.fitRow(all[i].row)
		l.place(pageRow{all[i].page, all[i].row, all[i].order})
	}
}

// add adds a finding with its references, which are sorted. A finding without references is
// listed under the page that it is about.
func (l *listing) add(finding row, refs []result.Reference) {
	pages := countPages(refs)
	switch {
	case pages == 0:
		l.fitRow(finding)
		l.place(pageRow{ownPage(finding.url), finding, l.next()})
	case l.blocks && !l.every:
		l.faults = append(l.faults, newFault(finding, refs))
	case pages > siteWidePages && !l.every:
		finding.ref = &refs[0]
		l.siteWide = append(l.siteWide, block{row: finding, pages: pages, links: len(refs), places: firstOfPages(refs)})
	default:
		l.onPages(finding, refs)
	}
}

// onPages lists a finding at each of its references, which are sorted.
func (l *listing) onPages(finding row, refs []result.Reference) {
	l.fitRow(finding)
	for i := range refs {
		if i > 0 && indistinguishable(&refs[i-1], &refs[i]) {
			continue
		}
		finding.ref = &refs[i]
		l.place(pageRow{refs[i].Page, finding, l.next()})
	}
}

func (l *listing) place(r pageRow) {
	if l.most == 0 {
		l.table.fitPlace(r.place())
	}
	l.pages.add(r)
}

// fitRow sets column widths for a row before it is placed, because there may be millions of rows, and
// to read them twice takes long. If only most of them are listed, fit does so.
func (l *listing) fitRow(r row) {
	if l.most == 0 {
		l.table.fit(r)
	}
}

// fit sets the column widths that are still to be set before the listing is written.
func (l *listing) fit() error {
	l.settle()
	l.shorten()
	for _, w := range l.siteWide {
		l.table.fitPlace(w.place())
		l.table.fit(w.row)
	}
	if l.most == 0 {
		return nil
	}
	return l.pages.each(l.rows(), func(_ string, rows []pageRow) {
		for i := range rows {
			l.table.fitPlace(rows[i].place())
			l.table.fit(rows[i].row)
		}
	})
}

// shorten leaves out what is over most.
func (l *listing) shorten() {
	all := len(l.siteWide) + l.pages.count
	if l.most == 0 || all <= l.most {
		return
	}
	wide := min(len(l.siteWide), l.most)
	for i := range l.siteWide[wide:] {
		l.cut += l.siteWide[wide+i].links
	}
	l.siteWide = l.siteWide[:wide]
	l.cut += l.pages.count - l.rows()
}

// rows returns how many rows of pages are listed.
func (l *listing) rows() int {
	if l.most == 0 {
		return l.pages.count
	}
	return min(l.pages.count, l.most-len(l.siteWide))
}

// write writes what is on many pages, and then the rows of each page, and removes them. It reports
// whether it wrote anything.
func (l *listing) write(out *bufio.Writer) (bool, error) {
	defer l.pages.close()
	t := l.table
	if len(l.siteWide) > 0 {
		out.WriteString(l.blockHeading() + "\n")
		l.omitted = true
		for i := range l.siteWide {
			t.writeBlock(out, &l.siteWide[i])
		}
	}
	below := len(l.siteWide) > 0
	if err := l.pages.each(l.rows(), func(page string, rows []pageRow) {
		if below {
			out.WriteByte('\n')
		}
		below = true
		out.WriteString(heading(t.shown(page)) + "\n")
		l.writePage(out, t, rows)
	}); err != nil {
		return false, err
	}
	if l.cut > 0 {
		fmt.Fprintf(out, "  and %s more %s\n", thousands(l.cut), l.rest(l.cut))
	}
	return !l.empty(), nil
}

func (l *listing) empty() bool { return l.rows()+len(l.siteWide) == 0 }

// foldKey identifies findings on one page that are folded into one line if there are
// many.
type foldKey struct{ word, code, url string }

// foldKeyOf returns the key of a finding, which ignores the fragment of the URL: a page that names many
// fragments which a document lacks was written for another version of it.
func foldKeyOf(word, code, url string) foldKey { return foldKey{word, code, document(url)} }

// aboutFragment reports whether a code is about the fragment of a URL.
func aboutFragment(code check.Code) bool {
	return code == check.CodeFragmentMissing || code == check.CodeFragmentUnverified || code == check.CodeFragmentDuplicate
}

// foldRows chooses which of n rows of one page to write. If a key occurs more than most times,
// only the first rows with it are chosen, unless its URL is empty. It also returns the keys of
// the other rows, in order, and the number of rows omitted for each.
func foldRows(n, most int, of func(int) foldKey) (shown []int, folded []foldKey, more map[foldKey]int) {
	counts := map[foldKey]int{}
	if n > most {
		for i := range n {
			if m := of(i); m.url != "" && m.word != check.OK.String() && m.word != check.Skipped.String() { // a user who asks for these wants all of them
				counts[m]++
			}
		}
	}
	more = map[foldKey]int{}
	met := map[foldKey]int{}
	for i := range n {
		if len(counts) > 0 {
			if m := of(i); counts[m] > most {
				if met[m]++; met[m] > shownPlaces {
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

// writePage writes the rows of one page, and a line for each group of omitted rows.
func (l *listing) writePage(out *bufio.Writer, t *table, rows []pageRow) {
	if l.every {
		for i := range rows {
			t.write(out, rows[i].place(), rows[i].row)
		}
		return
	}
	shown, directories, missing := foldRows(len(rows), maxMissingOnPage, func(i int) foldKey {
		r := &rows[i]
		directory := directoryOf(document(r.url))
		if !codeIsMissing(r.code) || directory == directoryOf(document(r.page)) {
			directory = ""
		}
		return foldKey{r.word, r.code, directory}
	})
	listed, folded, more := foldRows(len(shown), maxPlacesOnPage, func(i int) foldKey {
		r := &rows[shown[i]]
		return foldKeyOf(r.word, r.code, r.url)
	})
	for _, i := range listed {
		t.write(out, rows[shown[i]].place(), rows[shown[i]].row)
	}
	rest := func(folded []foldKey, more map[foldKey]int) {
		for _, m := range folded {
			l.omitted = true
			fmt.Fprintf(out, "  and %s more like these (%s): %s\n", separated(strconv.Itoa(more[m])), visible(m.code), t.shown(visible(m.url)))
		}
	}
	rest(folded, more)
	rest(directories, missing)
}

// directoryOf returns a name up to its last slash.
func directoryOf(name string) string { return name[:strings.LastIndexByte(name, '/')+1] }

// blockHeading is the heading above what several pages have in common.
func (l *listing) blockHeading() string {
	if l.blocks {
		return "on several pages"
	}
	return fmt.Sprintf("site-wide (on more than %d pages)", siteWidePages)
}
