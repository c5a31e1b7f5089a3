package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
)

// firstPlaces is how many places a finding names that has too many.
const firstPlaces = 3

// place is where a finding stands.
type place struct {
	page         string // as reports name pages
	line, column int    // 0 where there is none
	ref          *crawler.Reference
}

func placeOf(ref *crawler.Reference) place {
	p := place{page: ref.Page, ref: ref}
	if ref.Line > 0 {
		p.line, p.column = ref.Line, max(ref.Column, 1)
	}
	return p
}

// String names a place as editors open it.
func (p place) String() string {
	if p.line == 0 {
		if at := spot(p.ref); at != "" {
			return p.page + " (" + at + ")"
		}
		return p.page
	}
	return fmt.Sprintf("%s:%d:%d", p.page, p.line, p.column)
}

// spot is where on its page a reference stands that has no line: on a page of a PDF, in
// its outline, or in a header of the answer. Empty where nothing is known.
func spot(ref *crawler.Reference) string {
	const longest = 20
	if ref == nil || ref.Line > 0 || pdfPage(ref) == 0 && ref.Element != "outline" && ref.Element != "header" {
		return ""
	}
	return clip(visible(ref.Element), longest)
}

// pdfPage is the page of a PDF that a reference stands on, 0 where it is none.
func pdfPage(ref *crawler.Reference) int {
	number, ok := strings.CutPrefix(ref.Element, "page ")
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(number)
	if err != nil {
		return 0
	}
	return max(n, 0)
}

// byPlace orders references by page, line and column; the rest is for places that
// have neither, so that the order never depends on the run.
func byPlace(a, b crawler.Reference) int {
	return cmp.Or(
		cmp.Compare(a.Page, b.Page),
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.Column, b.Column),
		cmp.Compare(a.Element, b.Element),
		cmp.Compare(a.Attribute, b.Attribute),
		cmp.Compare(a.Raw, b.Raw),
		cmp.Compare(a.Text, b.Text),
	)
}

// compareSpots orders references of one page by place. Where there is none comes first.
func compareSpots(a, b *crawler.Reference) int {
	var x, y crawler.Reference
	if a == nil {
		a = &x
	}
	if b == nil {
		b = &y
	}
	if c := cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)); c != 0 {
		return c
	}
	return cmp.Compare(pdfPage(a), pdfPage(b))
}

// atSources are references at the places where people mend them: in the sources of
// their pages, where those are known.
func atSources(refs []crawler.Reference) []crawler.Reference {
	if !slices.ContainsFunc(refs, func(r crawler.Reference) bool { return r.Source != nil }) {
		return refs
	}
	moved := slices.Clone(refs)
	for i := range moved {
		at := moved[i].At()
		moved[i].Page, moved[i].Line, moved[i].Column, moved[i].Raw, moved[i].Source = at.File, at.Line, at.Column, at.Raw, nil
	}
	slices.SortFunc(moved, byPlace)
	return slices.CompactFunc(moved, func(a, b crawler.Reference) bool { return byPlace(a, b) == 0 })
}

// concerned are the references that a finding is about.
func concerned(refs []crawler.Reference, code check.Code) []crawler.Reference {
	if !slices.ContainsFunc(refs, func(r crawler.Reference) bool { return !r.Concerns(code) }) {
		return refs
	}
	return slices.DeleteFunc(slices.Clone(refs), func(r crawler.Reference) bool { return !r.Concerns(code) })
}

// eachPage calls fn for each page of references, which are sorted, with the
// references there; once without a page when there are none.
func eachPage(refs []crawler.Reference, fn func(page string, refs []crawler.Reference)) {
	if len(refs) == 0 {
		fn("", nil)
		return
	}
	for len(refs) > 0 {
		n := 0
		for n < len(refs) && refs[n].Page == refs[0].Page {
			n++
		}
		fn(refs[0].Page, refs[:n:n])
		refs = refs[n:]
	}
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
		if places = append(places, placeOf(&refs[i]).String()); len(places) == firstPlaces {
			break
		}
	}
	return places
}

// pageFirsts yields the first reference of each page; references are sorted by page.
func pageFirsts(refs []crawler.Reference) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range refs {
			if (i == 0 || refs[i].Page != refs[i-1].Page) && !yield(i) {
				return
			}
		}
	}
}

// alike tells references that nobody can tell apart by what is shown of them: a link of
// a PDF that is broken over two lines is two.
func alike(a, b *crawler.Reference) bool {
	return a.Line <= 0 && b.Line <= 0 && a.Page == b.Page && a.Element == b.Element && a.Text == b.Text
}
