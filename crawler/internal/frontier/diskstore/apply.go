package diskstore

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// metaApplied is the name in the table meta of the position up to which the log of a shared
// store has been applied.
const metaApplied = "applied"

// Replica is a store that follows a shared store by its log.
type Replica struct{ *Store }

// Apply makes the steps of a shared store, and stores the position in its log in the same
// transaction. So each step is made once, whatever ends the process. The IDs of the events are set
// to those of this store.
func (s Replica) Apply(events []frontier.Event, position string) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	b, err := s.journal.begin()
	if err != nil {
		return err
	}
	for i := range events {
		if err := s.apply(b, &events[i]); err != nil {
			s.journal.failed = fmt.Errorf("apply the log of the frontier to the state %s: %w", s.file, err) // half of it must not be written
			return s.journal.failed
		}
	}
	b.position = position
	s.journal.addHosts(b)
	return s.journal.commit(b.number)
}

// Applied returns the position of the last Apply, "" if there was none.
func (s Replica) Applied() (string, error) {
	s.Mu.Lock()
	err := s.journal.flush()
	s.Mu.Unlock()
	if err != nil {
		return "", err
	}
	s.reader.mu.Lock()
	defer s.reader.mu.Unlock()
	position, err := s.reader.conn.meta(metaApplied)
	if err != nil {
		return "", fmt.Errorf("read the state %s: read the position in the log: %w", s.file, explain(err))
	}
	return string(position), nil
}

func (s Replica) apply(b *batch, e *frontier.Event) error {
	for i := range e.Items {
		it := &e.Items[i]
		if it.ID == 0 {
			continue
		}
		if it.ID = s.Ledger.Find(it.Fingerprint); it.ID == 0 { // the shared store has another number
			return errors.New("it refers to a target that is not known")
		}
	}
	if _, err := s.enterAll(b, e.Items); err != nil {
		return err
	}
	switch e.Kind {
	case frontier.EventSettled:
		return s.settleEvent(b, e)
	case frontier.EventDeferred:
		if e.ID = s.Ledger.Find(e.Name); e.ID == 0 {
			return errors.New("it defers a target that is not known")
		}
		frontier.Mirror{Ledger: s.Ledger}.DeferQueued(e.ID, &e.Deferral, e.Tries)
		b.postpone(e.ID, true, e.Tries, &e.Deferral)
		s.tally(b, e.Deferral.Tally)
	case frontier.EventPaced:
		number := s.Ledger.SetPace(e.Host, e.Pace)
		s.paces[number] = storedPace{e.Pace.Interval, nanos(e.Pace.NotBefore)}
		b.pace(number)
	}
	return nil
}

func (s Replica) settleEvent(b *batch, e *frontier.Event) error {
	if e.ID = s.Ledger.Find(e.Name); e.ID == 0 {
		return errors.New("it settles a target that is not known")
	}
	s.buffer, e.Found = s.buffer[:0], make([]frontier.ID, len(e.Names))
	for i, name := range e.Names {
		if e.Found[i] = s.Ledger.Find(name); e.Found[i] == 0 {
			return fmt.Errorf("target %d leads to another one that is not known", e.ID)
		}
		s.buffer = binary.AppendUvarint(s.buffer, uint64(e.Found[i]))
	}
	delete(s.renewed, e.ID)
	if len(e.Found) > 0 || len(e.Done.Links) > 0 || len(e.Done.Page) > 0 {
		b.settle(e.ID, true, flagPage, e.Met, e.Done.Outcome)
		b.page(e.ID, true, s.buffer, e.Done.Links, e.Done.Page)
	} else {
		b.settle(e.ID, true, 0, e.Met, e.Done.Outcome)
		b.remove(pagesTable, e.ID)
	}
	b.remove(deferredTable, e.ID)
	s.tally(b, e.Done.Tally)
	if (frontier.Mirror{Ledger: s.Ledger}).SettleQueued(e.ID, e.Met)&frontier.Renewed != 0 {
		s.renewed[e.ID] = struct{}{}
	}
	return nil
}

// Needs returns the needs of a target, and whether it is one that is visited: some are entered
// as settled.
func (s Replica) Needs(id frontier.ID) (need frontier.Need, visited bool) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	k := frontier.Kept{ID: id}
	frontier.Mirror{Ledger: s.Ledger}.Keep(&k)
	return k.Need, !k.Entered
}

// Each calls fn with all that a queue needs of each target, in the order of their IDs. fn
// must not call the store.
func (s Replica) Each(ctx context.Context, fn func(*frontier.Kept) error) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if err := s.journal.flush(); err != nil {
		return err
	}
	s.reader.mu.Lock()
	defer s.reader.mu.Unlock()
	last := frontier.ID(s.Ledger.Known())
	scan, err := s.reader.scan(frontier.PartJob|frontier.PartOutcome, 1, last, false)
	if err != nil {
		return fmt.Errorf("read the state %s: %w", s.file, explain(err))
	}
	defer scan.close()
	var r frontier.Record
	for id := frontier.ID(1); id <= last; id++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		k := frontier.Kept{ID: id}
		err := scan.read(id, &s.inherited, s.Ledger, &r)
		if err == nil {
			k.Fingerprint, _, _, k.Job, err = parseTarget(scan.targets.content, scan.width)
		}
		if err == nil && len(r.Note) > 0 {
			var at int64
			if _, _, at, k.Note, err = parseDeferral(scan.deferred.content); err == nil {
				k.NotBefore = fromNanos(at)
			}
		}
		if err != nil {
			return fmt.Errorf("read target %d of the state %s: %w", id, s.file, explain(err))
		}
		frontier.Mirror{Ledger: s.Ledger}.Keep(&k)
		if err := fn(&k); err != nil {
			return err
		}
	}
	return nil
}
