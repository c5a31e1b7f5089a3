package crawler

import (
	"context"
	"errors"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/account"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/document"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/local"
	"github.com/orbweaver/orbweaver/crawler/internal/proof"
	"github.com/orbweaver/orbweaver/crawler/internal/reading"
	"github.com/orbweaver/orbweaver/crawler/internal/recall"
	"github.com/orbweaver/orbweaver/crawler/internal/references"
	"github.com/orbweaver/orbweaver/crawler/internal/repeat"
	"github.com/orbweaver/orbweaver/crawler/internal/signin"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// settlement is what a visit of a target has brought. It belongs to one owner: the visit, then
// finish, and as long as it waits for a proof, the session. What it counts, and what it leaves out,
// becomes part of the run in the step that keeps it.
type settlement struct {
	Target  *admit.Target
	Past    frontier.Past    // of the target, with this visit
	Outcome *judging.Outcome // nil if the target must wait
	Wait    time.Duration    // until the target may be visited again, if it must
	Again   bool             // the frontier has to hand out the target again, as if it had not
	Second  bool             // in the second pass
	Rest    time.Duration    // how long its host asked not to be visited
	Unsure  bool             // robots.txt is unavailable after its retries, for a reason that may be temporary
	Began   time.Time        // its request; zero if none was sent
	reading.Content
	Kept    []byte            // what a later run needs of the page
	Earlier *frontier.Earlier // what the store of the crawl before has of the page, which has not changed; nil for nothing
	Cheap   bool              // a file was opened, and no more
	NoStore bool              // its answer must not be stored; false without a cache
	Counts  stored.Counts
	Gaps    []gap.Kind
	Note    string     // about the pace of the host, for the user
	Held    proof.Held // what its answer says about the session that it is part of
}

// workspace is the memory of a worker, which its visits use one after another.
type workspace struct {
	reading.Workspace
	target  admit.Target // that is visited
	found   admit.FoundMemory
	tallies []frontier.Tally
}

func newWorkspace(s *local.Slots) *workspace {
	return &workspace{Workspace: reading.Workspace{Slot: local.Slot{Slots: s}}}
}

// settling ends visits: it puts their targets back, holds or settles them.
type settling struct {
	store      frontier.Store
	politeness *Politeness
	streams    bool            // results are delivered as soon as they are known
	always     context.Context // not cancelled with the run, so that finished work is kept
	door       *admit.Door
	frontier   *frontier.Frontier
	memory     *recall.Memory
	env        *references.Env
	reader     *reading.Reader
	sessions   *signin.Sessions[settlement]
	describer  *describer
	counts     *account.Counts
	reports    *repeat.Reports
	out        *account.Outlet
}

// finish ends a visit: it puts the target back if it must wait or a retry may change its outcome,
// lets it wait for the proof of its session, or settles it.
func (f *settling) finish(ctx context.Context, w *workspace, s settlement) error {
	if s.Note != "" {
		f.out.Note(s.Note)
	}
	if s.Outcome != nil && f.door.Pages != nil && s.Target.Follow {
		w.Slot.Release() // earlier pages may need it
		f.reader.EndLarge(&s.Content)
		f.door.Pages.Await(s.Target.Turn)
	}
	if err := f.door.EndPass(s.Target); err != nil {
		f.reader.Release(&s.Content)
		return err
	}
	if s.Outcome == nil {
		return f.putBack(w, s)
	}
	s.Past.Requests += s.Outcome.Requests
	s.Past.Tries++
	if again, yes := f.retry(s); yes {
		return f.putBack(w, again)
	}
	s.Outcome.Requests = s.Past.Requests
	if s.Target.Session {
		return f.hold(ctx, w, s)
	}
	return f.settle(w, s)
}

// settle passes the outcome of a target to the frontier, with what was found and counted.
func (f *settling) settle(w *workspace, s settlement) error {
	t, o, scope := s.Target, s.Outcome, f.door.Scope()
	defer f.door.Cycles.Settled(t.Lease.ID)
	defer f.reader.Release(&s.Content)
	if err := f.reports.Observe(f.always, t.At, o); err != nil {
		return err
	}
	if way := f.memory.Confirmed(t, o, scope); way != nil && s.Page != nil && len(s.Page.Targets()) > 0 { // not one redirect too many to be followed
		if _, err := f.memory.Follow(f.always, way, s.Page.Targets(), scope); err != nil {
			return err
		}
	}
	if o.Code != "ok" && o.Code != "redirect" && f.door.Rules.CallBroken(t.At, t.Internal, o) {
		s.Counts.Of[stored.Broken]++
	}
	s.Counts.Of[stored.Checked]++
	s.Gaps = account.WithGap(s.Gaps, o.Gap)
	if s.Report != nil {
		s.Report.Status, s.Report.Elapsed, s.Report.Size = o.Status, o.Elapsed, o.Size
		f.reportPage(s.Report)
	}
	if o.Code == "ok" && t.Page && !t.Follow && document.IsPage(o.ContentType) && scope.Sites.Of(s.At) == nil {
		f.reader.Page(&s.Content, t).ReadAfterAll(t.Target)
	}
	step, hasFound := frontier.Settlement{Outcome: o, Tallies: f.tallies(w, &s), Earlier: s.Earlier, Cheap: s.Cheap}, s.Page != nil
	switch p := s.Page; {
	case !hasFound:
	case f.frontier.Durable() && !s.Cheap: // another visit can use the page's memory while the store waits
		step.Page = append(p.About, s.Kept...)
		step.Found, step.Links = p.Detach()
		f.reader.Release(&s.Content)
	default:
		step.Found, step.Links, step.Page = p.Targets(), p.Encode(), append(p.About, s.Kept...)
	}
	if f.frontier.Durable() {
		w.Slot.Release() // the store waits for the disk, and for the steps of other workers
	}
	ids, err := f.frontier.Settle(f.always, t.Target, step)
	if err != nil {
		return err
	}
	f.reports.Read(t.URL, &step, s.NoStore)
	f.keep(&s)
	if o.Gap == gap.Machine {
		f.counts.Limited(o.Message)
	}
	f.env.Forecast.Settled(t.Lease.ID, o)
	if err := f.memory.Settled(f.always, t, o, scope); err != nil {
		return err
	}
	if hasFound {
		p := f.reader.Page(&s.Content, t)
		if f.frontier.Sharing() == nil { // a server that loses its last second assigns them again
			p.Learn(step.Found, ids)
		}
		f.door.Found(t, s.Sitemap, s.Text, step.Found, ids, &w.found)
		p.Foresee(f.always, ids)
	}
	if !f.streams {
		return nil
	}
	return f.out.Stream(f.always, account.Settled{ID: t.Lease.ID, Content: t.Content, Outcome: o, Found: step.Found, IDs: ids}, f.describer.pagesRead)
}

// putBack queues the target again, and gives up what was found.
func (f *settling) putBack(w *workspace, s settlement) error {
	if s.IsPage && !s.Target.Again {
		f.door.Pages.TakeBack()
	}
	f.reader.Release(&s.Content)
	s.Counts = s.Counts.Repeated()
	var err error
	if s.Again {
		err = f.frontier.GiveBack(f.always, s.Target.Target, f.tallies(w, &s))
	} else {
		queue := f.frontier.Defer
		if s.Second {
			queue = f.frontier.DeferToSecondPass
		}
		err = queue(f.always, s.Target.Target, time.Now().Add(s.Wait), s.Past.Encode(), f.tallies(w, &s))
	}
	if err == nil {
		f.keep(&s)
	}
	return err
}

// tallies returns what a step of the store adds to its sums: what a visit has counted and left out.
// They are valid until the next call for the same worker.
func (f *settling) tallies(w *workspace, s *settlement) []frontier.Tally {
	w.tallies = s.Counts.AppendTallies(w.tallies[:0], s.Gaps, f.door.Scope().Uses)
	return w.tallies
}

// keep notes that the store has kept what a visit has counted and left out.
func (f *settling) keep(s *settlement) {
	f.counts.Add(&s.Counts, s.Gaps)
	f.reports.Count(s.Target.At, &s.Counts)
	for _, pattern := range s.Counts.Traps {
		f.out.Trap(pattern)
	}
}

// reportPage reports a page to the sink. When the sink fails, no more targets are
// visited.
func (f *settling) reportPage(p *result.Page) {
	if !f.out.Page(p) {
		f.frontier.Drain()
	}
}

// unlessStale returns the error that has ended a visit, but nil if another process has the target
// now. Then what was found and counted here does not count, and the crawl goes on: the next step
// tells the store again which rules have matched something, because that need not be about one
// target, and more than once is as good as once.
func (f *settling) unlessStale(t *frontier.Target, err error) error {
	sharing := f.frontier.Sharing()
	if sharing == nil || !errors.Is(err, frontier.ErrStale) {
		return err
	}
	for _, u := range f.door.Scope().Uses {
		u.KeepAgain()
	}
	return sharing.GiveUp(f.always, t)
}
