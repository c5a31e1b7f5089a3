package frontier

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Memory is the store of a run that ends when its process does. The zero value
// is not ready; use NewMemory.
//
// A target takes some 40 bytes of memory. What it is and what became of it is kept
// in memory as long as that is little; of a large crawl, what was put in first moves
// to a temporary file.
type Memory struct {
	mu      sync.Mutex
	index   table
	records [][]record // by ID-1, so many in each
	jobs    arena
	ends    arena // outcomes, found lists and links of what was settled
	hosts   map[string]*host
	order   []*host // by number
	met     *host   // last
	waves   [int(SecondPass) + 1]*wave
	used    []Wave // waves in use, ascending
	leases  map[ID]lease
	expiry  expiries
	fence   uint64
	began   time.Time // of the first claim
	counts  Counts
	scratch []byte
}

// How many bytes of jobs and of outcomes and references are held in memory.
const (
	residentJobs = 32 << 20
	residentEnds = 64 << 20
)

// record is what is always in memory of a target: 20 bytes without a pointer, so
// that millions cost the garbage collector nothing.
type record struct {
	job    span
	end    span // of what became of it: see putEnd
	host   uint32
	wave   Wave // where it is, or was when it was leased
	lowest Wave // where it is wanted
	need   Need // wanted
	met    Need // wanted when it was last settled
	state  state
	tries  uint8
}

// recordChunk is how many records lie together.
const recordChunk = 4096

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
	return &Memory{jobs: newArena(residentJobs, chunkSize), ends: newArena(residentEnds, chunkSize), hosts: map[string]*host{}, leases: map[ID]lease{}}
}

// Add implements Store.
func (m *Memory) Add(_ context.Context, items []Item) ([]ID, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.addAll(items)
}

func (m *Memory) addAll(items []Item) ([]ID, error) {
	ids := make([]ID, len(items))
	for i := range items {
		id, err := m.add(&items[i])
		if err != nil {
			return nil, err
		}
		ids[i] = id
	}
	return ids, nil
}

func (m *Memory) add(it *Item) (ID, error) {
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
		return id, nil
	}
	if r.state == given { // settled without a visit until now: somebody wants one
		r.state, r.wave, r.lowest = queued, it.Wave, it.Wave
		m.counts.Settled--
		m.queue(id, r, time.Time{})
		return id, nil
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
	return id, nil
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

func (m *Memory) enter(it *Item, slot int) (ID, error) {
	job, err := m.jobs.put(it.Job)
	if err != nil {
		return 0, err
	}
	if m.counts.Known%recordChunk == 0 {
		m.records = append(m.records, make([]record, 0, recordChunk))
	}
	chunk := &m.records[len(m.records)-1]
	*chunk = append(*chunk, record{job: job, host: m.host(it.Host).number, wave: it.Wave, lowest: it.Wave, need: it.Need})
	m.counts.Known++
	id := ID(m.counts.Known)
	m.index.insert(slot, uint64(it.Fingerprint), uint32(id))
	r := m.record(id)
	if it.Outcome != nil {
		if r.end, err = m.putEnd(it.Outcome, nil, nil); err != nil {
			return 0, err
		}
		r.state = given
		m.counts.Settled++
		return id, nil
	}
	m.queue(id, r, time.Time{})
	return id, nil
}

func (m *Memory) record(id ID) *record { return &m.records[(id-1)/recordChunk][(id-1)%recordChunk] }

func (m *Memory) host(name []byte) *host {
	if m.met != nil && m.met.name == string(name) {
		return m.met
	}
	h := m.hosts[string(name)]
	if h == nil {
		h = &host{name: string(name), number: uint32(len(m.order))}
		m.hosts[h.name] = h
		m.order = append(m.order, h)
	}
	m.met = h
	return h
}

// putEnd keeps what became of a target in one piece: the length of the outcome, the
// outcome, how many targets were found, their IDs, and the links. All but the links
// is mostly short.
func (m *Memory) putEnd(outcome []byte, found []ID, links []byte) (span, error) {
	m.scratch = binary.AppendUvarint(m.scratch[:0], uint64(len(outcome)))
	head := len(m.scratch)
	m.scratch = binary.AppendUvarint(m.scratch, uint64(len(found)))
	last := ID(0)
	for _, id := range found { // new ones follow one another
		m.scratch = binary.AppendVarint(m.scratch, int64(id)-int64(last))
		last = id
	}
	return m.ends.put(m.scratch[:head], outcome, m.scratch[head:], links)
}

// readEnd is what putEnd kept.
func readEnd(b []byte, into *Record) {
	if b == nil {
		return
	}
	n, w := binary.Uvarint(b)
	into.Outcome, b = b[w:w+int(n):w+int(n)], b[w+int(n):]
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
		l, err := m.lease(id, now, d)
		if err != nil {
			return nil, time.Time{}, err
		}
		leases = append(leases, l)
	}
	return leases, time.Time{}, nil
}

func (m *Memory) lease(id ID, now time.Time, d time.Duration) (Lease, error) {
	r := m.record(id)
	job, err := m.jobs.get(r.job)
	if err != nil {
		return Lease{}, err
	}
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
	return Lease{ID: id, Fence: l.fence, Host: m.order[r.host].name, Wave: r.wave, Need: r.need, Tries: tries, Job: clone(job)}, nil
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
	ids, err := m.addAll(d.Found)
	if err != nil {
		return nil, err
	}
	end, err := m.putEnd(d.Outcome, ids, d.Links)
	if err != nil {
		return nil, err
	}
	m.unlease(l.ID)
	r := m.record(l.ID)
	r.state, r.met, r.end = settled, l.Need, end
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
	if id == 0 || int(id) > m.counts.Known {
		return Record{}, fmt.Errorf("read target %d: there is no such target", id)
	}
	var r Record
	if err := m.read(id, &r); err != nil {
		return Record{}, err
	}
	r.Job, r.Outcome, r.Links = clone(r.Job), clone(r.Outcome), clone(r.Links)
	return r, nil
}

func clone(b []byte) []byte { return append([]byte(nil), b...) }

func (m *Memory) read(id ID, into *Record) error {
	r := m.record(id)
	*into = Record{ID: id, Settled: r.state == settled || r.state == given, Wave: r.wave, Need: r.need, Found: into.Found[:0]}
	end, err := m.ends.get(r.end)
	if err == nil {
		readEnd(end, into)
		into.Job, err = m.jobs.get(r.job)
	}
	if err != nil {
		return fmt.Errorf("read target %d: %w", id, err)
	}
	return nil
}

// Scan implements Store.
func (m *Memory) Scan(ctx context.Context, fn func(*Record) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var r Record
	for i := range m.counts.Known {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := m.read(ID(i+1), &r); err != nil {
			return err
		}
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
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return errors.Join(m.jobs.close(), m.ends.close())
}

var _ Store = (*Memory)(nil)

// errOver is what take answers when nothing is left.
var errOver = io.EOF
