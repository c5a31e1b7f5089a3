package proof

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/formlogin"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/session"
	"github.com/orbweaver/orbweaver/urinorm"
)

// choices are the choices of one schedule. The first ones are given, and the others are the first
// of what is possible, or random.
type choices struct {
	picks, widths []int
	random        *rand.Rand // nil for the first
	at            int
}

// pick returns one of n possibilities.
func (c *choices) pick(n int) int {
	if c.at == len(c.picks) {
		next := 0
		if c.random != nil {
			next = c.random.IntN(n)
		}
		c.picks, c.widths = append(c.picks, next), append(c.widths, n)
	}
	c.at++
	return c.picks[c.at-1]
}

// next changes the choices to those of the next schedule, and reports whether there is one.
func (c *choices) next() bool {
	for i := len(c.picks) - 1; i >= 0; i-- {
		if c.picks[i]+1 < c.widths[i] {
			c.picks, c.widths, c.at = append(c.picks[:i], c.picks[i]+1), c.widths[:i+1], 0
			return true
		}
	}
	return false
}

// where is what became of a target.
type where uint8

const (
	queued where = iota
	visited
	held
	settled
	elsewhere // another process has it
	dropped   // the session is over
)

// member is a worker of a world. It visits a target, or finds out something.
type member struct {
	id    frontier.ID // of the visit in progress; 0 for none
	held  Held
	good  bool // the answer is that for members
	ask   Ask
	ready *Answer // what it has found out; nil while it is asked
}

// target is a target of a world.
type target struct {
	where where
	good  bool // the answer that is held is that for members
	old   bool // it is visited once more, and the visit that is held has a stale lease
	ends  bool // a request for it ends the session
}

// world is a site with a session, and the workers that visit its targets.
type world struct {
	*testing.T
	*choices
	watch   *Watch
	kind    kind
	targets []target // by number, from 1
	workers []member
	alive   bool
	waits   bool // a target had to wait, and nothing has happened since

	// What may still happen.
	losses, stales, unknowns, failures, leases, dismissals int

	lost int // how often the session was
}

// kind is what a session is like.
type kind struct {
	name    string
	config  Config
	public  bool // the start page shows nothing of a loss
	looks   bool // what everybody gets looks like what members get
	removes bool // the site removes the cookies of those who are signed out
	forgets bool // also when they had been signed out before
}

var kinds = []kind{
	{name: "login", config: Config{CanSignIn: true, Retries: 2}},
	{name: "login, all answers look alike", config: Config{CanSignIn: true, Retries: 2}, looks: true},
	{name: "login, cookies are removed", config: Config{CanSignIn: true, Retries: 2}, removes: true, forgets: true},
	{name: "login, cookies are removed by what ends the session", config: Config{CanSignIn: true, Retries: 2}, removes: true},
	{name: "login without retries", config: Config{CanSignIn: true}},
	{name: "login, public start page", config: Config{CanSignIn: true, Retries: 2}, public: true},
	{name: "cookies", config: Config{}},
	{name: "cookies, public start page", config: Config{}, public: true},
}

func (w *world) String() string {
	return fmt.Sprintf("%s, %d targets, choices %v", w.kind.name, len(w.targets)-1, w.picks)
}

var (
	start  = parse("http://a.test/p")
	signIn = parse("http://a.test/login")

	proofPage = parse("http://a.test/me")
)

func parse(text string) urinorm.URL {
	u, _, err := urinorm.ParseWeb(text)
	if err != nil {
		panic(err)
	}
	return u
}

// newWorld returns a world in which somebody has signed in.
func newWorld(t *testing.T, c *choices, k kind, targets, workers int) *world {
	w := &world{T: t, choices: c, kind: k, watch: New(k.config), targets: make([]target, targets+1), workers: make([]member, workers), alive: true,
		losses: 1, stales: 1, unknowns: 1, failures: 1, leases: 1, dismissals: 1}
	if k.config.CanSignIn {
		w.watch.Begin(Answer{Proof: &formlogin.Proof{Proven: true, Public: k.public}})
	} else {
		w.watch.public = k.public
	}
	return w
}

// run lets everything happen until every target is settled, and nobody does anything.
func (w *world) run() {
	for steps := 0; ; steps++ {
		if steps > 2000 {
			w.Fatalf("%v: the crawl does not end: %+v", w, w.targets)
		}
		can := w.moves()
		if w.waits && len(can) == 0 {
			w.waits = false
			can = w.moves()
		}
		if len(can) == 0 {
			break
		}
		if w.losses > 0 && w.alive {
			can = append(can, func() { w.losses--; w.alive = false })
		}
		waited := w.waits
		can[w.pick(len(can))]()
		w.waits = w.waits && !waited
	}
	for id, t := range w.targets[1:] {
		if t.where < settled || t.where == dropped && w.watch.Over() == nil {
			w.Fatalf("%v: target %d ends as %d", w, id+1, t.where)
		}
	}
}

// moves returns what the workers can do.
func (w *world) moves() (can []func()) {
	for i := range w.workers {
		can = append(can, w.movesOf(&w.workers[i])...)
	}
	return can
}

// movesOf returns what a worker can do.
func (w *world) movesOf(m *member) []func() {
	switch {
	case m.ask != AskNothing && m.ready == nil:
		return []func(){func() { m.ready = w.findOut(m.ask) }}
	case m.ask != AskNothing:
		return []func(){func() {
			answer := *m.ready
			m.ask, m.ready = AskNothing, nil
			w.follow(m, w.watch.Answer(answer))
		}}
	case m.id != 0:
		return []func(){func() { w.answer(m) }}
	case w.waits:
		return nil
	}
	var can []func()
	for id := 1; id < len(w.targets); id++ {
		if w.targets[id].where == queued || w.targets[id].where == held && w.leases > 0 {
			can = append(can, func() { w.visit(m, frontier.ID(id)) })
			break // the others are as good
		}
	}
	return can
}

// visit begins a visit. The site answers at once, but the answer is under way.
func (w *world) visit(m *member, id frontier.ID) {
	t := &w.targets[id]
	over, alone, ready := w.watch.Admit(id)
	switch {
	case over != nil:
		t.where = dropped
		w.follow(m, w.watch.End(w.idle(), false))
		return
	case !ready:
		w.waits = true
		w.follow(m, w.watch.End(w.idle(), false))
		return
	}
	if w.dismissals > 0 && w.pick(2) == 1 { // it must wait for something else
		w.dismissals--
		w.watch.Dismiss(id, alone)
		w.follow(m, w.watch.End(w.idle(), false))
		return
	}
	if t.where == held { // this process gets the target once more
		t.old = true
		w.leases--
	}
	t.where = visited
	*m = member{id: id, good: w.alive, held: Held{ID: id, Alone: alone, Seen: formlogin.Answer{URL: start, Status: 200}}}
	switch {
	case w.alive && t.ends:
		w.alive, m.held.Removes = false, w.kind.removes
	case !w.alive:
		m.held.Removes = w.kind.removes && w.kind.forgets
		if !w.kind.looks {
			m.held.Seen.Status, m.held.Seen.Next = 302, signIn
		}
	}
}

// idle reports whether no worker visits a target.
func (w *world) idle() bool {
	return !slices.ContainsFunc(w.workers, func(m member) bool { return m.id != 0 })
}

// answer ends the request of a visit.
func (w *world) answer(m *member) {
	t := &w.targets[m.id]
	t.where, t.good, t.old = held, m.good, false
	w.follow(m, w.watch.Hold(m.held, false))
}

// follow does what a step says. Then the visit of the worker is over.
func (w *world) follow(m *member, s Step) {
	for _, done := range s.Settle {
		t := w.take(done.ID)
		switch {
		case t.old:
			continue
		case done.Ended && !t.ends && w.lost < 2: // two in a row are blamed on one target
			w.Fatalf("%v: target %d is said to have ended the session", w, done.ID)
		case done.Ended && !done.SignedOut && !t.good && !w.kind.looks:
			w.Fatalf("%v: target %d is settled with an answer for everybody", w, done.ID)
		case !done.Ended && !t.good && !w.kind.public:
			w.Fatalf("%v: target %d is settled without the session", w, done.ID)
		}
		t.where = settled
		w.isStale(t)
	}
	for _, id := range s.Requeue {
		t := w.take(id)
		if t.old {
			w.watch.Gone(id)
			continue
		}
		if t.where = queued; s.Over != nil {
			t.where = dropped
		}
		if w.isStale(t) {
			w.watch.Gone(id)
		}
	}
	if s.Ask == AskSignIn && !w.idle() {
		w.Fatalf("%v: somebody signs in while a target is visited", w)
	}
	if m.ask = s.Ask; m.ask != AskNothing || m.id == 0 {
		return
	}
	m.id = 0
	w.watch.Leave()
	w.follow(m, w.watch.End(w.idle(), false))
}

// take returns a target that a step names.
func (w *world) take(id frontier.ID) *target {
	t := &w.targets[id]
	if t.where != held && !t.old {
		w.Fatalf("%v: target %d is not held", w, id)
	}
	return t
}

// isStale reports whether another process has a target.
func (w *world) isStale(t *target) bool {
	if w.stales == 0 || w.pick(2) == 0 {
		return false
	}
	w.stales--
	t.where = elsewhere
	return true
}

// findOut returns what the site answers.
func (w *world) findOut(ask Ask) *Answer {
	a := &Answer{Forgets: w.kind.forgets}
	switch {
	case ask == AskStanding && w.unknowns > 0 && w.pick(2) == 1:
		w.unknowns--
	case ask == AskStanding && w.alive:
		a.Standing = formlogin.Holding
	case ask == AskStanding:
		a.Standing = formlogin.Lost
	case ask == AskForgets:
		w.lost++
	case ask == AskSignIn && w.failures > 0 && w.pick(2) == 1:
		w.failures--
		a.Failure = &session.Failure{Code: judging.CodeLoginFailed}
	case ask == AskSignIn:
		w.alive, a.Proof = true, &formlogin.Proof{Proven: true, Public: w.kind.public}
	}
	return a
}

// Whatever the order of answers, proofs, losses and stale leases: nothing is settled that the site
// may have answered without the session, every target comes to an end, and a target that another
// process has takes no other one with it.
func TestSchedules(t *testing.T) {
	for _, k := range kinds {
		every := 0
		for c := (&choices{}); every == 0 || every < 4000 && c.next(); every++ {
			newWorld(t, c, k, 2, 2).run()
		}
		for seed := range uint64(1000) {
			random := rand.New(rand.NewPCG(seed, 1))
			w := newWorld(t, &choices{random: random}, k, 1+random.IntN(6), 1+random.IntN(4))
			w.losses, w.unknowns, w.watch.trust.patience = random.IntN(3), random.IntN(4), 1+random.IntN(4)
			w.targets[1+random.IntN(len(w.targets)-1)].ends = random.IntN(2) == 0
			w.run()
		}
	}
}

// visitAll visits targets, one after another, each with the standing that is found out after it. New
// sessions stand their trials.
func visitAll(w *Watch, standings []formlogin.Standing, seen func(id frontier.ID) Held) (settled []Settled, signIns int) {
	for i, standing := range standings {
		id := frontier.ID(i + 1)
		_, alone, _ := w.Admit(id)
		h := seen(id)
		h.ID, h.Alone = id, alone
		steps := []Step{w.Hold(h, false)}
		w.Leave()
		steps = append(steps, w.End(true, false))
		for len(steps) > 0 {
			s := steps[0]
			steps = steps[1:]
			settled = append(settled, s.Settle...)
			switch s.Ask {
			case AskStanding:
				steps = append(steps, w.Answer(Answer{Standing: standing}))
				standing = formlogin.Holding
			case AskForgets:
				steps = append(steps, w.Answer(Answer{}))
			case AskSignIn:
				signIns++
				steps = append(steps, w.Answer(Answer{Proof: &formlogin.Proof{Page: proofPage}}))
			}
		}
	}
	return settled, signIns
}

// A session is renewed so many times in a row without a page that it proves.
func TestRetries(t *testing.T) {
	const lost, holds, unknown = formlogin.Lost, formlogin.Holding, formlogin.Unknown
	for _, row := range []struct {
		retries   int
		standings []formlogin.Standing
		signIns   int
		over      bool
	}{
		{2, []formlogin.Standing{lost, lost}, 2, false},
		{2, []formlogin.Standing{lost, lost, lost}, 2, true},
		{2, []formlogin.Standing{lost, lost, holds, lost, lost}, 4, false},
		{-1, []formlogin.Standing{holds, lost}, 0, true},
		{2, []formlogin.Standing{unknown, unknown}, 0, false},
		{2, []formlogin.Standing{unknown, unknown, unknown}, 1, false},
	} {
		w := New(Config{CanSignIn: true, Retries: row.retries})
		_, signIns := visitAll(w, row.standings, func(frontier.ID) Held { return Held{Seen: formlogin.Answer{URL: start, Status: 200}} })
		if over := w.Over(); signIns != row.signIns || (over != nil) != row.over || over != nil && over.Code != judging.CodeLoginLost {
			t.Errorf("%d retries, %v: %d sign-ins, over %v; want %d, %t", row.retries, row.standings, signIns, over, row.signIns, row.over)
		}
	}
}

// Sign-ins that fail are tried again after a wait that grows, and a failure that no sign-in can
// change, or one too many, ends the session.
func TestFailedSignIns(t *testing.T) {
	w := New(Config{CanSignIn: true, Retries: 3, Backoff: time.Second})
	w.Admit(1)
	w.Hold(Held{ID: 1, Seen: formlogin.Answer{URL: start, Status: 302, Next: signIn}}, false)
	w.Leave()
	w.Answer(Answer{Standing: formlogin.Lost})
	s, failed := w.Answer(Answer{}), Answer{Failure: &session.Failure{Code: judging.CodeLoginFailed, Message: "no"}}
	if s.Ask != AskSignIn || !s.Lost || s.Pause != 0 {
		t.Fatalf("after a loss: %+v", s)
	}
	for i := range 2 {
		least := time.Second / 2 << i
		if s = w.Answer(failed); s.Ask != AskSignIn || s.Pause < least || s.Pause > 3*least {
			t.Errorf("failure %d: %+v", i, s)
		}
	}
	if s = w.Answer(failed); s.Ask != AskNothing || s.Over == nil || s.Over.Code != judging.CodeLoginLost || s.Over.Message != "no" || !slices.Equal(s.Requeue, []frontier.ID{1}) {
		t.Errorf("the last failure: %+v", s)
	}
	first := New(Config{CanSignIn: true}).Begin(Answer{Failure: &session.Failure{Code: judging.CodeLoginFormMissing}})
	if first.Over == nil || first.Over.Code != judging.CodeLoginFormMissing {
		t.Errorf("the first sign-in: %+v", first)
	}
}

// An old session is proven, renewed when no visit is in progress, and not lost.
func TestOldSession(t *testing.T) {
	w := New(Config{CanSignIn: true})
	w.Admit(1)
	w.Admit(2)
	if s := w.Hold(Held{ID: 1, Seen: formlogin.Answer{URL: start, Status: 200}}, true); s.Ask != AskStanding {
		t.Fatalf("an answer of an old session: %+v", s)
	}
	if s := w.Answer(Answer{Standing: formlogin.Holding}); len(s.Settle) != 1 || s.Ask != AskNothing {
		t.Fatalf("it is in use: %+v", s)
	}
	w.Leave()
	if s := w.End(false, true); s.Ask != AskNothing {
		t.Errorf("a visit is in progress: %+v", s)
	}
	if _, _, ready := w.Admit(3); ready {
		t.Error("a target is requested before the sign-in")
	}
	w.Leave()
	if s := w.End(true, true); s.Ask != AskSignIn || s.Lost {
		t.Fatalf("no visit is in progress: %+v", s)
	}
	w.Answer(Answer{Proof: &formlogin.Proof{Page: proofPage}})
	if _, _, ready := w.Admit(3); !ready || w.trust.renewed != 0 {
		t.Errorf("after the sign-in: ready %t, renewed %d times", ready, w.trust.renewed)
	}
}

// The visit that ended the session is settled with that, and not requested again. A redirect to
// the sign-in page that names the page comes after the end.
func TestCulprit(t *testing.T) {
	const lost, holds, unknown = formlogin.Lost, formlogin.Holding, formlogin.Unknown
	page := formlogin.Answer{URL: start, Status: 200}
	toSignIn := formlogin.Answer{URL: start, Status: 302, Next: signIn}
	for _, row := range []struct {
		what      string
		held      Held
		strays    bool
		standings []formlogin.Standing // after each visit of the target, and before it
		ended     bool
		signedOut bool
	}{
		{"an answer that removes the cookie", Held{Removes: true, Seen: page}, false, []formlogin.Standing{lost}, true, false},
		{"a redirect to the sign-in page that removes it", Held{Removes: true, Seen: toSignIn}, false, []formlogin.Standing{lost}, true, false},
		{"one that names the page", Held{Removes: true, Seen: formlogin.Answer{URL: start, Status: 302, Next: parse("http://a.test/login?to=%2Fp")}}, false, []formlogin.Standing{lost}, false, false},
		{"one loss", Held{Seen: page}, false, []formlogin.Standing{lost}, false, false},
		{"two losses after the same target", Held{Seen: page}, false, []formlogin.Standing{lost, holds, lost}, true, false},
		{"two losses after a redirect to the sign-in page", Held{Seen: toSignIn}, false, []formlogin.Standing{lost, holds, lost}, true, true},
		{"sessions that also end without it", Held{Seen: page}, true, []formlogin.Standing{lost, holds, lost}, false, false},
		{"three losses there", Held{Seen: page}, true, []formlogin.Standing{lost, holds, lost, holds, holds, lost}, true, false},
		{"a session that ends before the target", Held{Seen: page}, false, []formlogin.Standing{lost, lost, lost}, false, false},
		{"one that ends after a request", Held{Seen: page}, true, []formlogin.Standing{lost, holds, lost, holds, lost, lost}, false, false},
		{"one that nothing proves", Held{Seen: page}, false, []formlogin.Standing{lost, unknown, lost}, false, false},
		{"the page that is asked for proofs", Held{Seen: formlogin.Answer{URL: proofPage, Status: 200}}, false, []formlogin.Standing{lost, lost}, false, false},
		{"a guess", Held{Seen: page}, false, []formlogin.Standing{unknown, unknown, unknown, unknown, unknown, unknown}, false, false},
	} {
		w := New(Config{CanSignIn: true, Retries: 2})
		w.blame.strays = row.strays
		var settled []Settled
		left := row.standings
		for len(left) > 0 {
			_, alone, _ := w.Admit(1)
			h := row.held
			h.ID, h.Alone = 1, alone
			steps := []Step{w.Hold(h, false)}
			w.Leave()
			steps = append(steps, w.End(true, false))
			for ; len(steps) > 0; steps = steps[1:] {
				settled = append(settled, steps[0].Settle...)
				switch steps[0].Ask {
				case AskStanding:
					if len(left) > 0 { // else the new session is not asked any more
						steps = append(steps, w.Answer(Answer{Standing: left[0]}))
						left = left[1:]
					}
				case AskForgets:
					steps = append(steps, w.Answer(Answer{}))
				case AskSignIn:
					steps = append(steps, w.Answer(Answer{Proof: &formlogin.Proof{Page: proofPage}}))
				}
			}
		}
		want := []Settled{{ID: 1, Ended: true, SignedOut: row.signedOut}}
		if !row.ended {
			want = nil
		}
		if !slices.Equal(settled, want) || row.ended && len(w.gate.again) != 0 {
			t.Errorf("%s: settled %+v, want %+v; again %v", row.what, settled, want, w.gate.again)
		}
	}
}

// Where the start page shows nothing, a session is lost when enough pages lead to the sign-in page
// after another one had answered; fewer are settled, and pages that are refused in another way.
func TestPublicStartPage(t *testing.T) {
	for n, lost := range map[int]bool{formlogin.EnoughSources - 1: false, formlogin.EnoughSources: true} {
		w := New(Config{})
		var settled, losses int
		note := func(s Step) {
			for settled += len(s.Settle); s.Ask == AskStanding; settled += len(s.Settle) {
				s = w.Answer(Answer{Standing: formlogin.Public})
			}
			if s.Ask == AskForgets {
				losses++
			}
		}
		visit := func(id int, status int, next urinorm.URL) {
			w.Admit(frontier.ID(id))
			note(w.Hold(Held{ID: frontier.ID(id), Seen: formlogin.Answer{URL: parse(fmt.Sprint("http://a.test/p", id)), Status: status, Next: next}}, false))
			w.Leave()
		}
		visit(1, 200, urinorm.URL{})
		for i := range n {
			visit(2+i, 302, signIn)
			if i < 4 {
				visit(100+i, 401, urinorm.URL{})
			}
		}
		note(w.End(true, false))
		if lost != (losses == 1) || !lost && settled != n+5 {
			t.Errorf("%d pages: %d are settled, %d losses; want a loss: %t", n, settled, losses, lost)
		}
	}
}
