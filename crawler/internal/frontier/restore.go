package frontier

import (
	"errors"
	"fmt"
	"time"
)

// Restorer fills a new Ledger with what a store kept of an earlier one. Its caller
// restores hosts and targets in the order of their numbers, then the changes of targets,
// and calls Done at the end. Targets that were leased are queued again. An error means
// that the stored data contradict each other.
type Restorer struct {
	ledger   *Ledger
	deferred map[ID]time.Time
}

// NewRestorer returns a restorer for a ledger with fingerprints of a width.
func NewRestorer(w Width) *Restorer {
	return &Restorer{ledger: newLedger(w), deferred: map[ID]time.Time{}}
}

// Host restores the next host.
func (r *Restorer) Host(name string, p Pace) error {
	if r.ledger.hosts.byName[name] != nil {
		return fmt.Errorf("the host %q occurs twice", name)
	}
	r.ledger.hosts.enter([]byte(name)).pace = p
	return nil
}

var errOutOfRange = errors.New("it is out of range")

// Target restores the next target, as it was entered.
func (r *Restorer) Target(f Fingerprint, host int, w Wave, n Need) error {
	known, slot := r.ledger.index.find(f)
	switch {
	case host < 0 || host >= r.ledger.Hosts():
		return fmt.Errorf("host %d of target %d: %w", host, r.ledger.Known()+1, errOutOfRange)
	case w > SecondPass:
		return fmt.Errorf("wave %d of target %d: %w", w, r.ledger.Known()+1, errOutOfRange)
	case known != 0:
		return fmt.Errorf("targets %d and %d are the same", known, r.ledger.Known()+1)
	}
	r.ledger.append(f, slot, target{host: uint32(host), wave: w, lowest: w, need: n})
	return nil
}

// Sleep makes all targets dormant that were restored so far. Raise enters them in this crawl.
func (r *Restorer) Sleep() {
	for id := ID(1); int(id) <= r.ledger.Known(); id++ {
		r.ledger.target(id).wave = Dormant
	}
	r.ledger.dormant = r.ledger.Known()
}

// target returns a target, or an error if the ID or the wave is out of range.
func (r *Restorer) target(id ID, w Wave) (*target, error) {
	if id == 0 || int(id) > r.ledger.Known() || w > SecondPass {
		return nil, fmt.Errorf("target %d, wave %d: %w", id, w, errOutOfRange)
	}
	return r.ledger.target(id), nil
}

// Raise restores the lowest wave and the needs of a target.
func (r *Restorer) Raise(id ID, lowest Wave, n Need) error {
	t, err := r.target(id, lowest)
	if err != nil {
		return err
	}
	if t.wave == Dormant {
		r.ledger.dormant--
	}
	t.wave, t.lowest, t.need = lowest, lowest, n
	return nil
}

// Settled restores a settled target. It was settled by a visit that met these needs, or
// entered as settled.
func (r *Restorer) Settled(id ID, met Need, entered bool) error {
	t, err := r.target(id, 0)
	if err != nil {
		return err
	}
	if t.wave == Dormant {
		return fmt.Errorf("target %d is settled, but was not entered", id)
	}
	t.setState(settled)
	if entered {
		t.setState(enteredSettled)
	}
	t.setMet(met)
	return nil
}

// formerMaxTries is the most tries that an earlier version counted.
const formerMaxTries = 15

// Deferred restores a deferred target.
func (r *Restorer) Deferred(id ID, w Wave, notBefore time.Time, tries int) error {
	t, err := r.target(id, w)
	if err != nil {
		return err
	}
	if t.wave == Dormant {
		return fmt.Errorf("target %d is deferred, but was not entered", id)
	}
	if tries < 0 || tries > formerMaxTries {
		return fmt.Errorf("%d tries of target %d: %w", tries, id, errOutOfRange)
	}
	t.wave = w
	t.setTries(tries)
	r.deferred[id] = notBefore
	return nil
}

// Done queues the targets that are not settled. It returns the ledger, and the targets
// that were settled by a visit and are queued again.
func (r *Restorer) Done() (g *Ledger, renewed []ID) {
	g = r.ledger
	for id := ID(1); int(id) <= g.Known(); id++ {
		t := g.target(id)
		if t.wave == Dormant {
			continue
		}
		switch t.state() {
		case queued:
			g.push(id, t, r.deferred[id])
		case enteredSettled:
			g.settled++
		case settled:
			g.settled++
			if g.renew(id, t) {
				renewed = append(renewed, id)
			}
		}
	}
	return g, renewed
}
