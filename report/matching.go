package report

import (
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Two runs have a finding in common if page, target and code are the same, and the rule of a
// finding of a content check. If a page has
// it several times, the smaller number of the two runs is in common. The position on the
// page is ignored, so that edits elsewhere on the page change nothing.

// findingKey identifies a finding in two runs.
type findingKey struct {
	page, url string
	code      check.Code
	// content is true for a finding of a content check, which may have a rule.
	content bool
	rule    string
}

// matchPlaces divides the places of a finding on a page into those that an earlier run
// had too, and additional ones. It matches references with the same spelling first.
func matchPlaces(before, now []result.Reference) (same, more []result.Reference) {
	left := max(len(before), 1)
	if len(now) <= left {
		return now, nil
	}
	type spelling struct{ element, attribute, raw, text string }
	of := func(r *result.Reference) spelling { return spelling{r.Element, r.Attribute, r.Raw, r.Text} }
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
