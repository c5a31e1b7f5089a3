package crawler

import (
	"cmp"
	"context"
	"errors"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/account"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/proof"
	"github.com/orbweaver/orbweaver/crawler/internal/reading"
	"github.com/orbweaver/orbweaver/crawler/internal/signin"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
)

// signIn signs in to all hosts with a login, unless the crawl is over and only its report is
// missing. In a shared crawl, others may hold all targets now and find more. It is called before
// there are workers.
func (f *settling) signIn(ctx context.Context, w *workspace) error {
	if len(f.sessions.All) == 0 {
		return nil
	}
	if f.frontier.Sharing() == nil {
		if c, err := f.frontier.Count(f.always); err != nil || c.Queued == 0 {
			return err
		}
	}
	for _, in := range f.sessions.All {
		if !in.Session.CanSignIn() {
			continue
		}
		if err := f.begin(ctx, w, in); err != nil {
			return err
		}
	}
	return nil
}

// begin signs in to one session before the crawl.
func (f *settling) begin(ctx context.Context, w *workspace, in *signin.Session[settlement]) error {
	a, err := in.SignIn(ctx)
	if err := cmp.Or(err, f.tally(in.Requests(), gap.None)); err != nil || ctx.Err() != nil {
		return err
	}
	if err := f.follow(ctx, w, in, in.Begin(a)); err != nil || a.Failure != nil {
		return err
	}
	f.door.Scope().Rules.LeaveAlone = in.LeaveAlone(f.door.Scope().Rules.LeaveAlone)
	if !a.Proof.Proven {
		f.out.Note(string(check.CodeLoginUnproven) + ": " + a.Proof.Doubt())
	}
	return nil
}

// tally adds requests that were no part of a visit, and what they have shown to be left out, to the
// sums of the store.
func (f *settling) tally(requests int, g gap.Kind) error {
	var c stored.Counts
	c.Of[stored.Requests] = requests
	gaps := account.WithGap(nil, g)
	tallies := c.AppendTallies(nil, gaps, nil)
	if len(tallies) == 0 {
		return nil
	}
	err := f.store.Tally(f.always, tallies)
	if err == nil {
		f.counts.Add(&c, gaps)
	}
	return err
}

// hold lets a settlement wait until its session is proven, and requests a proof if one is due.
func (f *settling) hold(ctx context.Context, w *workspace, s settlement) error {
	f.reader.EndLarge(&s.Content) // the document was read
	t := *s.Target
	s.Target = &t // the worker needs its memory for the next one
	in := f.sessions.Of(t.At)
	earlier, d := in.Hold(s.Held, &s)
	err := f.follow(ctx, w, in, d)
	if earlier == nil || err != nil {
		return err
	}
	f.reader.Release(&earlier.Content)
	return f.unlessStale(earlier.Target.Target, frontier.ErrStale) // its target has another lease
}

// endVisit notes that a worker has ended a visit, and does what follows for the sessions.
func (f *settling) endVisit(ctx context.Context, w *workspace) error {
	if len(f.sessions.All) == 0 {
		return nil
	}
	idle := f.sessions.End()
	for _, in := range f.sessions.All {
		if err := f.follow(ctx, w, in, in.End(idle)); err != nil {
			return err
		}
	}
	return nil
}

// lastProofs requests the last proofs, when no target is visited any more.
func (f *settling) lastProofs(ctx context.Context, w *workspace) error {
	for _, in := range f.sessions.All {
		if err := f.follow(ctx, w, in, in.Finish()); err != nil {
			return err
		}
	}
	return nil
}

// follow does what follows from an event of a session, and from the answers to what that asks.
// Other processes may have some of the targets that are held, for example when this one was stopped
// for long: then what was found there does not count, but the others are settled.
func (f *settling) follow(ctx context.Context, w *workspace, in *signin.Session[settlement], d signin.Due[settlement]) error {
	for {
		for i, s := range d.Settled {
			f.warnOfSession(s, d.Settle[i])
			if err := f.unlessStale(s.Target.Target, f.settle(w, *s)); err != nil {
				return err
			}
		}
		if err := f.note(in, &d.Step); err != nil {
			return err
		}
		for _, s := range d.Again {
			if err := f.repeat(w, in, *s, &d.Step); err != nil {
				return err
			}
		}
		if d.Ask == proof.AskNothing {
			return nil
		}
		w.Slot.Release() // the network is slow
		a, requests, err := in.Ask(ctx, &d.Step)
		if err := cmp.Or(err, f.tally(requests, gap.None)); err != nil || ctx.Err() != nil { // the run ends, and what is held is not settled
			return err
		}
		d = in.Answer(a)
	}
}

// note does what a step says of all targets of a session.
func (f *settling) note(in *signin.Session[settlement], step *proof.Step) error {
	if step.Lost {
		f.door.Probes.Forget(in.Session.Login().Covers)
		f.door.Library.Forget(in.Session.Login().Covers)
	}
	o := step.Over
	if o == nil {
		return nil
	}
	f.out.Note(string(o.Code) + ": " + o.Message)
	return f.tally(0, gap.Named(string(o.Code)))
}

// warnOfSession notes on the outcome of a settlement what its answer was for the session.
func (f *settling) warnOfSession(s *settlement, what proof.Settled) {
	if what.Ended {
		if what.SignedOut { // nobody has seen what it shows to members
			f.withoutAnswer(s, judging.Skip(judging.CodeLoginLost, "the session ended each time when it was requested, and its answer was the sign-in page"))
			s.Gaps = account.WithGap(nil, gap.Named(string(judging.CodeLoginLost)))
		}
		s.Outcome.Warn(check.Warning{Code: judging.CodeLoginEndedBy, Message: "asking for it ended the session; it is not asked again"})
		return
	}
	if what.SignedOut && s.Held.Seen.Page != nil && s.Outcome.Code == check.CodeOK {
		s.Outcome.Warn(check.Warning{Code: check.CodeRedirectToLogin, Message: "the answer is the sign-in page"})
	}
}

// withoutAnswer replaces what a settlement found by an outcome that says why it does not count.
func (f *settling) withoutAnswer(s *settlement, o judging.Outcome) {
	o = o.After(s.Outcome.Requests)
	f.reader.Release(&s.Content)
	s.Outcome, s.Content, s.Kept = &o, reading.Content{At: s.At}, nil
	s.Counts, s.Gaps = s.Counts.Repeated(), nil
}

// repeat queues the target of a settlement that does not count again, or settles it with the outcome
// of a session that is over.
func (f *settling) repeat(w *workspace, in *signin.Session[settlement], s settlement, step *proof.Step) error {
	t := s.Target
	if step.Over != nil {
		f.withoutAnswer(&s, *step.Over)
		return f.unlessStale(t.Target, f.settle(w, s))
	}
	s.Gaps, s.Wait = nil, step.After
	s.Past.Tries--
	err := f.putBack(w, s)
	if errors.Is(err, frontier.ErrStale) {
		in.Gone(t.Lease.ID)
	}
	return f.unlessStale(t.Target, err)
}
