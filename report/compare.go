package report

import (
	"cmp"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Diff is the difference between the broken links of two runs, and between their broken and
// unverified findings of content checks. They are the same in both if page, target, code and
// rule are the same (matching.go).
type Diff struct {
	Before, After Head
	New           []Change // broken now, but not before
	Fixed         []Change // broken before, but not now
	Still         []Change // broken before and now
	// Unclear were broken before, and the later run could not verify them: their target
	// is unverified or skipped, or the run was cut short and did not list it.
	Unclear []Change
}

// Change is one broken link of a page, or one fault that a content check found on it.
type Change struct {
	Kind     result.Kind
	Page     string // empty if the target had no reference
	URL      string
	Code     check.Code
	Rule     string     // of KindPage
	Was      check.Code // the earlier code of a new link that was broken before
	Message  string
	Internal bool
	// References are its places on the page, in the later run if that has the link.
	References  []result.Reference
	Suggestions []check.Suggestion
}

// link identifies a link in two runs, apart from its code. All faults that content checks
// found on a page have one link of their own, in which each code and rule is by itself.
type link struct {
	page, url string
	kind      result.Kind
}

// sameFault returns the change with the code and rule of another one, or nil.
func sameFault(changes []Change, c *Change) *Change {
	i := slices.IndexFunc(changes, func(other Change) bool { return other.Code == c.Code && other.Rule == c.Rule })
	if i < 0 {
		return nil
	}
	return &changes[i]
}

// Exit returns the exit status of a comparison: 1 if a link is newly broken.
func (d Diff) Exit() int {
	if len(d.New) > 0 {
		return ExitFindings
	}
	return ExitOK
}

// Compare returns what changed between two reports. A link that is broken with another
// code than before is new, with Was set, and is not counted as fixed. If a page has a
// broken link more often than before, the additional places are new.
func Compare(old, new *Report) Diff {
	before, after := brokenLinks(old), brokenLinks(new)
	d := Diff{Before: cleanHead(&old.Head), After: cleanHead(&new.Head)}
	for l, changes := range after {
		for _, c := range changes {
			known := sameFault(before[l], &c)
			if known == nil {
				if was := before[l]; len(was) > 0 && l.kind == result.KindTarget {
					c.Was = slices.MinFunc(was, func(a, b Change) int { return cmp.Compare(a.Code, b.Code) }).Code
				}
				d.New = append(d.New, c)
				continue
			}
			same, more := matchPlaces(known.References, c.References)
			d.Still = append(d.Still, c.at(same))
			if len(more) > 0 {
				d.New = append(d.New, c.at(more))
			}
		}
	}
	verdicts := make(map[string]check.Verdict, len(new.Results))
	for _, r := range new.Results {
		if r.Kind != result.KindTarget {
			continue
		}
		if url := clean(r.URL); r.Verdict != check.Skipped {
			verdicts[url] = r.Verdict
		} else if _, ok := verdicts[url]; !ok { // otherwise only other references are skipped
			verdicts[url] = r.Verdict
		}
	}
	partial := !new.Summary.Soundness.Complete() || countBroken(new) < new.Summary.Broken // it lists only some verdicts
	for l, changes := range before {
		v, listed := verdicts[l.url]
		unclear := !listed && partial || v == check.Unverified || v == check.Skipped ||
			l.kind == result.KindPage && new.Summary.Findings == nil // no content was checked
		for _, c := range changes {
			still := sameFault(after[l], &c)
			switch {
			case still != nil:
				if _, less := matchPlaces(still.References, c.References); len(less) > 0 && new.Summary.Soundness.Complete() {
					d.Fixed = append(d.Fixed, c.at(less))
				}
			case l.kind == result.KindTarget && len(after[l]) > 0: // broken with another code
			case unclear:
				d.Unclear = append(d.Unclear, c)
			default:
				d.Fixed = append(d.Fixed, c)
			}
		}
	}
	for _, changes := range [][]Change{d.New, d.Fixed, d.Still, d.Unclear} {
		slices.SortFunc(changes, byPage)
	}
	return d
}

// countBroken returns how many results of a report are broken.
func countBroken(r *Report) int {
	n := 0
	for _, result := range r.Results {
		if result.Verdict == check.Broken {
			n++
		}
	}
	return n
}

// at returns the change with only some of its places.
func (c Change) at(refs []result.Reference) Change {
	c.References = refs
	return c
}

// brokenLinks returns the broken links of a report, and the broken and unverified findings
// of content checks, with one change for each code and rule.
func brokenLinks(r *Report) map[link][]Change {
	links := map[link][]Change{}
	for _, found := range r.Results {
		if found.Verdict != check.Broken && (found.Verdict != check.Unverified || found.Kind != result.KindPage) {
			continue
		}
		found = cleanResult(found)
		change := Change{
			Kind: found.Kind, URL: found.URL, Code: found.Code, Rule: found.Rule, Message: found.Message,
			Internal: found.Internal, Suggestions: found.Suggestions,
		}
		refs := found.References
		for first := true; first || len(refs) > 0; first = false {
			n := 0
			for n < len(refs) && refs[n].Page == refs[0].Page {
				n++
			}
			if n > 0 {
				change.Page = refs[0].Page
			}
			change.References, refs = refs[:n:n], refs[n:]
			l := link{change.Page, change.URL, change.Kind}
			if same := sameFault(links[l], &change); same != nil {
				change.References = append(same.References, change.References...)
				*same = change
			} else {
				links[l] = append(links[l], change)
			}
		}
	}
	for _, changes := range links {
		for i := range changes {
			changes[i].References = slices.Clip(changes[i].References)
		}
	}
	return links
}

// byPage orders changes by page, URL, code and rule.
func byPage(a, b Change) int {
	return cmp.Or(cmp.Compare(a.Page, b.Page), cmp.Compare(a.URL, b.URL), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Rule, b.Rule))
}
