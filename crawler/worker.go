package crawler

import (
	"cmp"
	"context"
	"io"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// work visits targets until there are none, or there is one worker too many for the
// machine.
func (r *run) work(ctx context.Context) error {
	w := newWorkspace(r.reader.Slots)
	visiting := r.inFlight.Enter()
	defer r.inFlight.Leave(visiting)
	for !r.governor.TooMany() {
		w.Slot.Slots.WaitForRoom()
		t, err := r.frontier.Next(ctx)
		switch {
		case err == io.EOF:
			return nil
		case err != nil && ctx.Err() != nil:
			return nil // the run was cancelled: unvisited targets are reported as such
		case err != nil:
			return err
		}
		r.sessions.Begin()
		visiting.Store(t)
		err = r.attend(ctx, w, t)
		visiting.Store(nil)
		if err := r.settling.unlessStale(t, err); err != nil {
			return err
		}
		if err := r.settling.endVisit(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// attend visits a target and does what follows from what that brought.
func (r *run) attend(ctx context.Context, w *workspace, t *frontier.Target) (err error) {
	defer r.door.Pages.End(t.Turn)
	if !t.Follow { // no page waits for it
		r.door.Pages.End(t.Turn)
	}
	target, invalid, err := r.visitor.target(w, t)
	if err != nil {
		return err
	}
	defer w.Slot.Release()
	defer r.door.End(target)
	defer func() { err = cmp.Or(err, r.door.EndPass(target)) }()
	defer r.sessions.Leave(target)
	s := settlement{Target: target, Outcome: invalid}
	if invalid == nil {
		s, err = r.visitor.visit(ctx, w, target)
	}
	if ctx.Err() != nil { // cut off by the run's own end: not the target's fault
		err = nil
	}
	if err != nil || ctx.Err() != nil {
		r.reader.Release(&s.Content)
		return err
	}
	if s.Outcome != nil && !s.Began.IsZero() {
		r.adaptWorkers(ctx, s.Outcome, s.Began)
	}
	return r.settling.finish(ctx, w, s)
}
