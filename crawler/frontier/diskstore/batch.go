package diskstore

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/crawler/frontier"
)

// batch holds the rows of one transaction: the steps of all workers since the transaction
// before, in the order in which they were made.
type batch struct {
	number  uint64
	width   frontier.Width
	first   frontier.ID // ID of the first new target
	targets []newTarget
	paces   map[int]struct{} // numbers of hosts that are new or have a new pace
	changes []byte           // see table changes
	events  []event
	tallies []frontier.Tally
	bytes   []byte // of the spans
	steps   int
}

// span is a part of batch.bytes. A length of -1 is nil.
type span struct{ at, length int }

type newTarget struct {
	fingerprint frontier.Fingerprint
	host        int
	wave        frontier.Wave
	need        frontier.Need
	job         span
}

// event is a change of one target.
type event struct {
	kind    eventKind
	id      frontier.ID
	need    frontier.Need // met by a visit
	wave    frontier.Wave
	tries   int
	time    time.Time
	a, b, c span
}

type eventKind uint8

const (
	settledByVisit eventKind = iota // need; a: outcome
	enteredSettled                  // a: outcome
	reopened                        // removes the outcome that the target was entered with
	pageRead                        // a: found, b: links, c: page
	pageRemoved                     // removes the page of the visit before
	deferred                        // wave, tries, time; a: note
	notDeferred                     // removes the deferral
)

func (b *batch) empty() bool { return b.steps == 0 }

// reset empties the batch and keeps its memory.
func (b *batch) reset(number uint64, first frontier.ID) {
	*b = batch{number: number, width: b.width, first: first, targets: b.targets[:0], paces: b.paces, changes: b.changes[:0],
		events: b.events[:0], tallies: b.tallies[:0], bytes: b.bytes[:0]}
	if clear(b.paces); b.paces == nil {
		b.paces = map[int]struct{}{}
	}
	if cap(b.bytes) > 4<<20 { // of a large page; most are small
		b.bytes = nil
	}
}

// put adds bytes to the batch.
func (b *batch) put(p []byte) span {
	if p == nil {
		return span{length: -1}
	}
	at := len(b.bytes)
	b.bytes = append(b.bytes, p...)
	return span{at, len(p)}
}

func (b *batch) get(s span) []byte {
	if s.length < 0 {
		return nil
	}
	return b.bytes[s.at : s.at+s.length : s.at+s.length]
}

// job returns the job of a target that this batch enters.
func (b *batch) job(id frontier.ID) ([]byte, bool) {
	if id < b.first || int(id-b.first) >= len(b.targets) {
		return nil, false
	}
	return slices.Clone(b.get(b.targets[id-b.first].job)), true
}

// note returns the note of a deferral in this batch.
func (b *batch) note(id frontier.ID) ([]byte, bool) {
	for i := len(b.events) - 1; i >= 0; i-- {
		if e := &b.events[i]; e.id == id && e.kind == deferred {
			return slices.Clone(b.get(e.a)), true
		}
	}
	return nil, false
}

// change adds the new lowest wave and needs of a known target.
func (b *batch) change(id frontier.ID, w frontier.Wave, n frontier.Need) {
	b.changes = binary.AppendUvarint(b.changes, uint64(id))
	b.changes = append(b.changes, byte(w), byte(n))
}

// pace adds a host whose pace has changed.
func (b *batch) pace(host int) { b.paces[host] = struct{}{} }

// tally adds to the sums.
func (b *batch) tally(list []frontier.Tally) {
next:
	for _, t := range list {
		for i := range b.tallies {
			if b.tallies[i].Name == t.Name {
				b.tallies[i].By += t.By
				continue next
			}
		}
		b.tallies = append(b.tallies, t)
	}
}

// hostRow is a row of the table hosts.
type hostRow struct {
	number int
	name   string
	pace   frontier.Pace
}

// write writes a batch in one transaction. hosts are the rows of batch.paces.
func (c *conn) write(b *batch, hosts []hostRow) error {
	err := c.run("BEGIN IMMEDIATE")
	if err != nil {
		return err
	}
	for _, step := range []func(*batch) error{c.writeTargets, c.writeEvents, c.writeRest} {
		if err == nil {
			err = step(b)
		}
	}
	for i := range hosts {
		if err == nil {
			err = c.writeHost(&hosts[i])
		}
	}
	if err == nil {
		err = c.run("COMMIT")
	}
	if err != nil {
		c.rollback()
	}
	return err
}

const (
	insertTarget  = "INSERT INTO targets(id, fingerprint, host, wave, need, job) VALUES(?,?,?,?,?,?)"
	insertTargets = insertTarget + ",(?,?,?,?,?,?),(?,?,?,?,?,?),(?,?,?,?,?,?),(?,?,?,?,?,?),(?,?,?,?,?,?),(?,?,?,?,?,?),(?,?,?,?,?,?)"
	targetsAtOnce = 8
)

func (c *conn) writeTargets(b *batch) error {
	for i := 0; i < len(b.targets); {
		n, sql := 1, insertTarget
		if len(b.targets)-i >= targetsAtOnce {
			n, sql = targetsAtOnce, insertTargets
		}
		for ; n > 0; n-- {
			t := &b.targets[i]
			c.bind(int64(b.first) + int64(i))
			c.bindFingerprint(t.fingerprint, b.width)
			c.bind(int64(t.host))
			c.bind(int64(t.wave))
			c.bind(int64(t.need))
			c.bind(b.get(t.job))
			i++
		}
		if err := c.run(sql); err != nil {
			return err
		}
	}
	return nil
}

func (c *conn) writeEvents(b *batch) error {
	for i := range b.events {
		e := &b.events[i]
		c.bind(int64(e.id))
		var sql string
		switch e.kind {
		case settledByVisit:
			sql = "INSERT OR REPLACE INTO outcomes(id, need, outcome) VALUES(?,?,?)"
			c.bind(int64(e.need))
			c.bind(b.get(e.a))
		case enteredSettled:
			sql = "INSERT OR REPLACE INTO outcomes(id, need, outcome) VALUES(?,NULL,?)"
			c.bind(b.get(e.a))
		case reopened:
			sql = "DELETE FROM outcomes WHERE id=?"
		case pageRead:
			sql = "INSERT OR REPLACE INTO pages(id, found, links, page) VALUES(?,?,?,?)"
			c.bind(b.get(e.a))
			c.bind(b.get(e.b))
			c.bind(b.get(e.c))
		case pageRemoved:
			sql = "DELETE FROM pages WHERE id=?"
		case deferred:
			sql = "INSERT OR REPLACE INTO deferred(id, wave, not_before, tries, note) VALUES(?,?,?,?,?)"
			c.bind(int64(e.wave))
			c.bind(nanos(e.time))
			c.bind(int64(e.tries))
			c.bind(b.get(e.a))
		case notDeferred:
			sql = "DELETE FROM deferred WHERE id=?"
		}
		if err := c.run(sql); err != nil {
			return err
		}
	}
	return nil
}

func (c *conn) writeRest(b *batch) error {
	if len(b.changes) > 0 {
		c.bind(b.changes)
		if err := c.run("INSERT INTO changes(changes) VALUES(?)"); err != nil {
			return err
		}
	}
	for _, t := range b.tallies {
		c.bind(t.Name)
		c.bind(t.By)
		if err := c.run("INSERT INTO tallies(name, value) VALUES(?,?) ON CONFLICT(name) DO UPDATE SET value=value+excluded.value"); err != nil {
			return err
		}
	}
	return nil
}

func (c *conn) writeHost(h *hostRow) error {
	c.bind(int64(h.number))
	c.bind(h.name)
	c.bind(int64(h.pace.Concurrency))
	c.bind(int64(h.pace.Interval))
	c.bind(nanos(h.pace.NotBefore))
	return c.run("INSERT OR REPLACE INTO hosts(number, name, concurrency, interval, not_before) VALUES(?,?,?,?,?)")
}

// nanos returns a time as nanoseconds since 1970, and 0 for the zero time.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// fromNanos is the inverse of nanos.
func fromNanos(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}
