// Package signin has the sessions of a run: it signs in, asks what proves a session or shows that it
// was lost (package proof decides when), and holds what waits for a proof.
package signin

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/document"
	"github.com/orbweaver/orbweaver/crawler/internal/formlogin"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/proof"
	"github.com/orbweaver/orbweaver/crawler/session"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Sessions are the sessions of a run. S is what waits for a proof.
type Sessions[S any] struct {
	All      []*Session[S]
	visiting atomic.Int64 // workers that visit a target
}

// New returns the sessions of a run, before anybody signs in. Retries is how often each signs in
// again, and backoff the pause before the first time.
func New[S any](all []*formlogin.Session, c Client, retries int, backoff time.Duration) *Sessions[S] {
	s := &Sessions[S]{}
	for _, one := range all {
		watch := proof.New(proof.Config{CanSignIn: one.CanSignIn(), Retries: retries, Backoff: backoff})
		s.All = append(s.All, &Session[S]{Session: one, sender: NewSender(c), watch: watch, held: map[frontier.ID]*S{}})
	}
	return s
}

// Of returns the session that requests for a URL are part of, or nil.
func (s *Sessions[S]) Of(u urinorm.URL) *Session[S] {
	for _, in := range s.All {
		if in.Session.Login().Covers(u) {
			return in
		}
	}
	return nil
}

// Begin notes that a worker visits a target.
func (s *Sessions[S]) Begin() {
	if len(s.All) > 0 {
		s.visiting.Add(1)
	}
}

// End notes that a worker has ended a visit, and reports whether it was the last one under way.
func (s *Sessions[S]) End() (idle bool) { return s.visiting.Add(-1) == 0 }

// Leave notes that the visit of a target is over, if its request was part of a session.
func (s *Sessions[S]) Leave(t *admit.Target) {
	if !t.Session {
		return
	}
	in := s.Of(t.At)
	in.mu.Lock()
	defer in.mu.Unlock()
	in.watch.Leave()
}

// Session is one session and what is held for it.
type Session[S any] struct {
	Session *formlogin.Session
	sender  *Sender

	mu    sync.Mutex // protects what follows
	watch *proof.Watch
	held  map[frontier.ID]*S
}

// Page notes what a document that was read says about the session that its request was part of, which
// is one of all. It returns the document if that asks for a password.
func Page(all []*formlogin.Session, d *document.Document) (signIn *formlogin.Page) {
	at := slices.IndexFunc(all, func(s *formlogin.Session) bool { return s.Login().Covers(d.Seen) })
	starts := d.Seed && all[at].WantsStart(d.URL)
	if !d.Read.LoginForm && !starts {
		return nil
	}
	page := formlogin.ReadPage(d.URL, d.Outcome.Status, d.Response.ContentType, d.Body)
	if starts {
		all[at].NoteStart(page)
	}
	if !d.Read.LoginForm {
		return nil
	}
	return page
}

// Answered adds what the answer to a request says about the session. signIn is the document, if that
// asks for a password.
func (in *Session[S]) Answered(h proof.Held, u urinorm.URL, o *judging.Outcome, signIn *formlogin.Page, resp *fetch.Response) proof.Held {
	h.Seen = formlogin.Answer{URL: u, Status: o.Status, Page: signIn}
	if o.IsRedirect() {
		h.Seen.Next, _, _ = urinorm.ParseWeb(o.Next) // zero for what is no URL
	}
	h.Removes = resp != nil && in.Session.Ends(resp.Header)
	return h
}

// Over returns the outcome of what is not requested any more, nil as long as there is
// a session, or may be one again.
func (in *Session[S]) Over() *judging.Outcome {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.watch.Over()
}

// Admit decides whether a target may be requested now. It returns the outcome of a target
// that is not requested any more, and false for one that must wait.
func (in *Session[S]) Admit(id frontier.ID) (o *judging.Outcome, alone, ready bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.watch.Admit(id)
}

// Dismiss takes back that a target was admitted: it must wait for something else.
func (in *Session[S]) Dismiss(h proof.Held) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.watch.Dismiss(h.ID, h.Alone)
}

// Gone notes that another process has a target that was queued again.
func (in *Session[S]) Gone(id frontier.ID) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.watch.Gone(id)
}

// Due is what follows from an event of a session.
type Due[S any] struct {
	proof.Step
	Settled []*S // those of Step.Settle
	Again   []*S // those of Step.Requeue
}

// Begin says what follows from the sign-in before the crawl.
func (in *Session[S]) Begin(a proof.Answer) Due[S] {
	return in.tell(func() proof.Step { return in.watch.Begin(a) })
}

// Hold lets something wait for a proof, and says what follows. What was held for the same target is
// not any more; it had another lease.
func (in *Session[S]) Hold(h proof.Held, what *S) (earlier *S, d Due[S]) {
	d = in.tell(func() proof.Step {
		earlier, in.held[h.ID] = in.held[h.ID], what
		return in.watch.Hold(h, in.Session.IsStale())
	})
	return earlier, d
}

// End says what follows when a visit has ended. idle is set if no other is under way.
func (in *Session[S]) End(idle bool) Due[S] {
	return in.tell(func() proof.Step { return in.watch.End(idle, in.Session.IsStale()) })
}

// Finish says what follows when no target is visited any more.
func (in *Session[S]) Finish() Due[S] { return in.tell(in.watch.Finish) }

// Answer says what follows from the answer to what a step asked.
func (in *Session[S]) Answer(a proof.Answer) Due[S] {
	return in.tell(func() proof.Step { return in.watch.Answer(a) })
}

// tell lets something happen to the watch, and returns what follows.
func (in *Session[S]) tell(happens func() proof.Step) Due[S] {
	in.mu.Lock()
	defer in.mu.Unlock()
	d := Due[S]{Step: happens()}
	for _, s := range d.Settle {
		d.Settled = append(d.Settled, in.take(s.ID))
	}
	for _, id := range d.Requeue {
		d.Again = append(d.Again, in.take(id))
	}
	return d
}

// take returns what is not held any more. Callers hold mu.
func (in *Session[S]) take(id frontier.ID) *S {
	s := in.held[id]
	delete(in.held, id)
	return s
}

// Ask finds out what a step asks, and returns how many requests were sent for that.
func (in *Session[S]) Ask(ctx context.Context, step *proof.Step) (a proof.Answer, requests int, err error) {
	switch step.Ask {
	case proof.AskStanding:
		a.Standing = in.sender.standing(ctx, in.Session)
	case proof.AskForgets:
		a.Forgets = in.sender.removesLost(ctx, in.Session)
	case proof.AskSignIn:
		pause := time.NewTimer(step.Pause)
		defer pause.Stop()
		select {
		case <-pause.C:
		case <-ctx.Done():
			return a, 0, nil
		}
		a, err = in.SignIn(ctx)
	}
	return a, in.Requests(), err
}

// SignIn signs in, once. The error ends the run.
func (in *Session[S]) SignIn(ctx context.Context) (a proof.Answer, err error) {
	a.Proof, err = in.sender.SignIn(ctx, in.Session)
	a.Page = in.Session.Page()
	if ctx.Err() != nil {
		return a, nil
	}
	var failed bool
	if a.Failure, failed = errors.AsType[*session.Failure](err); failed {
		err = nil
	}
	return a, err
}

// LeaveAlone returns the addresses that are not requested, with what the page after the sign-in
// names as the way out.
func (in *Session[S]) LeaveAlone(before map[string]bool) map[string]bool {
	leave := maps.Clone(before)
	for _, address := range in.Session.LeaveAlone() {
		if leave == nil {
			leave = map[string]bool{}
		}
		leave[address] = true
	}
	return leave
}

// Requests returns the number of requests since its last call.
func (in *Session[S]) Requests() int { return int(in.sender.sent.Swap(0)) }
