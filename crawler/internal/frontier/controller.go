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
	// slowAnswer is the latency from which it is tried whether a host that takes a new
	// connection for each request can handle more visits.
	slowAnswer = 50 * time.Millisecond

	minRound     = 16 // answers, so that chance does not decide a trial
	maxDoublings = 6  // of the answers of a round, after trials that failed
)

// lostAfter is the time after which a request for a connection is sent again (RFC 6298 section
// 2.1). If it took that long to connect, the request was lost.
const lostAfter = time.Second

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
	Dialed     time.Duration // how long it took to connect for it; 0 if a connection was used again
}

// controller finds the pace that one host can handle. A refusal halves the pace at
// once, and good answers raise it slowly (additive increase, multiplicative decrease).
// Processes share it as JSON, except for the fields that each has of its own.
type controller struct {
	still  bool          // nothing waits
	within [Shares]Share // limits that hosts share

	Address       string        `json:",omitempty"` // the key of within[ByAddress], in JSON only
	Located       uint64        `json:",omitempty"` // version of the shared state that was the first with an address
	Limit         int           // of Concurrency
	LimitInterval time.Duration // Interval is never shorter
	Concurrency   int
	Interval      time.Duration
	Rest          moment // no visit before
	gate
	GivenUp  bool // see maxSlowest
	Answered bool // the host has ever answered
	Timeouts int
	Good     int // good answers in a row
	slowing
	refusals
	latencies
	startup
}

// gate holds a host to one visit at a time until OpenGate is called.
type gate struct {
	Gated   bool `json:",omitempty"`
	Passing int  `json:",omitempty"` // visits in addition, see PassGate
}

// visits returns how many visits of so many at a time the gate lets through; 0 is no limit.
func (g gate) visits(most int) int {
	if g.Gated && (most <= 0 || most > 1+g.Passing) {
		return 1 + g.Passing
	}
	return most
}

// slowing tells how the pace was last lowered.
type slowing struct {
	Slowed   moment        // when
	SlowedAt time.Duration // interval before that
	Warned   bool          // it was lowered before
}

// refusals are those in a row, of visits that began after the pace was last lowered.
type refusals struct {
	Refusals int
	TooLong  int           // of them, with Answer.TooLong
	Rests    int           // of them, with Answer.RestFor
	Rested   time.Duration // sum of the rests
	Slowest  int           // of them, at the slowest pace
}

// count counts a refusal, and reports whether there were too many. interval is that of the visits.
func (r *refusals) count(a Answer, interval time.Duration) (giveUp bool) {
	r.Refusals++
	if a.TooLong {
		r.TooLong++
	}
	if a.RestFor > 0 {
		r.Rests++
		r.Rested += a.RestFor
	}
	if r.pause(interval) >= longestPause {
		r.Slowest++
	}
	return r.TooLong >= maxTooLong || r.Slowest >= maxSlowest || r.Rests >= maxRests && r.Rested >= minRest
}

// pause returns how long a host is not visited after a refusal, if it does not say so
// itself. It covers the window of a rate limit, so that the next answers are about the
// new pace alone.
func (r *refusals) pause(interval time.Duration) time.Duration {
	return max(interval, min(firstPause<<min(r.Refusals-1, 16), longestPause))
}

// latencies of a host.
type latencies struct {
	Best  time.Duration // shortest
	Usual time.Duration // moving average
}

// add reports whether answers take much longer than the fastest one, with this latency.
func (l *latencies) add(latency time.Duration) (slow bool) {
	if l.Best == 0 || latency < l.Best {
		l.Best = latency
	}
	l.Usual += (latency - l.Usual) / 8
	return l.Usual > time.Second && l.Usual > 4*l.Best
}

// startup raises the concurrency of a new host.
type startup struct {
	Starting   bool          // concurrency is below the limit because the host is new
	Recent     time.Duration // moving average of the latency of the last few answers
	BestRecent time.Duration // shortest of those
	Keeps      bool          `json:",omitempty"` // it has answered over a connection that was used before
	trial
}

// add reports whether recent answers were slower than the fastest ones, with this latency.
func (s *startup) add(latency time.Duration) (slow bool) {
	s.Recent += (latency - s.Recent) / 4
	if s.BestRecent == 0 || s.Recent < s.BestRecent {
		s.BestRecent = s.Recent
	}
	return s.Recent > s.BestRecent+s.BestRecent/4+startSlack
}

// trial finds out whether a starting host can handle more visits although its answers
// take longer than the fastest ones. The fastest may have been for pages that are less
// work.
type trial struct {
	Since    moment        `json:"TrialSince"`    // when the concurrency last changed
	Answers  int           `json:"TrialAnswers"`  // to visits that began since
	Sum      time.Duration `json:"TrialSum"`      // of their latencies
	Before   time.Duration `json:"TrialBefore"`   // average latency before the concurrency was raised
	Raised   int           `json:"TrialRaised"`   // by how much it was raised
	Failures int           `json:"TrialFailures"` // trials that failed, in a row
}

// pace returns the present pace.
func (c *controller) pace() Pace {
	if c.GivenUp { // no requests are made; the queued targets are settled without
		return Pace{}
	}
	p := Pace{Concurrency: c.visits(c.Concurrency), Within: c.within}
	if !c.still {
		p.Interval, p.NotBefore = c.Interval, c.Rest.Time
	}
	return p
}

// observe adapts the pace to an answer. It reports whether the pace changed.
func (c *controller) observe(a Answer, now time.Time) bool {
	c.Answered = c.Answered || !a.Silent
	if a.TimedOut {
		c.Timeouts++
	}
	switch {
	case c.GivenUp:
		return false
	case a.Overloaded:
		c.slowDown(a, now)
		return true
	case a.Silent:
		c.Good = 0
		return false
	case a.Dialed >= lostAfter:
		// The host lost the request for a connection. As TCP halves its window (RFC 5681 section 3.1):
		// connections wait at the host to be accepted, more of them than it has room for, and each
		// request that it loses costs a second or more.
		c.Good, c.Starting = 0, false
		return c.halve(a, now)
	}
	return c.speedUp(a, now)
}

// halve halves the concurrency, unless the visit began before the pace was last lowered. It reports
// whether it did.
func (c *controller) halve(a Answer, now time.Time) bool {
	if a.Started.Before(c.Slowed.Time) {
		return false
	}
	c.slowing = slowing{moment{now}, c.Interval, true}
	c.Concurrency = max(1, c.Concurrency/2)
	return true
}

// slowDown lowers the pace after a refusal.
func (c *controller) slowDown(a Answer, now time.Time) {
	good := c.Good
	c.Good, c.Starting = 0, false
	rest := now.Add(a.RestFor)
	if a.Repeated && good > 0 { // the host accepts other visits: the cause is the target, not the pace
		c.restUntil(rest)
		return
	}
	longest := longestInterval
	if good >= isolatedAfter {
		longest = time.Second
	}
	if c.halve(a, now) { // the visit kept the present pace, which was too fast
		c.GivenUp = c.count(a, c.Interval)
		c.Interval = max(c.Interval, c.LimitInterval, min(max(2*c.Interval, firstInterval), longest))
		rest = now.Add(max(a.RestFor, c.pause(c.Interval)))
	}
	c.restUntil(rest)
}

func (c *controller) restUntil(t time.Time) {
	if t.After(c.Rest.Time) {
		c.Rest.Time = t
	}
}

// speedUp raises the pace after enough good answers. It reports whether the pace changed.
func (c *controller) speedUp(a Answer, now time.Time) bool {
	c.refusals = refusals{}
	c.Good++
	changed := c.relieve(a.Latency)
	if c.Starting {
		return c.start(a, now) || changed
	}
	next := c.Interval
	if next > c.LimitInterval {
		next = max(c.LimitInterval, next-next/4)
		if next < firstInterval {
			next = c.LimitInterval
		}
	} else if c.Concurrency == c.Limit {
		return changed
	}
	enough := speedUpAfter
	if c.Warned && next <= c.SlowedAt {
		enough = speedUpRefused
	}
	if c.Good < enough {
		return changed
	}
	c.Good = 0
	if next == c.Interval {
		c.Concurrency++
	}
	c.Interval = next
	return true
}

// relieve lowers the concurrency of a host whose answers take much longer than its
// fastest ones, because it is busy with our visits or others. It reports whether it did.
func (c *controller) relieve(latency time.Duration) bool {
	if latency <= 0 {
		return false
	}
	if c.latencies.add(latency) && c.Concurrency > 1 && c.Good >= speedUpAfter/2 {
		c.Concurrency--
		c.Good, c.Usual = 0, c.Best
		return true
	}
	return false
}

// start raises the concurrency of a starting host by one for each fast answer, so that
// it doubles with each round of visits. So a server that accepts few connections, or
// works on one request at a time, does not get all visits at once. A host that takes a new
// connection for each request gets no more than at first while its answers do not take long: it
// may have room for few that wait (5 in the HTTP server of Python's library). start reports whether
// the concurrency changed.
func (c *controller) start(a Answer, now time.Time) bool {
	latency := a.Latency
	c.Keeps = c.Keeps || a.Dialed == 0
	if latency <= 0 {
		return false
	}
	if c.Recent == 0 { // the first answer
		if c.Keeps && latency >= slowStart {
			c.Starting, c.Concurrency = false, c.Limit
			return true
		}
		c.Recent = latency
	}
	slow := c.startup.add(latency)
	if !c.Keeps && c.Recent < slowAnswer {
		return false
	}
	if !c.Keeps || slow {
		return c.try(a, now)
	}
	c.trial = trial{Since: moment{now}, Failures: c.Failures}
	c.Concurrency++
	c.Starting = c.Concurrency < c.Limit
	return true
}

// try decides by a round of slow answers whether a starting host gets more visits. If
// they took so long that even a host that works on one visit at a time would have got
// all of them for its first answer, it gets all now. Otherwise it gets one more. If the
// answers of the next round take longer about in proportion, it loses that one again;
// else the concurrency grows in doubling steps. try reports whether it changed.
func (c *controller) try(a Answer, now time.Time) bool {
	t := &c.trial
	if !a.Started.After(t.Since.Time) {
		return false
	}
	t.Sum += a.Latency
	if t.Answers++; t.Answers < max(c.Concurrency, minRound)<<min(2*t.Failures, maxDoublings) {
		return false
	}
	average, fewer := t.Sum/time.Duration(t.Answers), c.Concurrency-t.Raised
	failures, raise := t.Failures, max(1, 2*t.Raised)
	switch {
	case c.Keeps && average >= slowStart*time.Duration(c.Concurrency):
		raise = c.Limit
	case t.Raised > 0 && average > t.Before+t.Before*time.Duration(t.Raised)/time.Duration(2*fewer):
		c.Concurrency = fewer
		*t = trial{Since: moment{now}, Failures: failures + 1}
		return true
	case t.Raised > 0:
		failures = 0
	}
	raise = min(raise, c.Limit-c.Concurrency)
	*t = trial{Since: moment{now}, Before: average, Raised: raise, Failures: failures}
	c.Concurrency += raise
	c.Starting = c.Concurrency < c.Limit
	return true
}

// dead reports whether the host has never answered, and many visits timed out.
func (c *controller) dead() bool { return !c.Answered && c.Timeouts >= deadAfter }

// limitInterval bounds the host to one visit at a time with at least interval between
// the starts of two. It reports whether the pace changed.
func (c *controller) limitInterval(interval time.Duration, now time.Time) bool {
	if interval <= c.LimitInterval {
		return false
	}
	c.LimitInterval = interval
	c.Interval = max(c.Interval, interval)
	c.Limit, c.Concurrency = 1, 1
	c.restUntil(now.Add(interval)) // the caller is about to visit the host
	return true
}

// resume continues with the pace that an earlier session left, whose configuration asked for
// an interval: only what is longer was learned from the host.
func (c *controller) resume(left Pace, configured time.Duration) {
	if left.Interval > max(c.Interval, configured) {
		c.Interval = min(left.Interval, longestInterval)
		c.Warned, c.SlowedAt = true, left.Interval
		if c.Concurrency != 1 && left.Concurrency > 0 {
			c.Concurrency = left.Concurrency
		}
	}
	c.restUntil(left.NotBefore)
}
