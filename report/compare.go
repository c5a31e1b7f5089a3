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
	before, after Head
	new           []change // broken now, but not before
	fixed         []change // broken before, but not now
	still         []change // broken before and now
	// Unclear were broken before, and the later run could not verify them: their target
	// is unverified or skipped, or the run was cut short and did not list it.
	unclear []change
	// Warnings are empty if one of the reports does not list its warnings.
	newWarnings, fixedWarnings, stillWarnings []change

	now *result.Summary // of the later run
}

// change is one broken link of a page, one fault that a content check found on it, or one
// warning.
type change struct {
	verdict  check.Verdict // [check.VerdictWarning] for a warning
	kind     result.Kind
	page     string // empty if the target had no reference
	url      string
	code     check.Code
	rule     string     // of KindPage
	was      check.Code // the earlier code of a new link that was broken before
	message  string
	proposal string
	internal bool
	// References are its places on the page, in the later run if that has the link.
	references  []result.Reference
	suggestions []check.Suggestion

	found *result.Result // in the later run that has it, with all its references
}

// link identifies a link in two runs, apart from its code. All faults that content checks
// found on a page have one link of their own, in which each code and rule is by itself.
type link struct {
	page, url string
	kind      result.Kind
}

// sameFault returns the change with the code and rule of another one, or nil.
func sameFault(changes []change, c *change) *change {
	i := slices.IndexFunc(changes, func(other change) bool { return other.code == c.code && other.rule == c.rule })
	if i < 0 {
		return nil
	}
	return &changes[i]
}

// Exit returns the exit status of a comparison: 1 if a link is newly broken. Warnings do not
// change it.
func (d Diff) Exit() int {
	if len(d.new) > 0 {
		return ExitFindings
	}
	return ExitOK
}

// Compare returns what changed between two reports. A link that is broken with another
// code than before is new, with Was set, and is not counted as fixed. If a page has a
// broken link more often than before, the additional places are new.
func Compare(old, new *Report) Diff {
	d := Diff{before: cleanHead(&old.Head), after: cleanHead(&new.Head), now: cleanSummary(&new.Summary)}
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
	d.new, d.fixed, d.still, d.unclear = later.compare(brokenLinks(old), brokenLinks(new))
	before, listed := warningsOf(old)
	after, all := warningsOf(new)
	if listed && all {
		d.newWarnings, d.fixedWarnings, d.stillWarnings, _ = later.compare(before, after)
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
func (r *laterRun) verified(l link, c *change) bool {
	v, listed := r.verdicts[l.url]
	switch {
	case l.kind == result.KindPage:
		return r.content
	case !listed:
		return !r.partial
	case c.verdict == check.VerdictWarning && v == check.Broken: // the warning gave way to another fault
		return false
	}
	return v != check.Unverified && v != check.Skipped
}

// compare compares findings of the same kind in two runs.
func (r *laterRun) compare(before, after map[link][]change) (added, fixed, still, unclear []change) {
	for l, changes := range after {
		for _, c := range changes {
			known := sameFault(before[l], &c)
			if known == nil {
				if was := before[l]; len(was) > 0 && l.kind == result.KindTarget && c.verdict == check.Broken {
					c.was = slices.MinFunc(was, func(a, b change) int { return cmp.Compare(a.code, b.code) }).code
				}
				added = append(added, c)
				continue
			}
			same, more := matchPlaces(known.references, c.references)
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
				if _, less := matchPlaces(now.references, c.references); len(less) > 0 && r.complete {
					fixed = append(fixed, c.at(less))
				}
			case l.kind == result.KindTarget && c.verdict == check.Broken && len(after[l]) > 0: // broken with another code
			case r.verified(l, &c):
				fixed = append(fixed, c)
			default:
				unclear = append(unclear, c)
			}
		}
	}
	for _, changes := range [][]change{added, fixed, still, unclear} {
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
func (c change) at(refs []result.Reference) change {
	c.references = refs
	return c
}

// brokenLinks returns the broken links of a report, and the broken and unverified findings
// of content checks, with one change for each code and rule.
func brokenLinks(r *Report) map[link][]change {
	links := map[link][]change{}
	for _, found := range r.Results {
		if found.Verdict == check.Broken || found.Verdict == check.Unverified && found.Kind == result.KindPage {
			addChanges(links, cleanResult(found))
		}
	}
	return clipped(links)
}

// warningsOf returns the warnings of a report. all is false if it does not list them all.
func warningsOf(r *Report) (links map[link][]change, all bool) {
	links = map[link][]change{}
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
func addChanges(links map[link][]change, found *result.Result) {
	one := change{
		verdict: found.Verdict, kind: found.Kind, url: found.URL, code: found.Code, rule: found.Rule, message: found.Message, proposal: found.Proposal,
		internal: found.Internal, suggestions: found.Suggestions, found: found,
	}
	eachPage(found.References, func(page string, refs []result.Reference) {
		one.page, one.references = page, refs
		l := link{one.page, one.url, one.kind}
		if same := sameFault(links[l], &one); same != nil {
			one.references = append(same.references, one.references...)
			*same = one
		} else {
			links[l] = append(links[l], one)
		}
	})
}

// clipped takes the spare capacity from the references of changes, so that they can be joined.
func clipped(links map[link][]change) map[link][]change {
	for _, changes := range links {
		for i := range changes {
			changes[i].references = slices.Clip(changes[i].references)
		}
	}
	return links
}

// byPage orders changes by page, URL, code and rule.
func byPage(a, b change) int {
	return cmp.Or(cmp.Compare(a.page, b.page), cmp.Compare(a.url, b.url), cmp.Compare(a.kind, b.kind), cmp.Compare(a.code, b.code), cmp.Compare(a.rule, b.rule))
}
