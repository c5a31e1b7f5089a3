package frontier

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// Memory is the store of a crawl that ends with its process. Use NewMemory or
// NewWideMemory to make one.
//
// A target takes some 40 bytes of memory, 50 with a wide fingerprint. Jobs and results
// are in memory up to a limit; those of a larger crawl move to a temporary file, the
// oldest first.
type Memory struct {
	Book
	spans   column[spans] // by ID-1
	jobs    arena
	results arena // see putResult
	notes   map[ID][]byte
	buffer  []byte    // reused
	key     *[16]byte // of the fingerprints; nil for that of this run

	entered   []byte // the last outcome of a target that was entered as settled
	enteredAt span   // its result
}

// spans are the positions of the bytes of a target.
type spans struct {
	job    span
	result span
}

// The most bytes of jobs and results in memory.
const (
	residentJobs    = 8 << 20
	residentResults = 24 << 20
)

// NewMemory returns an empty store with narrow fingerprints.
func NewMemory() *Memory { return newMemory(Narrow, residentJobs, residentResults, chunkSize) }

// NewWideMemory returns an empty store with wide fingerprints.
func NewWideMemory() *Memory { return newMemory(Wide, residentJobs, residentResults, chunkSize) }

// NewMemoryOf returns an empty store with narrow fingerprints that keeps at most some bytes of jobs, and of
// results, in memory, in chunks of a size.
func NewMemoryOf(most, chunk int) *Memory { return newMemory(Narrow, most, most, chunk) }

func newMemory(w Width, jobs, results, chunk int) *Memory {
	return &Memory{Book: Book{Ledger: newLedger(w), Sums: map[string]int64{}}, jobs: newArena(jobs, chunk), results: newArena(results, chunk),
		notes: map[ID][]byte{}}
}

// SetKey makes the fingerprints depend on a key that the caller keeps, so that other runs can
// compute the same. Without it, they depend on a key of this run.
func (m *Memory) SetKey(key [16]byte) { m.key = &key }

// Add implements Store.
func (m *Memory) Add(_ context.Context, items []Item) ([]ID, error) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	return m.addAll(items)
}

func (m *Memory) addAll(items []Item) ([]ID, error) {
	if err := m.Ledger.Check(items); err != nil {
		return nil, err
	}
	ids := make([]ID, len(items))
	for i := range items {
		id, change := m.Ledger.Enter(&items[i])
		ids[i] = id
		var err error
		switch {
		case change&Entered != 0:
			err = m.put(&items[i])
		case change&Overruled != 0:
			m.spans.at(int(id) - 1).result, err = m.putEntered(items[i].Outcome)
		}
		if err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// put keeps the bytes of a new target.
func (m *Memory) put(it *Item) (err error) {
	var s spans
	if s.job, err = m.jobs.put(it.Job); err != nil {
		return err
	}
	if it.Outcome != nil {
		if s.result, err = m.putEntered(it.Outcome); err != nil {
			return err
		}
	}
	m.spans.append(s)
	return nil
}

// putEntered keeps the outcome of a target that is entered as settled. There are few
// different ones, so it is mostly equal to the last, which is then used again.
func (m *Memory) putEntered(outcome []byte) (at span, err error) {
	if m.enteredAt != 0 && bytes.Equal(outcome, m.entered) {
		return m.enteredAt, nil
	}
	if at, err = m.putResult(outcome, nil, nil); err != nil {
		return 0, err
	}
	m.entered, m.enteredAt = append(m.entered[:0], outcome...), at
	return at, nil
}

// putResult keeps the result of a visit in one string: the length of the outcome, the
// outcome, the number of targets found, the differences of their IDs, and the links.
func (m *Memory) putResult(outcome []byte, found []ID, links []byte) (span, error) {
	m.buffer = binary.AppendUvarint(m.buffer[:0], uint64(len(outcome)))
	head := len(m.buffer)
	m.buffer = binary.AppendUvarint(m.buffer, uint64(len(found)))
	last := ID(0)
	for _, id := range found { // those of new targets are consecutive
		m.buffer = binary.AppendVarint(m.buffer, int64(id)-int64(last))
		last = id
	}
	return m.results.put(m.buffer[:head], outcome, m.buffer[head:], links)
}

// readResult reads what putResult kept.
func readResult(b []byte, parts Parts, into *Record) {
	if b == nil {
		return
	}
	n, w := binary.Uvarint(b)
	into.Outcome, b = b[w:w+int(n):w+int(n)], b[w+int(n):]
	if parts&(PartFound|PartLinks) == 0 {
		return // the IDs would take time to read
	}
	n, w = binary.Uvarint(b)
	b = b[w:]
	last := int64(0)
	for range n {
		d, w := binary.Varint(b)
		last += d
		into.Found = append(into.Found, ID(last))
		b = b[w:]
	}
	if len(b) > 0 {
		into.Links = b
	}
}

// Claim implements Store.
func (m *Memory) Claim(_ context.Context, most int, d time.Duration) ([]Lease, time.Time, error) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	leases, next, err := m.Ledger.Claim(time.Now(), most, d)
	for i := range leases {
		l := &leases[i]
		job, err := m.jobs.get(m.spans.at(int(l.ID) - 1).job)
		if err != nil {
			return nil, time.Time{}, err
		}
		if l.Job = clone(job); l.Tries > 0 {
			l.Note = m.notes[l.ID]
		}
	}
	return leases, next, err
}

// Complete implements Store.
func (m *Memory) Complete(_ context.Context, l Lease, d Done) ([]ID, error) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	if err := m.Ledger.Held(l); err != nil {
		return nil, err
	}
	ids, err := m.addAll(d.Found)
	if err != nil {
		return nil, err
	}
	result, err := m.putResult(d.Outcome, ids, d.Links)
	if err != nil {
		return nil, err
	}
	m.spans.at(int(l.ID) - 1).result = result
	if len(m.notes) > 0 {
		delete(m.notes, l.ID)
	}
	m.tally(d.Tally)
	m.Ledger.Settle(l)
	return ids, nil
}

// Release implements Store.
func (m *Memory) Release(_ context.Context, l Lease, d Deferral) error {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	if err := m.Ledger.Held(l); err != nil {
		return err
	}
	if delete(m.notes, l.ID); len(d.Note) > 0 {
		m.notes[l.ID] = clone(d.Note)
	}
	m.tally(d.Tally)
	m.Ledger.Release(l, &d)
	return nil
}

// SetPace implements Store.
func (m *Memory) SetPace(_ context.Context, name string, p Pace) error {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	m.Ledger.SetPace(name, p)
	return nil
}

// Get implements Store.
func (m *Memory) Get(_ context.Context, id ID, _ Parts) (Record, error) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	if id == 0 || int(id) > m.Ledger.Known() {
		return Record{}, fmt.Errorf("read target %d: there is no such target", id)
	}
	var r Record
	if err := m.read(id, AllParts, &r); err != nil {
		return Record{}, err
	}
	r.Job, r.Outcome, r.Links, r.Note = clone(r.Job), clone(r.Outcome), nil, clone(r.Note)
	return r, nil
}

func clone(b []byte) []byte { return append([]byte(nil), b...) }

func (m *Memory) read(id ID, parts Parts, into *Record) error {
	s := m.spans.at(int(id) - 1)
	*into = Record{ID: id, Found: into.Found[:0]}
	k := Kept{ID: id}
	Mirror{m.Ledger}.Keep(&k)
	into.Settled, into.Entered, into.Wave, into.Need = k.Settled, k.Entered, k.Wave, k.Need
	if len(m.notes) > 0 {
		into.Note = m.notes[id]
	}
	var err error
	if parts&PartJob != 0 {
		into.Job, err = m.jobs.get(s.job)
	}
	if parts&^PartJob != 0 && err == nil {
		var result []byte
		if result, err = m.results.get(s.result); err == nil {
			readResult(result, parts, into)
		}
	}
	if err != nil {
		return fmt.Errorf("read target %d: %w", id, err)
	}
	return nil
}

// Scan implements Store.
func (m *Memory) Scan(ctx context.Context, parts Parts, fn func(*Record) error) error {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	var r Record
	for i := range m.Ledger.Known() {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := m.read(ID(i+1), parts, &r); err != nil {
			return err
		}
		if err := fn(&r); err != nil {
			return err
		}
	}
	return nil
}

// Tally implements Store.
func (m *Memory) Tally(_ context.Context, t []Tally) error {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	m.tally(t)
	return nil
}

func (m *Memory) tally(t []Tally) {
	for i := range t {
		m.Sums[t[i].Name] += t[i].By
	}
}

// Close implements Store.
func (m *Memory) Close() error {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	return errors.Join(m.jobs.close(), m.results.close())
}

var (
	_ Store  = (*Memory)(nil)
	_ Sealer = (*Memory)(nil)
)
