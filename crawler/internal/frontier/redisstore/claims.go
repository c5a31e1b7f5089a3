package redisstore

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// claims asks the servers of a crawl for targets.
type claims struct {
	parts []*part
	calls sync.WaitGroup // that are in asked

	mu    sync.Mutex // held by a claim; it guards what follows
	turn  int        // the server that is asked first
	looks looks
	asked []chan answered // of each server: a claim that it has not answered yet
	over  []string        // why each server gave nothing out, when it was asked last
}

// answered is what became of a claim.
type answered struct {
	claimed
	err error
}

// awaits is how long a claim waits for a server before it goes on with the next one. The answer comes
// with a later claim.
const awaits = 100 * time.Millisecond

// ask asks the servers for targets, and several of them again if they gave nothing: only two looks tell that a wave is finished.
func (c *claims) ask(ctx context.Context, most int, d time.Duration) (leases []frontier.Lease, next time.Time, err error) {
	if !slices.ContainsFunc(c.asked, func(one chan answered) bool { return one != nil }) {
		c.looks.restart()
	}
	before := c.looks.upto
	leases, next, err = c.askOnce(ctx, most, d)
	for n := 0; n < 2 && len(c.parts) > 1 && err == nil && len(leases) == 0 && (n == 0 || c.looks.upto != before); n++ {
		leases, next, err = c.askOnce(ctx, most, d)
	}
	return leases, next, err
}

// askOnce asks the servers for targets, and takes over what they answer late.
func (c *claims) askOnce(ctx context.Context, most int, d time.Duration) (leases []frontier.Lease, next time.Time, err error) {
	take := func(p *part, a answered) {
		c.over[p.at.number] = a.why
		if a.why != "absent" && a.why != "unknown" && a.err == nil {
			c.looks.look(p.at.number, a.left, a.sent)
		}
		leases = append(leases, a.leases...)
		if !a.next.IsZero() && (next.IsZero() || a.next.Before(next)) {
			next = a.next
		}
		err = cmp.Or(err, a.err)
	}
	for _, p := range c.parts {
		select {
		case a := <-c.asked[p.at.number]:
			c.asked[p.at.number] = nil
			take(p, a)
		default:
		}
	}
	first := c.turn
	for i := range c.parts {
		if err != nil || len(leases) >= most && most > 0 {
			break
		}
		p := c.parts[(first+i)%len(c.parts)]
		if a, ok := c.askOne(ctx, p, most-len(leases), d); ok {
			take(p, a)
		}
		if len(leases) > 0 {
			c.turn = (p.at.number + 1) % len(c.parts)
		}
	}
	return leases, next, err
}

// askOne claims targets of one server. It returns false if the server has not answered yet.
func (c *claims) askOne(ctx context.Context, p *part, most int, d time.Duration) (a answered, ok bool) {
	if len(c.parts) == 1 {
		a.claimed, a.err = p.claim(ctx, most, d, c.looks.upto, false)
		return a, true
	}
	patient := awaits
	if c.asked[p.at.number] == nil {
		answer, upto, busy := make(chan answered, 1), c.looks.upto, c.looks.othersBusy(p.at.number)
		c.asked[p.at.number], c.over[p.at.number] = answer, ""
		c.calls.Go(func() {
			var a answered
			a.claimed, a.err = p.claim(ctx, most, d, upto, busy)
			answer <- a
		})
	} else {
		patient = 0
	}
	select {
	case a = <-c.asked[p.at.number]:
	case <-ctx.Done():
		a = <-c.asked[p.at.number]
	case <-time.After(patient):
		return a, false
	}
	c.asked[p.at.number] = nil
	return a, true
}

// idle reports whether no server has anything left, as far as their last answers tell.
func (c *claims) idle() bool {
	return !slices.ContainsFunc(c.over, func(why string) bool { return why != "end" && why != "idle" })
}

// reason returns why nothing is given out, as far as the last answers of all servers tell.
func (c *claims) reason() string {
	has := func(word string) bool { return slices.Contains(c.over, word) }
	all := func(word string) bool {
		return !slices.ContainsFunc(c.over, func(why string) bool { return why != word })
	}
	switch {
	case has("over"):
		return "over"
	case all("drained"):
		return "drained"
	case c.looks.upto == noWave && all("end"):
		return "end"
	case c.looks.upto == noWave && c.idle():
		return "idle"
	}
	for _, word := range []string{"unknown", "absent", "paused", "full"} {
		if has(word) {
			return word
		}
	}
	return ""
}
