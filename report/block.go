package report

import (
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// fault is a finding with what a list shows of the references to its target. A target that is linked from
// every page has as many references, so only a few are kept of a fault that is listed once.
type fault struct {
	row
	refs    []result.Reference // sorted; the first on each of the first pages if the fault is listed once
	links   int
	pages   []string // of all references, sorted
	written string   // how all links are written; "" if they differ
	alike   bool     // all links have the same text
}

// newFault returns the fault of a finding with references, which are sorted and not empty.
func newFault(finding row, refs []result.Reference) fault {
	f := fault{row: finding, refs: refs, links: len(refs), written: written(refs)}
	f.pages = make([]string, 0, countPages(refs))
	for i := range pageFirsts(refs) {
		f.pages = append(f.pages, refs[i].Page)
	}
	f.alike = !slices.ContainsFunc(refs, func(r result.Reference) bool { return !sameText(&r, &refs[0]) })
	if f.links < minBlockLinks || len(f.pages) == 1 {
		return f
	}
	f.refs, f.written = nil, strings.Clone(f.written) // the strings of all references may be parts of one
	for i := range pageFirsts(refs) {
		r := &refs[i]
		f.refs = append(f.refs, result.Reference{Page: r.Page, Line: r.Line, Column: r.Column, Element: strings.Clone(r.Element), Text: strings.Clone(r.Text), Folder: r.Folder})
		if len(f.refs) == shownPlaces {
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
// directory. It also returns the other faults, in their order.
func blocksOf(faults []fault) (blocks []block, rest []fault) {
	type key struct{ word, code, common string }
	rest = faults
	for _, like := range likenesses {
		common := like.common
		if common == nil {
			common = directoriesOf(rest)
		}
		keys := make([]key, len(rest))
		groups := map[key][]fault{}
		for i := range rest {
			if c := common(&rest[i]); c != "" {
				keys[i] = key{rest[i].word, rest[i].code, c}
				groups[keys[i]] = append(groups[keys[i]], rest[i])
			}
		}
		made := map[key]bool{}
		for k, group := range groups {
			if b, ok := like.block(group, k.common); ok {
				blocks = append(blocks, b)
				made[k] = true
			}
		}
		if len(made) == 0 {
			continue
		}
		var left []fault
		for i := range rest {
			if !made[keys[i]] {
				left = append(left, rest[i])
			}
		}
		rest = left
	}
	return blocks, rest
}

// block returns the block of faults that are alike, if they are on enough pages. Pages may be
// many: they are copied and sorted only if a block needs those of several faults.
func (l *likeness) block(group []fault, common string) (block, bool) {
	refs, pages, links := group[0].refs, group[0].pages, 0
	for i := range group {
		links += group[i].links
	}
	if l.common == nil {
		common = sharedDirectory(group)
	}
	b := block{row: group[0].row, links: links, each: l.each}
	if links < minBlockLinks {
		return block{}, false
	}
	if b.differing, b.names = l.differing(group, common); b.differing < l.least {
		return block{}, false
	}
	if len(group) > 1 {
		refs, pages = nil, nil
		for i := range group {
			refs, pages = append(refs, group[i].refs...), append(pages, group[i].pages...)
		}
		slices.SortFunc(refs, byPlace)
		slices.Sort(pages)
		pages = slices.Compact(pages)
	}
	if b.pages = len(pages); b.pages < l.leastPages {
		return block{}, false
	}
	b.url, b.ref, b.places = common, &refs[0], firstOfPages(refs)
	for i := range group {
		if group[i].hint != b.hint {
			b.hint = ""
		}
	}
	if len(group) > 1 && slices.ContainsFunc(group, func(f fault) bool { return !f.alike || !sameText(&f.refs[0], b.ref) }) {
		b.ref = nil
	}
	return b, true
}

// differing returns the number of what differs between targets, and the names of the first.
func (l *likeness) differing(group []fault, common string) (n int, names []string) {
	last := ""
	for i := range group { // sorted by URL
		url := group[i].url
		if l.common == nil {
			url = document(url)
		}
		if i > 0 && url == last {
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
		for {
			rest, ok := strings.CutPrefix(this, "./")
			if !ok {
				rest, ok = strings.CutPrefix(this, "../")
			}
			if !ok {
				break
			}
			this = rest
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
func directoriesOf(faults []fault) func(*fault) string {
	var missing []fault
	for i := range faults {
		if isMissing(&faults[i]) {
			missing = append(missing, faults[i])
		}
	}
	roots := map[string]string{} // of the documents with the same origin
	byOrigin := map[string][]fault{}
	for _, f := range missing {
		origin := hostOf(f.url)
		byOrigin[origin] = append(byOrigin[origin], f)
	}
	for origin, group := range byOrigin {
		roots[origin] = sharedDirectory(group)
	}
	return func(f *fault) string {
		if !isMissing(f) {
			return ""
		}
		root := roots[hostOf(f.url)]
		if below := strings.IndexByte(document(f.url)[len(root):], '/'); below >= 0 {
			return f.url[:len(root)+below+1]
		}
		return ""
	}
}

// isMissing reports whether a fault is that a document is not there.
func isMissing(f *fault) bool { return codeIsMissing(f.code) }

func codeIsMissing(code string) bool {
	switch check.Code(code) {
	case check.CodeFileMissing, check.CodeFileOutsideRoot, "http-404", "http-410":
		return true
	}
	return false
}

// sharedDirectory returns the directory that contains all targets, with a slash at the end;
// "" for none.
func sharedDirectory(faults []fault) string {
	dir := document(faults[0].url)
	for i := range faults {
		dir = commonDirectory(dir, document(faults[i].url))
	}
	return dir
}
