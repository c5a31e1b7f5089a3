package crawler

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/urinorm"
)

// toldBefore reports whether a pair's result was told while the run went on.
func (r *run) toldBefore(k pairKey) bool { return r.stream != nil && r.stream.told[k] }

// gather finds the places that refer to the pairs to show.
func (j *join) gather() error {
	wanted := map[pairKey]*pair{}
	targets := make(idBits, (len(j.states)+63)/64)   // of them
	fragments := make(idBits, (len(j.states)+63)/64) // of those with a fragment
	for k, p := range j.pairs {
		if !p.open {
			j.mark(p)
			j.since(p)
		}
		if p.open || j.shown(&p.judgement) && !j.alonePage(&p.judgement) {
			wanted[k] = p
			targets.set(k.id)
			if k.has {
				fragments.set(k.id)
			}
		}
	}
	if len(wanted) == 0 || j.shelf.err != nil {
		return j.shelf.err
	}
	var briefs frontier.BriefReader
	var reader pageReader
	var b frontier.Brief
	var bare []bareReference
	places := barePlaces{join: j}
	err := j.r.frontier.Store().Scan(j.r.always, frontier.AllParts, func(rec *frontier.Record) error {
		if len(rec.Links) == 0 || !slices.ContainsFunc(rec.Found, targets.has) {
			return nil
		}
		if err := briefs.Reset(rec.Links); err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		reader.begin(rec.Links)
		page := ""
		bare = bare[:0]
		for n := 0; ; n++ {
			if more, err := briefs.Next(&b); err != nil || !more {
				if len(bare) > 0 && err == nil {
					err = places.add(rec, page, bare)
				}
				return err
			}
			id := rec.Found[b.Target]
			if !targets.has(id) || b.HasFragment && !fragments.has(id) {
				continue
			}
			p := wanted[pairKey{id, b.HasFragment, b.Hash}]
			if p == nil {
				continue
			}
			l, err := reader.to(n)
			if err != nil {
				return fmt.Errorf("target %d: %w", rec.ID, err)
			}
			if page == "" {
				page = j.page(rec)
			}
			if l.Tag != 0 {
				bare = append(bare, bareReference{pair: p, brief: b, tag: l.Tag})
				continue
			}
			p.refer(&Reference{Page: page, Line: l.Line, Column: l.Column,
				Element: l.Element, Attribute: l.Attribute, Raw: string(l.Raw), Text: string(l.Text)}, b.Mark)
		}
	})
	if err != nil {
		return err
	}
	if err := places.end(); err != nil {
		return err
	}
	for _, p := range wanted {
		if !p.open {
			j.spare(p)
		}
	}
	return j.shelf.err
}

// spare notes at a pair's references which of its warnings are not about them.
func (j *join) spare(p *pair) {
	for _, u := range p.unlike {
		p.references[u.at].Unaffected = j.unaffected(p, u.mark)
	}
	p.unlike = nil
}

// idBits is a set of targets: of each a bit.
type idBits []uint64

func (b idBits) set(id frontier.ID) { b[(id-1)/64] |= 1 << ((id - 1) % 64) }

func (b idBits) has(id frontier.ID) bool { return b[(id-1)/64]&(1<<((id-1)%64)) != 0 }

// unlike is a reference of a pair with another mark than all of them have together, by
// its place in the pair's references.
type unlike struct {
	at   int
	mark uint64
}

// refer adds a place that refers to a pair.
func (p *pair) refer(at *Reference, mark uint64) {
	if p.marks != mark&^markExpect || p.expects != 1<<(mark&markExpect) {
		p.unlike = append(p.unlike, unlike{len(p.references), mark})
	}
	p.references = append(p.references, *at)
}

// page prints the page a record stands for, as a place.
func (j *join) page(rec *frontier.Record) string {
	if g, err := check.GlanceAt(rec.Outcome); err == nil && len(g.Path) > 0 {
		return j.r.print.Path(string(g.Path))
	}
	job, err := frontier.DecodeJob(rec.Job)
	if err != nil { // load has read it before
		return ""
	}
	return j.r.print.Job(&job)
}

// mark turns what was noted of a pair's references into warnings.
func (j *join) mark(p *pair) {
	g := &p.judgement
	if g.Verdict == check.Skipped {
		return
	}
	g.Warnings = append(g.Warnings, marked(p.marks)...)
	for e := extract.ExpectImage; e <= extract.ExpectStyle; e++ {
		if p.expects&(1<<e) == 0 {
			continue
		}
		if w, wrong := j.mismatch(p, e); wrong {
			g.Warnings = append(g.Warnings, w)
		}
	}
}

// marked are the warnings that the marks of references say.
func marked(marks uint64) []check.Warning {
	var all []check.Warning
	if repairs := urinorm.Repairs(marks >> markRepairs); repairs != 0 {
		all = check.RepairWarnings(repairs)
	}
	if marks&markMixed != 0 {
		all = append(all, check.Warning{Code: check.CodeMixedContent, Message: "a page served by https loads it by http"})
	}
	if marks&markOutsideBase != 0 {
		all = append(all, check.Warning{Code: check.CodeOutsideBase, Message: "it is on the published host, but not under the base URL"})
	}
	return all
}

// mismatch is the warning that a target is not what a link took it for.
func (j *join) mismatch(p *pair, e extract.Expect) (check.Warning, bool) {
	if e == extract.ExpectAny || p.judgement.Verdict != check.OK || p.route.end == 0 {
		return check.Warning{}, false
	}
	return check.MismatchWarning(e, j.dossier(p.route.end).outcome.ContentType)
}

// unaffected are the warnings of a pair that come from the marks of its references,
// but not from this one's.
func (j *join) unaffected(p *pair, mark uint64) string {
	expect := extract.Expect(mark & markExpect)
	own, others := marked(mark), marked(p.marks)
	if w, wrong := j.mismatch(p, expect); wrong {
		own = append(own, w)
	}
	others = append(others, check.Warning{Code: check.CodeContentTypeMismatch})
	var codes []string
	for _, w := range others {
		has := func(o check.Warning) bool { return o.Code == w.Code }
		if slices.ContainsFunc(p.judgement.Warnings, has) && !slices.ContainsFunc(own, has) {
			codes = append(codes, string(w.Code))
		}
	}
	return strings.Join(codes, " ")
}

// informational reports whether a warning is only information: listed when all is
// shown, never counted.
func informational(c check.Code) bool {
	e, _ := check.Lookup(c)
	return e.Severity == check.SeverityInfo
}

// shown reports whether the sink wants a judgement.
func (j *join) shown(g *check.Judgement) bool {
	s := j.r.cfg.Show
	switch {
	case g.Verdict == check.OK && s.OK, g.Verdict == check.Broken && s.Broken,
		g.Verdict == check.Unverified && s.Unverified, g.Verdict == check.Skipped && s.Skipped:
		return true
	}
	for _, w := range g.Warnings {
		if informational(w.Code) && s.Info || !informational(w.Code) && s.Warning {
			return true
		}
	}
	return false
}

// alonePage reports whether nobody asks who refers to what a judgement that is shown
// is about.
func (j *join) alonePage(g *check.Judgement) bool {
	s := j.r.cfg.Show
	return s.PagesAlone && g.Verdict == check.OK && !s.OK &&
		!slices.ContainsFunc(g.Warnings, func(w check.Warning) bool { return !check.OfPage(w.Code) && (s.Info || !informational(w.Code)) })
}

// tell counts the pairs and gives the sink the ones it wants, in order of their URL.
func (j *join) tell() error {
	results := make([]*Result, 0, len(j.pairs))
	for _, p := range j.flagged {
		j.count(p)
		if j.shown(&p.judgement) && !j.r.toldBefore(p.key()) {
			results = append(results, j.result(p))
		}
	}
	if j.shelf.err != nil {
		return j.shelf.err
	}
	slices.SortFunc(results, func(a, b *Result) int { return cmp.Compare(a.URL, b.URL) })
	j.r.mu.Lock()
	defer j.r.mu.Unlock()
	for _, res := range results {
		if err := j.r.sink.Result(res); err != nil {
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
		if !informational(w.Code) {
			s.Warnings++
			side.Warnings++
			s.ByCode[w.Code]++
		}
	}
}

// result builds what is said of one pair.
func (j *join) result(p *pair) *Result {
	first := j.dossier(p.id).job
	res := &Result{
		URL: j.r.print.Place(&first, p.fragment, p.hasFragment), Internal: p.route.internal,
		Verdict: p.judgement.Verdict, Code: p.judgement.Code, Message: p.judgement.Message,
		Size: -1, Redirects: []Hop{}, Warnings: p.judgement.Warnings, Suggestions: []check.Suggestion{}, References: p.references,
	}
	answers := p.route.answers()
	res.Cached = len(answers) > 0
	for _, id := range answers {
		d := j.dossier(id)
		o, printed := &d.outcome, j.r.print.Job(&d.job)
		res.Cached = res.Cached && o.Cached
		res.Attempts += o.Requests
		res.Elapsed += o.Elapsed
		res.Status, res.ContentType, res.Size, res.FinalURL = o.Status, o.ContentType, o.Size, printed
		if o.Code == check.CodeRedirect {
			res.Redirects = append(res.Redirects, Hop{URL: printed, Status: o.Status})
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
func byPlace(a, b Reference) int {
	if n := strings.Compare(a.Page, b.Page); n != 0 {
		return n // as of most, and the rest need not be looked at
	}
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
		strings.Compare(a.Element, b.Element), strings.Compare(a.Attribute, b.Attribute), strings.Compare(a.Raw, b.Raw))
}
