package frontier

import "time"

// Event is one step of a shared store, as its log has it. A store that applies all events
// in order holds what the shared store does, except for the leases.
type Event struct {
	Kind EventKind
	// Items were entered, for EventEntered, and for EventSettled before the target was
	// settled.
	Items []Item
	// Name is the target of EventSettled and EventDeferred, and Names those that were found there. The
	// store that applies the event tells its own IDs of them.
	Name  Fingerprint
	Names []Fingerprint
	ID    ID
	Found []ID
	// Met are the needs that the visit met, and Done the rest of what it brought.
	Met  Need
	Done Done
	// Deferral and Tries are those of EventDeferred. They are kept with the target.
	Deferral Deferral
	Tries    int
	// Host and Pace are those of EventPaced.
	Host string
	Pace Pace
}

// EventKind says what happened.
type EventKind uint8

const (
	// EventEntered is an Add.
	EventEntered EventKind = iota
	// EventSettled is a Complete.
	EventSettled
	// EventDeferred is a Release.
	EventDeferred
	// EventPaced is a SetPace.
	EventPaced
)

// Kept is a target with all that a queue needs of it, for a shared store that is filled from
// a state.
type Kept struct {
	ID           ID
	Fingerprint  Fingerprint
	Host         string
	Wave, Lowest Wave
	Need, Met    Need
	Settled      bool
	Entered      bool // settled without a visit
	Tries        int
	NotBefore    time.Time // of a deferred target
	Job, Note    []byte
}

// Merge adds what another store knows of the target, as if it was entered here with that. It reports
// whether that changes anything.
func (k *Kept) Merge(other *Kept) (changed bool) {
	changed = other.Need&^k.Need != 0
	k.Need |= other.Need
	switch {
	case other.Entered:
		return changed
	case k.Entered: // no visit was needed until now
		k.Settled, k.Entered, k.Wave, k.Lowest = false, false, other.Lowest, other.Lowest
		return true
	case other.Lowest < k.Lowest:
		changed, k.Lowest = true, other.Lowest
		if !k.Settled {
			k.Wave = other.Lowest
		}
	}
	if k.Settled && k.Need&^k.Met&visitNeeds != 0 {
		changed, k.Settled, k.Wave, k.Tries = true, false, k.Lowest, 0
	}
	return changed
}

// Mirror is a ledger that follows a shared store by its events. Its targets are never leased.
type Mirror struct{ *Ledger }

// SettleQueued settles a target that is not leased here, as an event says. The targets that
// were found there must be entered before. It returns Renewed if the target is queued again at
// once.
func (g Mirror) SettleQueued(id ID, met Need) Change {
	t := g.target(id)
	if t.state() >= settled {
		g.settled--
	} else {
		g.queue.remove(t)
	}
	t.setState(settled)
	t.setMet(met)
	g.settled++
	if g.renew(id, t) {
		return Renewed
	}
	return 0
}

// DeferQueued queues a target that is not leased here again, as an event says.
func (g Mirror) DeferQueued(id ID, d *Deferral, tries int) {
	t := g.target(id)
	if t.state() >= settled {
		return
	}
	g.queue.remove(t)
	t.wave = d.Wave
	t.setTries(tries)
	g.push(id, t, d.NotBefore)
}

// Keep fills in what the ledger knows of a target.
func (g Mirror) Keep(k *Kept) {
	t := g.target(k.ID)
	k.Host = g.hosts.all[t.host].name
	k.Wave, k.Lowest, k.Need, k.Met, k.Tries = t.wave, t.lowest, t.need, t.met(), t.tries()
	k.Settled, k.Entered = t.state() >= settled, t.state() == enteredSettled
}

// Each calls fn with all targets, in no particular order. The ledger must not be sealed.
func (g Mirror) Each(fn func(Fingerprint, ID)) {
	g.index.each(func(f Fingerprint, id uint32) { fn(f, ID(id)) })
}

// Wake begins the part in this crawl of a dormant target, which is settled as k says.
func (g Mirror) Wake(k *Kept) {
	t := g.target(k.ID)
	t.wave, t.lowest, t.need = k.Wave, k.Lowest, k.Need
	t.setState(settled)
	if k.Entered {
		t.setState(enteredSettled)
	}
	t.setMet(k.Met)
	g.dormant--
	g.settled++
}
