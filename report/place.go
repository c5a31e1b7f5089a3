package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// shownPlaces is the number of places that are listed of a finding with too many.
const shownPlaces = 3

type place struct {
	page         string // the name of the page in reports
	line, column int    // 0 if unknown
	ref          *result.Reference
}

func placeOf(ref *result.Reference) place {
	p := place{page: ref.Page, ref: ref}
	if ref.Line > 0 {
		p.line, p.column = ref.Line, max(ref.Column, 1)
	}
	return p
}

// String returns the place in the form that editors open.
func (p place) String() string {
	if p.line == 0 {
		if at := elementPlace(p.ref); at != "" {
			return p.page + " (" + at + ")"
		}
		return p.page
	}
	return fmt.Sprintf("%s:%d:%d", p.page, p.line, p.column)
}

// elementPlace describes the place of a reference without a line: on a page of a PDF, in
// its outline, or in a header of the response. It is empty if nothing is known.
func elementPlace(ref *result.Reference) string {
	const longest = 20
	if ref == nil || ref.Line > 0 || pdfPage(ref) == 0 && ref.Element != "outline" && ref.Element != "header" {
		return ""
	}
	return clip(visible(ref.Element), longest)
}

// pdfPage returns the number of the PDF page that contains a reference, or 0.
func pdfPage(ref *result.Reference) int {
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

// byPlace orders references by page, line and column. The other fields order references
// without a line, so that the order is the same in every run.
func byPlace(a, b result.Reference) int {
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

// comparePlaces orders references on one page by place. References without a place come
// first.
func comparePlaces(a, b *result.Reference) int {
	var x, y result.Reference
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

// atSourcePlaces returns references at the places where they can be fixed: in the sources
// of their pages, if these are known.
func atSourcePlaces(refs []result.Reference) []result.Reference {
	if !slices.ContainsFunc(refs, func(r result.Reference) bool { return r.Source != nil }) {
		return refs
	}
	moved := slices.Clone(refs)
	for i := range moved {
		at := moved[i].At()
		moved[i].Page, moved[i].Line, moved[i].Column, moved[i].Raw, moved[i].Source = at.File, at.Line, at.Column, at.Raw, nil
	}
	slices.SortFunc(moved, byPlace)
	return slices.CompactFunc(moved, func(a, b result.Reference) bool { return byPlace(a, b) == 0 })
}

func affectedReferences(refs []result.Reference, code check.Code) []result.Reference {
	if !slices.ContainsFunc(refs, func(r result.Reference) bool { return !r.Concerns(code) }) {
		return refs
	}
	return slices.DeleteFunc(slices.Clone(refs), func(r result.Reference) bool { return !r.Concerns(code) })
}

// eachPage calls fn for each page of references, which are sorted, with the references on
// it. If there are no references, it calls fn once without a page.
func eachPage(refs []result.Reference, fn func(page string, refs []result.Reference)) {
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

// countPages returns the number of pages of references, which are sorted by page.
func countPages(refs []result.Reference) int {
	n := 0
	for i := range refs {
		if i == 0 || refs[i].Page != refs[i-1].Page {
			n++
		}
	}
	return n
}

// firstOfPages returns the first place on each of the first pages, in the form that
// editors open.
func firstOfPages(refs []result.Reference) []string {
	var places []string
	for i := range refs {
		if i > 0 && refs[i].Page == refs[i-1].Page {
			continue
		}
		if places = append(places, placeOf(&refs[i]).String()); len(places) == shownPlaces {
			break
		}
	}
	return places
}

// pageFirsts yields the index of the first reference on each page. The references are
// sorted by page.
func pageFirsts(refs []result.Reference) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range refs {
			if (i == 0 || refs[i].Page != refs[i-1].Page) && !yield(i) {
				return
			}
		}
	}
}

// indistinguishable reports whether two references look the same in a report. For
// example, a PDF link that is broken over two lines is two references.
func indistinguishable(a, b *result.Reference) bool {
	return a.Line <= 0 && b.Line <= 0 && a.Page == b.Page && a.Element == b.Element && a.Text == b.Text
}
