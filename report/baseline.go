package report

import (
	"cmp"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Baseline holds the findings of an earlier run, so that only new ones can fail a run:
// broken and unverified targets, warnings, and what content checks found on pages. It is not safe for concurrent use.
type Baseline struct {
	before  map[findingKey][]result.Reference
	found   map[findingKey]int
	unclear map[string]bool // targets that the later run could not verify
	places  int

	known              result.Tally
	internal, external result.Tally
}

// NewBaseline returns the baseline of a report.
func NewBaseline(r *Report) *Baseline {
	b := &Baseline{before: map[findingKey][]result.Reference{}, found: map[findingKey]int{}, unclear: map[string]bool{}}
	for _, found := range r.Results {
		eachFinding(cleanResult(found), func(key findingKey, refs []result.Reference) {
			b.before[key] = append(b.before[key], refs...)
			b.places += max(len(refs), 1)
		})
	}
	return b
}

// eachFinding calls fn for each finding of a result on each page.
func eachFinding(r *result.Result, fn func(findingKey, []result.Reference)) {
	if isFinding(r.Verdict) {
		eachPage(r.References, func(page string, refs []result.Reference) {
			fn(findingKey{page, r.URL, r.Code, r.Kind == result.KindPage, r.Rule}, refs)
		})
	}
	reported := map[check.Code]bool{}
	if isFinding(r.Verdict) {
		reported[r.Code] = r.Level != ""
	}
	for _, w := range r.Warnings {
		switch {
		case w.IsInfo() || reported[w.Code]:
			continue
		case check.OfPage(w.Code): // reported once, however many links lead there
			fn(findingKey{url: r.URL, code: w.Code}, nil)
		default:
			eachPage(affectedReferences(r.References, w.Code), func(page string, refs []result.Reference) {
				fn(findingKey{page: page, url: r.URL, code: w.Code}, refs)
			})
		}
		reported[w.Code] = true
	}
}

// URLs returns the printed URLs of targets with findings in the baseline.
func (b *Baseline) URLs() []string {
	urls := make([]string, 0, len(b.before))
	for key := range b.before {
		urls = append(urls, key.url)
	}
	slices.Sort(urls)
	return slices.Compact(urls)
}

// Mark returns a copy of a result that marks the findings that the baseline has. It must
// be called once for each result of a run that is not ok.
func (b *Baseline) Mark(r *result.Result) *result.Result {
	r = cleanResult(r)
	if r.Kind == result.KindTarget {
		b.RecordVerdict(r.URL, r.Verdict)
	}
	m := marker{Baseline: b, result: r, known: map[check.Code]bool{}, isNew: map[check.Code]bool{}}
	eachFinding(r, m.finding)
	if len(m.known) == 0 {
		return r
	}
	out := *r
	if m.places != nil {
		slices.SortFunc(m.places, byPlace)
		out.References = m.places
	}
	for code := range m.known {
		if !m.isNew[code] {
			out.Known = append(out.Known, code)
		}
	}
	slices.Sort(out.Known)
	b.count(&out)
	return &out
}

// marker holds the state of Mark for one result.
type marker struct {
	*Baseline
	result       *result.Result
	known, isNew map[check.Code]bool
	places       []result.Reference // references of the verdict
}

func (m *marker) finding(key findingKey, refs []result.Reference) {
	had, ok := m.before[key]
	var same []result.Reference
	more := refs
	switch {
	case ok && key.content:
		if ok = m.take(key, &refs[0]); ok {
			m.known[key.code] = true
			same, more = refs, nil
		}
	case ok:
		m.known[key.code] = true
		same, more = matchPlaces(had, refs)
		m.found[key] += max(len(same), 1)
	}
	if !ok || len(more) > 0 {
		m.isNew[key.code] = true
	}
	if key.code != m.result.Code {
		return
	}
	for _, ref := range same {
		ref.Known = true
		m.places = append(m.places, ref)
	}
	m.places = append(m.places, more...)
}

// take reports whether the baseline has a finding of a content check that no other finding
// of this run was matched with. It prefers one with the same spelling.
func (b *Baseline) take(key findingKey, ref *result.Reference) bool {
	had := b.before[key]
	if len(had) == b.found[key] {
		return false
	}
	b.found[key]++
	spelled := slices.IndexFunc(had, func(r result.Reference) bool { return !r.Known && r.Raw == ref.Raw && r.Text == ref.Text })
	if spelled < 0 {
		spelled = slices.IndexFunc(had, func(r result.Reference) bool { return !r.Known })
	}
	had[spelled].Known = true
	return true
}

// count adds up the known findings, for ExcludeKnown.
func (b *Baseline) count(r *result.Result) {
	side := &b.external
	if r.Internal {
		side = &b.internal
	}
	for _, t := range []*result.Tally{side, &b.known} {
		switch known := slices.Contains(r.Known, r.Code); {
		case known && r.Verdict == check.Broken:
			t.Broken++
		case known && r.Verdict == check.Unverified:
			t.Unverified++
		case known && r.Verdict == check.VerdictWarning:
			t.Warnings++
		}
		for _, w := range r.Warnings {
			if slices.Contains(r.Known, w.Code) && !w.IsInfo() && !w.IsVerdict(r.Code) {
				t.Warnings++
			}
		}
	}
}

// ExcludeKnown subtracts known findings from the counts that can fail a run.
func (b *Baseline) ExcludeKnown(s *result.Summary) {
	s.Known = b.known
	for _, side := range []struct {
		of    *result.Tally
		known result.Tally
	}{{&s.Internal, b.internal}, {&s.External, b.external}} {
		side.of.Broken = max(0, side.of.Broken-side.known.Broken)
		side.of.Unverified = max(0, side.of.Unverified-side.known.Unverified)
		side.of.Warnings = max(0, side.of.Warnings-side.known.Warnings)
	}
}

// RecordVerdict tells the baseline the verdict of a target.
func (b *Baseline) RecordVerdict(url string, v check.Verdict) {
	if v == check.Unverified || v == check.Skipped {
		b.unclear[clean(url)] = true
	}
}

// Gone returns the number of places in the baseline, and how many of them a complete run
// did not find again because the link was fixed or removed. Places of targets that the
// run could not verify are not counted as gone, and neither are findings of content checks
// if the run checked no content.
func (b *Baseline) Gone(s *result.Summary) (gone, places int) {
	for key := range b.before {
		gone += b.goneFrom(key, s)
	}
	return gone, b.places
}

// goneFrom returns the number of places of a finding that Gone counts as gone.
func (b *Baseline) goneFrom(key findingKey, s *result.Summary) int {
	if b.unclear[key.url] || s.Findings == nil && key.content {
		return 0
	}
	return max(0, max(len(b.before[key]), 1)-b.found[key])
}

// goneFindings returns the findings of which Gone counts a place, by page, URL, code and rule.
func (b *Baseline) goneFindings(s *result.Summary) []findingKey {
	var gone []findingKey
	for key := range b.before {
		if b.goneFrom(key, s) > 0 {
			gone = append(gone, key)
		}
	}
	slices.SortFunc(gone, func(x, y findingKey) int {
		return cmp.Or(cmp.Compare(x.page, y.page), cmp.Compare(x.url, y.url), cmp.Compare(x.code, y.code), cmp.Compare(x.rule, y.rule))
	})
	return gone
}
