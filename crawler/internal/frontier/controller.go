package frontier

import "time"

const (
	// longestInterval is the longest interval that refusals alone put between two
	// visits to a host.
	longestInterval = 30 * time.Second
	// firstInterval is the first interval after a refusal of a host that had none.
	firstInterval = 10 * time.Millisecond

	// firstPause is how long a host is not visited after its first refusal. Each further
	// refusal in a row doubles the pause, up to longestPause.
	firstPause   = 100 * time.Millisecond
	longestPause = 10 * time.Second

	// speedUpAfter is the number of good answers in a row after which a host gets a
	// faster pace, and speedUpRefused the number if the host has refused that pace
	// before.
	speedUpAfter   = 10
	speedUpRefused = 60

	// isolatedAfter is the number of good answers in a row that make a refusal an
	// isolated one: the pace is nearly right, and the interval grows to a second at most.
	isolatedAfter = 5
)

// A host is given up for refusals in a row: at the slowest pace, although it got the rest
// that it asked for, or because it asks for a longer rest than is granted.
const (
	maxSlowest = 2               // refusals at the slowest pace
	maxRests   = 3               // refusals with a rest, if the rests add up to minRest
	minRest    = 1 * time.Minute // see maxRests
	maxTooLong = 3               // refusals with a longer rest than is granted
)

// deadAfter is the number of timeouts after which a host that has never answered is
// dead. Waiting for each of its targets would take hours.
const deadAfter = 20

// A host that starts with few visits gets more of them as long as its answers stay fast.
const (
	// Answers are fast if they take no longer than those of the fastest time, plus a
	// quarter and startSlack, which allows for the work of this machine.
	startSlack = 300 * time.Microsecond
	// slowStart is the latency from which a host gets all visits at once: at that
	// latency, a slow start would take long and spare the host little.
	slowStart = 10 * time.Millisecond

	minRound     = 16 // answers, so that chance does not decide a trial
	maxDoublings = 6  // of the answers of a round, after trials that failed
)

// Answer is what a visit reveals about the pace that its host can handle.
type Answer struct {
	Started    time.Time
	Overloaded bool          // the status was 429 or 503
	Repeated   bool          // the target was visited before
	RestFor    time.Duration // how long the host asked not to be visited; 0 if it did not
	TooLong    bool          // it asked for a longer rest than is granted; RestFor is 0
	Silent     bool          // there was no answer, which says nothing about the pace
	TimedOut   bool          // there was no answer in time
	Latency    time.Duration // until the answer began
}

// controller finds the pace that one host can handle. A refusal halves the pace at
// once, and good answers raise it slowly (additive increase, multiplicative decrease).
type controller struct {
	limit       Pace // never exceeded
	concurrency int
	interval    time.Duration
	rest        time.Time // no visit before

	still    bool // nothing waits
	gated    bool // one visit at a time until OpenGate is called
	passing  int  // visits in addition, see PassGate
	givenUp  bool // see maxSlowest
	answered bool // the host has ever answered
	timeouts int

	good     int           // good answers in a row
	slowed   time.Time     // when the pace was last lowered
	slowedAt time.Duration // interval before that
	warned   bool          // the pace was lowered before

	// Refusals in a row, of visits that began after the pace was last lowered.
	refusals int
	tooLong  int           // of them, with Answer.TooLong
	rests    int           // of them, with Answer.RestFor
	rested   time.Duration // sum of the rests
	slowest  int           // of them, at the slowest pace

	best  time.Duration // shortest latency
	usual time.Duration // moving average of the latency

	starting   bool          // concurrency is below the limit because the host is new
	recent     time.Duration // moving average of the latency of the last few answers
	bestRecent time.Duration // shortest of those
	trial      trial
}

// trial finds out whether a starting host can handle more visits although its answers
// take longer than the fastest ones. The fastest may have been for pages that are less
// work.
type trial struct {
	since    time.Time     // when the concurrency last changed
	answers  int           // to visits that began since
	sum      time.Duration // of their latencies
	before   time.Duration // average latency before the concurrency was raised
	raised   int           // by how much it was raised
	failures int           // trials that failed, in a row
}

// pace returns the present pace.
func (c *controller) pace() Pace {
	interval, rest := c.interval, c.rest
	if c.still {
		interval, rest = 0, time.Time{}
	}
	switch {
	case c.givenUp: // no requests are made; the queued targets are settled without
		return Pace{}
	case c.gated:
		visits := 1 + c.passing
		if c.concurrency > 0 {
			visits = min(visits, c.concurrency)
		}
		return Pace{Concurrency: visits, Interval: interval, NotBefore: rest, Within: c.limit.Within}
	}
	return Pace{Concurrency: c.concurrency, Interval: interval, NotBefore: rest, Within: c.limit.Within}
}

// observe adapts the pace to an answer. It reports whether the pace changed.
func (c *controller) observe(a Answer, now time.Time) bool {
	c.answered = c.answered || !a.Silent
	if a.TimedOut {
		c.timeouts++
	}
	switch {
	case c.givenUp:
		return false
	case a.Overloaded:
		c.slowDown(a, now)
		return true
	case a.Silent:
		c.good = 0
		return false
	}
	return c.speedUp(a, now)
}

// slowDown lowers the pace after a refusal.
func (c *controller) slowDown(a Answer, now time.Time) {
	good := c.good
	c.good, c.starting = 0, false
	rest := now.Add(a.RestFor)
	if a.Repeated && good > 0 { // the host accepts other visits: the cause is the target, not the pace
		c.restUntil(rest)
		return
	}
	longest := longestInterval
	if good >= isolatedAfter {
		longest = time.Second
	}
	if !a.Started.Before(c.slowed) { // the visit kept the present pace, which was too fast
		c.countRefusal(a)
		c.slowed, c.warned, c.slowedAt = now, true, c.interval
		if c.concurrency != 1 {
			c.concurrency = max(1, c.concurrency/2)
		}
		c.interval = max(c.interval, c.limit.Interval, min(max(2*c.interval, firstInterval), longest))
		rest = now.Add(max(a.RestFor, c.pause()))
	}
	c.restUntil(rest)
}

func (c *controller) restUntil(t time.Time) {
	if t.After(c.rest) {
		c.rest = t
	}
}

// pause returns how long a host is not visited after a refusal, if it does not say so
// itself. It covers the window of a rate limit, so that the next answers are about the
// new pace alone.
func (c *controller) pause() time.Duration {
	return max(c.interval, min(firstPause<<min(c.refusals-1, 16), longestPause))
}

// countRefusal counts a refusal and gives the host up if there were too many in a row.
func (c *controller) countRefusal(a Answer) {
	c.refusals++
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
	c.givenUp = c.tooLong >= maxTooLong || c.slowest >= maxSlowest || c.rests >= maxRests && c.rested >= minRest
}

// speedUp raises the pace after enough good answers. It reports whether the pace changed.
func (c *controller) speedUp(a Answer, now time.Time) bool {
	c.refusals, c.tooLong, c.rests, c.rested, c.slowest = 0, 0, 0, 0, 0
	c.good++
	changed := c.relieve(a.Latency)
	if c.starting {
		return c.start(a, now) || changed
	}
	next := c.interval
	if next > c.limit.Interval {
		next = max(c.limit.Interval, next-next/4)
		if next < firstInterval {
			next = c.limit.Interval
		}
	} else if c.concurrency == c.limit.Concurrency {
		return changed
	}
	enough := speedUpAfter
	if c.warned && next <= c.slowedAt {
		enough = speedUpRefused
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

// relieve lowers the concurrency of a host whose answers take much longer than its
// fastest ones, because it is busy with our visits or others. It reports whether it did.
func (c *controller) relieve(latency time.Duration) bool {
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

// start raises the concurrency of a starting host by one for each fast answer, so that
// it doubles with each round of visits. So a server that accepts few connections, or
// works on one request at a time, does not get all visits at once. It reports whether
// the concurrency changed.
func (c *controller) start(a Answer, now time.Time) bool {
	latency := a.Latency
	if latency <= 0 {
		return false
	}
	if c.recent == 0 { // the first answer
		if latency >= slowStart {
			c.starting, c.concurrency = false, c.limit.Concurrency
			return true
		}
		c.recent = latency
	}
	c.recent += (latency - c.recent) / 4
	if c.bestRecent == 0 || c.recent < c.bestRecent {
		c.bestRecent = c.recent
	}
	if c.recent > c.bestRecent+c.bestRecent/4+startSlack {
		return c.try(a, now)
	}
	c.trial = trial{since: now, failures: c.trial.failures}
	c.concurrency++
	c.starting = c.concurrency < c.limit.Concurrency
	return true
}

// try decides by a round of slow answers whether a starting host gets more visits. If
// they took so long that even a host that works on one visit at a time would have got
// all of them for its first answer, it gets all now. Otherwise it gets one more. If the
// answers of the next round take longer about in proportion, it loses that one again;
// else the concurrency grows in doubling steps. try reports whether it changed.
func (c *controller) try(a Answer, now time.Time) bool {
	t := &c.trial
	if !a.Started.After(t.since) {
		return false
	}
	t.sum += a.Latency
	if t.answers++; t.answers < max(c.concurrency, minRound)<<min(2*t.failures, maxDoublings) {
		return false
	}
	average, fewer := t.sum/time.Duration(t.answers), c.concurrency-t.raised
	failures, raise := t.failures, max(1, 2*t.raised)
	switch {
	case average >= slowStart*time.Duration(c.concurrency):
		raise = c.limit.Concurrency
	case t.raised > 0 && average > t.before+t.before*time.Duration(t.raised)/time.Duration(2*fewer):
		c.concurrency = fewer
		*t = trial{since: now, failures: failures + 1}
		return true
	case t.raised > 0:
		failures = 0
	}
	raise = min(raise, c.limit.Concurrency-c.concurrency)
	*t = trial{since: now, before: average, raised: raise, failures: failures}
	c.concurrency += raise
	c.starting = c.concurrency < c.limit.Concurrency
	return true
}

// dead reports whether the host has never answered, and many visits timed out.
func (c *controller) dead() bool { return !c.answered && c.timeouts >= deadAfter }

// limitInterval bounds the host to one visit at a time with at least interval between
// the starts of two. It reports whether the pace changed.
func (c *controller) limitInterval(interval time.Duration, now time.Time) bool {
	if interval <= c.limit.Interval {
		return false
	}
	c.limit.Interval = interval
	c.interval = max(c.interval, interval)
	c.limit.Concurrency, c.concurrency = 1, 1
	c.restUntil(now.Add(interval)) // the caller is about to visit the host
	return true
}

// resume continues with the pace that an earlier session left, whose configuration asked for
// an interval: only what is longer was learned from the host.
func (c *controller) resume(left Pace, configured time.Duration) {
	if left.Interval > max(c.interval, configured) {
		c.interval, c.warned, c.slowedAt = min(left.Interval, longestInterval), true, left.Interval
		if c.concurrency != 1 && left.Concurrency > 0 {
			c.concurrency = left.Concurrency
		}
	}
	c.restUntil(left.NotBefore)
}
