package crawler

import (
	"context"
	"errors"
	"io"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/document"
)

// worker visits one target after another.
type worker struct {
	run   *run
	tally tally
	busy  bool // it holds one of the slots

	document document.Document // that it reads

	pageIDs, otherIDs []uint32 // memory for observeGrowth
}

func newWorker(r *run) *worker {
	return &worker{run: r, tally: tally{cfg: r.cfg, total: &r.counts}}
}

// work visits targets until there are none, or there is one worker too many for the
// machine.
func (w *worker) work(ctx context.Context) error {
	var v visit
	visiting := w.run.inFlight.enter()
	defer w.run.inFlight.leave(visiting)
	for !w.run.governor.tooMany() {
		w.run.slots.waitForRoom()
		t, err := w.run.frontier.Next(ctx)
		switch {
		case err == io.EOF:
			return nil
		case err != nil && ctx.Err() != nil:
			return nil // the run was cancelled: unvisited targets are reported as such
		case err != nil:
			return err
		}
		w.run.sessions.begin()
		v = visit{run: w.run, worker: w, t: t}
		visiting.Store(t)
		err = v.do(ctx)
		visiting.Store(nil)
		if err := w.unlessStale(t, err); err != nil {
			return err
		}
		if err := w.run.sessions.end(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// unlessStale returns the error that has ended a visit, but nil if another process has the
// target now: what was found here does not count then, and the crawl goes on.
func (w *worker) unlessStale(t *frontier.Target, err error) error {
	sharing := w.run.frontier.Sharing()
	if sharing == nil || !errors.Is(err, frontier.ErrStale) {
		return err
	}
	w.tally.discard()
	return sharing.GiveUp(w.run.always, t)
}

// leftOut counts a target that is settled with an outcome that leaves something out.
func (w *worker) leftOut(o *check.Outcome) {
	w.tally.leftOut(o.Gap)
	if o.Gap == check.GapMachine {
		w.run.localLimit.CompareAndSwap(nil, &o.Message)
	}
}

// noteTrap counts a page that is not read because it is part of an endless series.
func (w *worker) noteTrap(pattern string) {
	w.run.out.trap(pattern)
	w.tally.add(tallyTrap+pattern, 1)
}

// takeSlot takes one of the slots for workers that compute, unless the worker has one.
// It is kept until the visit ends, unless another request is sent.
func (w *worker) takeSlot() {
	if !w.busy {
		w.run.slots.take()
		w.busy = true
	}
}

func (w *worker) releaseSlot() {
	if w.busy {
		w.run.slots.release()
		w.busy = false
	}
}
