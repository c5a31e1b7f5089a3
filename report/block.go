package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// fault is a finding with what a list shows of the references to its target. A target that is linked from
// every page has as many references, so only a few are kept of a fault that is listed once.
type fault struct {
	row
	spots   []spot // of the references, sorted; the first on each of the first pages if the fault is listed once
	links   int
	pages   []string // of all references, sorted
	written string   // how all links are written; "" if they differ
	alike   bool     // all links have the same text

	// While blocks are looked for:
	common  string // what it has in common with others; "" for nothing
	blocked bool
	at      uint32 // its place in the list
}

// spot is what a list shows of a reference. A report may have a million.
type spot struct {
	page                  string
	line, column          int
	element, text, folder string
}

func spotOf(r *result.Reference) spot {
	return spot{r.Page, r.Line, r.Column, r.Element, r.Text, r.Folder}
}

func (s *spot) reference() result.Reference {
	return result.Reference{Page: s.page, Line: s.line, Column: s.column, Element: s.element, Text: s.text, Folder: s.folder}
}

func (s *spot) compare(o *spot) int {
	return cmp.Or(cmp.Compare(s.page, o.page), cmp.Compare(s.line, o.line), cmp.Compare(s.column, o.column), cmp.Compare(s.element, o.element), cmp.Compare(s.text, o.text))
}

// newFault returns the fault of a finding with references, which are sorted and not empty.
func newFault(finding row, refs []result.Reference) *fault {
	f := &fault{row: finding, links: len(refs), written: written(refs)}
	f.pages = make([]string, 0, countPages(refs))
	for i := range pageFirsts(refs) {
		f.pages = append(f.pages, refs[i].Page)
	}
	f.alike = !slices.ContainsFunc(refs, func(r result.Reference) bool { return !sameText(&r, &refs[0]) })
	if f.links < minBlockLinks || len(f.pages) == 1 {
		f.spots = make([]spot, len(refs))
		for i := range refs {
			f.spots[i] = spotOf(&refs[i])
		}
		return f
	}
	f.written = strings.Clone(f.written) // the strings of all references may be parts of one
	for i := range pageFirsts(refs) {
		s := spotOf(&refs[i])
		s.element, s.text = strings.Clone(s.element), strings.Clone(s.text)
		if f.spots = append(f.spots, s); len(f.spots) == shownPlaces {
			break
		}
	}
	return f
}

// sameText reports whether two links have the same text.
func sameText(a, b *result.Reference) bool { return a.Text == b.Text && a.Folder == b.Folder }

// block is the same fault at several places, as a text report lists it: once.
type block struct {
	row                // its URL is what the targets have in common
	pages     int      // with the fault
	links     int      // with the fault
	each      string   // what differs between the links: "target", "document" or "fragment"; "" for nothing
	differing int      // number of these
	names     []string // of the first of these
	places    []string // the first place on each of the first pages
}

// place returns the number of pages in place of a line.
func (b *block) place() string { return separated(plural(b.pages, "page")) }

const (
	// minBlockLinks is the number of links with the same fault, on two or more pages, from
	// which on they are listed once.
	minBlockLinks = shownPlaces + 1
	// minDirectoryTargets is the number of documents missing in a directory from which on they
	// are listed once. A few that happen to be in one directory are different faults.
	minDirectoryTargets = 6
	// shownTargets is the number of names that a block lists of what differs.
	shownTargets = 6
)

// likeness is one way in which faults can be the same.
type likeness struct {
	common     func(*fault) string // what the faults of a block have in common, "" if they are not alike; nil for a directory
	least      int                 // of what differs
	leastPages int
	each       string                          // as block.each
	names      int                             // that a block lists of what differs
	name       func(url, common string) string // of a target, in that list
}

// likenesses are in the order in which they are looked for.
var likenesses = [...]likeness{
	{common: func(f *fault) string { return f.written }, least: 2, leastPages: 2, each: "target"},
	{common: incompleteDocument, least: 2, leastPages: 2, each: "fragment", names: shownTargets, name: strings.TrimPrefix},
	{common: urlOf, least: 1, leastPages: siteWidePages + 1},
	{least: minDirectoryTargets, leastPages: 2, each: "document", names: shownTargets, name: strings.TrimPrefix}, // in one directory
	{common: missingDocument, least: 2, leastPages: 2, each: "fragment"},
	{common: urlOf, least: 1, leastPages: 2},
}

// blocksOf returns the faults that are listed once for several places: links that are
// written alike, fragments of one document, links to one target, and targets in one
// directory. It also returns the other faults, in their order. It uses the memory of the list.
func blocksOf(faults []*fault) (blocks []block, rest []*fault) {
	rest = faults
	var order []*fault // those that may be alike; a map would take more memory than the faults
	for _, like := range likenesses {
		common := like.common
		if common == nil {
			common = directoriesOf(rest)
		}
		order = order[:0]
		for i, f := range rest {
			f.at = uint32(i)
			if f.common = common(f); f.common != "" {
				order = append(order, f)
			}
		}
		slices.SortFunc(order, func(a, b *fault) int { return cmp.Or(compareFaults(a, b), cmp.Compare(a.at, b.at)) })
		for left := order; len(left) > 0; {
			n := 1
			for n < len(left) && compareFaults(left[0], left[n]) == 0 {
				n++
			}
			group := faultGroup(left[:n])
			left = left[n:]
			b, ok := like.block(group, group[0].common)
			if !ok {
				continue
			}
			blocks = append(blocks, b)
			for _, f := range group {
				f.blocked = true
			}
		}
		rest = slices.DeleteFunc(rest, func(f *fault) bool { return f.blocked })
	}
	return blocks, rest
}

// compareFaults compares what the faults of a block have in common.
func compareFaults(a, b *fault) int {
	return cmp.Or(cmp.Compare(a.common, b.common), cmp.Compare(a.word, b.word), cmp.Compare(a.code, b.code))
}

// faultGroup are faults that have something in common, sorted by URL. It is not empty.
type faultGroup []*fault

// pages returns the pages of all references, sorted.
func (g faultGroup) pages() []string {
	if len(g) == 1 {
		return g[0].pages
	}
	var pages []string
	for _, f := range g {
		if len(f.pages) > 1 || len(pages) == 0 || pages[len(pages)-1] != f.pages[0] {
			pages = append(pages, f.pages...)
		}
	}
	slices.Sort(pages)
	return slices.Compact(pages)
}

func (g faultGroup) firstOn(page string) result.Reference {
	var first *spot
	for _, f := range g {
		for i := range f.spots {
			if s := &f.spots[i]; s.page == page && (first == nil || s.compare(first) < 0) {
				first = s
			}
		}
	}
	return first.reference()
}

// block returns the block of faults that are alike, if they are on enough pages. Pages may be
// many: they are copied and sorted only if a block needs those of several faults.
func (l *likeness) block(group faultGroup, common string) (block, bool) {
	links := 0
	for _, f := range group {
		links += f.links
	}
	if l.common == nil {
		common = group.directory()
	}
	b := block{row: group[0].row, links: links, each: l.each}
	if links < minBlockLinks {
		return block{}, false
	}
	if b.differing, b.names = l.differing(group, common); b.differing < l.least {
		return block{}, false
	}
	pages := group.pages()
	if b.pages = len(pages); b.pages < l.leastPages {
		return block{}, false
	}
	b.url = common
	for _, page := range pages[:min(len(pages), shownPlaces)] {
		first := group.firstOn(page)
		b.places = append(b.places, placeOf(&first).String())
		if b.ref == nil {
			b.ref = &first
		}
	}
	alike := true
	for _, f := range group {
		if f.hint != b.hint {
			b.hint = ""
		}
		alike = alike && f.alike && f.spots[0].text == b.ref.Text && f.spots[0].folder == b.ref.Folder
	}
	if !alike && len(group) > 1 {
		b.ref = nil
	}
	return b, true
}

// differing returns the number of what differs between targets, and the names of the first.
func (l *likeness) differing(group faultGroup, common string) (n int, names []string) {
	last := ""
	for _, f := range group { // sorted by URL
		url := f.url
		if l.common == nil {
			url = document(url)
		}
		if n > 0 && url == last {
			continue
		}
		last = url
		if n++; n <= l.names {
			names = append(names, l.name(url, common))
		}
	}
	return n, names
}

// written returns how all links to a target are written, without the steps to parent
// directories, which depend on the page; or "" if they differ.
func written(refs []result.Reference) string {
	raw := ""
	for i := range refs {
		this := refs[i].Raw
		for strings.HasPrefix(this, "./") || strings.HasPrefix(this, "../") {
			_, this, _ = strings.Cut(this, "/")
		}
		if i > 0 && this != raw {
			return ""
		}
		raw = this
	}
	return raw
}

// incompleteDocument returns the document that lacks the fragment of a target.
func incompleteDocument(f *fault) string {
	if aboutFragment(check.Code(f.code)) {
		return document(f.url)
	}
	return ""
}

// missingDocument returns the document of a target that is not there at all.
func missingDocument(f *fault) string {
	if aboutFragment(check.Code(f.code)) {
		return ""
	}
	return document(f.url)
}

func urlOf(f *fault) string { return f.url }

// directoriesOf returns a function that returns the directory of a missing document just
// below the directory that all faults have in common. It returns "" for other faults.
func directoriesOf(faults []*fault) func(*fault) string {
	roots := map[string]string{} // of the documents with the same origin
	for _, f := range faults {
		if codeIsMissing(f.code) {
			origin, name := hostOf(f.url), document(f.url)
			root, known := roots[origin]
			if !known {
				root = name
			}
			roots[origin] = commonDirectory(root, name)
		}
	}
	return func(f *fault) string {
		if !codeIsMissing(f.code) {
			return ""
		}
		root := roots[hostOf(f.url)]
		if below := strings.IndexByte(document(f.url)[len(root):], '/'); below >= 0 {
			return f.url[:len(root)+below+1]
		}
		return ""
	}
}

func codeIsMissing(code string) bool {
	switch check.Code(code) {
	case check.CodeFileMissing, check.CodeFileOutsideRoot, "http-404", "http-410":
		return true
	}
	return false
}

// directory returns the directory that contains all targets, with a slash at the end; "" for none.
func (g faultGroup) directory() string {
	dir := document(g[0].url)
	for _, f := range g {
		dir = commonDirectory(dir, document(f.url))
	}
	return dir
}
