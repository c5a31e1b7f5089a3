package frontier

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// PaceRule gives the pace a host starts with and never exceeds.
type PaceRule func(host string) Pace

// Slowest is the longest interval that overload alone puts between two visits to a host.
const Slowest = 30 * time.Second

// firstInterval is where slowing down begins for a host that had no interval.
const firstInterval = 10 * time.Millisecond

// firstPause is how long a host is left alone after its first refusal; each further
// one in a row doubles it, up to longestPause.
const (
	firstPause   = 100 * time.Millisecond
	longestPause = 10 * time.Second
)

// speedUpAfter is how many good answers in a row let a host have a little more;
// speedUpWarned is how many it takes where the pace would be one that the host
// has refused before.
const (
	speedUpAfter  = 10
	speedUpWarned = 60
)

// isolated is how many good answers between two refusals show that the pace is
// nearly right: it is not lowered below a visit a second then.
const isolated = 5

// When a host is given up: it went on refusing although it was left alone as it
// asked, or as slowly as we ever go, or it asks for more patience than there is.
const (
	refusedSlowest = 2               // refusals in a row at the slowest pace
	refusedRests   = 3               // rests a host asked for in a row, of together at least …
	restedEnough   = 1 * time.Minute // … so long
	refusedTooLong = 3               // times in a row it asked for a longer rest than is granted
)

// Answer is what one visit told about how its host bears the pace.
type Answer struct {
	Started    time.Time
	Overloaded bool          // 429 or 503: less, now
	Repeated   bool          // the same target was refused before
	RestFor    time.Duration // how long the host asked to be left alone; 0: it did not say
	TooLong    bool          // it asked for a longer rest than is granted; RestFor is 0 then
	Silent     bool          // there was no answer: it tells nothing of the pace
	TimedOut   bool          // there was none in time
	Latency    time.Duration // until the answer began
}

// paces keeps what each host bears: halved at once when it is too much, earned
// back slowly (additive increase, multiplicative decrease).
type paces struct {
	rule  PaceRule
	gate  func(host string) bool // nil for none
	start func(host string) int  // nil for none

	mu    sync.Mutex
	hosts map[string]*bearing
}

type bearing struct {
	most        Pace // what the rule allows
	concurrency int
	interval    time.Duration
	rest        time.Time
	good        int       // good answers in a row
	slowed      time.Time // when it was last slowed down
	refused     int       // overloads in a row, of visits that began after the last slowing
	tooLong     int       // of those, how many asked for more rest than is granted
	rests       int       // of those, how many asked for a rest
	rested      time.Duration
	slowest     int  // of those, how many met the slowest pace
	warned      bool // it has refused before, last at this interval:
	tooFast     time.Duration
	over        bool // the host was given up
	gated       bool // one visit at a time until Open is called
	starting    bool // it was given less than the rule allows, and earns the rest quickly
	answered    bool // it ever did
	timeouts    int  // visits that brought no answer in time, until it first did
	best        time.Duration
	usual       time.Duration // moving average of the latency
	recent      time.Duration // one of the last few answers, while starting
	calm        time.Duration // the least of those
	trial       trial
}

// trial asks a host that is starting whether it bears more visits at once though
// its answers take longer than its quickest ones: those may have been of pages that
// cost it less.
type trial struct {
	since    time.Time     // when the number of visits was last changed
	answers  int           // of visits begun since
	sum      time.Duration // of the time they took
	before   time.Duration // what one took before the number was raised
	raised   int           // by how many
	failures int
}

func newPaces(rule PaceRule) *paces {
	if rule == nil {
		rule = func(string) Pace { return Pace{} }
	}
	return &paces{rule: rule, hosts: map[string]*bearing{}}
}

// meet gives a host its first pace; it reports whether the host is new.
func (p *paces) meet(host []byte) (Pace, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hosts[string(host)] != nil {
		return Pace{}, false
	}
	b := p.open(string(host))
	return b.pace(), true
}

func (p *paces) open(host string) *bearing {
	b := p.hosts[host]
	if b == nil {
		most := p.rule(host)
		b = &bearing{most: most, concurrency: most.Concurrency, interval: most.Interval}
		b.gated = p.gate != nil && p.gate(host)
		if p.start != nil {
			if n := p.start(host); n > 0 && n < b.concurrency {
				b.concurrency, b.starting = n, true
			}
		}
		p.hosts[host] = b
	}
	return b
}

func (b *bearing) pace() Pace {
	switch {
	case b.over: // nothing is asked any more: what is queued is to leave the queue
		return Pace{}
	case b.gated:
		return Pace{Concurrency: 1, Interval: b.interval, NotBefore: b.rest}
	}
	return Pace{Concurrency: b.concurrency, Interval: b.interval, NotBefore: b.rest}
}

// learn takes one answer in and reports the host's new pace, if it changed.
func (p *paces) learn(host string, a Answer, now time.Time) (Pace, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.open(host)
	b.answered = b.answered || !a.Silent
	if a.TimedOut {
		b.timeouts++
	}
	switch {
	case b.over:
		return Pace{}, false
	case a.Overloaded:
		return b.slower(a, now)
	case a.Silent:
		b.good = 0
		return b.pace(), false
	}
	return b.faster(a, now)
}

func (b *bearing) slower(a Answer, now time.Time) (Pace, bool) {
	good := b.good
	b.good, b.starting = 0, false
	rest := now.Add(a.RestFor)
	if a.Repeated && good > 0 { // the host bears others: it is the target, not the pace
		if rest.After(b.rest) {
			b.rest = rest
		}
		return b.pace(), true
	}
	most := Slowest
	if good >= isolated {
		most = time.Second
	}
	if !a.Started.Before(b.slowed) { // it was sent at today's pace, and that was too much
		b.count(a)
		b.slowed, b.warned, b.tooFast = now, true, b.interval
		if b.concurrency != 1 {
			b.concurrency = max(1, b.concurrency/2)
		}
		b.interval = max(b.interval, b.most.Interval, min(max(2*b.interval, firstInterval), most))
		rest = now.Add(max(a.RestFor, b.pause()))
	}
	if rest.After(b.rest) {
		b.rest = rest
	}
	return b.pace(), true
}

// pause is how long a host is left alone that did not say how long it wants to be:
// long enough for the window of a rate limit to pass, so that the pace behind it
// is judged by itself.
func (b *bearing) pause() time.Duration {
	return max(b.interval, min(firstPause<<min(b.refused-1, 16), longestPause))
}

// count adds up what a host refuses without a good answer in between.
func (b *bearing) count(a Answer) {
	b.refused++
	if a.TooLong {
		b.tooLong++
	}
	if a.RestFor > 0 {
		b.rests++
		b.rested += a.RestFor
	}
	if b.pause() >= longestPause {
		b.slowest++
	}
	b.over = b.tooLong >= refusedTooLong || b.slowest >= refusedSlowest || b.rests >= refusedRests && b.rested >= restedEnough
}

func (b *bearing) faster(a Answer, now time.Time) (Pace, bool) {
	b.refused, b.tooLong, b.rests, b.rested, b.slowest = 0, 0, 0, 0, 0
	b.good++
	changed := b.feel(a.Latency)
	if b.starting {
		return b.start(a, now, changed)
	}
	next := b.interval
	if next > b.most.Interval {
		next = max(b.most.Interval, next-next/4)
		if next < firstInterval {
			next = b.most.Interval
		}
	} else if b.concurrency == b.most.Concurrency {
		return b.pace(), changed
	}
	enough := speedUpAfter
	if b.warned && next <= b.tooFast {
		enough = speedUpWarned
	}
	if b.good < enough {
		return b.pace(), changed
	}
	b.good = 0
	if next == b.interval {
		b.concurrency++
	}
	b.interval = next
	return b.pace(), true
}

// start lets a host that has only begun have one visit more for each good answer, so
// that their number doubles with each round, as long as answers take no longer than
// they did when there were fewer at once. A server that takes up few connections or
// works on one request at a time is not buried under all that the rule allows. One
// whose first answer takes so long that such rounds would cost time gets all at once.
func (b *bearing) start(a Answer, now time.Time, changed bool) (Pace, bool) {
	latency := a.Latency
	if latency <= 0 {
		return b.pace(), changed
	}
	if b.recent == 0 { // the first one
		if latency >= startPatience {
			b.starting, b.concurrency = false, b.most.Concurrency
			return b.pace(), true
		}
		b.recent = latency
	}
	b.recent += (latency - b.recent) / 4
	if b.calm == 0 || b.recent < b.calm {
		b.calm = b.recent
	}
	if b.recent > b.calm+b.calm/4+startSlack {
		changed = b.try(a, now) || changed
		return b.pace(), changed
	}
	b.trial = trial{since: now, failures: b.trial.failures}
	b.concurrency++
	b.starting = b.concurrency < b.most.Concurrency
	return b.pace(), true
}

// try takes in an answer that took longer than the quickest, and reports whether the
// number of visits changed. After a round of such answers the host gets all at once
// if they took so long that even one that works on one visit at a time would have got
// them with its first answer; else it gets one visit more. Where the next round takes
// longer about in proportion, that one is taken back; else the number grows in
// doubling steps.
func (b *bearing) try(a Answer, now time.Time) bool {
	t := &b.trial
	if !a.Started.After(t.since) {
		return false
	}
	t.sum += a.Latency
	if t.answers++; t.answers < max(b.concurrency, leastRound)<<min(2*t.failures, longestRound) {
		return false
	}
	took, fewer := t.sum/time.Duration(t.answers), b.concurrency-t.raised
	failures, raise := t.failures, max(1, 2*t.raised)
	switch {
	case took >= startPatience*time.Duration(b.concurrency):
		raise = b.most.Concurrency
	case t.raised > 0 && took > t.before+t.before*time.Duration(t.raised)/time.Duration(2*fewer):
		b.concurrency = fewer
		*t = trial{since: now, failures: failures + 1}
		return true
	case t.raised > 0:
		failures = 0
	}
	raise = min(raise, b.most.Concurrency-b.concurrency)
	*t = trial{since: now, before: took, raised: raise, failures: failures}
	b.concurrency += raise
	b.starting = b.concurrency < b.most.Concurrency
	return true
}

const (
	leastRound   = 16 // answers, for what one takes to be told from chance
	longestRound = 6  // doublings of a round, for a host that was seen to bear no more

	// startSlack is how much longer answers may take beside that: what the machine's
	// own work does to the measure.
	startSlack    = 300 * time.Microsecond
	startPatience = 10 * time.Millisecond
)

// feel lowers the concurrency of a host whose answers take much longer than its
// best ones: it is busy, with us or with others.
func (b *bearing) feel(latency time.Duration) bool {
	if latency <= 0 {
		return false
	}
	if b.best == 0 || latency < b.best {
		b.best = latency
	}
	b.usual += (latency - b.usual) / 8
	if b.usual > time.Second && b.usual > 4*b.best && b.concurrency > 1 && b.good >= speedUpAfter/2 {
		b.concurrency--
		b.good, b.usual = 0, b.best
		return true
	}
	return false
}

// learnt tells the store of a host's new pace.
func (f *Frontier) learnt(ctx context.Context, host string, p Pace, changed bool) error {
	if !changed {
		return nil
	}
	return f.store.SetPace(ctx, host, p)
}

// Observe takes in how a host bore a visit. It is called before the target is
// settled or deferred, so that the next visit already keeps the new pace.
func (f *Frontier) Observe(ctx context.Context, host string, a Answer) error {
	p, changed := f.paces.learn(host, a, time.Now())
	return f.learnt(ctx, host, p, changed)
}

// GivenUp reports whether a host refused so often that it is asked no more.
func (f *Frontier) GivenUp(host string) bool {
	f.paces.mu.Lock()
	defer f.paces.mu.Unlock()
	return f.paces.open(host).over
}

// deadAfter is how many visits must have met silence, and nothing else, before a
// host counts as dead: waiting for each of its targets would take hours.
const deadAfter = 20

// Dead reports whether a host never answered although it was waited for often.
func (f *Frontier) Dead(host string) bool {
	f.paces.mu.Lock()
	defer f.paces.mu.Unlock()
	b := f.paces.open(host)
	return !b.answered && b.timeouts >= deadAfter
}

// Gate lets hosts for which gated is true have one visit at a time until they are
// opened: while a host's rules are not known, others need not wait for them. It is
// called before the first target is entered.
func (f *Frontier) Gate(gated func(host string) bool) { f.paces.gate = gated }

// Begin lets hosts begin with as many visits at once as start says, where that is
// less than what the rule allows; 0 is all of it. It is called before the first
// target is entered.
func (f *Frontier) Begin(start func(host string) int) { f.paces.start = start }

// Open ends a host's gate.
func (f *Frontier) Open(ctx context.Context, host string) error {
	f.paces.mu.Lock()
	b := f.paces.open(host)
	changed := b.gated
	b.gated = false
	p := b.pace()
	f.paces.mu.Unlock()
	return f.learnt(ctx, host, p, changed)
}

// Resting names a host that must be left alone for now and until when, the one
// that rests longest; the empty string when there is none.
func (f *Frontier) Resting() (string, time.Time) {
	f.paces.mu.Lock()
	defer f.paces.mu.Unlock()
	var name string
	until := time.Now()
	for h, b := range f.paces.hosts {
		if !b.over && b.rest.After(until) {
			name, until = h, b.rest
		}
	}
	if name == "" {
		return "", time.Time{}
	}
	return name, until
}

// Recall takes up what the store knows of the hosts' paces, for a crawl that goes
// on: a host that bore little, or asked for a rest, is spared from the start. It
// is called after Gate.
func (f *Frontier) Recall(ctx context.Context) error {
	type known struct {
		host string
		pace Pace
	}
	var hosts []known
	err := f.store.Paces(ctx, func(host string, p Pace) error {
		hosts = append(hosts, known{host, p})
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the pace of the hosts: %w", err)
	}
	for _, h := range hosts {
		if err := f.store.SetPace(ctx, h.host, f.paces.recall(h.host, h.pace)); err != nil {
			return fmt.Errorf("pace %s: %w", h.host, err)
		}
	}
	return nil
}

// recall opens a host at the pace it was left with.
func (p *paces) recall(host string, left Pace) Pace {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.open(host)
	if left.Interval > b.interval {
		b.interval, b.warned, b.tooFast = min(left.Interval, Slowest), true, left.Interval
		if b.concurrency != 1 && left.Concurrency > 0 {
			b.concurrency = left.Concurrency
		}
	}
	if left.NotBefore.After(b.rest) {
		b.rest = left.NotBefore
	}
	return b.pace()
}

// Limit bounds a host further, such as by a crawl-delay of its robots.txt.
func (f *Frontier) Limit(ctx context.Context, host string, interval time.Duration) error {
	f.paces.mu.Lock()
	b := f.paces.open(host)
	changed := interval > b.most.Interval
	if changed {
		b.most.Interval = interval
		b.interval = max(b.interval, interval)
		b.most.Concurrency, b.concurrency = 1, 1
		if rest := time.Now().Add(interval); rest.After(b.rest) {
			b.rest = rest // whoever asks is about to visit it
		}
	}
	p := b.pace()
	f.paces.mu.Unlock()
	return f.learnt(ctx, host, p, changed)
}

// meet gives every new host among items its pace before they are entered.
func (f *Frontier) meet(ctx context.Context, items []Item) error {
	var last string
	for i := range items {
		if items[i].ID != 0 || string(items[i].Host) == last && i > 0 || items[i].Outcome != nil {
			continue
		}
		last = string(items[i].Host)
		if p, isNew := f.paces.meet(items[i].Host); isNew {
			if err := f.store.SetPace(ctx, last, p); err != nil {
				return err
			}
		}
	}
	return nil
}
