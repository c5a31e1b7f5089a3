package verdicts

import (
	"context"
	"fmt"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
)

// state is what is known of a target apart from its references: a few bits, as there are
// many targets.
type state uint32

const (
	redirects state = 1 << iota // another target answers for it
	clean                       // it is there, without redirect or warning: only a fragment or a mark can matter
	warned                      // it is there, and all its warnings are about its own content: with a fragment the same holds
	readable                    // its anchors are known
	isHTML                      // its content is HTML
	counted                     // its pair without a fragment was met
	flagged                     // and is not simply ok
	pieced                      // a pair with a fragment is flagged that is there, or may be
	topped                      // its pair with an empty fragment was met
	open                        // its answer is still out
	internal                    // it is on one of the seeds' sites
	entered                     // its job is known
	watching                    // somebody waits for its verdicts, whatever they are
	recalled                    // it was not asked: an earlier run had
	existing                    // it is there, be it with something to warn of
	leads                       // and it is a page that hands its readers on

	// leftBits say why a target was not checked, for the reasons that may leave out
	// millions: the place in leftCodes.
	leftBits  state = 3 << leftShift
	leftShift       = 30
)

var leftCodes = [...]check.Code{1: check.CodeExternal, 2: check.CodeInterrupted, 3: check.CodeLimit}

// left is why a target was not checked, as far as leftCodes say.
func (s state) left() check.Code { return leftCodes[s&leftBits>>leftShift] }

// route is where a target's redirects lead.
type route struct {
	hops     []frontier.ID // the redirecting targets
	end      frontier.ID   // the target that answers, or one of the hops again; 0 when it was never asked
	internal bool          // it never left the site
}

// answers are all the targets whose answers make the way.
func (r *route) answers() []frontier.ID {
	if r.end == 0 || slices.Contains(r.hops, r.end) {
		return r.hops
	}
	return append(slices.Clip(r.hops), r.end)
}

// targets is what the join holds in memory of every target.
type targets struct {
	ctx          context.Context
	store        frontier.Store
	states       []state                     // by ID-1
	needs        []frontier.Need             // likewise
	next         map[frontier.ID]frontier.ID // where a redirect or a refresh leads
	maxRedirects int
	cut          []byte // the outcome of what was not reached
	narrowed     bool   // warnings of a page count only where it has changed
	streaming    bool   // the run goes on: what is not settled is open
}

func newTargets(ctx context.Context, c *Crawl) *targets {
	return &targets{ctx: ctx, store: c.Store, next: map[frontier.ID]frontier.ID{}, maxRedirects: c.Config.MaxRedirects,
		cut: check.AppendOutcome(nil, notReached(c.StoppedBy)), narrowed: c.Config.Changed != nil}
}

// notReached is the outcome of a target that the run did not look at.
func notReached(stoppedBy string) *check.Outcome {
	if stoppedBy == rules.StoppedByInterrupt {
		return rules.Skip(check.CodeInterrupted, "the run was interrupted before it was checked")
	}
	return rules.Skip(check.CodeLimit, "the run ended by "+stoppedBy+" before it was checked")
}

func (t *targets) of(id frontier.ID) state { return t.states[id-1] }

func (t *targets) known(id frontier.ID) bool { return int(id) <= len(t.states) }

// load reads every target, and hands each to also. Watched says whether somebody waits
// for the verdicts of a target.
func (t *targets) load(watched func(*frontier.Job) bool, also func(frontier.ID, check.Glance)) error {
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
		s := stateOf(&job)
		if watched(&job) {
			s |= watching
		}
		t.states = append(t.states, s)
		t.needs = append(t.needs, rec.Need)
		g, err := t.read(rec.ID, t.outcomeOf(rec))
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		if !rec.Settled {
			t.states[rec.ID-1] |= open
		}
		also(rec.ID, g)
		return nil
	})
}

// enter takes in a target that was found after load.
func (t *targets) enter(id frontier.ID, found *frontier.Item) error {
	for !t.known(id) {
		t.states, t.needs = append(t.states, open), append(t.needs, 0)
	}
	if t.of(id)&entered != 0 {
		return nil
	}
	job, err := frontier.DecodeJob(found.Job)
	if err != nil {
		return err
	}
	t.states[id-1] |= stateOf(&job)
	t.needs[id-1] = found.Need
	if found.Outcome != nil {
		_, err = t.read(id, found.Outcome)
	}
	return err
}

func stateOf(job *frontier.Job) state {
	if job.Internal {
		return entered | internal
	}
	return entered
}

// outcomeOf is a target's outcome, that of not having been reached where there is none.
func (t *targets) outcomeOf(rec *frontier.Record) []byte {
	if rec.Settled && rec.Outcome != nil {
		return rec.Outcome
	}
	if before, err := frontier.DecodePast(rec.Note); err == nil && before.Last != nil && !t.streaming { // only the second pass is missing
		return before.Last
	}
	return t.cut
}

// read takes an outcome in.
func (t *targets) read(id frontier.ID, outcome []byte) (check.Glance, error) {
	g, err := check.GlanceAt(outcome)
	if err != nil {
		return g, err
	}
	s := &t.states[id-1]
	*s &= counted | flagged | pieced | topped | internal | entered | watching
	set := func(is bool, bit state) {
		if is {
			*s |= bit
		}
	}
	set(g.Redirect, redirects)
	set(g.Read, readable)
	set(g.HTML, isHTML)
	set(g.OK, existing)
	set(g.OK && g.HasNext, leads)
	set(g.OK && !g.HasWarnings, clean)
	set(g.OK && g.OfPage && t.needs[id-1]&frontier.NeedLinks != 0 && !t.narrowed, warned)
	set(g.Cached, recalled)
	if i := slices.Index(leftCodes[1:], g.Code); i >= 0 {
		*s |= state(i+1) << leftShift
	}
	return g, nil
}

// lead notes where a redirect or a refresh leads: to the first that was found there.
func (t *targets) lead(id frontier.ID, found []frontier.ID) {
	if t.states[id-1]&(redirects|leads) != 0 && len(found) > 0 {
		t.next[id] = found[0]
	}
}

// follow walks a target's redirects to their end, or as far as anybody follows them:
// what comes behind is known only where something else leads there.
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
