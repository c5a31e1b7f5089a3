package report

import (
	"slices"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
)

// Two runs have a finding in common when page, target and code are the same, and as
// often as both have it on that page: where on the page it stands does not matter,
// so that edits elsewhere on the page change nothing.

// findingKey is what is the same.
type findingKey struct {
	page, url string
	code      check.Code
}

// matchPlaces tells which of a page's places of a finding an earlier run had too,
// and which are more than it had. Those written as before come first.
func matchPlaces(before, now []crawler.Reference) (same, more []crawler.Reference) {
	left := max(len(before), 1)
	if len(now) <= left {
		return now, nil
	}
	type spelling struct{ element, attribute, raw, text string }
	of := func(r *crawler.Reference) spelling { return spelling{r.Element, r.Attribute, r.Raw, r.Text} }
	had := map[spelling]int{}
	for i := range before {
		had[of(&before[i])]++
	}
	isSame := make([]bool, len(now))
	for i := range now {
		if s := of(&now[i]); had[s] > 0 {
			had[s]--
			left--
			isSame[i] = true
		}
	}
	for i := range now {
		if !isSame[i] && left > 0 {
			left--
			isSame[i] = true
		}
		if isSame[i] {
			same = append(same, now[i])
		} else {
			more = append(more, now[i])
		}
	}
	return slices.Clip(same), slices.Clip(more)
}
