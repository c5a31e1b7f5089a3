package crawler

import (
	"context"
	"errors"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/admit"
	"github.com/orbweaver/orbweaver/crawler/internal/document"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
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
func newLoginSessions(cfg *Config) *loginSessions {
	s := &loginSessions{}
	for _, one := range cfg.Login.Sessions {
		watch := proof.New(proof.Config{CanSignIn: one.CanSignIn(), Retries: cfg.Login.Retries, Backoff: cfg.Politeness.Backoff})
		s.all = append(s.all, &signedIn{session: one, sender: newSender(&cfg.Login), watch: watch, held: map[frontier.ID]*settlement{}})
	}
	return s
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

// leave notes that the visit of a target is over, if its request was part of a session.
func (s *loginSessions) leave(t *admit.Target) {
	if !t.Session {
		return
	}
	in := s.of(t.At)
	in.mu.Lock()
	defer in.mu.Unlock()
	in.watch.Leave()
}

// signedIn is one session and the settlements that are held for it.
type signedIn struct {
	session *session.Session
	sender  *sender

	mu    sync.Mutex // protects what follows
	watch *proof.Watch
	held  map[frontier.ID]*settlement
}

// read notes what a document that was read says about the session. It returns the document if that
// asks for a password.
func (in *signedIn) read(d *document.Document) (signIn *session.Page) {
	starts := d.Seed && in.session.WantsStart(d.URL)
	if !d.Read.LoginForm && !starts {
		return nil
	}
	page := session.ReadPage(d.URL, d.Outcome.Status, d.Response.ContentType, d.Body)
	if starts {
		in.session.NoteStart(page)
	}
	if !d.Read.LoginForm {
		return nil
	}
	return page
}

// answered adds what the answer to a request says about the session.
func (in *signedIn) answered(h proof.Held, u urinorm.URL, a *answer) proof.Held {
	h.Seen = session.Answer{URL: u, Status: a.Outcome.Status, Page: a.SignIn}
	if a.Outcome.IsRedirect() {
		h.Seen.Next, _, _ = urinorm.ParseWeb(a.Outcome.Next) // zero for what is no URL
	}
	h.Removes = a.sent.Response != nil && in.session.Ends(a.sent.Header)
	return h
}

// outcomeIfOver returns the outcome of what is not requested any more, nil as long as there is
// a session, or may be one again.
func (in *signedIn) outcomeIfOver() *judging.Outcome {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.watch.Over()
}

// admit decides whether a target may be requested now. It returns the outcome of a target
// that is not requested any more, and false for one that must wait.
func (in *signedIn) admit(id frontier.ID) (o *judging.Outcome, alone, ready bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.watch.Admit(id)
}

// dismiss takes back that a target was admitted: it must wait for something else.
func (in *signedIn) dismiss(h proof.Held) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.watch.Dismiss(h.ID, h.Alone)
}

// gone notes that another process has a target that was queued again.
func (in *signedIn) gone(id frontier.ID) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.watch.Gone(id)
}

// due is what follows from an event of a session.
type due struct {
	proof.Step
	settled []*settlement // those of Step.Settle
	again   []*settlement // those of Step.Requeue
}

// tell tells the watch what has happened, and returns what follows.
func (in *signedIn) tell(happens func(*proof.Watch) proof.Step) due {
	in.mu.Lock()
	defer in.mu.Unlock()
	d := due{Step: happens(in.watch)}
	for _, s := range d.Settle {
		d.settled = append(d.settled, in.take(s.ID))
	}
	for _, id := range d.Requeue {
		d.again = append(d.again, in.take(id))
	}
	return d
}

// take returns a settlement that is not held any more. Callers hold mu.
func (in *signedIn) take(id frontier.ID) *settlement {
	s := in.held[id]
	delete(in.held, id)
	return s
}

// answer finds out what a step asks, and returns how many requests were sent for that.
func (in *signedIn) answer(ctx context.Context, step *proof.Step) (a proof.Answer, requests int, err error) {
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
			return a, 0, nil
		}
		a, err = in.signIn(ctx)
	}
	return a, in.sender.take(), err
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

// leaveAlone returns the addresses that are not requested, with what the page after the sign-in
// names as the way out.
func (in *signedIn) leaveAlone(before map[string]bool) map[string]bool {
	leave := maps.Clone(before)
	for _, address := range in.session.LeaveAlone() {
		if leave == nil {
			leave = map[string]bool{}
		}
		leave[address] = true
	}
	return leave
}
