package verdicts

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

// Stream reports results before the run is over, for sinks that ask for it. A result is
// known when its verdict is and no page is left that could refer to it once more: so the
// stream begins when the last page has been read, and from then on a result is reported
// as soon as its target is settled. What it has not reported by the end, [Report] does,
// including what rests on an earlier run, as long as that may turn out to have changed.
//
// Its methods are called one at a time.
type Stream struct {
	join     *join
	open     map[frontier.ID][]*pair // by the target whose answer they wait for
	reported map[pairKey]bool
}

// NewStream judges what is known when the last page has been read, and reports it.
func NewStream(ctx context.Context, c *Crawl) (*Stream, error) {
	j := newJoin(context.WithoutCancel(ctx), c)
	s := &Stream{join: j, open: map[frontier.ID][]*pair{}, reported: map[pairKey]bool{}}
	j.streaming = true
	for _, step := range []func() error{j.load, j.named, j.meetAll, j.alone, j.settleAll, j.gather, j.suggest} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	var ready []*pair
	for _, p := range j.flagged {
		if p.open {
			s.open[p.route.end] = append(s.open[p.route.end], p)
		} else {
			ready = append(ready, p)
		}
	}
	return s, s.report(ready)
}

// Settled takes in one more answer, and the targets that were found with it.
func (s *Stream) Settled(id frontier.ID, o *check.Outcome, found []frontier.Item, ids []frontier.ID) error {
	j := s.join
	for i, next := range ids {
		if err := j.enter(next, &found[i]); err != nil {
			return err
		}
	}
	if !j.known(id) {
		return nil // entered after the last page, and so referred to by nobody
	}
	if _, err := j.targets.read(id, check.AppendOutcome(nil, o)); err != nil {
		return err
	}
	j.lead(id, ids)
	j.dossiers.drop(id)
	waiting := s.open[id]
	delete(s.open, id)
	if j.Config.Changed != nil {
		return nil // whose reference is to blame is known at the end only
	}
	var ready []*pair
	for _, p := range waiting {
		j.judge.settle(p)
		if p.open {
			s.open[p.route.end] = append(s.open[p.route.end], p)
			continue
		}
		j.judge.mark(p)
		j.judge.exempt(p)
		ready = append(ready, p)
	}
	if j.dossiers.err != nil {
		return j.dossiers.err
	}
	return s.report(ready)
}

// report gives the sink the pairs it wants, in order of their URL.
func (s *Stream) report(pairs []*pair) error {
	var results []*rules.Result
	for _, p := range pairs {
		_, asked := s.join.meant.questions[p.id]
		if !asked && s.join.wantsPaths(p) || s.join.wantsArchive(p) {
			continue // what is suggested for it is known at the end only
		}
		if v := p.judgement.Verdict; s.join.meant.later.may[p.id] && (v == check.Broken || v == check.Unverified) {
			continue // likewise
		}
		if s.join.recalled(p) {
			continue
		}
		if s.join.judge.shown(&p.judgement) {
			s.reported[p.key()] = true
			results = append(results, s.join.result(p))
		}
		p.references = nil
	}
	if s.join.dossiers.err != nil {
		return s.join.dossiers.err
	}
	slices.SortFunc(results, func(a, b *rules.Result) int { return cmp.Compare(a.URL, b.URL) })
	for _, res := range results {
		if err := s.join.Sink.Result(res); err != nil {
			return fmt.Errorf("report %s: %w", res.URL, err)
		}
	}
	return nil
}

// recalled reports whether anything that a pair's verdict rests on was not asked in
// this run, as far as the join has heard.
func (j *join) recalled(p *pair) bool {
	return slices.ContainsFunc(p.route.answers(), func(id frontier.ID) bool { return j.states[id-1]&recalled != 0 })
}
