package diskstore

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/crawler/frontier"
)

// batch is what is to be written in one transaction: the steps of all workers
// since the transaction before, in the order in which they were made.
type batch struct {
	number  uint64
	width   frontier.Width
	first   frontier.ID // of the new targets
	targets []newTarget
	paces   map[int]struct{} // numbers of hosts that are new or have another pace
	changes []byte           // needs and waves that were raised: id, wave, need, as varints
	events  []event
	tallies []frontier.Tally
	bytes   []byte // what the spans name
	steps   int
}

// span names a part of batch.bytes; a length of -1 is none at all.
type span struct{ at, length int }

type newTarget struct {
	fingerprint frontier.Fingerprint
	host        int
	wave        frontier.Wave
	need        frontier.Need
	job         span
}

// event is something that became of one target.
type event struct {
	kind    eventKind
	id      frontier.ID
	need    frontier.Need // that a visit met
	wave    frontier.Wave
	tries   int
	time    time.Time
	a, b, c span
}

type eventKind uint8

const (
	settledByVisit eventKind = iota // need; a: outcome
	enteredSettled                  // a: outcome
	reopened                        // the outcome it was entered with is void
	pageRead                        // a: found, b: links, c: page
	pageGone                        // what was read there before is void
	putBack                         // wave, tries, time; a: note
	taken                           // it is no longer put back
)

func (b *batch) empty() bool { return b.steps == 0 }

func (b *batch) reset(number uint64, first frontier.ID) {
	*b = batch{number: number, width: b.width, first: first, targets: b.targets[:0], paces: b.paces, changes: b.changes[:0],
		events: b.events[:0], tallies: b.tallies[:0], bytes: b.bytes[:0]}
	if clear(b.paces); b.paces == nil {
		b.paces = map[int]struct{}{}
	}
	if cap(b.bytes) > 4<<20 { // of one great page; the next are not
		b.bytes = nil
	}
}

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

// job is the job of a target that is entered by this batch.
func (b *batch) job(id frontier.ID) ([]byte, bool) {
	if id < b.first || int(id-b.first) >= len(b.targets) {
		return nil, false
	}
	return slices.Clone(b.get(b.targets[id-b.first].job)), true
}

// note is what was put down when a target was put back, if that was in this batch.
func (b *batch) note(id frontier.ID) ([]byte, bool) {
	for i := len(b.events) - 1; i >= 0; i-- {
		if e := &b.events[i]; e.id == id && e.kind == putBack {
			return slices.Clone(b.get(e.a)), true
		}
	}
	return nil, false
}

func (b *batch) change(id frontier.ID, w frontier.Wave, n frontier.Need) {
	b.changes = binary.AppendUvarint(b.changes, uint64(id))
	b.changes = append(b.changes, byte(w), byte(n))
}

func (b *batch) pace(host int) { b.paces[host] = struct{}{} }

// tally adds up sums of the same name.
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

// hostRow is a host as it is written.
type hostRow struct {
	number int
	name   string
	pace   frontier.Pace
}

// write puts a batch into the database, as a whole or not at all. hosts are those
// that are new or whose pace has changed.
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
		_ = c.rollback()
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
		case pageGone:
			sql = "DELETE FROM pages WHERE id=?"
		case putBack:
			sql = "INSERT OR REPLACE INTO deferred(id, wave, not_before, tries, note) VALUES(?,?,?,?,?)"
			c.bind(int64(e.wave))
			c.bind(nanos(e.time))
			c.bind(int64(e.tries))
			c.bind(b.get(e.a))
		case taken:
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

// nanos writes a time as nanoseconds since 1970, and the zero time as 0.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func fromNanos(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}
