package verdicts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

// shown reports whether the sink wants a judgement.
func (j *judge) shown(g *check.Judgement) bool {
	s := j.Config.Show
	switch {
	case g.Verdict == check.OK && s.OK, g.Verdict == check.Broken && s.Broken,
		g.Verdict == check.Unverified && s.Unverified, g.Verdict == check.Skipped && s.Skipped:
		return true
	}
	for _, w := range g.Warnings {
		if rules.Informational(w.Code) && s.Info || !rules.Informational(w.Code) && s.Warning {
			return true
		}
	}
	return false
}

// alonePage reports whether nobody asks who refers to what a judgement that is shown
// is about.
func (j *judge) alonePage(g *check.Judgement) bool {
	s := j.Config.Show
	return s.SkipPageReferences && g.Verdict == check.OK && !s.OK &&
		!slices.ContainsFunc(g.Warnings, func(w check.Warning) bool { return !check.OfPage(w.Code) && (s.Info || !rules.Informational(w.Code)) })
}

// report counts the pairs and gives the sink the ones it wants, in order of their URL.
func (j *join) report() error {
	results := make([]*rules.Result, 0, len(j.byKey))
	for _, p := range j.flagged {
		j.count(p)
		if j.judge.shown(&p.judgement) && !j.reported(p.key()) {
			results = append(results, j.result(p))
		}
	}
	if j.dossiers.err != nil {
		return j.dossiers.err
	}
	slices.SortFunc(results, func(a, b *rules.Result) int { return cmp.Compare(a.URL, b.URL) })
	for _, res := range results {
		if err := j.Sink.Result(res); err != nil {
			return fmt.Errorf("report %s: %w", res.URL, err)
		}
	}
	return nil
}

func (j *join) count(p *pair) {
	s, g := j.sum, &p.judgement
	side := &s.External
	if p.route.internal {
		side = &s.Internal
	}
	s.Results++
	switch g.Verdict {
	case check.OK:
		s.OK++
	case check.Broken:
		s.Broken++
		side.Broken++
	case check.Unverified:
		s.Unverified++
		side.Unverified++
	case check.Skipped:
		s.Skipped++
	}
	if g.Verdict != check.OK {
		s.ByCode[g.Code]++
	}
	for _, w := range g.Warnings {
		if !rules.Informational(w.Code) {
			s.Warnings++
			side.Warnings++
			s.ByCode[w.Code]++
		}
	}
}

// result builds what is said of one pair.
func (j *join) result(p *pair) *rules.Result {
	first := j.dossiers.get(p.id).job
	res := &rules.Result{
		URL: j.Print.Place(&first, p.fragment, p.hasFragment), Internal: p.route.internal,
		Verdict: p.judgement.Verdict, Code: p.judgement.Code, Message: p.judgement.Message,
		Size: -1, Redirects: []rules.Hop{}, Warnings: p.judgement.Warnings, Suggestions: []check.Suggestion{}, References: p.references,
	}
	answers := p.route.answers()
	res.Cached = len(answers) > 0
	for _, id := range answers {
		d := j.dossiers.get(id)
		o, printed := &d.outcome, j.Print.Job(&d.job)
		res.Cached = res.Cached && o.Cached
		res.Attempts += o.Requests
		res.Elapsed += o.Elapsed
		res.Status, res.ContentType, res.Size, res.FinalURL = o.Status, o.ContentType, o.Size, printed
		if o.Code == check.CodeRedirect {
			res.Redirects = append(res.Redirects, rules.Hop{URL: printed, Status: o.Status})
		}
	}
	if first.Verbatim {
		res.FinalURL = ""
	}
	res.Suggestions = append(res.Suggestions, j.suggestions(p)...)
	if p.archived != nil {
		res.Suggestions = append(res.Suggestions, p.archived.suggestion(p))
	}
	slices.SortFunc(res.References, byPlace)
	return res
}

// byPlace compares references by where they stand.
func byPlace(a, b rules.Reference) int {
	if n := strings.Compare(a.Page, b.Page); n != 0 {
		return n // as of most, and the rest need not be looked at
	}
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
		strings.Compare(a.Element, b.Element), strings.Compare(a.Attribute, b.Attribute), strings.Compare(a.Raw, b.Raw))
}
