package frontier

import (
	"fmt"
	"time"
)

// Ledger is the memory of a store of one process: which targets are known, which are
// queued and in what order, which are leased, and the pace of each host. The store itself
// keeps the bytes of the targets.
//
// A target takes 8 bytes, its fingerprint 15 to 19 (a wide one 25 to 31), and its place
// in a queue 4. None of them holds a pointer, so millions of targets cost the garbage
// collector nothing.
//
// A Ledger is not safe for concurrent use; the lock of its store guards it.
type Ledger struct {
	index   fingerprintTable
	targets column[target] // by ID-1
	hosts   hostTable
	queue   queue
	leases  leases
	settled int
	dormant int // targets that an earlier crawl has left, and this one has not entered
}

// Change is a set of what entering an item changed.
type Change uint8

const (
	// Entered means that the target was not known.
	Entered Change = 1 << iota
	// Raised means that the target has further needs or a lower wave.
	Raised
	// Reopened means that the target was entered as settled and is now queued.
	Reopened
	// Renewed means that the target was settled by a visit and is queued again.
	Renewed
	// Overruled means that the target stays settled, with the outcome of this item.
	Overruled
	// Woken means that only an earlier crawl knew the target.
	Woken
	// Moved means that it had another host in that crawl.
	Moved
)

// newLedger returns an empty ledger for fingerprints of a width.
func newLedger(w Width) *Ledger {
	g := &Ledger{index: fingerprintTable{wide: w == Wide}, hosts: hostTable{byName: map[string]*host{}, shares: map[Share]*share{}}}
	start := epoch(time.Now())
	g.queue = queue{targets: &g.targets, epoch: start}
	g.leases = leases{held: map[ID]lease{}, epoch: start}
	return g
}

// Width returns the width of the fingerprints.
func (g *Ledger) Width() Width {
	if g.index.wide {
		return Wide
	}
	return Narrow
}

// Check returns an error if an item has the ID of no known target.
func (g *Ledger) Check(items []Item) error {
	for i := range items {
		if id := items[i].ID; int64(id) > int64(g.Known()) {
			return fmt.Errorf("enter target %d once more: there is no such target", id)
		}
	}
	return nil
}

// Enter enters an item, as Store.Add does. The item must pass Check.
func (g *Ledger) Enter(it *Item) (ID, Change) {
	id := it.ID
	if id == 0 {
		known, slot := g.index.find(it.Fingerprint)
		if known == 0 {
			id = g.append(it.Fingerprint, slot, target{})
			g.enter(id, g.target(id), it)
			return id, Entered
		}
		id = ID(known)
	}
	t := g.target(id)
	if t.wave == Dormant {
		host := t.host
		g.dormant--
		if g.enter(id, t, it); t.host != host {
			return id, Woken | Moved
		}
		return id, Woken
	}
	var change Change
	if it.Outcome != nil && t.state() == enteredSettled && it.Need&^t.need&NeedLinked != 0 {
		change = Overruled
	}
	if it.Need&^t.need != 0 {
		change |= Raised
		if t.wave == SecondPass && t.state() <= leased && it.Need&^t.need&NeedLinks != 0 {
			g.queue.wave(SecondPass).secondPages++
		}
		t.need |= it.Need
	}
	if it.Outcome != nil {
		return id, change
	}
	if t.state() == enteredSettled { // no visit was needed until now
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

// renew queues a settled target again if the last visit did not meet its needs.
func (g *Ledger) renew(id ID, t *target) bool {
	if t.need&^t.met()&visitNeeds == 0 {
		return false
	}
	t.setState(queued)
	t.setTries(0)
	t.wave = t.lowest
	g.settled--
	g.push(id, t, time.Time{})
	return true
}

// enter begins the part of a target in this crawl.
func (g *Ledger) enter(id ID, t *target, it *Item) {
	*t = target{host: g.hosts.enter(it.Host).number, wave: it.Wave, lowest: it.Wave, need: it.Need}
	if it.Outcome != nil {
		t.setState(enteredSettled)
		g.settled++
		return
	}
	g.push(id, t, time.Time{})
}

// append adds a target with the next ID. slot is from index.find.
func (g *Ledger) append(f Fingerprint, slot int, t target) ID {
	g.targets.append(t)
	id := ID(g.targets.len())
	g.index.insert(slot, f, uint32(id))
	return id
}

func (g *Ledger) target(id ID) *target { return g.targets.at(int(id) - 1) }

// push queues a target in the wave that it names.
func (g *Ledger) push(id ID, t *target, notBefore time.Time) {
	g.queue.push(id, t, g.hosts.all[t.host], notBefore)
}

// Find returns the ID of a fingerprint, 0 if it is not known.
func (g *Ledger) Find(f Fingerprint) ID {
	id, _ := g.index.find(f)
	if id != 0 && g.target(ID(id)).wave == Dormant {
		return 0
	}
	return ID(id)
}

// Known returns the highest ID. It is the number of targets, with those that are dormant.
func (g *Ledger) Known() int { return g.targets.len() }

// Hosts returns the number of hosts. They are numbered from 0 in the order in which they
// were entered.
func (g *Ledger) Hosts() int { return len(g.hosts.all) }

// Host returns the name and the pace of a host.
func (g *Ledger) Host(number int) (name string, p Pace) {
	h := g.hosts.all[number]
	return h.name, h.pace
}

// HostOf returns the number of a target's host.
func (g *Ledger) HostOf(id ID) int { return int(g.target(id).host) }

// Status returns whether a target is settled, the wave that it is in, the lowest wave
// that it was entered with, and its needs. A dormant one is in the wave Dormant.
func (g *Ledger) Status(id ID) (done bool, current, lowest Wave, need Need) {
	t := g.target(id)
	return t.state() >= settled, t.wave, t.lowest, t.need
}

// Tries returns how often a target was leased since it was last settled, at most 15.
func (g *Ledger) Tries(id ID) int { return g.target(id).tries() }

// Claim leases targets, as Store.Claim does. The leases have no Job and no Note.
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

// release ends a lease. The target is in no queue afterwards.
func (g *Ledger) release(id ID) *target {
	delete(g.leases.held, id)
	t := g.target(id)
	g.queue.release(t, g.hosts.all[t.host])
	return t
}

// Held returns ErrStale for a lease that is no longer held.
func (g *Ledger) Held(l Lease) error { return g.leases.check(l) }

// Settle settles the target of a held lease. The targets that were found there must be
// entered before. It returns Renewed if the target is queued again at once, because it
// got further needs while it was leased.
func (g *Ledger) Settle(l Lease) Change {
	t := g.release(l.ID)
	t.setState(settled)
	t.setMet(l.Need)
	g.settled++
	if g.renew(l.ID, t) {
		return Renewed
	}
	return 0
}

// Release queues the target of a held lease again.
func (g *Ledger) Release(l Lease, d *Deferral) {
	t := g.release(l.ID)
	t.setState(queued)
	t.wave = d.Wave
	if d.Unvisited {
		t.setTries(l.Tries)
	}
	g.push(l.ID, t, d.NotBefore)
}

// Extend moves the deadline of a lease that is held.
func (g *Ledger) Extend(l Lease, deadline time.Time) { g.leases.extend(l, deadline) }

// SetPace bounds a host from now on and returns its number.
func (g *Ledger) SetPace(name string, p Pace) int {
	h := g.hosts.enter([]byte(name))
	g.hosts.bound(h, p)
	g.queue.reorder(h)
	return int(h.number)
}

// Count returns the numbers of targets.
func (g *Ledger) Count() Counts {
	c := Counts{Known: g.targets.len() - g.dormant, Settled: g.settled, Leased: len(g.leases.held)}
	c.Queued, c.Pages = g.queue.count()
	return c
}

// Seal frees the fingerprints, the queues and the leases. From then on the ledger can
// only be read.
func (g *Ledger) Seal() {
	g.index = fingerprintTable{wide: g.index.wide}
	g.leases.deadlines = nil
	for _, h := range g.hosts.all {
		h.queues, h.shares = nil, [Shares]*share{}
	}
	g.hosts.shares = nil
	g.queue.free()
}
