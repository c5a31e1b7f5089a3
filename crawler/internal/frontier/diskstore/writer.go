package diskstore

import (
	"encoding/binary"
	"errors"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// writer writes rows to the file. It knows the totals of the tables, and of the rows that are
// often replaced what is in the file.
type writer struct {
	db      *conn
	flusher flusher
	totals  totals
	hosts   []uint32 // checksums of the rows of table hosts
	tallies map[string]storedTally
	record  []byte // reused
}

// storedTally is a row of the table tallies.
type storedTally struct {
	value    int64
	checksum uint32
}

// hostRow is a row of the table hosts.
type hostRow struct {
	number int
	name   string
	pace   frontier.Pace
}

// write writes a batch, and flushes it if that is due. hosts are the rows of batch.paces,
// in the order of their numbers.
func (w *writer) write(b *batch, hosts []hostRow) error {
	began := time.Now()
	step := func() error { return w.writeBatch(b, hosts) }
	if !w.flusher.due(began) {
		return w.transaction(step)
	}
	if err := w.db.exec("PRAGMA synchronous=FULL"); err != nil {
		return err
	}
	if err := w.transaction(step); err != nil {
		return err
	}
	w.flusher.flushed(began, time.Now())
	return w.db.exec("PRAGMA synchronous=NORMAL")
}

// transaction runs a step in a transaction, which also writes the totals.
func (w *writer) transaction(step func() error) error {
	before := w.totals
	err := w.db.run("BEGIN IMMEDIATE")
	if err != nil {
		return err
	}
	if err = step(); err == nil {
		err = w.writeTotals()
	}
	if err == nil {
		err = w.db.run("COMMIT")
	}
	if err != nil {
		w.db.rollback()
		w.totals = before
	}
	return err
}

func (w *writer) writeTotals() error {
	w.record = metaTable.seal(w.totals.append(w.record[:0]), 0, nameKey(metaTotals))
	w.db.bind(metaTotals)
	w.db.bind(w.record)
	return w.db.run("INSERT OR REPLACE INTO meta(name, value) VALUES(?, ?)")
}

func (w *writer) writeBatch(b *batch, hosts []hostRow) error {
	for _, step := range []func(*batch) error{w.writeTargets, w.writeEvents, w.writeChanges, w.writeTallies} {
		if err := step(b); err != nil {
			return err
		}
	}
	for i := range hosts {
		if err := w.writeHost(&hosts[i]); err != nil {
			return err
		}
	}
	if b.position == "" {
		return nil
	}
	return w.setMeta(metaApplied, []byte(b.position))
}

const (
	insertTarget  = "INSERT INTO targets(id, host, record) VALUES(?,?,?)"
	insertTargets = insertTarget + ",(?,?,?),(?,?,?),(?,?,?),(?,?,?),(?,?,?),(?,?,?),(?,?,?)"
	targetsAtOnce = 8
)

func (w *writer) writeTargets(b *batch) error {
	for i := 0; i < len(b.targets); {
		n, sql := 1, insertTarget
		if len(b.targets)-i >= targetsAtOnce {
			n, sql = targetsAtOnce, insertTargets
		}
		for ; n > 0; n-- {
			t := &b.targets[i]
			record := b.get(t.record)
			w.db.bind(int64(b.first) + int64(i))
			w.db.bind(int64(t.host))
			w.db.bind(record)
			w.totals[targetsTable].add(storedChecksum(record))
			i++
		}
		if err := w.db.run(sql); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) writeEvents(b *batch) error {
	for i := range b.events {
		e := &b.events[i]
		if e.table == targetsTable {
			if err := w.replaceTarget(e.id, e.host, b.get(e.record)); err != nil {
				return err
			}
			continue
		}
		found, err := false, error(nil)
		if e.removes {
			if found, err = w.discount(e.table, e.id); err != nil {
				return err
			}
		}
		switch {
		case e.record != nothing && found:
			err = w.putRow(e.table, e.id, b.get(e.record), b.get(e.links), statementsOf[e.table].update)
		case e.record != nothing:
			err = w.insert(e.table, e.id, b.get(e.record), b.get(e.links))
		case found:
			w.db.bind(int64(e.id))
			err = w.db.run(statementsOf[e.table].remove)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// replaceTarget replaces the row of a target by one with another host or job.
func (w *writer) replaceTarget(id frontier.ID, host int, record []byte) error {
	w.db.bind(int64(id))
	err := w.db.each("SELECT host, record FROM targets WHERE id=?", func(cur *cursor) error {
		before, err := cur.small(0, 1<<32-1)
		if err != nil {
			return err
		}
		if _, err = cur.record(1, targetsTable, targetKey(id, uint32(before))); err != nil {
			return err
		}
		old, err := cur.bytes(1)
		w.totals[targetsTable].remove(storedChecksum(old))
		return err
	})
	if err != nil {
		return err
	}
	w.totals[targetsTable].add(storedChecksum(record))
	w.db.bind(int64(host))
	w.db.bind(record)
	w.db.bind(int64(id))
	return w.db.run("UPDATE targets SET host=?, record=? WHERE id=?")
}

// statements are the statements for the rows of a table that has a row for some targets.
type statements struct{ insert, update, find, remove string }

var statementsOf = [tables]statements{
	outcomesTable: {"INSERT INTO outcomes(record, id) VALUES(?,?)", "UPDATE outcomes SET record=? WHERE id=?", "SELECT record FROM outcomes WHERE id=?", "DELETE FROM outcomes WHERE id=?"},
	pagesTable:    {"INSERT INTO pages(record, links, id) VALUES(?,?,?)", "UPDATE pages SET record=?, links=? WHERE id=?", "SELECT record FROM pages WHERE id=?", "DELETE FROM pages WHERE id=?"},
	deferredTable: {"INSERT INTO deferred(record, id) VALUES(?,?)", "UPDATE deferred SET record=? WHERE id=?", "SELECT record FROM deferred WHERE id=?", "DELETE FROM deferred WHERE id=?"},
}

// insert inserts the sealed record of a target. links are for the table pages.
func (w *writer) insert(t table, id frontier.ID, record, links []byte) error {
	return w.putRow(t, id, record, links, statementsOf[t].insert)
}

// putRow inserts a record, or replaces it, by a statement.
func (w *writer) putRow(t table, id frontier.ID, record, links []byte, sql string) error {
	w.db.bind(record)
	if t == pagesTable {
		w.db.bind(links)
	}
	w.db.bind(int64(id))
	w.totals[t].add(storedChecksum(record))
	return w.db.run(sql)
}

// discount subtracts the row of a target, which is to be removed or replaced, from the totals, and reports
// whether there is one. A damaged row of table pages may be one of an earlier crawl, which no longer
// counts: it is removed.
func (w *writer) discount(t table, id frontier.ID) (found bool, err error) {
	sql, recount := statementsOf[t], false
	w.db.bind(int64(id))
	err = w.db.each(sql.find, func(cur *cursor) error {
		record, err := cur.bytes(0)
		if err == nil {
			_, err = t.content(uint64(id), record)
		}
		recount = t == pagesTable && errors.Is(err, ErrDamaged)
		if found = err == nil; found {
			w.totals[t].remove(storedChecksum(record))
		}
		if recount {
			return nil
		}
		return err
	})
	if err != nil || !recount {
		return found, err
	}
	w.db.bind(int64(id))
	if err := w.db.run(sql.remove); err != nil {
		return false, err
	}
	return false, w.recount(t)
}

// recount adds up the rows of a table anew, which must be those that the table should have.
func (w *writer) recount(t table) error {
	w.totals[t] = total{}
	return w.db.each("SELECT record FROM "+t.String(), func(cur *cursor) error {
		record, err := cur.bytes(0)
		if err == nil && len(record) < checksumSize {
			err = damaged("a record of table %s is too short", t)
		}
		if err == nil {
			w.totals[t].add(storedChecksum(record))
		}
		return err
	})
}

// mostChanges is about how many bytes a row of table changes has: the view urls of a copy reads them
// one by one.
const mostChanges = 2000

func (w *writer) writeChanges(b *batch) error {
	for rest := b.changes; len(rest) > 0; {
		end := 0
		for end < min(mostChanges, len(rest)) {
			_, n := binary.Uvarint(rest[end:])
			if end += n + 2; n <= 0 || end > len(rest) {
				return damaged("a row of table changes is malformed")
			}
		}
		number := w.totals[changesTable].rows + 1
		w.record = changesTable.seal(append(w.record[:0], rest[:end]...), 0, number)
		w.db.bind(int64(number))
		w.db.bind(w.record)
		w.totals[changesTable].add(storedChecksum(w.record))
		if err := w.db.run("INSERT INTO changes(number, record) VALUES(?,?)"); err != nil {
			return err
		}
		rest = rest[end:]
	}
	return nil
}

func (w *writer) writeTallies(b *batch) error {
	for _, t := range b.tallies {
		if err := w.writeTally(t); err != nil {
			return err
		}
	}
	return nil
}

// writeTally adds to a sum.
func (w *writer) writeTally(t frontier.Tally) error {
	old, known := w.tallies[t.Name]
	if known {
		w.totals[talliesTable].remove(old.checksum)
	}
	value := old.value + t.By
	w.record = talliesTable.seal(binary.AppendVarint(w.record[:0], value), 0, nameKey(t.Name))
	w.tallies[t.Name] = storedTally{value, storedChecksum(w.record)}
	w.totals[talliesTable].add(storedChecksum(w.record))
	w.db.bind(t.Name)
	w.db.bind(w.record)
	return w.db.run("INSERT OR REPLACE INTO tallies(name, record) VALUES(?,?)")
}

func (w *writer) writeHost(h *hostRow) error {
	w.record = appendPace(w.record[:0], int64(h.pace.Concurrency), int64(h.pace.Interval), nanos(h.pace.NotBefore))
	w.record = hostsTable.seal(w.record, 0, hostKey(h.number, h.name))
	sum := storedChecksum(w.record)
	if h.number < len(w.hosts) {
		w.totals[hostsTable].remove(w.hosts[h.number])
		w.hosts[h.number] = sum
	} else {
		w.hosts = append(w.hosts, sum)
	}
	w.totals[hostsTable].add(sum)
	w.db.bind(int64(h.number))
	w.db.bind(h.name)
	w.db.bind(w.record)
	return w.db.run("INSERT OR REPLACE INTO hosts(number, name, record) VALUES(?,?,?)")
}

// setMeta stores a value in the table meta. It must run in a transaction of the writer.
func (w *writer) setMeta(name string, value []byte) error {
	old, err := w.db.metaRecord(name)
	if err != nil {
		return err
	}
	if old != nil {
		w.totals[metaTable].remove(storedChecksum(old))
	}
	record := metaTable.seal(append([]byte{}, value...), 0, nameKey(name))
	w.totals[metaTable].add(storedChecksum(record))
	w.db.bind(name)
	w.db.bind(record)
	return w.db.run("INSERT OR REPLACE INTO meta(name, value) VALUES(?, ?)")
}
