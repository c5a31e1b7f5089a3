package verdicts

import (
	"context"
	"fmt"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
	"github.com/orbweaver/orbweaver/crawler/internal/trap"
	"github.com/orbweaver/orbweaver/urinorm"
)

// state is what is known of a target apart from its references: a few bits, as there are
// many targets.
type state uint32

const (
	redirects       state = 1 << iota // it redirects to another target
	clean                             // it is OK without redirect or warning: only fragments and marks can matter
	warned                            // it is OK, and all its warnings are about its content: clean for references with a fragment
	readable                          // its anchors are known
	isHTML                            // its content is HTML
	counted                           // its pair without a fragment was added
	flagged                           // its pair without a fragment is flagged
	fragmentFlagged                   // a pair with a fragment that exists, or may exist, is flagged
	emptyCounted                      // its pair with an empty fragment was added
	pending                           // its outcome is not known yet
	internal                          // it is on the site of a seed
	jobKnown                          // its job is known
	watched                           // the caller waits for its verdicts
	cached                            // its outcome comes from an earlier run
	exists                            // it is OK, perhaps with warnings
	refreshes                         // it is OK, and a page that refreshes to another one
	suspect                           // its URL alone may cause a finding

	// leftBits hold the reason why a target was not checked, as an index of leftCodes.
	// Millions of targets may have such a reason.
	leftBits  state = 3 << leftShift
	leftShift       = 30
)

var leftCodes = [...]check.Code{1: check.CodeExternal, 2: check.CodeInterrupted, 3: check.CodeLimit}

// left returns the reason why a target was not checked, if it is one of leftCodes.
func (s state) left() check.Code { return leftCodes[s&leftBits>>leftShift] }

// route is a target's chain of redirects.
type route struct {
	hops     []frontier.ID // the redirecting targets
	end      frontier.ID   // the final target, or one of the hops in a cycle; 0 if it was not requested
	internal bool          // all targets of the chain are internal
}

// answers returns all targets of the chain.
func (r *route) answers() []frontier.ID {
	if r.end == 0 || slices.Contains(r.hops, r.end) {
		return r.hops
	}
	return append(slices.Clip(r.hops), r.end)
}

// targets holds the states of all targets in memory.
type targets struct {
	ctx          context.Context
	store        frontier.Store
	states       []state                     // by ID-1
	needs        []frontier.Need             // likewise
	next         map[frontier.ID]frontier.ID // targets of redirects and refreshes
	maxRedirects int
	cut          []byte      // the encoded outcome of targets that were not reached
	narrowed     bool        // warnings of a page count only if it has changed
	byURL        *Crawl      // knows suspect targets by their URLs; nil if none is suspect
	hosts        *hostCounts // nil if nobody wants them
	names        names
	tail         *trap.Tail // nil unless the run ended before the crawl was over
	streaming    bool       // the run has not ended: targets that are not settled are pending
}

func newTargets(ctx context.Context, c *Crawl) *targets {
	t := &targets{ctx: ctx, store: c.Store, next: map[frontier.ID]frontier.ID{}, maxRedirects: c.MaxRedirects,
		cut: judging.AppendOutcome(nil, notReached(c.Ended)), narrowed: c.Scope.Rules.Changed != nil}
	if c.Judging.RequireHTTPS || c.Judging.HasBrokenHosts() {
		t.byURL = c
	}
	if c.Ended != gap.None || c.Gaps != (gap.Counts{}) {
		t.tail = trap.NewTail()
	}
	return t
}

// notReached returns the outcome of a target that the run did not reach.
func notReached(ended gap.Kind) *judging.Outcome {
	if ended == gap.Interrupt {
		return scope.Skip(check.CodeInterrupted, "the run was interrupted before this target was checked")
	}
	return judging.LeftOut(ended, "the run was stopped by %s before this target was checked", ended)
}

func (t *targets) of(id frontier.ID) state { return t.states[id-1] }

func (t *targets) known(id frontier.ID) bool { return int(id) <= len(t.states) }

// load reads every target and calls also for each. isWatched reports whether the caller
// waits for the verdicts of a target.
func (t *targets) load(isWatched func(*frontier.Job) bool, also func(*frontier.Record, judging.Glance) error) error {
	c, err := t.store.Count(t.ctx)
	if err != nil {
		return fmt.Errorf("count the targets: %w", err)
	}
	t.states = make([]state, 0, c.Known)
	t.needs = make([]frontier.Need, 0, c.Known)
	return t.store.Scan(t.ctx, frontier.PartJob|frontier.PartOutcome, func(rec *frontier.Record) error {
		job, err := frontier.DecodeJob(rec.Job)
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		for int(rec.ID) > len(t.states)+1 { // only an earlier crawl knew them
			t.states, t.needs = append(t.states, 0), append(t.needs, 0)
		}
		s := t.stateOf(&job)
		if isWatched(&job) {
			s |= watched
		}
		t.states = append(t.states, s)
		t.needs = append(t.needs, rec.Need|frontier.EarlierNeed(rec.Job[0]))
		t.hosts.add(&job)
		t.addToTail(rec, &job)
		g, err := t.read(rec.ID, t.outcomeOf(rec))
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		if !rec.Settled {
			t.states[rec.ID-1] |= pending
		} else {
			t.names.add(&job, g)
		}
		return also(rec, g)
	})
}

// addToTail notes the URL of a target, in the order in which they were found. Directories have an end.
func (t *targets) addToTail(rec *frontier.Record, job *frontier.Job) {
	if t.tail == nil || job.Verbatim {
		return
	}
	if u, _, err := urinorm.ParseWeb(string(job.URL)); err == nil && u.Scheme() != "file" {
		t.tail.Add(u, (t.needs[rec.ID-1]&frontier.NeedPage != 0 || job.Depth == 0) && job.Internal, job.Depth)
	}
}

// enter adds a target that was found after load. A known target whose content is wanted
// only now is pending again, as the store queues it again.
func (t *targets) enter(id frontier.ID, found *frontier.Item) error {
	for !t.known(id) {
		t.states, t.needs = append(t.states, pending), append(t.needs, 0)
	}
	if t.of(id)&jobKnown != 0 {
		t.needs[id-1] |= found.Need & frontier.NeedLeft
		if more := found.Need &^ t.needs[id-1]; found.Outcome == nil && more&frontier.NeedContent != 0 {
			t.states[id-1] |= pending
			t.needs[id-1] |= more
		}
		return nil
	}
	job, err := frontier.DecodeJob(found.Job)
	if err != nil {
		return err
	}
	t.states[id-1] |= t.stateOf(&job)
	t.needs[id-1] = found.Need
	if found.Outcome != nil {
		_, err = t.read(id, found.Outcome)
	}
	return err
}

func (t *targets) stateOf(job *frontier.Job) state {
	s := jobKnown
	if job.Internal {
		s |= internal
	}
	if t.byURL != nil && t.byURL.suspects(job) {
		s |= suspect
	}
	return s
}

// outcomeOf returns a target's encoded outcome. If it has none, it was not reached.
func (t *targets) outcomeOf(rec *frontier.Record) []byte {
	if rec.Settled && rec.Outcome != nil {
		return rec.Outcome
	}
	if before, err := frontier.DecodePast(rec.Note); err == nil && before.Last != nil && !t.streaming { // it waited for the second pass
		return before.Last
	}
	return t.cut
}

// read updates the state of a target from its outcome.
func (t *targets) read(id frontier.ID, outcome []byte) (judging.Glance, error) {
	g, err := judging.GlanceAt(outcome)
	if err != nil {
		return g, err
	}
	s := &t.states[id-1]
	*s &= counted | flagged | fragmentFlagged | emptyCounted | internal | jobKnown | watched | suspect
	set := func(is bool, bit state) {
		if is {
			*s |= bit
		}
	}
	set(g.Redirect, redirects)
	set(g.Read, readable)
	set(g.HTML, isHTML)
	set(g.OK, exists)
	set(g.OK && g.HasNext, refreshes)
	set(g.OK && !g.HasWarnings && !g.Sketched && *s&suspect == 0, clean)
	set(g.OK && g.OfPage && *s&suspect == 0 && t.needs[id-1]&frontier.NeedLinks != 0 && !t.narrowed, warned)
	set(g.Cached, cached)
	if t.isLeft(id) { // whatever it answered
		*s &^= clean | warned
	} else if i := slices.Index(leftCodes[1:], g.Code); i >= 0 {
		*s |= state(i+1) << leftShift
	}
	return g, nil
}

// isLeft reports whether a link says that a target signs out or deletes something. Nothing that
// was observed of it counts: whether it was requested depends on which link was read first.
func (t *targets) isLeft(id frontier.ID) bool { return t.needs[id-1]&frontier.NeedLeft != 0 }

// lead records the target of a redirect or a refresh, which is the first of those found.
func (t *targets) lead(id frontier.ID, found []frontier.ID) {
	if t.states[id-1]&(redirects|refreshes) != 0 && len(found) > 0 {
		t.next[id] = found[0]
	}
}

// follow returns a target's chain of redirects, up to the limit of redirects.
func (t *targets) follow(id frontier.ID) route {
	p := route{end: id, internal: t.states[id-1]&internal != 0}
	for t.states[p.end-1]&redirects != 0 {
		p.hops = append(p.hops, p.end)
		p.end = t.next[p.end]
		if p.end == 0 || slices.Contains(p.hops, p.end) {
			break
		}
		if len(p.hops) > t.maxRedirects {
			p.end = 0
			break
		}
		p.internal = p.internal && t.states[p.end-1]&internal != 0
	}
	return p
}

// refreshed returns the chain of redirects of the target that the last page of a chain refreshes
// to. It has no end if there is none.
func (t *targets) refreshed(r *route) (to route) {
	if r.end == 0 || t.states[r.end-1]&redirects != 0 || t.next[r.end] == 0 {
		return to
	}
	return t.follow(t.next[r.end])
}

// isOpen reports whether an outcome of a chain is not known yet, while results are streamed.
func (t *targets) isOpen(r *route) bool {
	return t.streaming && slices.ContainsFunc(r.answers(), func(id frontier.ID) bool { return t.states[id-1]&pending != 0 })
}

// anyCached reports whether an outcome of a chain comes from an earlier run.
func (t *targets) anyCached(r *route) bool {
	return slices.ContainsFunc(r.answers(), func(id frontier.ID) bool { return t.states[id-1]&cached != 0 })
}
