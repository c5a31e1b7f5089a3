package frontier

import "time"

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

// deadAfter is how many visits must have met silence, and nothing else, before a
// host counts as dead: waiting for each of its targets would take hours.
const deadAfter = 20

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

// controller finds the pace that one host bears: it is halved at once when it is too
// much, and earned back slowly (additive increase, multiplicative decrease).
type controller struct {
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
	givenUp     bool
	gated       bool // one visit at a time until OpenGate is called
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

func (c *controller) pace() Pace {
	switch {
	case c.givenUp: // nothing is asked any more: what is queued is to leave the queue
		return Pace{}
	case c.gated:
		return Pace{Concurrency: 1, Interval: c.interval, NotBefore: c.rest}
	}
	return Pace{Concurrency: c.concurrency, Interval: c.interval, NotBefore: c.rest}
}

// observe takes one answer in and reports whether the host's pace changed.
func (c *controller) observe(a Answer, now time.Time) bool {
	c.answered = c.answered || !a.Silent
	if a.TimedOut {
		c.timeouts++
	}
	switch {
	case c.givenUp:
		return false
	case a.Overloaded:
		c.slower(a, now)
		return true
	case a.Silent:
		c.good = 0
		return false
	}
	return c.faster(a, now)
}

func (c *controller) slower(a Answer, now time.Time) {
	good := c.good
	c.good, c.starting = 0, false
	rest := now.Add(a.RestFor)
	if a.Repeated && good > 0 { // the host bears others: it is the target, not the pace
		if rest.After(c.rest) {
			c.rest = rest
		}
		return
	}
	most := Slowest
	if good >= isolated {
		most = time.Second
	}
	if !a.Started.Before(c.slowed) { // it was sent at today's pace, and that was too much
		c.count(a)
		c.slowed, c.warned, c.tooFast = now, true, c.interval
		if c.concurrency != 1 {
			c.concurrency = max(1, c.concurrency/2)
		}
		c.interval = max(c.interval, c.most.Interval, min(max(2*c.interval, firstInterval), most))
		rest = now.Add(max(a.RestFor, c.pause()))
	}
	if rest.After(c.rest) {
		c.rest = rest
	}
}

// pause is how long a host is left alone that did not say how long it wants to be:
// long enough for the window of a rate limit to pass, so that the pace behind it
// is judged by itself.
func (c *controller) pause() time.Duration {
	return max(c.interval, min(firstPause<<min(c.refused-1, 16), longestPause))
}

// count adds up what a host refuses without a good answer in between.
func (c *controller) count(a Answer) {
	c.refused++
	if a.TooLong {
		c.tooLong++
	}
	if a.RestFor > 0 {
		c.rests++
		c.rested += a.RestFor
	}
	if c.pause() >= longestPause {
		c.slowest++
	}
	c.givenUp = c.tooLong >= refusedTooLong || c.slowest >= refusedSlowest || c.rests >= refusedRests && c.rested >= restedEnough
}

func (c *controller) faster(a Answer, now time.Time) bool {
	c.refused, c.tooLong, c.rests, c.rested, c.slowest = 0, 0, 0, 0, 0
	c.good++
	changed := c.feel(a.Latency)
	if c.starting {
		return c.start(a, now, changed)
	}
	next := c.interval
	if next > c.most.Interval {
		next = max(c.most.Interval, next-next/4)
		if next < firstInterval {
			next = c.most.Interval
		}
	} else if c.concurrency == c.most.Concurrency {
		return changed
	}
	enough := speedUpAfter
	if c.warned && next <= c.tooFast {
		enough = speedUpWarned
	}
	if c.good < enough {
		return changed
	}
	c.good = 0
	if next == c.interval {
		c.concurrency++
	}
	c.interval = next
	return true
}

// start lets a host that has only begun have one visit more for each good answer, so
// that their number doubles with each round, as long as answers take no longer than
// they did when there were fewer at once. A server that takes up few connections or
// works on one request at a time is not buried under all that the rule allows. One
// whose first answer takes so long that such rounds would cost time gets all at once.
func (c *controller) start(a Answer, now time.Time, changed bool) bool {
	latency := a.Latency
	if latency <= 0 {
		return changed
	}
	if c.recent == 0 { // the first one
		if latency >= startPatience {
			c.starting, c.concurrency = false, c.most.Concurrency
			return true
		}
		c.recent = latency
	}
	c.recent += (latency - c.recent) / 4
	if c.calm == 0 || c.recent < c.calm {
		c.calm = c.recent
	}
	if c.recent > c.calm+c.calm/4+startSlack {
		return c.try(a, now) || changed
	}
	c.trial = trial{since: now, failures: c.trial.failures}
	c.concurrency++
	c.starting = c.concurrency < c.most.Concurrency
	return true
}

// try takes in an answer that took longer than the quickest, and reports whether the
// number of visits changed. After a round of such answers the host gets all at once
// if they took so long that even one that works on one visit at a time would have got
// them with its first answer; else it gets one visit more. Where the next round takes
// longer about in proportion, that one is taken back; else the number grows in
// doubling steps.
func (c *controller) try(a Answer, now time.Time) bool {
	t := &c.trial
	if !a.Started.After(t.since) {
		return false
	}
	t.sum += a.Latency
	if t.answers++; t.answers < max(c.concurrency, leastRound)<<min(2*t.failures, longestRound) {
		return false
	}
	took, fewer := t.sum/time.Duration(t.answers), c.concurrency-t.raised
	failures, raise := t.failures, max(1, 2*t.raised)
	switch {
	case took >= startPatience*time.Duration(c.concurrency):
		raise = c.most.Concurrency
	case t.raised > 0 && took > t.before+t.before*time.Duration(t.raised)/time.Duration(2*fewer):
		c.concurrency = fewer
		*t = trial{since: now, failures: failures + 1}
		return true
	case t.raised > 0:
		failures = 0
	}
	raise = min(raise, c.most.Concurrency-c.concurrency)
	*t = trial{since: now, before: took, raised: raise, failures: failures}
	c.concurrency += raise
	c.starting = c.concurrency < c.most.Concurrency
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
func (c *controller) feel(latency time.Duration) bool {
	if latency <= 0 {
		return false
	}
	if c.best == 0 || latency < c.best {
		c.best = latency
	}
	c.usual += (latency - c.usual) / 8
	if c.usual > time.Second && c.usual > 4*c.best && c.concurrency > 1 && c.good >= speedUpAfter/2 {
		c.concurrency--
		c.good, c.usual = 0, c.best
		return true
	}
	return false
}

// dead reports whether the host never answered although it was waited for often.
func (c *controller) dead() bool { return !c.answered && c.timeouts >= deadAfter }

// limit bounds the host further; it reports whether that changed its pace.
func (c *controller) limit(interval time.Duration, now time.Time) bool {
	if interval <= c.most.Interval {
		return false
	}
	c.most.Interval = interval
	c.interval = max(c.interval, interval)
	c.most.Concurrency, c.concurrency = 1, 1
	if rest := now.Add(interval); rest.After(c.rest) {
		c.rest = rest // whoever asks is about to visit it
	}
	return true
}

// resume goes on from the pace that an earlier session left the host with.
func (c *controller) resume(left Pace) {
	if left.Interval > c.interval {
		c.interval, c.warned, c.tooFast = min(left.Interval, Slowest), true, left.Interval
		if c.concurrency != 1 && left.Concurrency > 0 {
			c.concurrency = left.Concurrency
		}
	}
	if left.NotBefore.After(c.rest) {
		c.rest = left.NotBefore
	}
}
