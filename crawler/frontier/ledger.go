package frontier

import (
	"fmt"
	"time"
)

// Ledger is what a store of this process keeps in memory of its targets: who they
// are, in which line they wait, who has them, and how their hosts are paced.
// Everything, that is, but their bytes, which a store keeps as it likes. A target
// takes 8 bytes, its fingerprint 15 to 19 (25 to 31 if it is wide), and its place in
// line 4; none of them holds a pointer, so that millions cost the garbage collector
// nothing.
//
// A Ledger is not safe for concurrent use: the store that has it has a lock.
type Ledger struct {
	index   table
	targets column[target] // by ID-1
	hosts   map[string]*host
	order   []*host // by number
	met     *host   // last
	waves   [int(SecondPass) + 1]*wave
	used    []Wave // waves in use, ascending
	leases  map[ID]lease
	expiry  expiries
	fence   uint64
	base    time.Time // what the times of heaps are counted from
	began   time.Time // of the first claim
	settled int
}

// target is what is kept of one target besides its fingerprint.
type target struct {
	host   uint32
	wave   Wave // where it is, or was when it was leased
	lowest Wave // where it is wanted
	need   Need // wanted
	flags  uint8
}

// The flags of a target: state, what it was last settled with, and how often it
// was leased.
const (
	stateBits  = 0b11
	metBits    = 0b11 << metShift
	metShift   = 2
	triesShift = 4
	mostTries  = 15
)

type state uint8

const (
	queued state = iota
	leased
	settled
	given // entered as settled
)

func (t *target) state() state     { return state(t.flags & stateBits) }
func (t *target) setState(s state) { t.flags = t.flags&^stateBits | uint8(s) }
func (t *target) tries() int       { return int(t.flags >> triesShift) }
func (t *target) setTries(n int) {
	t.flags = t.flags&(1<<triesShift-1) | uint8(min(n, mostTries))<<triesShift
}

// met is the part of the need that settling a target may leave open.
func (t *target) met() Need     { return Need(t.flags&metBits) >> metShift }
func (t *target) setMet(n Need) { t.flags = t.flags&^metBits | uint8(n&visited)<<metShift&metBits }

// visited are the needs that only a visit can meet.
const visited = NeedContent | NeedLinks

// Change says what entering an item changed.
type Change uint8

const (
	// Entered is a target that was not known.
	Entered Change = 1 << iota
	// Raised is one of which more is wanted than before, or sooner.
	Raised
	// Reopened is one that had been entered as settled and is to be visited now.
	Reopened
	// Renewed is one that was settled by a visit and is to be visited again.
	Renewed
	// Overruled is one that stays settled, by the outcome that was given now.
	Overruled
)

type lease struct {
	fence    uint64
	deadline time.Time
}

// NewLedger returns an empty ledger of targets that are known by fingerprints of a
// width.
func NewLedger(w Width) *Ledger {
	return &Ledger{index: table{wide: w == Wide}, hosts: map[string]*host{}, leases: map[ID]lease{}, base: time.Now()}
}

// Width is the width of fingerprints.
func (g *Ledger) Width() Width {
	if g.index.wide {
		return Wide
	}
	return Narrow
}

// Check finds items that carry a number that no target has.
func (g *Ledger) Check(items []Item) error {
	for i := range items {
		if id := items[i].ID; int64(id) > int64(g.Known()) {
			return fmt.Errorf("enter target %d once more: there is no such target", id)
		}
	}
	return nil
}

// Enter enters an item that passes Check, as Store.Add says.
func (g *Ledger) Enter(it *Item) (ID, Change) {
	id := it.ID
	if id == 0 {
		known, slot := g.index.find(it.Fingerprint)
		if known == 0 {
			return g.enter(it, slot), Entered
		}
		id = ID(known)
	}
	t := g.target(id)
	var change Change
	if it.Outcome != nil && t.state() == given && it.Need&^t.need&NeedLinked != 0 {
		change = Overruled
	}
	if it.Need&^t.need != 0 {
		change |= Raised
		if t.wave == SecondPass && t.state() <= leased && it.Need&^t.need&NeedLinks != 0 {
			g.wave(SecondPass).pagesAgain++
		}
		t.need |= it.Need
	}
	if it.Outcome != nil {
		return id, change
	}
	if t.state() == given { // settled without a visit until now: somebody wants one
		t.wave, t.lowest = it.Wave, it.Wave
		t.setState(queued)
		g.settled--
		g.queue(id, t, time.Time{})
		return id, change | Raised | Reopened
	}
	if it.Wave < t.lowest {
		change |= Raised
		t.lowest = it.Wave
		if t.state() == queued {
			g.unqueue(t)
			t.wave = it.Wave
			g.queue(id, t, time.Time{})
		}
	}
	if t.state() == settled && g.renew(id, t) {
		change |= Renewed
	}
	return id, change
}

// renew queues a settled target again when more is wanted of it than was asked.
func (g *Ledger) renew(id ID, t *target) bool {
	if t.need&^t.met()&visited == 0 {
		return false
	}
	t.setState(queued)
	t.setTries(0)
	t.wave = t.lowest
	g.settled--
	g.queue(id, t, time.Time{})
	return true
}

func (g *Ledger) enter(it *Item, slot int) ID {
	t := target{host: g.host(it.Host).number, wave: it.Wave, lowest: it.Wave, need: it.Need}
	if it.Outcome != nil {
		t.setState(given)
	}
	id := g.append(it.Fingerprint, slot, t)
	if it.Outcome != nil {
		g.settled++
	} else {
		g.queue(id, g.target(id), time.Time{})
	}
	return id
}

// append gives a target the next number.
func (g *Ledger) append(f Fingerprint, slot int, t target) ID {
	g.targets.append(t)
	id := ID(g.targets.len())
	g.index.insert(slot, f, uint32(id))
	return id
}

func (g *Ledger) target(id ID) *target { return g.targets.at(int(id) - 1) }

func (g *Ledger) host(name []byte) *host {
	if g.met != nil && g.met.name == string(name) {
		return g.met
	}
	h := g.hosts[string(name)]
	if h == nil {
		h = &host{name: string(name), number: uint32(len(g.order))}
		g.hosts[h.name] = h
		g.order = append(g.order, h)
	}
	g.met = h
	return h
}

// Find returns the target that has a fingerprint, 0 for none.
func (g *Ledger) Find(f Fingerprint) ID {
	id, _ := g.index.find(f)
	return ID(id)
}

// Known is the number of targets: the greatest ID.
func (g *Ledger) Known() int { return g.targets.len() }

// Hosts is how many hosts there are. They are numbered from 0 as they were met.
func (g *Ledger) Hosts() int { return len(g.order) }

// Host returns a host by its number.
func (g *Ledger) Host(number int) (name string, p Pace) {
	h := g.order[number]
	return h.name, h.pace
}

// HostOf is the number of a target's host.
func (g *Ledger) HostOf(id ID) int { return int(g.target(id).host) }

// Status is what is known of a target: whether it is settled, the wave it is in,
// the lowest it is wanted in, and its needs.
func (g *Ledger) Status(id ID) (done bool, now, lowest Wave, need Need) {
	t := g.target(id)
	return t.state() >= settled, t.wave, t.lowest, t.need
}

// Tries is how often a target was leased since it was last settled, 15 at most.
func (g *Ledger) Tries(id ID) int { return g.target(id).tries() }

// Claim leases targets as Store.Claim says, without their bytes.
func (g *Ledger) Claim(now time.Time, most int, d time.Duration) ([]Lease, time.Time, error) {
	if g.began.IsZero() {
		g.began = now
	}
	g.expire(now)
	var leases []Lease
	for len(leases) < most {
		id, next, err := g.take(now)
		if id == 0 {
			if len(leases) > 0 {
				return leases, time.Time{}, nil
			}
			if len(g.expiry) > 0 {
				next = earlier(next, g.time(g.expiry[0].at))
			}
			return nil, next, err
		}
		leases = append(leases, g.lease(id, now, d))
	}
	return leases, time.Time{}, nil
}

func (g *Ledger) lease(id ID, now time.Time, d time.Duration) Lease {
	t := g.target(id)
	g.fence++
	l := lease{fence: g.fence}
	if d > 0 {
		l.deadline = now.Add(d)
		g.expiry.push(expiry{g.since(l.deadline), l.fence, id})
	}
	g.leases[id] = l
	tries := t.tries()
	t.setTries(tries + 1)
	t.setState(leased)
	return Lease{ID: id, Fence: l.fence, Host: g.order[t.host].name, Wave: t.wave, Need: t.need, Tries: tries}
}

// expire gives back leases whose holder let the deadline pass.
func (g *Ledger) expire(now time.Time) {
	for len(g.expiry) > 0 && g.expiry[0].at <= g.since(now) {
		e := g.expiry.pop()
		if l, ok := g.leases[e.id]; ok && l.fence == e.fence {
			if l.deadline.After(now) { // it was extended meanwhile
				g.expiry.push(expiry{g.since(l.deadline), e.fence, e.id})
				continue
			}
			t := g.unlease(e.id)
			t.setState(queued)
			g.queue(e.id, t, time.Time{})
		}
	}
}

// unlease ends a lease; the target belongs to no queue afterwards.
func (g *Ledger) unlease(id ID) *target {
	delete(g.leases, id)
	t := g.target(id)
	g.done(t)
	return t
}

// Held answers ErrStale when a lease is no longer held.
func (g *Ledger) Held(l Lease) error {
	if g.leases[l.ID].fence != l.Fence || l.Fence == 0 {
		return fmt.Errorf("target %d: %w", l.ID, ErrStale)
	}
	return nil
}

// Settle settles a target whose lease is held. What was found there is entered
// before. It answers Renewed when more was wanted of the target meanwhile.
func (g *Ledger) Settle(l Lease) Change {
	t := g.unlease(l.ID)
	t.setState(settled)
	t.setMet(l.Need)
	g.settled++
	if g.renew(l.ID, t) { // more may have been wanted while it was out
		return Renewed
	}
	return 0
}

// PutBack puts a target whose lease is held back into a wave.
func (g *Ledger) PutBack(l Lease, w Wave, notBefore time.Time) {
	t := g.unlease(l.ID)
	t.setState(queued)
	t.wave = w
	g.queue(l.ID, t, notBefore)
}

// Extend moves the deadline of a lease that is held.
func (g *Ledger) Extend(l Lease, deadline time.Time) {
	g.leases[l.ID] = lease{l.Fence, deadline}
	g.expiry.push(expiry{g.since(deadline), l.Fence, l.ID})
}

// SetPace bounds a host from now on, and returns its number.
func (g *Ledger) SetPace(name string, p Pace) int {
	h := g.host([]byte(name))
	h.pace = p
	g.reorder(h)
	return int(h.number)
}

// Count says how much work there is.
func (g *Ledger) Count() Counts {
	c := Counts{Known: g.targets.len(), Settled: g.settled, Leased: len(g.leases)}
	for _, w := range g.used {
		c.Queued += g.waves[w].queued
		if w <= LastPages {
			c.Pages += g.waves[w].outstanding()
		}
		c.Pages += g.waves[w].pagesAgain
	}
	return c
}

// Seal lets go of what only a crawl under way needs: fingerprints, lines and
// leases. From then on the ledger can only be read.
func (g *Ledger) Seal() {
	g.index = table{wide: g.index.wide}
	g.expiry = nil
	for _, h := range g.order {
		h.lines = nil
	}
	for _, w := range g.used {
		g.waves[w].heap = nil
	}
}

// Heaps keep times as durations from the ledger's beginning: that takes a third of
// the room, and keeps the monotonic clock.

func (g *Ledger) since(t time.Time) time.Duration { return t.Sub(g.base) }
func (g *Ledger) time(d time.Duration) time.Time  { return g.base.Add(d) }
