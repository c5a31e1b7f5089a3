package report

import (
	"cmp"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Diff is the difference between the broken links of two runs, between their broken and
// unverified findings of content checks, and between their warnings. They are the same in both
// if page, target, code and rule are the same (matching.go).
type Diff struct {
	Before, After Head
	New           []Change // broken now, but not before
	Fixed         []Change // broken before, but not now
	Still         []Change // broken before and now
	// Unclear were broken before, and the later run could not verify them: their target
	// is unverified or skipped, or the run was cut short and did not list it.
	Unclear []Change
	// Warnings are empty if one of the reports does not list its warnings.
	NewWarnings, FixedWarnings, StillWarnings []Change

	now *result.Summary // of the later run
}

// Change is one broken link of a page, one fault that a content check found on it, or one
// warning.
type Change struct {
	Verdict  check.Verdict // [check.VerdictWarning] for a warning
	Kind     result.Kind
	Page     string // empty if the target had no reference
	URL      string
	Code     check.Code
	Rule     string     // of KindPage
	Was      check.Code // the earlier code of a new link that was broken before
	Message  string
	Proposal string
	Internal bool
	// References are its places on the page, in the later run if that has the link.
	References  []result.Reference
	Suggestions []check.Suggestion

	found *result.Result // in the later run that has it, with all its references
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

// Exit returns the exit status of a comparison: 1 if a link is newly broken. Warnings do not
// change it.
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
	d := Diff{Before: cleanHead(&old.Head), After: cleanHead(&new.Head), now: cleanSummary(&new.Summary)}
	later := laterRun{verdicts: map[string]check.Verdict{}, complete: new.Summary.Soundness.Complete(), content: new.Summary.Findings != nil}
	for _, r := range new.Results {
		if r.Kind != result.KindTarget {
			continue
		}
		if _, ok := later.verdicts[clean(r.URL)]; !ok || r.Verdict != check.Skipped { // else only other references are skipped
			later.verdicts[clean(r.URL)] = r.Verdict
		}
	}
	later.partial = !later.complete || countBroken(new) < new.Summary.Broken // it lists only some verdicts
	d.New, d.Fixed, d.Still, d.Unclear = later.compare(brokenLinks(old), brokenLinks(new))
	before, listed := warningsOf(old)
	after, all := warningsOf(new)
	if listed && all {
		d.NewWarnings, d.FixedWarnings, d.StillWarnings, _ = later.compare(before, after)
	}
	return d
}

// laterRun is what the later of two runs says about the findings of the earlier one.
type laterRun struct {
	verdicts          map[string]check.Verdict
	complete, partial bool // partial: it does not list every verdict
	content           bool // it checked the content of pages
}

// verified reports whether the run can tell that a finding is gone.
func (r *laterRun) verified(l link, c *Change) bool {
	v, listed := r.verdicts[l.url]
	switch {
	case l.kind == result.KindPage:
		return r.content
	case !listed:
		return !r.partial
	case c.Verdict == check.VerdictWarning && v == check.Broken: // the warning gave way to another fault
		return false
	}
	return v != check.Unverified && v != check.Skipped
}

// compare compares findings of the same kind in two runs.
func (r *laterRun) compare(before, after map[link][]Change) (added, fixed, still, unclear []Change) {
	for l, changes := range after {
		for _, c := range changes {
			known := sameFault(before[l], &c)
			if known == nil {
				if was := before[l]; len(was) > 0 && l.kind == result.KindTarget && c.Verdict == check.Broken {
					c.Was = slices.MinFunc(was, func(a, b Change) int { return cmp.Compare(a.Code, b.Code) }).Code
				}
				added = append(added, c)
				continue
			}
			same, more := matchPlaces(known.References, c.References)
			still = append(still, c.at(same))
			if len(more) > 0 {
				added = append(added, c.at(more))
			}
		}
	}
	for l, changes := range before {
		for _, c := range changes {
			now := sameFault(after[l], &c)
			switch {
			case now != nil:
				if _, less := matchPlaces(now.References, c.References); len(less) > 0 && r.complete {
					fixed = append(fixed, c.at(less))
				}
			case l.kind == result.KindTarget && c.Verdict == check.Broken && len(after[l]) > 0: // broken with another code
			case r.verified(l, &c):
				fixed = append(fixed, c)
			default:
				unclear = append(unclear, c)
			}
		}
	}
	for _, changes := range [][]Change{added, fixed, still, unclear} {
		slices.SortFunc(changes, byPage)
	}
	return added, fixed, still, unclear
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
		if found.Verdict == check.Broken || found.Verdict == check.Unverified && found.Kind == result.KindPage {
			addChanges(links, cleanResult(found))
		}
	}
	return clipped(links)
}

// warningsOf returns the warnings of a report. all is false if it does not list them all.
func warningsOf(r *Report) (links map[link][]Change, all bool) {
	links = map[link][]Change{}
	listed := 0
	for _, found := range r.Results {
		if found.Verdict != check.VerdictWarning && len(found.Warnings) == 0 {
			continue
		}
		for _, f := range findingsOf(ShowWarning, cleanResult(found)) {
			if f.word != "warning" {
				continue
			}
			listed++
			one := *f.result
			one.Verdict, one.Code, one.Message, one.Proposal, one.Warnings = check.VerdictWarning, f.code, f.message, f.proposal, nil
			switch {
			case check.OfPage(f.code): // reported once, however many links lead there
				one.References = nil
			case one.Kind == result.KindTarget:
				one.References = affectedReferences(one.References, f.code)
			}
			addChanges(links, &one)
		}
	}
	return clipped(links), listed >= r.Summary.Warnings
}

// addChanges adds the finding of a result on each of its pages.
func addChanges(links map[link][]Change, found *result.Result) {
	change := Change{
		Verdict: found.Verdict, Kind: found.Kind, URL: found.URL, Code: found.Code, Rule: found.Rule, Message: found.Message, Proposal: found.Proposal,
		Internal: found.Internal, Suggestions: found.Suggestions, found: found,
	}
	eachPage(found.References, func(page string, refs []result.Reference) {
		change.Page, change.References = page, refs
		l := link{change.Page, change.URL, change.Kind}
		if same := sameFault(links[l], &change); same != nil {
			change.References = append(same.References, change.References...)
			*same = change
		} else {
			links[l] = append(links[l], change)
		}
	})
}

// clipped takes the spare capacity from the references of changes, so that they can be joined.
func clipped(links map[link][]Change) map[link][]Change {
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
