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
	hosts   hostTable
	queue   queue
	leases  leases
	settled int
}

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

// NewLedger returns an empty ledger of targets that are known by fingerprints of a
// width.
func NewLedger(w Width) *Ledger {
	g := &Ledger{index: table{wide: w == Wide}, hosts: hostTable{byName: map[string]*host{}}}
	start := epoch(time.Now())
	g.queue = queue{targets: &g.targets, epoch: start}
	g.leases = leases{held: map[ID]lease{}, epoch: start}
	return g
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
			g.queue.wave(SecondPass).pagesAgain++
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
		g.push(id, t, time.Time{})
		return id, change | Raised | Reopened
	}
	if it.Wave < t.lowest {
		change |= Raised
		t.lowest = it.Wave
		if t.state() == queued {
			g.queue.remove(t)
			t.wave = it.Wave
			g.push(id, t, time.Time{})
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
	g.push(id, t, time.Time{})
	return true
}

func (g *Ledger) enter(it *Item, slot int) ID {
	t := target{host: g.hosts.enter(it.Host).number, wave: it.Wave, lowest: it.Wave, need: it.Need}
	if it.Outcome != nil {
		t.setState(given)
	}
	id := g.append(it.Fingerprint, slot, t)
	if it.Outcome != nil {
		g.settled++
	} else {
		g.push(id, g.target(id), time.Time{})
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

// push queues a target; its state, wave and need are set.
func (g *Ledger) push(id ID, t *target, notBefore time.Time) {
	g.queue.push(id, t, g.hosts.all[t.host], notBefore)
}

// Find returns the target that has a fingerprint, 0 for none.
func (g *Ledger) Find(f Fingerprint) ID {
	id, _ := g.index.find(f)
	return ID(id)
}

// Known is the number of targets: the greatest ID.
func (g *Ledger) Known() int { return g.targets.len() }

// Hosts is how many hosts there are. They are numbered from 0 as they were met.
func (g *Ledger) Hosts() int { return len(g.hosts.all) }

// Host returns a host by its number.
func (g *Ledger) Host(number int) (name string, p Pace) {
	h := g.hosts.all[number]
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
	for id := g.leases.expired(now); id != 0; id = g.leases.expired(now) {
		t := g.release(id)
		t.setState(queued)
		g.push(id, t, time.Time{})
	}
	var leases []Lease
	for len(leases) < most {
		id, next, err := g.queue.take(now)
		if id == 0 {
			if len(leases) > 0 {
				return leases, time.Time{}, nil
			}
			return nil, earlier(next, g.leases.nextDeadline()), err
		}
		leases = append(leases, g.lease(id, now, d))
	}
	return leases, time.Time{}, nil
}

func (g *Ledger) lease(id ID, now time.Time, d time.Duration) Lease {
	t := g.target(id)
	tries := t.tries()
	t.setTries(tries + 1)
	t.setState(leased)
	return Lease{ID: id, Fence: g.leases.grant(id, now, d), Host: g.hosts.all[t.host].name, Wave: t.wave, Need: t.need, Tries: tries}
}

// release ends a lease; the target belongs to no queue afterwards.
func (g *Ledger) release(id ID) *target {
	delete(g.leases.held, id)
	t := g.target(id)
	g.queue.release(t, g.hosts.all[t.host])
	return t
}

// Held answers ErrStale when a lease is no longer held.
func (g *Ledger) Held(l Lease) error { return g.leases.check(l) }

// Settle settles a target whose lease is held. What was found there is entered
// before. It answers Renewed when more was wanted of the target meanwhile.
func (g *Ledger) Settle(l Lease) Change {
	t := g.release(l.ID)
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
	t := g.release(l.ID)
	t.setState(queued)
	t.wave = w
	g.push(l.ID, t, notBefore)
}

// Extend moves the deadline of a lease that is held.
func (g *Ledger) Extend(l Lease, deadline time.Time) { g.leases.extend(l, deadline) }

// SetPace bounds a host from now on, and returns its number.
func (g *Ledger) SetPace(name string, p Pace) int {
	h := g.hosts.enter([]byte(name))
	h.pace = p
	g.queue.reorder(h)
	return int(h.number)
}

// Count says how much work there is.
func (g *Ledger) Count() Counts {
	c := Counts{Known: g.targets.len(), Settled: g.settled, Leased: len(g.leases.held)}
	c.Queued, c.Pages = g.queue.count()
	return c
}

// Seal lets go of what only a crawl under way needs: fingerprints, lines and
// leases. From then on the ledger can only be read.
func (g *Ledger) Seal() {
	g.index = table{wide: g.index.wide}
	g.leases.deadlines = nil
	for _, h := range g.hosts.all {
		h.lines = nil
	}
	g.queue.seal()
}
