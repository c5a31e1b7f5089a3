package report

import (
	"cmp"
	"maps"
	"slices"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
)

// Diff tells two runs apart by their broken links. A link is the same in both when
// page, target and code are (match.go).
type Diff struct {
	Before, After Head
	New           []Change // broken now, not before
	Fixed         []Change // broken before, not now
	Still         []Change // broken before and now
	// Unclear were broken before, and the later run could not tell: their target is
	// unverified or skipped there, or that run was cut short and did not list it.
	Unclear []Change
}

// Change is one broken link of a page.
type Change struct {
	Page     string // empty when the target had no reference
	URL      string
	Code     check.Code
	Was      check.Code // of a new one: the code it was broken with before, if it was
	Message  string
	Internal bool
	// References are its places on the page, in the later run if it is there.
	References  []crawler.Reference
	Suggestions []check.Suggestion
}

// link is what makes a link the same in two runs, the code apart.
type link struct{ page, url string }

// Exit returns the exit status of a comparison: 1 when something is newly broken.
func (d Diff) Exit() int {
	if len(d.New) > 0 {
		return ExitFindings
	}
	return ExitOK
}

// Compare tells what changed from old to new. A link that is broken with another
// code than before is new, with Was set, and not counted as fixed. Of one that a
// page has more often than before, what is more is new.
func Compare(old, new *Report) Diff {
	before, after := brokenLinks(old), brokenLinks(new)
	d := Diff{Before: cleanHead(&old.Head), After: cleanHead(&new.Head)}
	for l, codes := range after {
		for code, c := range codes {
			known, ok := before[l][code]
			if !ok {
				if was := before[l]; len(was) > 0 {
					c.Was = slices.Min(slices.Collect(maps.Keys(was)))
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
		verdicts[clean(r.URL)] = r.Verdict
	}
	for l, codes := range before {
		v, listed := verdicts[l.url]
		unclear := !listed && !new.Summary.Complete || v == check.Unverified || v == check.Skipped
		for code, c := range codes {
			still, ok := after[l][code]
			switch {
			case ok:
				if _, less := matchPlaces(still.References, c.References); len(less) > 0 && new.Summary.Complete {
					d.Fixed = append(d.Fixed, c.at(less))
				}
			case len(after[l]) > 0: // broken with another code
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

// at is a change at some of its places.
func (c Change) at(refs []crawler.Reference) Change {
	c.References = refs
	return c
}

// brokenLinks collects a report's broken links.
func brokenLinks(r *Report) map[link]map[check.Code]Change {
	links := map[link]map[check.Code]Change{}
	for _, result := range r.Results {
		if result.Verdict != check.Broken {
			continue
		}
		result = cleanResult(result)
		change := Change{
			URL: result.URL, Code: result.Code, Message: result.Message,
			Internal: result.Internal, Suggestions: result.Suggestions,
		}
		refs := result.References
		for first := true; first || len(refs) > 0; first = false {
			n := 0
			for n < len(refs) && refs[n].Page == refs[0].Page {
				n++
			}
			if n > 0 {
				change.Page = refs[0].Page
			}
			change.References, refs = refs[:n:n], refs[n:]
			l := link{change.Page, change.URL}
			if links[l] == nil {
				links[l] = map[check.Code]Change{}
			}
			if same, ok := links[l][change.Code]; ok {
				change.References = slices.Clip(append(same.References, change.References...))
			}
			links[l][change.Code] = change
		}
	}
	return links
}

// byPage orders changes; a slice of references keeps the order of its pages.
func byPage(a, b Change) int {
	return cmp.Or(cmp.Compare(a.Page, b.Page), cmp.Compare(a.URL, b.URL), cmp.Compare(a.Code, b.Code))
}
