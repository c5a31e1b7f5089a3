package report

import (
	"cmp"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/result"
)

type occurrence struct {
	*finding
	place
}

// sentence adds the place, for readers that show only lines.
func (o *occurrence) sentence() string {
	s := o.finding.sentence()
	if at := elementPlace(o.ref); at != "" {
		s += " (" + at + ")"
	}
	if o.ref != nil && o.ref.Folder != "" {
		s += "; bookmark " + linkText(o.ref, maxTextWidth)
	}
	return s
}

// known reports whether a baseline has the finding at this place.
func (o *occurrence) known() bool {
	return slices.Contains(o.result.Known, o.code) || !o.warning && o.ref != nil && o.ref.Known
}

// occurrences are findings at their places.
type occurrences []occurrence

func (o *occurrences) add(show Show, r *result.Result) {
	findings := findingsOf(show, r)
	for i := range findings {
		for _, p := range findings[i].places() {
			*o = append(*o, occurrence{&findings[i], p})
		}
	}
}

// byPage sorts by page and place. Findings at one place keep their order.
func (o occurrences) byPage() {
	slices.SortStableFunc(o, func(a, b occurrence) int {
		if a.page != b.page {
			return cmp.Compare(a.page, b.page)
		}
		return comparePlaces(a.ref, b.ref)
	})
}

// pages returns the number of pages of occurrences, which are sorted by page.
func (o occurrences) pages() int {
	n := 0
	o.eachPage(func(string, occurrences) { n++ })
	return n
}

// eachPage calls fn for each page of occurrences, which are sorted by page.
func (o occurrences) eachPage(fn func(page string, o occurrences)) {
	for len(o) > 0 {
		n := 1
		for n < len(o) && o[n].page == o[0].page {
			n++
		}
		fn(o[0].page, o[:n])
		o = o[n:]
	}
}
