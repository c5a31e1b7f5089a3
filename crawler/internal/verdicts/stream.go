package verdicts

import (
	"context"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// Stream reports results before the run is over. A result is final when its verdict is
// known and no page is left that could refer to its target. So the stream begins when the
// last page has been read, and from then on a result is reported as soon as its target is
// settled. [Report] reports the rest at the end, including results that depend on an
// earlier run, as these may still change.
//
// Its methods must be called one at a time.
type Stream struct {
	join     *join
	suggest  *suggester
	archive  *archive
	open     map[frontier.ID][]*pair // pairs whose verdicts are not known, by the target they wait for
	reported map[pairKey]bool
}

// NewStream judges and reports what is known when the last page has been read.
func NewStream(ctx context.Context, c *Crawl) (*Stream, error) {
	j := newJoin(context.WithoutCancel(ctx), c)
	defer func() { j.spool.Close() }()
	s := &Stream{join: j, archive: &archive{crawl: c, details: j.details, ctx: j.ctx}, open: map[frontier.ID][]*pair{}, reported: map[pairKey]bool{}}
	j.targets().streaming = true
	if err := inOrder(j.load, j.addSeeds, j.addReferences, j.addUnreferenced, j.judgeAll, func() error { return j.gather(nil) }); err != nil {
		return nil, err
	}
	var err error
	if s.suggest, err = j.newSuggester(); err != nil {
		return nil, err
	}
	for _, p := range j.pairs.flagged {
		if p.open {
			s.open[p.route.end] = append(s.open[p.route.end], p)
		}
	}
	if err := s.report(j.order, j.spool); err != nil {
		return nil, err
	}
	j.order, j.pairs.byKey, j.pairs.flagged = nil, nil, nil // no references are added any more
	return s, nil
}

// Settled adds the outcome of a target, and the targets that were found with it. The
// outcome is not final if the body was not wanted and a redirect has asked for it since:
// the target is then requested again.
func (s *Stream) Settled(id frontier.ID, content bool, o *judging.Outcome, found []frontier.Item, ids []frontier.ID) error {
	j := s.join
	for i, next := range ids {
		if err := j.targets().enter(next, &found[i]); err != nil {
			return err
		}
	}
	if !j.targets().known(id) {
		return nil // it was found after the last page, so no reference leads to it
	}
	if _, err := j.targets().read(id, judging.AppendOutcome(nil, o)); err != nil {
		return err
	}
	if !content && j.targets().needs[id-1]&frontier.NeedContent != 0 {
		j.targets().states[id-1] |= pending
	}
	j.targets().lead(id, ids)
	j.details.drop(id)
	waiting := s.open[id]
	delete(s.open, id)
	if j.crawl.Scope.Rules.Changed != nil {
		return nil // whether a changed page refers to it is known only at the end
	}
	var ready []*pair
	for _, p := range waiting {
		j.judge.decide(p)
		if p.open {
			s.open[p.route.end] = append(s.open[p.route.end], p)
			continue
		}
		j.judge.addWarnings(p)
		j.judge.setLevels(p)
		if !p.off && isShown(j.pairs.show, &p.judgement) {
			ready = append(ready, p)
		}
	}
	order, err := j.orderByURL(ready)
	if err != nil {
		return err
	}
	return s.report(order, nil)
}

// report delivers the results of those shown pairs that cannot change.
func (s *Stream) report(o *urlOrder, spool *result.Spool) error {
	r := &reporter{join: s.join, suggest: s.suggest, stream: s}
	return r.report(o, spool)
}

// isFinal reports whether the result of a pair with a verdict cannot change.
func (s *Stream) isFinal(p *pair) bool {
	_, known := s.suggest.questions[p.id]
	switch {
	case !known && wantsPaths(p) || s.archive.wants(p):
		return false // its suggestions are known only at the end
	case p.judgement.Code == check.CodeDNSNotFound:
		return false // the name server may prove to be at fault
	case p.marks&scope.MarkText != 0:
		return false // its text is compared at the end
	case s.suggest.pending.possible[p.id] && (p.judgement.Verdict == check.Broken || p.judgement.Verdict == check.Unverified):
		return false // likewise
	}
	return !s.join.targets().anyCached(p.route)
}

// reports marks the pair of a result as reported, unless the frontier queued one of its targets
// again before Settled was told why: what was read from the store for the result is then no answer.
func (s *Stream) reports(p *pair) bool {
	t := s.join.targets()
	missing := p.judgement.Code == check.CodeFragmentMissing || p.judgement.Code == check.CodeFragmentUnverified
	if to := t.refreshed(p.route); t.isOpen(p.route) || missing && t.isOpen(&to) {
		return false
	}
	s.reported[p.key()] = true
	return true
}

// end frees what Settled needs. s may be nil.
func (s *Stream) end() {
	if s != nil {
		*s = Stream{reported: s.reported}
	}
}

// has reports whether the stream has reported a pair. s may be nil.
func (s *Stream) has(k pairKey) bool { return s != nil && s.reported[k] }
