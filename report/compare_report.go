package report

import (
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Report returns a comparison as the report of its later run, for every format: new findings
// are listed as they are, those of both runs are known, fixed ones are ok, and those that could
// not be verified are skipped. show has the parts to list; 0 means all of them.
func (d Diff) Report(show Parts) *Report {
	r := &Report{Head: d.after, Summary: *d.now}
	r.Head.compared = &d
	s := &r.Summary
	s.Broken, s.Unverified, s.Skipped, s.Warnings, s.OK, s.BrokenDocuments, s.Recent = 0, 0, 0, 0, 0, 0, 0
	s.Internal, s.External, s.Known, s.ByCode = result.Tally{}, result.Tally{}, result.Tally{}, map[check.Code]int{}
	for _, part := range d.parts() {
		if show.orAll()&part.show == 0 {
			continue
		}
		for _, c := range folded(part.changes) {
			r.Results = append(r.Results, c.asResult(part.show))
		}
	}
	for _, one := range r.Results {
		s.ByCode[one.Code]++
		side := &s.External
		switch {
		case len(one.Known) > 0:
			side = &s.Known
		case one.Internal:
			side = &s.Internal
		}
		switch one.Verdict {
		case check.OK:
			s.OK++
		case check.Skipped:
			s.Skipped++
		case check.Broken:
			s.Broken, side.Broken = s.Broken+1, side.Broken+1
		case check.Unverified:
			s.Unverified, side.Unverified = s.Unverified+1, side.Unverified+1
		case check.VerdictWarning:
			s.Warnings, side.Warnings = s.Warnings+1, side.Warnings+1
		}
	}
	slices.SortStableFunc(r.Results, byURL)
	return r
}

func (c *change) asResult(part Parts) *result.Result {
	r := *c.found
	r.References, r.Warnings, r.Known = slices.SortedFunc(slices.Values(c.references), byPlace), nil, nil
	r.BrokenRuns, r.FailsAfter = 0, 0
	switch part {
	case partFixed:
		r.Verdict, r.Message, r.Suggestions, r.Proposal = check.OK, "", nil, ""
	case partUnclear:
		r.Verdict = check.Skipped
	case partStill:
		r.Known = []check.Code{r.Code}
	}
	return &r
}

func changeOf(r *result.Result) string {
	switch {
	case r.Verdict == check.OK:
		return "fixed"
	case r.Verdict == check.Skipped:
		return "unclear"
	case len(r.Known) > 0:
		return "still"
	}
	return "new"
}
