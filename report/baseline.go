package report

import (
	"slices"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
)

// Baseline is what an earlier run found, so that only what is new since then fails:
// broken and unverified targets, and warnings. It is not safe for concurrent use.
type Baseline struct {
	had     map[findingKey][]crawler.Reference
	met     map[findingKey]int
	unclear map[string]bool // targets of which the later run could not tell
	places  int

	known              crawler.Tally
	internal, external crawler.Tally
}

// NewBaseline takes a report for a baseline.
func NewBaseline(r *Report) *Baseline {
	b := &Baseline{had: map[findingKey][]crawler.Reference{}, met: map[findingKey]int{}, unclear: map[string]bool{}}
	for _, result := range r.Results {
		eachFinding(cleanResult(result), func(key findingKey, refs []crawler.Reference) {
			b.had[key] = append(b.had[key], refs...)
			b.places += max(len(refs), 1)
		})
	}
	return b
}

// eachFinding calls fn for each finding of a result on each page.
func eachFinding(r *crawler.Result, fn func(findingKey, []crawler.Reference)) {
	if isFinding(r.Verdict) {
		eachPage(r.References, func(page string, refs []crawler.Reference) { fn(findingKey{page, r.URL, r.Code}, refs) })
	}
	told := map[check.Code]bool{}
	for _, w := range r.Warnings {
		switch {
		case isInfo(w.Code) || told[w.Code]:
			continue
		case check.OfPage(w.Code): // told once, however many links lead there
			fn(findingKey{"", r.URL, w.Code}, nil)
		default:
			eachPage(concerned(r.References, w.Code), func(page string, refs []crawler.Reference) { fn(findingKey{page, r.URL, w.Code}, refs) })
		}
		told[w.Code] = true
	}
}

// URLs are the targets, as printed, of which the baseline has findings.
func (b *Baseline) URLs() []string {
	urls := make([]string, 0, len(b.had))
	for key := range b.had {
		urls = append(urls, key.url)
	}
	slices.Sort(urls)
	return slices.Compact(urls)
}

// Mark says which findings of a result the baseline has. The result itself is not
// changed. Every result of a run that is not ok must come by, once.
func (b *Baseline) Mark(r *crawler.Result) *crawler.Result {
	r = cleanResult(r)
	b.Judged(r.URL, r.Verdict)
	m := marking{Baseline: b, result: r, known: map[check.Code]bool{}, isNew: map[check.Code]bool{}}
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

// marking is one result on its way through Mark.
type marking struct {
	*Baseline
	result       *crawler.Result
	known, isNew map[check.Code]bool
	places       []crawler.Reference // of the verdict
}

func (m *marking) finding(key findingKey, refs []crawler.Reference) {
	had, ok := m.had[key]
	var same []crawler.Reference
	more := refs
	if ok {
		m.known[key.code] = true
		same, more = matchPlaces(had, refs)
		m.met[key] += max(len(same), 1)
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

// count adds up what is known, for Spare.
func (b *Baseline) count(r *crawler.Result) {
	side := &b.external
	if r.Internal {
		side = &b.internal
	}
	for _, t := range []*crawler.Tally{side, &b.known} {
		switch known := slices.Contains(r.Known, r.Code); {
		case known && r.Verdict == check.Broken:
			t.Broken++
		case known && r.Verdict == check.Unverified:
			t.Unverified++
		}
		for _, w := range r.Warnings {
			if slices.Contains(r.Known, w.Code) && !isInfo(w.Code) {
				t.Warnings++
			}
		}
	}
}

// Spare takes what is known out of what may fail a run.
func (b *Baseline) Spare(s *crawler.Summary) {
	s.Known = b.known
	for _, side := range []struct {
		of    *crawler.Tally
		known crawler.Tally
	}{{&s.Internal, b.internal}, {&s.External, b.external}} {
		side.of.Broken = max(0, side.of.Broken-side.known.Broken)
		side.of.Unverified = max(0, side.of.Unverified-side.known.Unverified)
		side.of.Warnings = max(0, side.of.Warnings-side.known.Warnings)
	}
}

// Judged tells the baseline of a verdict.
func (b *Baseline) Judged(url string, v check.Verdict) {
	if v == check.Unverified || v == check.Skipped {
		b.unclear[clean(url)] = true
	}
}

// Gone counts the places of the baseline, and those at which a complete run has not
// met the finding: it was mended, or the link is not there any more. Where the run
// could not tell of a target, it is not gone.
func (b *Baseline) Gone() (gone, places int) {
	for key, refs := range b.had {
		if !b.unclear[key.url] {
			gone += max(0, max(len(refs), 1)-b.met[key])
		}
	}
	return gone, b.places
}
