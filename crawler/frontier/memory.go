package frontier

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"sync"
	"time"
)

// Memory is the store of a run that ends when its process does. The zero value
// is not ready; use NewMemory.
type Memory struct {
	mu      sync.Mutex
	index   table
	records []record // by ID-1
	bytes   arena    // jobs, outcomes, found lists, links
	hosts   map[string]*host
	order   []*host // by number
	waves   [int(SecondPass) + 1]*wave
	used    []Wave // waves in use, ascending
	leases  map[ID]lease
	expiry  expiries
	fence   uint64
	began   time.Time // of the first claim
	counts  Counts
	scratch []byte
}

// record is what is kept of a target; no pointers, so that millions cost the
// garbage collector nothing.
type record struct {
	fingerprint Fingerprint
	job         span
	outcome     span
	found       span
	links       span
	host        uint32
	wave        Wave // where it is, or was when it was leased
	lowest      Wave // where it is wanted
	need        Need // wanted
	met         Need // wanted when it was last settled
	state       state
	tries       uint8
}

type state uint8

const (
	queued state = iota
	leased
	settled
	given // entered as settled
)

type lease struct {
	fence    uint64
	deadline time.Time
}

// NewMemory returns an empty store.
func NewMemory() *Memory {
	return &Memory{hosts: map[string]*host{}, leases: map[ID]lease{}}
}

// Add implements Store.
func (m *Memory) Add(_ context.Context, items []Item) ([]ID, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ids := make([]ID, len(items))
	for i := range items {
		ids[i] = m.add(&items[i])
	}
	return ids, nil
}

func (m *Memory) add(it *Item) ID {
	known, slot := m.index.find(uint64(it.Fingerprint))
	if known == 0 {
		return m.enter(it, slot)
	}
	id := ID(known)
	r := m.record(id)
	if r.wave == SecondPass && r.state <= leased && it.Need&^r.need&NeedLinks != 0 {
		m.wave(SecondPass).pagesAgain++
	}
	r.need |= it.Need
	if it.Outcome != nil {
		return id
	}
	if r.state == given { // settled without a visit until now: somebody wants one
		r.state, r.wave, r.lowest = queued, it.Wave, it.Wave
		m.counts.Settled--
		m.queue(id, r, time.Time{})
		return id
	}
	if it.Wave < r.lowest {
		r.lowest = it.Wave
		if r.state == queued {
			m.unqueue(id, r)
			r.wave = it.Wave
			m.queue(id, r, time.Time{})
		}
	}
	if r.state == settled {
		m.renew(id, r)
	}
	return id
}

// renew queues a settled target again when more is wanted of it than was asked.
func (m *Memory) renew(id ID, r *record) {
	if (r.need&^r.met)&(NeedContent|NeedLinks) == 0 {
		return
	}
	r.state, r.tries, r.wave = queued, 0, r.lowest
	m.counts.Settled--
	m.queue(id, r, time.Time{})
}

func (m *Memory) enter(it *Item, slot int) ID {
	m.records = append(m.records, record{
		fingerprint: it.Fingerprint,
		job:         m.bytes.put(it.Job),
		wave:        it.Wave,
		lowest:      it.Wave,
		need:        it.Need,
	})
	id := ID(len(m.records))
	m.index.insert(slot, uint64(it.Fingerprint), uint32(id))
	m.counts.Known++
	r := m.record(id)
	r.host = m.host(it.Host).number
	if it.Outcome != nil {
		r.state, r.outcome = given, m.bytes.put(it.Outcome)
		m.counts.Settled++
		return id
	}
	m.queue(id, r, time.Time{})
	return id
}

func (m *Memory) record(id ID) *record { return &m.records[id-1] }

func (m *Memory) host(name []byte) *host {
	if h := m.hosts[string(name)]; h != nil {
		return h
	}
	h := &host{name: string(name), number: uint32(len(m.order))}
	m.hosts[h.name] = h
	m.order = append(m.order, h)
	return h
}

// Claim implements Store.
func (m *Memory) Claim(_ context.Context, most int, d time.Duration) ([]Lease, time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	if m.began.IsZero() {
		m.began = now
	}
	m.expire(now)
	var leases []Lease
	for len(leases) < most {
		id, next, err := m.take(now)
		if id == 0 {
			if len(leases) > 0 {
				return leases, time.Time{}, nil
			}
			if len(m.expiry) > 0 && (next.IsZero() || m.expiry[0].at.Before(next)) {
				next = m.expiry[0].at
			}
			return nil, next, err
		}
		leases = append(leases, m.lease(id, now, d))
	}
	return leases, time.Time{}, nil
}

func (m *Memory) lease(id ID, now time.Time, d time.Duration) Lease {
	r := m.record(id)
	m.fence++
	l := lease{fence: m.fence}
	if d > 0 {
		l.deadline = now.Add(d)
		m.expiry.push(expiry{l.deadline, id, l.fence})
	}
	m.leases[id] = l
	tries := int(r.tries)
	if r.tries < 255 {
		r.tries++
	}
	r.state = leased
	m.counts.Leased++
	return Lease{ID: id, Fence: l.fence, Host: m.order[r.host].name, Wave: r.wave, Need: r.need, Tries: tries, Job: m.bytes.get(r.job)}
}

// expire gives back leases whose holder let the deadline pass.
func (m *Memory) expire(now time.Time) {
	for len(m.expiry) > 0 && !m.expiry[0].at.After(now) {
		e := m.expiry.pop()
		if l, ok := m.leases[e.id]; ok && l.fence == e.fence {
			if l.deadline.After(now) { // it was extended meanwhile
				m.expiry.push(expiry{l.deadline, e.id, e.fence})
				continue
			}
			m.unlease(e.id)
			r := m.record(e.id)
			r.state = queued
			m.queue(e.id, r, time.Time{})
		}
	}
}

// unlease ends a lease; the target belongs to no queue afterwards.
func (m *Memory) unlease(id ID) {
	delete(m.leases, id)
	m.counts.Leased--
	m.done(id, m.record(id))
}

func (m *Memory) held(l Lease) error {
	if m.leases[l.ID].fence != l.Fence || l.Fence == 0 {
		return fmt.Errorf("target %d: %w", l.ID, ErrStale)
	}
	return nil
}

// Complete implements Store.
func (m *Memory) Complete(_ context.Context, l Lease, d Done) ([]ID, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.held(l); err != nil {
		return nil, err
	}
	ids := make([]ID, len(d.Found))
	m.scratch = m.scratch[:0]
	for i := range d.Found {
		ids[i] = m.add(&d.Found[i])
		m.scratch = binary.AppendUvarint(m.scratch, uint64(ids[i]))
	}
	m.unlease(l.ID)
	r := m.record(l.ID)
	r.state, r.met = settled, l.Need
	r.outcome = m.bytes.put(d.Outcome)
	r.found, r.links = 0, 0
	if len(ids) > 0 {
		r.found = m.bytes.put(m.scratch)
	}
	if len(d.Links) > 0 {
		r.links = m.bytes.put(d.Links)
	}
	m.counts.Settled++
	m.renew(l.ID, r) // more may have been wanted while it was out
	return ids, nil
}

// Release implements Store.
func (m *Memory) Release(_ context.Context, l Lease, w Wave, notBefore time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.held(l); err != nil {
		return err
	}
	m.unlease(l.ID)
	r := m.record(l.ID)
	r.state, r.wave = queued, w
	m.queue(l.ID, r, notBefore)
	return nil
}

// Extend implements Store.
func (m *Memory) Extend(_ context.Context, l Lease, d time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.held(l); err != nil {
		return err
	}
	deadline := time.Now().Add(d)
	m.leases[l.ID] = lease{l.Fence, deadline}
	m.expiry.push(expiry{deadline, l.ID, l.Fence})
	return nil
}

// SetPace implements Store.
func (m *Memory) SetPace(_ context.Context, name string, p Pace) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.host([]byte(name))
	h.pace = p
	m.reorder(h)
	return nil
}

// Get implements Store.
func (m *Memory) Get(_ context.Context, id ID) (Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if id == 0 || int(id) > len(m.records) {
		return Record{}, fmt.Errorf("read target %d: there is no such target", id)
	}
	var r Record
	m.read(id, &r)
	r.Job, r.Outcome, r.Links = clone(r.Job), clone(r.Outcome), clone(r.Links)
	return r, nil
}

func clone(b []byte) []byte { return append([]byte(nil), b...) }

func (m *Memory) read(id ID, into *Record) {
	r := m.record(id)
	*into = Record{
		ID: id, Settled: r.state == settled || r.state == given, Wave: r.wave, Need: r.need,
		Job: m.bytes.get(r.job), Outcome: m.bytes.get(r.outcome), Links: m.bytes.get(r.links), Found: into.Found[:0],
	}
	for b := m.bytes.get(r.found); len(b) > 0; {
		v, n := binary.Uvarint(b)
		into.Found = append(into.Found, ID(v))
		b = b[n:]
	}
}

// Scan implements Store.
func (m *Memory) Scan(ctx context.Context, fn func(*Record) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var r Record
	for i := range m.records {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		m.read(ID(i+1), &r)
		if err := fn(&r); err != nil {
			return err
		}
	}
	return nil
}

// Count implements Store.
func (m *Memory) Count(context.Context) (Counts, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.counts
	for _, w := range m.used {
		c.Queued += m.waves[w].queued
		if w <= LastPages {
			c.Pages += m.waves[w].outstanding()
		}
		c.Pages += m.waves[w].pagesAgain
	}
	return c, nil
}

// Close implements Store.
func (m *Memory) Close() error { return nil }

var _ Store = (*Memory)(nil)

// errOver is what take answers when nothing is left.
var errOver = io.EOF
