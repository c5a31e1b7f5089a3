// Package proof decides which visits of a session count, and when to sign in again.
//
// A page that was requested after its session had ended is not the page that was asked for,
// although it may look like one. So a visit to a host with a session is not settled until a
// later request proves that the session had not ended. Until then it is held, with all that it
// found, and its target stays leased. If the session has ended, no target is requested until all
// requests in progress were answered, because a late answer may remove the cookies of the next
// session. Then one worker signs in again, and the targets of all held visits are queued again.
// So nothing has to be undone, and a crawl that is resumed repeats what was not proven.
//
// A Watch sends nothing and has no clock. It is told what happens, and returns a Step: which held
// visits are settled, which targets are queued again, and what a worker has to find out:
//
//	Admit ─► Hold ─► Step ─┬─► Settle, Requeue
//	         End  ─►       └─► Ask ─► Answer ─► Step …
package proof

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/formlogin"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/session"
)

// Limits of what is held, and of signing in.
const (
	firstProof = 16  // visits that are held until a proof is requested, at first and after a loss
	laterProof = 128 // the same while the session lasts
	maxUnsure  = 3   // proofs without an answer until the session counts as lost
)

// Config is what a Watch needs to know of its session.
type Config struct {
	CanSignIn bool
	Retries   int           // sign-ins in a row without a page that the session proves
	Backoff   time.Duration // mean wait before the first retry
}

// Held is a visit that had its answer.
type Held struct {
	ID      frontier.ID
	Seen    formlogin.Answer
	Removes bool // the answer removes a cookie of the session
	Alone   bool // no other request was part of the session meanwhile, as Admit has returned

	signedOut bool // the answer is the sign-in page, or leads to it
	ends      bool // the answer seems to have ended the session
}

// Ask is what a worker has to find out.
type Ask uint8

const (
	// AskNothing means that nothing is to be found out.
	AskNothing Ask = iota
	// AskStanding asks whether the session was lost.
	AskStanding
	// AskForgets asks whether the site also removes the cookies of sessions that ended before.
	AskForgets
	// AskSignIn asks to sign in.
	AskSignIn
)

// Answer is what a worker has found out.
type Answer struct {
	Standing formlogin.Standing
	Forgets  bool
	// Proof is that of a sign-in, and Page the sign-in page. If nobody is signed in, Failure
	// says why.
	Proof   *formlogin.Proof
	Page    formlogin.SignInPage
	Failure *session.Failure
}

// Step is what follows from an event, in this order. Nothing is the zero value.
type Step struct {
	Settle []Settled
	// Lost means that the session has ended and that no visit is in progress: what was found out
	// about its hosts may be of the time after the loss.
	Lost bool
	// Over is set when the session ends for good: the outcome of all targets from now on.
	Over *judging.Outcome
	// Requeue are the targets whose visits do not count. They are queued again, not to be
	// visited before the time After has passed; once the session is over, they are settled with
	// its outcome.
	Requeue []frontier.ID
	After   time.Duration
	// Ask is to be answered after the time Pause.
	Ask   Ask
	Pause time.Duration
}

// Settled is a visit that is settled with what it found.
type Settled struct {
	ID        frontier.ID
	SignedOut bool // its answer is the sign-in page, or leads to it, although the session was in use
	// Ended means that it ended the session. If its answer is that of somebody who is signed out,
	// and SignedOut is set as well, nobody has seen what it shows to members.
	Ended bool
}

// Watch is what is known of one session, and the visits that are held for it. It is not safe for
// concurrent use.
type Watch struct {
	config Config
	signIn *formlogin.Recognizer

	asked    asked // what a worker finds out now
	gate     gate
	lost     bool             // the session has ended
	over     *judging.Outcome // of what cannot be settled any more; nil as long as the session can be renewed
	finished bool             // nobody signs in again
	stale    bool             // the time has come to sign in again
	held     visits
	trust    trust
	public   bool // the start page shows nothing of a loss: nothing can be proven
	forgets  bool // at the last loss: the site removes the cookies of sessions that had ended before
	blame    blame
	// unseen means that no held visit is known to be the last one before the loss: its proofs had
	// no answer, or the session was lost in its trials.
	unseen bool
}

// asked is what a worker finds out.
type asked struct {
	what     Ask
	held     int  // the first held visits had their answers before it
	idle     bool // no worker visited a target
	renewing bool // the session is closed, and no visit is in progress
	failed   int  // sign-ins in a row
	trials   int  // proofs of a new session that are left; 0 if it is not on trial
	guess    bool // the proofs of a loss had no answer
}

// begin lets a worker find out something.
func (a *asked) begin(s *Step, what asked) { *a, s.Ask = what, what.what }

// New returns a Watch before anybody signs in.
func New(config Config) *Watch {
	return &Watch{config: config, signIn: formlogin.NewRecognizer(formlogin.SignInPage{}), trust: trust{patience: firstProof}, gate: gate{again: map[frontier.ID]bool{}}}
}

// Begin notes the first sign-in. Without one, as with cookies, it is not called.
func (w *Watch) Begin(a Answer) (s Step) {
	if a.Failure != nil {
		w.end(&s, a.Failure.Code, a.Failure.Message)
		return s
	}
	w.signedIn(a)
	return s
}

func (w *Watch) signedIn(a Answer) {
	w.signIn.Renewed(a.Page)
	w.public, w.stale, w.blame.page = a.Proof.Public, false, a.Proof.Page.String()
}

// Over returns the outcome of what is not requested any more, nil as long as there is a session,
// or may be one again.
func (w *Watch) Over() *judging.Outcome {
	if w.over == nil {
		return nil
	}
	over := *w.over // the target's own
	return &over
}

// Admit decides whether a target may be requested now. It returns the outcome of a target that is
// not requested any more, and not ready for one that must wait. Alone is for Held.
func (w *Watch) Admit(id frontier.ID) (over *judging.Outcome, alone, ready bool) {
	if w.over != nil {
		return w.Over(), false, true
	}
	alone, ready = w.gate.admit(id)
	return nil, alone, ready
}

// Dismiss takes back that a target was admitted: it must wait for something else.
func (w *Watch) Dismiss(id frontier.ID, alone bool) { w.gate.dismiss(id, alone) }

// Leave notes that the visit of a target that was admitted is over.
func (w *Watch) Leave() { w.gate.leave() }

// Gone notes that another process has a target that was queued again.
func (w *Watch) Gone(id frontier.ID) { delete(w.gate.again, id) }

// Hold notes that the visit of a target had its answer. Stale is set if the time has come to sign
// in again. An earlier visit of the target that is held does not count any more.
func (w *Watch) Hold(h Held, stale bool) (s Step) {
	w.stale = w.stale || stale
	if i := slices.IndexFunc(w.held, func(other Held) bool { return other.ID == h.ID }); i >= 0 {
		w.held.remove(i, i+1)
		if i < w.asked.held {
			w.asked.held--
		}
	}
	h.signedOut = w.signIn.SignedOut(h.Seen)
	// A redirect to the sign-in page that names the page to return to is the answer of a
	// session that had ended before.
	h.ends = h.Removes && (!h.signedOut || !h.Seen.Next.IsZero() && !returnsTo(h.Seen))
	if !h.signedOut && (w.public || !h.ends && !w.config.CanSignIn) {
		s.Settle = append(s.Settle, Settled{ID: h.ID})
		return s
	}
	w.held = append(w.held, h)
	w.next(&s, false)
	return s
}

// returnsTo reports whether the query of the sign-in page's URL names the page.
func returnsTo(a formlogin.Answer) bool {
	query, _ := a.Next.Query()
	if decoded, err := url.QueryUnescape(query); err == nil {
		query = decoded
	}
	return strings.Contains(query, a.URL.Path())
}

// End is called when a worker has ended its visit. Idle is set if no worker visits a target: all
// of them may be waiting for what is held. Stale is that of Hold.
func (w *Watch) End(idle, stale bool) (s Step) {
	w.stale = w.stale || stale
	w.gate.closed = w.gate.closed || w.stale && w.over == nil
	w.next(&s, idle)
	return s
}

// Finish requests the last proof, when no target is visited any more.
func (w *Watch) Finish() (s Step) {
	w.finished = true
	w.next(&s, true)
	return s
}

// Answer notes what a worker has found out.
func (w *Watch) Answer(a Answer) (s Step) {
	switch w.asked.what {
	case AskStanding:
		if w.asked.trials > 0 {
			w.tries(&s, a.Standing)
		} else {
			w.stands(&s, a.Standing)
		}
	case AskForgets:
		w.forgets, w.lost, w.gate.closed, w.unseen = a.Forgets, true, true, w.asked.guess
		w.known(&s)
	case AskSignIn:
		w.signsIn(&s, a)
	}
	return s
}

// next begins what is due.
func (w *Watch) next(s *Step, idle bool) {
	renewing := w.gate.closed && w.gate.visits == 0 && !w.finished
	switch {
	case w.asked.what != AskNothing:
	case renewing && (w.lost || len(w.held) == 0):
		w.renew(s)
	case renewing || w.due(idle): // the session is only old, or may be lost
		w.asked = asked{what: AskStanding, held: len(w.held), idle: idle || renewing, renewing: renewing}
		if w.public {
			w.stands(s, formlogin.Public)
			return
		}
		s.Ask = AskStanding
	}
}

// due reports whether a proof is to be requested now.
func (w *Watch) due(idle bool) bool {
	switch {
	case w.gate.closed || len(w.held) == 0:
		return false
	case idle:
		return true
	case w.public:
		return len(w.held) >= laterProof || w.signIn.LeadsMany()
	case len(w.held) >= w.trust.patience:
		return true
	}
	last := &w.held[len(w.held)-1]
	return last.signedOut || last.ends || last.Alone || w.stale // what is held belongs to the old session
}

// stands decides about what is held.
func (w *Watch) stands(s *Step, standing formlogin.Standing) {
	switch standing {
	case formlogin.Holding:
		w.settle(s, w.asked.held)
	case formlogin.Lost:
		w.lose(s)
		return
	case formlogin.Public:
		if w.isPublic(s) {
			w.lose(s)
			return
		}
	default:
		unsure := w.trust.doubt()
		if unsure >= maxUnsure {
			w.asked.guess = true
			w.lose(s)
			return
		}
		w.requeue(s, fetch.Backoff(w.config.Backoff, unsure-1, fetch.MaxBackoff)) // the frontier waits, not the worker
	}
	w.known(s)
}

// isPublic decides about a session whose start page is open to everybody: it is lost if several
// pages lead to one sign-in page after others had answered. Pages that lead there are settled
// when no further page may show that, or too many are held.
func (w *Watch) isPublic(s *Step) (lost bool) {
	w.public = true
	w.held = slices.DeleteFunc(w.held, func(h Held) bool {
		if !h.signedOut { // nothing will prove it
			s.Settle = append(s.Settle, Settled{ID: h.ID})
		}
		return !h.signedOut
	})
	switch n := len(w.held); {
	case w.signIn.LeadsMany():
		return true
	case n > 0 && (w.asked.idle || n >= laterProof):
		w.settle(s, n)
	}
	return false
}

// settle settles the first n held visits.
func (w *Watch) settle(s *Step, n int) {
	for _, h := range w.held[:n] {
		s.Settle = append(s.Settle, Settled{ID: h.ID, SignedOut: h.signedOut})
		w.blame.held(h.ID, len(w.gate.again))
	}
	w.held.remove(0, n)
	w.trust.prove()
}

// requeue queues the targets of all held visits again.
func (w *Watch) requeue(s *Step, after time.Duration) {
	for i := range w.held {
		s.Requeue = append(s.Requeue, w.held[i].ID)
	}
	w.held.remove(0, len(w.held))
	s.After = after
}

// lose finds out how the session has ended.
func (w *Watch) lose(s *Step) {
	w.asked.what, s.Ask = AskForgets, AskForgets
}

// known goes on when the standing is known.
func (w *Watch) known(s *Step) {
	was := w.asked
	w.asked = asked{}
	if was.renewing {
		w.renew(s)
		return
	}
	w.next(s, was.idle)
}

// renew signs in again.
func (w *Watch) renew(s *Step) {
	if s.Lost = w.lost; w.lost {
		w.settleCulprit(s)
		if renewed := w.trust.renew(); !w.config.CanSignIn || renewed > w.config.Retries {
			w.end(s, judging.CodeLoginLost, w.config.whyOver())
			w.open(s)
			return
		}
	}
	w.asked.begin(s, asked{what: AskSignIn})
}

// settleCulprit settles the visit that ended the session, if it is known.
func (w *Watch) settleCulprit(s *Step) {
	if w.unseen {
		w.blame.suspect = suspicion{}
		return
	}
	i := w.blame.culprit(w.held, w.forgets)
	if i < 0 {
		return
	}
	h := &w.held[i]
	s.Settle = append(s.Settle, Settled{ID: h.ID, Ended: true, SignedOut: h.signedOut && (!h.ends || w.forgets)})
	w.held.remove(i, i+1)
	w.trust.renewed = 0
}

// tries reads a proof of a new session before the suspect is visited again. If the session is lost
// already, the suspect did not end the one before.
func (w *Watch) tries(s *Step, standing formlogin.Standing) {
	switch {
	case standing == formlogin.Lost:
		w.blame.stray()
		w.unseen = true
		w.renew(s)
	case standing == formlogin.Holding && w.asked.trials > 1:
		w.asked.trials--
		s.Ask = AskStanding
	case standing == formlogin.Holding:
		w.open(s)
	default: // nothing can be proven now
		w.blame.suspect = suspicion{}
		w.open(s)
	}
}

// signsIn reads the answer of a sign-in, and tries another one if it failed, unless that was too
// often.
func (w *Watch) signsIn(s *Step, a Answer) {
	switch f := a.Failure; {
	case f == nil:
		w.signedIn(a)
		if n := w.blame.renewed(); n > 0 && !w.public {
			w.asked.begin(s, asked{what: AskStanding, trials: n})
			return
		}
	case f.Code != judging.CodeLoginFailed || w.trust.renewed >= w.config.Retries:
		w.end(s, judging.CodeLoginLost, f.Message)
	default:
		s.Ask, s.Pause = AskSignIn, fetch.Backoff(w.config.Backoff, w.asked.failed, fetch.MaxBackoff)
		w.trust.renew()
		w.asked.failed++
		return
	}
	w.open(s)
}

// whyOver says why a session that was lost is not renewed.
func (c Config) whyOver() string {
	if !c.CanSignIn {
		return "the session of the cookies ended, and cookies cannot be renewed; --login can sign in again"
	}
	return "the session ended again and again; no further sign-in is tried"
}

// end ends the session for good: no target of its hosts is requested any more.
func (w *Watch) end(s *Step, code check.Code, message string) {
	over := judging.Skip(code, message)
	w.over, s.Over = &over, &over
}

// open lets targets be requested again, after a sign-in or when the session is over.
func (w *Watch) open(s *Step) {
	w.gate.open(w.held)
	w.requeue(s, 0)
	w.asked, w.lost = asked{}, false
	w.trust.begin()
}
