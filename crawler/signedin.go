package crawler

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/frontier"
	"github.com/orbweaver/orbweaver/crawler/rules"
	"github.com/orbweaver/orbweaver/crawler/session"
	"github.com/orbweaver/orbweaver/urinorm"
)

// A page that was requested after its session had ended is not the page that was asked
// for, although it may look like one. So a visit to a host with a session is not settled
// until a later request proves that the session had not ended. Until then it is held, with
// all that it found, and its target stays leased. If the session has ended, no target is
// requested until all requests in progress were answered, because a late answer may remove
// the cookies of the next session. Then one worker signs in again, and the targets of all
// held visits are queued again. So nothing has to be undone, and a crawl that is resumed
// repeats what was not proven.

// Limits of what is held, and of signing in.
const (
	firstProof = 16  // visits that are held until a proof is requested, at first and after a loss
	laterProof = 128 // the same while the session lasts
	maxUnsure  = 3   // proofs without an answer until the session counts as lost
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
		s.all = append(s.all, &signedIn{run: r, session: one, watch: session.NewWatch(session.SignInPage{}), sender: &sender{login: &r.cfg.Login}, patience: firstProof, again: map[frontier.ID]bool{}})
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

// end notes that a worker ended a visit. When no worker visits a target, all of them may be
// waiting for what is held.
func (s *loginSessions) end(ctx context.Context, w *worker) error {
	if len(s.all) == 0 {
		return nil
	}
	if s.visiting.Add(-1) == 0 {
		if err := s.prove(ctx, w); err != nil {
			return err
		}
	}
	for _, in := range s.all {
		if err := in.renew(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// prove requests proofs for all that is held.
func (s *loginSessions) prove(ctx context.Context, w *worker) error {
	for _, in := range s.all {
		if err := in.prove(ctx, w, true); err != nil {
			return err
		}
	}
	return nil
}

// signedIn is one session and the visits that are held for it.
type signedIn struct {
	run     *run
	session *session.Session
	watch   *session.Watch
	sender  *sender

	mu       sync.Mutex
	proving  bool           // a worker requests a proof, or signs in; while closed and without visits, only that worker uses what follows
	closed   bool           // no target is requested until a worker has signed in again
	lost     bool           // the session has ended
	over     *check.Outcome // of what cannot be settled any more; nil as long as the session can be renewed
	held     []heldVisit    // in the order of their answers
	patience int            // visits that are held until a proof is requested
	unsure   int            // proofs in a row without an answer
	renewed  int            // sign-ins since a visit was settled
	public   bool           // the start page shows nothing of a loss: nothing can be proven
	forgets  bool           // at the last loss: the site removes the cookies of sessions that had ended before
	visits   int            // in progress

	// After a loss, targets are visited one at a time, each with a proof, until those that
	// the loss has queued again were visited. So the target that ends the session is found:
	// the one that was visited last before two losses in a row.
	again   map[frontier.ID]bool
	alone   bool // the visit that was begun last is one of them
	suspect frontier.ID
	doubted bool // there is a suspect
}

// heldVisit is a visit that waits for a proof.
type heldVisit struct {
	visit   visit
	outcome *check.Outcome
	counted tallied
}

// read notes what a document that was read says about the session.
func (in *signedIn) read(r reading, doc *extract.Document, data []byte) {
	starts := r.visit.t.Seed && in.session.WantsStart(r.u)
	if !doc.LoginForm && !starts {
		return
	}
	page := session.ReadPage(r.u, r.o.Status, r.resp.ContentType, data)
	if doc.LoginForm {
		r.visit.signInPage = page
	}
	if starts {
		in.session.NoteStart(page)
	}
}

// compareSignIn notes whether the answer is the sign-in page, or leads to it.
func (v *visit) compareSignIn(a *answer) {
	if v.session == nil {
		return
	}
	seen := session.Answer{URL: v.u, Status: a.o.Status, Page: v.signInPage}
	if a.o.IsRedirect() {
		seen.Next, _, _ = urinorm.ParseWeb(a.o.Next) // zero for what is no URL
	}
	v.signedOut = v.session.watch.SignedOut(seen)
	// A redirect to the sign-in page that names the page to return to is the answer of a
	// session that had ended before.
	v.endsSession = a.resp != nil && v.session.session.Ends(a.resp.Header) && (!v.signedOut || a.o.IsRedirect() && !returnsTo(seen.Next, v.u))
}

// returnsTo reports whether the query of a sign-in page's URL names a page.
func returnsTo(signIn, page urinorm.URL) bool {
	query, _ := signIn.Query()
	if decoded, err := url.QueryUnescape(query); err == nil {
		query = decoded
	}
	return strings.Contains(query, page.Path())
}

// outcomeIfOver returns the outcome of what is not requested any more, nil as long as there is
// a session, or may be one again.
func (in *signedIn) outcomeIfOver() *check.Outcome {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.over == nil {
		return nil
	}
	over := *in.over
	return &over
}

// admit decides whether a target may be requested now. It returns the outcome of a target
// that is not requested any more, and false for one that must wait.
func (in *signedIn) admit(v *visit) (o *check.Outcome, ready bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	switch {
	case in.over != nil:
		over := *in.over
		return &over, true
	case in.closed, in.visits > 0 && (in.alone || len(in.again) > 0):
		return nil, false
	}
	in.visits++
	in.alone = len(in.again) > 0
	v.session, v.alone = in, in.alone
	delete(in.again, v.t.ID())
	return nil, true
}

// dismiss takes back that a target was admitted: it must wait for something else.
func (in *signedIn) dismiss(v *visit) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.visits--
	if v.alone {
		in.again[v.t.ID()] = true
	}
	v.session, v.alone = nil, false
}

// leave notes that a visit is over.
func (in *signedIn) leave() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.visits--
}

// hold holds a visit until the session is proven, and requests a proof if one is due.
func (in *signedIn) hold(ctx context.Context, v *visit, o *check.Outcome) error {
	w := v.worker
	h := heldVisit{visit: *v, outcome: o, counted: w.tally.lift()}
	h.visit.large = false // the document was read
	v.found = nil         // the held visit has it now
	in.mu.Lock()
	if !v.signedOut && (in.public || !v.endsSession && !in.session.CanSignIn()) {
		in.mu.Unlock()
		return h.settle(w)
	}
	in.held = append(in.held, h)
	in.mu.Unlock()
	w.releaseSlot() // a proof waits for the network
	return in.prove(ctx, w, false)
}

// due reports whether a proof is to be requested now. idle is set if no worker visits a
// target. Callers hold mu.
func (in *signedIn) due(idle bool) bool {
	switch {
	case in.proving || in.closed || len(in.held) == 0:
		return false
	case idle:
		return true
	case in.public:
		return len(in.held) >= laterProof || in.watch.LeadsMany()
	case len(in.held) >= in.patience:
		return true
	}
	last := &in.held[len(in.held)-1].visit
	return last.signedOut || last.endsSession || last.alone || in.session.IsStale() // what is held belongs to the old session
}

// prove requests a proof of the session if one is due. It settles the visits that this
// proves, or queues their targets again.
func (in *signedIn) prove(ctx context.Context, w *worker, idle bool) error {
	for {
		in.mu.Lock()
		if !in.due(idle) {
			in.mu.Unlock()
			return nil
		}
		in.proving = true
		n := len(in.held)
		in.mu.Unlock()
		err := in.decide(ctx, w, n, idle)
		in.mu.Lock()
		in.proving = false
		in.mu.Unlock()
		if err != nil || ctx.Err() != nil {
			return err
		}
	}
}

// decide requests a proof. The first n held visits had their answers before it.
func (in *signedIn) decide(ctx context.Context, w *worker, n int, idle bool) error {
	in.mu.Lock()
	standing, known := session.Public, in.public
	in.mu.Unlock()
	if !known {
		standing = in.sender.standing(ctx, in.session)
		w.tally.count(countRequests, in.sender.take())
		if ctx.Err() != nil {
			return nil // the run ends, and what is held is not settled
		}
	}
	switch standing {
	case session.Holding:
		return in.settleHeld(w, n)
	case session.Lost:
		return in.lose(ctx, w)
	case session.Public:
		return in.decidePublic(ctx, w, idle)
	}
	in.mu.Lock()
	in.unsure++
	times := in.unsure
	var held []heldVisit
	if times < maxUnsure {
		held, in.held = in.held, nil
	}
	in.mu.Unlock()
	if times >= maxUnsure {
		return in.lose(ctx, w)
	}
	for i := range held { // the frontier waits, not the worker
		if err := held[i].putBack(w, frontier.Backoff(in.run.cfg.Backoff, times-1, frontier.MaxBackoff)); err != nil {
			return err
		}
	}
	return nil
}

// decidePublic decides about a session whose start page is open to everybody: it is lost if
// several pages lead to one sign-in page after others had answered. Pages that lead there are
// settled when no further page may show that, or too many are held.
func (in *signedIn) decidePublic(ctx context.Context, w *worker, idle bool) error {
	in.mu.Lock()
	in.public = true
	var others []heldVisit // nothing will prove them
	in.held = slices.DeleteFunc(in.held, func(h heldVisit) bool {
		if !h.visit.signedOut {
			others = append(others, h)
		}
		return !h.visit.signedOut
	})
	pages := len(in.held)
	in.mu.Unlock()
	for i := range others {
		if err := others[i].settle(w); err != nil {
			return err
		}
	}
	switch {
	case in.watch.LeadsMany():
		return in.lose(ctx, w)
	case pages > 0 && (idle || pages >= laterProof):
		return in.settleHeld(w, pages)
	}
	return nil
}

// settleHeld settles the first n held visits.
func (in *signedIn) settleHeld(w *worker, n int) error {
	in.mu.Lock()
	proven := slices.Clone(in.held[:n])
	in.held = slices.Delete(in.held, 0, n)
	in.renewed, in.unsure = 0, 0
	in.patience = min(2*in.patience, laterProof)
	in.mu.Unlock()
	for i := range proven {
		h := &proven[i]
		if h.visit.signedOut {
			h.noteForm()
		}
		if err := h.settle(w); err != nil {
			return err
		}
	}
	return nil
}

// lose notes that the session has ended.
func (in *signedIn) lose(ctx context.Context, w *worker) error {
	forgets := in.sender.removesLost(ctx, in.session)
	w.tally.count(countRequests, in.sender.take())
	in.mu.Lock()
	defer in.mu.Unlock()
	in.forgets, in.lost, in.closed = forgets, true, true
	return nil
}

// renew signs in again if the session has ended or is old and no visit is in progress, and
// queues the targets of all held visits again. If nobody can sign in, the session is over.
func (in *signedIn) renew(ctx context.Context, w *worker) (err error) {
	in.mu.Lock()
	if !in.closed && in.over == nil && in.session.IsStale() {
		in.closed = true
	}
	due := in.closed && !in.proving && in.visits == 0 && ctx.Err() == nil
	in.proving = in.proving || due
	in.mu.Unlock()
	if !due {
		return nil
	}
	renewed := false
	defer func() {
		in.mu.Lock()
		defer in.mu.Unlock()
		in.proving = false
		if renewed { // not before: a visit needs its proof, and this worker is not free to request it
			in.closed = false
		}
	}()
	if n := len(in.held); n > 0 && !in.lost { // the session was not lost, only old
		if err := in.decide(ctx, w, n, true); err != nil {
			return err
		}
	}
	if in.lost {
		if err := in.settleCulprit(w); err != nil {
			return err
		}
	}
	if err := in.signInAgain(ctx, w); err != nil || ctx.Err() != nil {
		return err
	}
	if in.lost {
		in.run.probes.forget(in.session.Login().Covers) // some may be of the time after the loss
		in.run.rendering.forget(in.session.Login().Covers)
	}
	in.mu.Lock()
	held, over := in.held, in.over
	in.held, in.lost = nil, false
	in.patience, in.unsure = firstProof, 0
	for i := range held {
		in.again[held[i].visit.t.ID()] = true
	}
	in.mu.Unlock()
	for i := range held {
		if h := &held[i]; over != nil {
			err = h.drop(w, over)
		} else {
			err = h.putBack(w, 0)
		}
		if err != nil {
			return err
		}
	}
	renewed = true
	return nil
}

// settleCulprit settles the visit that ended the session, if it is known.
func (in *signedIn) settleCulprit(w *worker) error {
	in.mu.Lock()
	i := in.culprit()
	if i < 0 {
		in.mu.Unlock()
		return nil
	}
	h := in.held[i]
	in.held = slices.Delete(in.held, i, i+1)
	in.renewed, in.doubted = 0, false
	in.mu.Unlock()
	h.outcome.Warn(check.Warning{Code: check.CodeLoginEndedBy, Message: "asking for it ended the session; it is not asked again"})
	return h.settle(w)
}

// culprit returns the index of the held visit that ended the session, -1 if it is not
// known. Callers hold mu.
func (in *signedIn) culprit() int {
	if len(in.held) == 0 {
		return -1
	}
	if i := slices.IndexFunc(in.held, func(h heldVisit) bool { return h.visit.endsSession }); i >= 0 && !in.forgets {
		return i
	}
	last := len(in.held) - 1
	alone := last == 0
	id := in.held[last].visit.t.ID()
	if alone && in.doubted && in.suspect == id {
		return last
	}
	in.suspect, in.doubted = id, alone
	return -1
}

// signInAgain signs in, again and again if that fails. The session is over when it has failed
// too often.
func (in *signedIn) signInAgain(ctx context.Context, w *worker) error {
	for again := 0; in.over == nil; again++ {
		if in.lost || again > 0 {
			if in.renewed++; !in.session.CanSignIn() || in.renewed > in.run.cfg.Login.Retries {
				in.end(w, check.CodeLoginLost, in.whyOver())
				return nil
			}
		}
		_, err := in.signIn(ctx, w)
		failure, failed := errors.AsType[*session.Failure](err)
		if !failed {
			return err
		}
		if failure.Code != check.CodeLoginFailed || in.renewed >= in.run.cfg.Login.Retries {
			in.end(w, check.CodeLoginLost, failure.Message)
			return nil
		}
		pause := time.NewTimer(frontier.Backoff(in.run.cfg.Backoff, again, frontier.MaxBackoff))
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return nil
		}
	}
	return nil
}

// whyOver says why a session that was lost is not renewed.
func (in *signedIn) whyOver() string {
	if !in.session.CanSignIn() {
		return "the session of the cookies ended, and cookies cannot be renewed; --login can sign in again"
	}
	return "the session ended again and again; no further sign-in is tried"
}

// signIn signs in, once. The error is a *session.Failure, or ends the run. There is no proof
// if the run was cut off.
func (in *signedIn) signIn(ctx context.Context, w *worker) (*session.Proof, error) {
	proof, err := in.sender.signIn(ctx, in.session)
	w.tally.count(countRequests, in.sender.take())
	if ctx.Err() != nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	in.watch.Renewed(in.session.Page())
	in.mu.Lock()
	defer in.mu.Unlock()
	in.public = proof.Public
	return proof, nil
}

// begin signs in before the crawl. It is called before there are workers.
func (in *signedIn) begin(ctx context.Context, w *worker) error {
	proof, err := in.signIn(ctx, w)
	if failure, ok := errors.AsType[*session.Failure](err); ok {
		in.end(w, failure.Code, failure.Message)
		return nil
	}
	if err != nil || proof == nil {
		return err
	}
	in.leaveAlone()
	if !proof.Proven {
		in.run.out.note(string(check.CodeLoginUnproven) + ": " + proof.Doubt())
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

// end ends the session for good: no target of its hosts is requested any more.
func (in *signedIn) end(w *worker, code check.Code, message string) {
	in.run.out.note(string(code) + ": " + message)
	in.mu.Lock()
	defer in.mu.Unlock()
	in.over = rules.Skip(code, message)
	w.tally.leftOut(check.GapNamed(string(code)))
}

// noteForm warns of a page that is the sign-in page although the session was in use.
func (h *heldVisit) noteForm() {
	if o := h.outcome; h.visit.signInPage != nil && o.Code == check.CodeOK {
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

// drop settles a visit with another outcome than its own.
func (h *heldVisit) drop(w *worker, o *check.Outcome) error {
	v := &h.visit
	v.worker = w
	v.restart(v.page)
	over := *o
	over.Requests = h.outcome.Requests
	w.tally.count(countRequests, h.counted.counts[countRequests])
	return w.unlessStale(v.t, v.settle(&over))
}

// putBack queues the target of a visit again, not to be visited before a time has passed.
func (h *heldVisit) putBack(w *worker, wait time.Duration) error {
	v := &h.visit
	v.worker = w
	w.tally.count(countRequests, h.counted.counts[countRequests])
	v.uncount()
	v.release()
	v.past.Tries--
	err := v.run.frontier.Defer(v.run.always, v.t, time.Now().Add(wait), v.past.Encode(), w.tally.take())
	if errors.Is(err, frontier.ErrStale) {
		v.session.forget(v.t.ID())
	}
	return w.unlessStale(v.t, err)
}

// forget ends the wait for the next visit of a target: another process has it.
func (in *signedIn) forget(id frontier.ID) {
	in.mu.Lock()
	defer in.mu.Unlock()
	delete(in.again, id)
}
