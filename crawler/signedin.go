package crawler

import (
	"context"
	"errors"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/document"
	"github.com/orbweaver/orbweaver/crawler/internal/proof"
	"github.com/orbweaver/orbweaver/crawler/session"
	"github.com/orbweaver/orbweaver/urinorm"
)

// loginSessions are the sessions of a run.
type loginSessions struct {
	all      []*signedIn
	visiting atomic.Int64 // workers that visit a target
}

// newLoginSessions returns the sessions of a run, before anybody signs in.
func newLoginSessions(r *run) *loginSessions {
	s := &loginSessions{}
	for _, one := range r.cfg.Login.Sessions {
		watch := proof.New(proof.Config{CanSignIn: one.CanSignIn(), Retries: r.cfg.Login.Retries, Backoff: r.cfg.Backoff})
		s.all = append(s.all, &signedIn{run: r, session: one, sender: newSender(&r.cfg.Login), watch: watch, held: map[frontier.ID]*heldVisit{}})
	}
	return s
}

// start signs in to all hosts with a login, unless the crawl is over and only its report is
// missing. In a shared crawl, others may hold all targets now and find more.
func (s *loginSessions) start(ctx context.Context, w *worker) error {
	if len(s.all) == 0 {
		return nil
	}
	if w.run.frontier.Sharing() == nil {
		if c, err := w.run.frontier.Count(w.run.always); err != nil || c.Queued == 0 {
			return err
		}
	}
	for _, in := range s.all {
		if in.session.CanSignIn() {
			if err := in.begin(ctx, w); err != nil {
				return err
			}
		}
	}
	return w.run.cfg.Store.Tally(w.run.always, w.tally.take())
}

// of returns the session that requests for a URL are part of, or nil.
func (s *loginSessions) of(u urinorm.URL) *signedIn {
	for _, in := range s.all {
		if in.session.Login().Covers(u) {
			return in
		}
	}
	return nil
}

// begin notes that a worker visits a target.
func (s *loginSessions) begin() {
	if len(s.all) > 0 {
		s.visiting.Add(1)
	}
}

// end notes that a worker ended a visit.
func (s *loginSessions) end(ctx context.Context, w *worker) error {
	if len(s.all) == 0 {
		return nil
	}
	idle := s.visiting.Add(-1) == 0
	for _, in := range s.all {
		if err := in.follow(ctx, w, func(watch *proof.Watch) proof.Step { return watch.End(idle, in.session.IsStale()) }); err != nil {
			return err
		}
	}
	return nil
}

// finish requests the last proofs, when no target is visited any more.
func (s *loginSessions) finish(ctx context.Context, w *worker) error {
	for _, in := range s.all {
		if err := in.follow(ctx, w, (*proof.Watch).Finish); err != nil {
			return err
		}
	}
	return nil
}

// signedIn is one session and the visits that are held for it.
type signedIn struct {
	run     *run
	session *session.Session
	sender  *sender

	mu    sync.Mutex // protects what follows
	watch *proof.Watch
	held  map[frontier.ID]*heldVisit
}

// heldVisit is a visit that waits for a proof.
type heldVisit struct {
	visit   visit
	outcome *check.Outcome
	counted tallied
}

// read notes what a document that was read says about the session.
func (in *signedIn) read(v *visit, d *document.Document) {
	starts := d.Seed && in.session.WantsStart(d.URL)
	if !d.Read.LoginForm && !starts {
		return
	}
	page := session.ReadPage(d.URL, d.Outcome.Status, d.Response.ContentType, d.Body)
	if d.Read.LoginForm {
		v.held.Seen.Page = page
	}
	if starts {
		in.session.NoteStart(page)
	}
}

// noteAnswer notes what the answer says about the session.
func (v *visit) noteAnswer(a *answer) {
	if v.session == nil {
		return
	}
	seen := &v.held.Seen
	seen.URL, seen.Status = v.u, a.o.Status
	if a.o.IsRedirect() {
		seen.Next, _, _ = urinorm.ParseWeb(a.o.Next) // zero for what is no URL
	}
	v.held.Removes = a.resp != nil && v.session.session.Ends(a.resp.Header)
}

// outcomeIfOver returns the outcome of what is not requested any more, nil as long as there is
// a session, or may be one again.
func (in *signedIn) outcomeIfOver() *check.Outcome {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.watch.Over()
}

// admit decides whether a target may be requested now. It returns the outcome of a target
// that is not requested any more, and false for one that must wait.
func (in *signedIn) admit(v *visit) (o *check.Outcome, ready bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	o, alone, ready := in.watch.Admit(v.t.ID())
	if o == nil && ready {
		v.session, v.held = in, proof.Held{ID: v.t.ID(), Alone: alone}
	}
	return o, ready
}

// dismiss takes back that a target was admitted: it must wait for something else.
func (in *signedIn) dismiss(v *visit) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.watch.Dismiss(v.held.ID, v.held.Alone)
	v.session = nil
}

// leave notes that a visit is over.
func (in *signedIn) leave() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.watch.Leave()
}

// hold holds a visit until the session is proven, and requests a proof if one is due.
func (in *signedIn) hold(ctx context.Context, v *visit, o *check.Outcome) error {
	w := v.worker
	h := &heldVisit{visit: *v, outcome: o, counted: w.tally.lift()}
	h.visit.large = false // the document was read
	v.found = nil         // the held visit has it now
	var earlier *heldVisit
	err := in.follow(ctx, w, func(watch *proof.Watch) proof.Step {
		earlier, in.held[v.held.ID] = in.held[v.held.ID], h
		return watch.Hold(v.held, in.session.IsStale())
	})
	if earlier == nil || err != nil {
		return err
	}
	earlier.visit.release()
	return w.unlessStale(earlier.visit.t, frontier.ErrStale) // its target has another lease
}

// follow tells the watch what has happened, and does what follows.
func (in *signedIn) follow(ctx context.Context, w *worker, happens func(*proof.Watch) proof.Step) error {
	for {
		in.mu.Lock()
		step := happens(in.watch)
		settled, again := make([]*heldVisit, len(step.Settle)), make([]*heldVisit, len(step.Requeue))
		for i, s := range step.Settle {
			settled[i] = in.take(s.ID)
		}
		for i, id := range step.Requeue {
			again[i] = in.take(id)
		}
		in.mu.Unlock()
		for i, h := range settled {
			h.warn(step.Settle[i])
			if err := h.settle(w); err != nil {
				return err
			}
		}
		in.note(w, &step)
		for _, h := range again {
			if err := h.repeat(w, &step); err != nil {
				return err
			}
		}
		if step.Ask == proof.AskNothing {
			return nil
		}
		w.releaseSlot() // the network is slow
		answer, err := in.answer(ctx, w, &step)
		if err != nil || ctx.Err() != nil { // the run ends, and what is held is not settled
			return err
		}
		happens = func(watch *proof.Watch) proof.Step { return watch.Answer(answer) }
	}
}

// take returns a visit that is not held any more. Callers hold mu.
func (in *signedIn) take(id frontier.ID) *heldVisit {
	h := in.held[id]
	delete(in.held, id)
	return h
}

// note does what a step says of all targets.
func (in *signedIn) note(w *worker, step *proof.Step) {
	if step.Lost {
		in.run.door.Probes.Forget(in.session.Login().Covers)
		in.run.rendering.forget(in.session.Login().Covers)
	}
	if o := step.Over; o != nil {
		in.run.out.note(string(o.Code) + ": " + o.Message)
		w.tally.leftOut(check.GapNamed(string(o.Code)))
	}
}

// answer finds out what a step asks.
func (in *signedIn) answer(ctx context.Context, w *worker, step *proof.Step) (a proof.Answer, err error) {
	switch step.Ask {
	case proof.AskStanding:
		a.Standing = in.sender.standing(ctx, in.session)
	case proof.AskForgets:
		a.Forgets = in.sender.removesLost(ctx, in.session)
	case proof.AskSignIn:
		pause := time.NewTimer(step.Pause)
		defer pause.Stop()
		select {
		case <-pause.C:
		case <-ctx.Done():
			return a, nil
		}
		a, err = in.signIn(ctx)
	}
	w.tally.count(countRequests, in.sender.take())
	return a, err
}

// signIn signs in, once. The error ends the run.
func (in *signedIn) signIn(ctx context.Context) (a proof.Answer, err error) {
	a.Proof, err = in.sender.signIn(ctx, in.session)
	a.Page = in.session.Page()
	if ctx.Err() != nil {
		return a, nil
	}
	var failed bool
	if a.Failure, failed = errors.AsType[*session.Failure](err); failed {
		err = nil
	}
	return a, err
}

// begin signs in before the crawl. It is called before there are workers.
func (in *signedIn) begin(ctx context.Context, w *worker) error {
	a, err := in.signIn(ctx)
	w.tally.count(countRequests, in.sender.take())
	if err != nil || ctx.Err() != nil {
		return err
	}
	if err := in.follow(ctx, w, func(watch *proof.Watch) proof.Step { return watch.Begin(a) }); err != nil || a.Failure != nil {
		return err
	}
	in.leaveAlone()
	if !a.Proof.Proven {
		in.run.out.note(string(check.CodeLoginUnproven) + ": " + a.Proof.Doubt())
	}
	return nil
}

// leaveAlone makes the run skip what the page after the sign-in names as the way out.
func (in *signedIn) leaveAlone() {
	cfg := in.run.cfg
	leave := maps.Clone(cfg.LeaveAlone)
	for _, address := range in.session.LeaveAlone() {
		if leave == nil {
			leave = map[string]bool{}
		}
		leave[address] = true
	}
	cfg.LeaveAlone = leave
}

// warn notes on the outcome what its answer was for the session.
func (h *heldVisit) warn(s proof.Settled) {
	switch o := h.outcome; {
	case s.Ended:
		o.Warn(check.Warning{Code: check.CodeLoginEndedBy, Message: "asking for it ended the session; it is not asked again"})
	case s.SignedOut && h.visit.held.Seen.Page != nil && o.Code == check.CodeOK:
		o.Warn(check.Warning{Code: check.CodeRedirectToLogin, Message: "the answer is the sign-in page"})
	}
}

// Other processes may have the targets of some of the visits that are held, for example when
// this one was stopped for long. That ends those visits, and none of the others.

// settle settles a visit that was held.
func (h *heldVisit) settle(w *worker) error {
	v := &h.visit
	v.worker = w
	w.tally.put(h.counted)
	defer v.release()
	return w.unlessStale(v.t, v.settle(h.outcome))
}

// repeat queues the target of a visit again, or settles it with the outcome of a session that is
// over.
func (h *heldVisit) repeat(w *worker, step *proof.Step) error {
	v := &h.visit
	v.worker = w
	w.tally.count(countRequests, h.counted.counts[countRequests])
	if step.Over != nil {
		v.restart(v.page)
		over := *step.Over
		over.Requests = h.outcome.Requests
		return w.unlessStale(v.t, v.settle(&over))
	}
	v.uncount()
	v.release()
	v.past.Tries--
	err := v.run.frontier.Defer(v.run.always, v.t, time.Now().Add(step.After), v.past.Encode(), w.tally.take())
	if errors.Is(err, frontier.ErrStale) {
		v.session.mu.Lock()
		v.session.watch.Gone(v.t.ID())
		v.session.mu.Unlock()
	}
	return w.unlessStale(v.t, err)
}
