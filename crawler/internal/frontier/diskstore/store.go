package diskstore

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// Store is a frontier.Store in a file. Create, Open and OpenReadOnly make one.
type Store struct {
	file string
	key  [16]byte

	frontier.Book
	totals  *totals                  // of the file, when no batch is being written
	renewed map[frontier.ID]struct{} // targets that are queued again after a visit; the file has their outcome, and may have a page
	paces   map[int]storedPace       // in the file, by the number of the host; missing ones are zero
	journal journal
	buffer  []byte // reused
	own     []byte // likewise

	inherited inheritance
	copyOf    string                 // the file of which CreateFrom has made this one a copy
	replaced  map[frontier.ID][]byte // jobs of inherited targets that differ from what was in the file

	reader reader
}

// storedPace is the part of a pace whose change is written to the file.
type storedPace struct {
	interval  time.Duration
	notBefore int64
}

// FingerprintKey implements frontier.Keyed.
func (s *Store) FingerprintKey() [16]byte { return s.key }

// enter enters an item and adds the changes to the batch.
func (s *Store) enter(b *batch, it *frontier.Item) (frontier.ID, error) {
	id, change := s.Ledger.Enter(it)
	switch {
	case change == 0:
	case change&frontier.Entered != 0:
		b.enter(s.Ledger.HostOf(id), it)
		if it.Outcome != nil {
			b.settle(id, false, flagEntered, 0, it.Outcome)
		}
	case change&frontier.Woken != 0:
		return id, s.wake(b, id, change&frontier.Moved != 0, it)
	default:
		if change&frontier.Raised != 0 {
			_, _, lowest, need := s.Ledger.Status(id)
			b.change(id, lowest, need)
		}
		if change&frontier.Overruled != 0 {
			b.settle(id, true, flagEntered, 0, it.Outcome)
		}
		if change&frontier.Reopened != 0 {
			b.remove(outcomesTable, id)
		}
		if change&frontier.Renewed != 0 {
			s.renewed[id] = struct{}{}
		}
	}
	return id, nil
}

// enterAll enters items and returns their IDs. If it fails, no step is possible any more.
func (s *Store) enterAll(b *batch, items []frontier.Item) ([]frontier.ID, error) {
	ids := make([]frontier.ID, len(items))
	for i := range items {
		id, err := s.enter(b, &items[i])
		if err != nil {
			s.journal.failed = err
			return nil, err
		}
		ids[i] = id
	}
	return ids, nil
}

// mostCheap is the number of steps that a crash may undo, all of which are Done.Cheap.
const mostCheap = 256

// orNil returns b, or nil for an empty slice, which is stored as null.
func orNil(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return b
}

// Add implements frontier.Store.
func (s *Store) Add(_ context.Context, items []frontier.Item) ([]frontier.ID, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if err := s.Ledger.Check(items); err != nil {
		return nil, err
	}
	b, err := s.journal.begin()
	if err != nil {
		return nil, err
	}
	ids, err := s.enterAll(b, items)
	if err != nil {
		return nil, err
	}
	s.journal.addHosts(b)
	return ids, s.journal.commit(b.number)
}

// Claim implements frontier.Store. It writes nothing, because leases end with the process.
func (s *Store) Claim(_ context.Context, most int, d time.Duration) ([]frontier.Lease, time.Time, error) {
	s.Mu.Lock()
	if s.journal.failed != nil {
		defer s.Mu.Unlock()
		return nil, time.Time{}, s.journal.failed
	}
	leases, next, err := s.Ledger.Claim(time.Now(), most, d)
	var missing bool
	for i := range leases {
		leases[i].Job = s.replaced[leases[i].ID]
		missing = !s.journal.fill(&leases[i]) || missing
	}
	s.Mu.Unlock()
	if !missing {
		return leases, next, err
	}
	for i := range leases {
		if err := s.reader.fill(&leases[i]); err != nil {
			return nil, time.Time{}, fmt.Errorf("read target %d of the state %s: %w", leases[i].ID, s.file, explain(err))
		}
	}
	return leases, next, err
}

// Complete implements frontier.Store.
func (s *Store) Complete(_ context.Context, l frontier.Lease, d frontier.Done) ([]frontier.ID, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if err := s.Ledger.Held(l); err != nil {
		return nil, err
	}
	if err := s.Ledger.Check(d.Found); err != nil {
		return nil, err
	}
	b, err := s.journal.begin()
	if err != nil {
		return nil, err
	}
	ids, err := s.enterAll(b, d.Found)
	if err != nil {
		return nil, err
	}
	s.buffer = s.buffer[:0]
	for _, id := range ids {
		s.buffer = binary.AppendUvarint(s.buffer, uint64(id))
	}
	s.journal.addHosts(b)
	_, again := s.renewed[l.ID]
	delete(s.renewed, l.ID)
	again = again || s.inherited.has(l.ID)
	same, written := false, len(b.events)
	switch {
	case s.settleAsBefore(b, l, &d, s.buffer):
		same = len(b.events) == written
	case len(d.Found) > 0 || len(d.Links) > 0 || len(d.Page) > 0:
		b.settle(l.ID, again, flagPage, l.Need, d.Outcome)
		b.page(l.ID, again, s.buffer, d.Links, d.Page)
	default:
		b.settle(l.ID, again, 0, l.Need, d.Outcome)
		if again {
			b.remove(pagesTable, l.ID)
		}
	}
	s.renewRows(b, l.ID)
	if l.Tries > 0 {
		b.remove(deferredTable, l.ID)
	}
	s.tally(b, d.Tally)
	if s.Ledger.Settle(l)&frontier.Renewed != 0 {
		s.renewed[l.ID] = struct{}{}
	}
	if same && d.Cheap && b.steps < mostCheap {
		return ids, nil
	}
	return ids, s.journal.commit(b.number)
}

// Release implements frontier.Store. It does not wait until its batch is written.
func (s *Store) Release(_ context.Context, l frontier.Lease, d frontier.Deferral) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if err := s.Ledger.Held(l); err != nil {
		return err
	}
	b, err := s.journal.begin()
	if err != nil {
		return err
	}
	if !d.Unvisited { // the file says that it is queued
		b.postpone(l.ID, l.Tries > 0, s.Ledger.Tries(l.ID), &d)
	} else if len(d.Tally) == 0 {
		b.steps--
	}
	s.tally(b, d.Tally)
	s.Ledger.Release(l, &d)
	return nil
}

// SetPace implements frontier.Store. It writes a change of the interval or of the time of
// the next visit, and does not wait until the batch is written.
func (s *Store) SetPace(_ context.Context, host string, p frontier.Pace) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	b, err := s.journal.begin()
	if err != nil {
		return err
	}
	number := s.Ledger.SetPace(host, p)
	s.journal.addHosts(b)
	now := storedPace{p.Interval, nanos(p.NotBefore)}
	if s.paces[number] == now {
		b.steps-- // there is nothing to write
		return nil
	}
	s.paces[number] = now
	b.pace(number)
	return nil
}

// Tally implements frontier.Store.
func (s *Store) Tally(_ context.Context, t []frontier.Tally) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	b, err := s.journal.begin()
	if err != nil {
		return err
	}
	s.tally(b, t)
	return s.journal.commit(b.number)
}

func (s *Store) tally(b *batch, list []frontier.Tally) {
	b.tally(list)
	for _, t := range list {
		s.Sums[t.Name] += t.By
	}
}

// Get implements frontier.Store.
func (s *Store) Get(_ context.Context, id frontier.ID, parts frontier.Parts) (frontier.Record, error) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if id == 0 || int(id) > s.Ledger.Known() {
		return frontier.Record{}, fmt.Errorf("read target %d: there is no such target", id)
	}
	if err := s.journal.flush(); err != nil {
		return frontier.Record{}, err
	}
	s.reader.mu.Lock()
	defer s.reader.mu.Unlock()
	var r frontier.Record
	settled, wave, _, _ := s.Ledger.Status(id)
	if wave == frontier.Dormant {
		return frontier.Record{}, fmt.Errorf("read target %d: only an earlier crawl knew it", id)
	}
	scan, err := s.reader.scan(parts&^frontier.PartLinks, id, id, settled)
	if err == nil {
		err = errors.Join(scan.read(id, &s.inherited, s.Ledger, &r), scan.close())
	}
	if err != nil {
		return frontier.Record{}, fmt.Errorf("read target %d of the state %s: %w", id, s.file, explain(err))
	}
	return r, nil
}

// Scan implements frontier.Store.
func (s *Store) Scan(ctx context.Context, parts frontier.Parts, fn func(*frontier.Record) error) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if err := s.journal.flush(); err != nil {
		return err
	}
	s.reader.mu.Lock()
	defer s.reader.mu.Unlock()
	last := frontier.ID(s.Ledger.Known())
	scan, err := s.reader.scan(parts, 1, last, false)
	if err != nil {
		return fmt.Errorf("read the state %s: %w", s.file, explain(err))
	}
	defer scan.close()
	var r frontier.Record
	for id := frontier.ID(1); id <= last; id++ {
		if id%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if _, wave, _, _ := s.Ledger.Status(id); wave == frontier.Dormant {
			continue
		}
		if err := scan.read(id, &s.inherited, s.Ledger, &r); err != nil {
			return fmt.Errorf("read target %d of the state %s: %w", id, s.file, explain(err))
		}
		if err := fn(&r); err != nil {
			return err
		}
	}
	if err := scan.finish(last); err != nil {
		return fmt.Errorf("read the state %s: %w", s.file, explain(err))
	}
	if err := scan.check(s.totals); err != nil {
		return fmt.Errorf("read the state %s: %w", s.file, err)
	}
	return nil
}

// SetValue stores a value under a name, apart from the targets.
func (s *Store) SetValue(name string, value []byte) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if _, err := s.journal.begin(); err != nil {
		return err
	}
	if err := s.journal.flush(); err != nil {
		return err
	}
	w := s.journal.writer
	if err := w.transaction(func() error { return w.setMeta(metaValue+name, value) }); err != nil {
		return fmt.Errorf("write the state %s: store the %s: %w", s.file, name, explain(err))
	}
	return nil
}

// Value returns the value of a name, nil if there is none.
func (s *Store) Value(name string) ([]byte, error) {
	s.reader.mu.Lock()
	defer s.reader.mu.Unlock()
	value, err := s.reader.conn.meta(metaValue + name)
	if err != nil {
		return nil, fmt.Errorf("read the state %s: read the %s: %w", s.file, name, explain(err))
	}
	return value, nil
}

// Close writes the pending steps and closes the file.
func (s *Store) Close() error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	if s.journal.closed {
		return nil
	}
	err := s.journal.flush()
	if err != nil && errors.Is(err, s.journal.failed) {
		err = nil // the call that wrote has returned it
	}
	s.journal.closed = true
	s.reader.mu.Lock()
	defer s.reader.mu.Unlock()
	err = errors.Join(err, s.reader.conn.close())
	if s.journal.writer != nil {
		err = errors.Join(err, s.journal.writer.db.close())
	}
	if err != nil {
		return fmt.Errorf("close the state %s: %w", s.file, err)
	}
	return nil
}

var (
	_ frontier.Store  = (*Store)(nil)
	_ frontier.Keyed  = (*Store)(nil)
	_ frontier.Sealer = (*Store)(nil)
)

// appendIDs appends a list of targets from its stored form.
func appendIDs(ids []frontier.ID, b []byte, last int) ([]frontier.ID, error) {
	for len(b) > 0 {
		v, n := binary.Uvarint(b)
		if n <= 0 || v == 0 || v > uint64(last) {
			return ids, damaged("its list of found targets is malformed")
		}
		ids, b = append(ids, frontier.ID(v)), b[n:]
	}
	return ids, nil
}
