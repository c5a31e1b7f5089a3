package crawler

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
)

// stream tells results before the run is over, for sinks that asked for it. A
// result is known when its verdict is and no page is left that could refer to it
// once more: so the stream begins when the last page has been read, and from then
// on a result is told as soon as its target is settled. What it has not told by
// the end, the join tells: also what rests on an earlier run, as long as somebody
// may find out that it is not so any more (earlier.go).
type stream struct {
	join *join
	open map[frontier.ID][]*pair // by the target whose answer they wait for
	told map[pairKey]bool
}

// begin judges what is known when the last page has been read.
func (r *run) beginStream() error {
	j := newJoin(r)
	s := &stream{join: j, open: map[frontier.ID][]*pair{}, told: map[pairKey]bool{}}
	j.streaming = true
	for _, step := range []func() error{j.load, j.named, j.judge, j.alone, j.settleAll, j.gather, j.suggest} {
		if err := step(); err != nil {
			return err
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
	r.stream = s
	return s.tell(ready)
}

// settled takes in one more answer.
func (s *stream) settled(id frontier.ID, o *check.Outcome, found []frontier.Item, ids []frontier.ID) error {
	j := s.join
	for i, next := range ids {
		for int(next) > len(j.states) {
			j.states, j.needs = append(j.states, open), append(j.needs, 0)
		}
		if j.states[next-1]&entered != 0 {
			continue
		}
		job, err := frontier.DecodeJob(found[i].Job)
		if err != nil {
			return err
		}
		j.states[next-1] |= stateOf(&job)
		j.needs[next-1] = found[i].Need
		if found[i].Outcome != nil {
			if _, err := j.read(next, found[i].Outcome); err != nil {
				return err
			}
		}
	}
	if int(id) > len(j.states) {
		return nil // entered after the last page, and so referred to by nobody
	}
	if _, err := j.read(id, check.AppendOutcome(nil, o)); err != nil {
		return err
	}
	j.lead(id, ids)
	j.shelf.drop(id)
	waiting := s.open[id]
	delete(s.open, id)
	if j.r.cfg.Changed != nil {
		return nil // whose reference is to blame is known at the end only
	}
	var ready []*pair
	for _, p := range waiting {
		j.settle(p)
		if p.open {
			s.open[p.route.end] = append(s.open[p.route.end], p)
			continue
		}
		j.mark(p)
		j.spare(p)
		ready = append(ready, p)
	}
	if j.shelf.err != nil {
		return j.shelf.err
	}
	return s.tell(ready)
}

// tell gives the sink the pairs it wants, in order of their URL.
func (s *stream) tell(pairs []*pair) error {
	var results []*Result
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
		if s.join.shown(&p.judgement) {
			s.told[p.key()] = true
			results = append(results, s.join.result(p))
		}
		p.references = nil
	}
	if s.join.shelf.err != nil {
		return s.join.shelf.err
	}
	slices.SortFunc(results, func(a, b *Result) int { return cmp.Compare(a.URL, b.URL) })
	for _, res := range results {
		if err := s.join.r.sink.Result(res); err != nil {
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

// tellAsKnown tells what the settling of a target makes known.
func (w *worker) tellAsKnown(t *frontier.Target, o *check.Outcome, found []frontier.Item, ids []frontier.ID) error {
	if !w.cfg.Stream {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stream != nil {
		return w.stream.settled(t.ID(), o, found, ids)
	}
	c, err := w.frontier.Count(w.always)
	if err != nil || c.Pages > 0 {
		return err
	}
	return w.beginStream()
}
