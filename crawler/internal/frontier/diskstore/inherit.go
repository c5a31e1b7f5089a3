package diskstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/record"
)

// A crawl may begin as a copy of the file of the crawl before. Its targets keep their IDs and their
// rows, and are dormant until this crawl enters them, which it writes to table changes. When it
// settles one, it writes that there, too, and the rows only if they differ. So rows are stale that
// belong to dormant targets, or to targets that are not settled yet. No reader returns them.

// metaInherited is the name in the table meta of what a file has from the crawl before: the number
// of its targets, and what identified its file (see source). A file without it has the format
// plainFormat.
const metaInherited = "inherited"

// settledWave is in place of the wave in table changes for an inherited target whose rows are
// those of this crawl.
const settledWave frontier.Wave = 254

// mostDormant is the share of targets that a crawl may have left dormant, as a divisor: beyond it,
// the next crawl does not begin as a copy.
const mostDormant = 3

// ErrUnfit is the error of CreateFrom for a file that the crawl cannot begin as a copy of.
var ErrUnfit = errors.New("no crawl can begin as a copy of it")

// inheritance is what a file has from the crawl before. The zero value is that of a file that has
// nothing.
type inheritance struct {
	last   frontier.ID // the last target of that crawl
	source []byte
	valid  []uint64 // a bit for each of these targets whose rows are those of this crawl
}

func newInheritance(stored []byte) (h inheritance, err error) {
	if stored == nil {
		return h, nil
	}
	r := record.Reader{Rest: stored}
	n := r.Uvarint()
	source, ok := r.End()
	if !ok || n > 1<<32-1 {
		return h, damaged("what it has from the crawl before is malformed")
	}
	return inheritance{frontier.ID(n), source, make([]uint64, n/64+1)}, nil
}

// has reports whether a target is one of the crawl before. No target has the ID 0.
func (h *inheritance) has(id frontier.ID) bool { return 0 < id && id <= h.last }

// isStale reports whether the rows of a target are those of the crawl before.
func (h *inheritance) isStale(id frontier.ID) bool {
	return h.has(id) && h.valid[id/64]>>(id%64)&1 == 0
}

// renew notes that the rows of a target are those of this crawl.
func (h *inheritance) renew(id frontier.ID) { h.valid[id/64] |= 1 << (id % 64) }

// CreateFrom is CreateWithKey for a crawl that begins as a copy of a finished one, whose file no
// process may write. The error is ErrUnfit if its targets have other fingerprints, if it was not
// closed, or if too many of its targets are of crawls before it.
func CreateFrom(from, file string, w frontier.Width, key [16]byte, values map[string][]byte) (*Store, error) {
	if exists(file) {
		return nil, fmt.Errorf("create the state: %w", &fs.PathError{Op: "create", Path: file, Err: fs.ErrExist})
	}
	unfinished := file + ".new"
	err := errors.Join(removeAll(unfinished), removeAll(file)) // of a process that was killed
	if err == nil {
		err = copyAs(from, unfinished, w, key, values)
	}
	if err == nil {
		err = os.Rename(unfinished, file)
	}
	var s *Store
	if err == nil { // all tables but pages are compared with their totals
		if s, err = Open(file); err == nil {
			s.copyOf = from
			return s, nil
		}
	}
	_, _ = removeAll(unfinished), removeAll(file) // the first error says more
	return nil, fmt.Errorf("create the state %s as a copy of %s: %w", file, from, err)
}

func copyAs(from, file string, w frontier.Width, key [16]byte, values map[string][]byte) error {
	if exists(from + "-wal") {
		return ErrUnfit
	}
	if err := checkCopy(from, w, key); err != nil {
		return err
	}
	if err := copyFile(from, file); err != nil {
		return err
	}
	c, err := connect(file)
	if err != nil {
		return err
	}
	if err = c.configure(); err == nil {
		err = c.beginAnew(values)
	}
	if err == nil { // close would ignore the error
		_, err = c.number("PRAGMA wal_checkpoint(TRUNCATE)")
	}
	return errors.Join(err, c.close())
}

// checkCopy returns ErrUnfit for a file that no crawl with these fingerprints can begin as a copy of.
func checkCopy(file string, w frontier.Width, key [16]byte) error {
	c, err := connectLatest(file)
	if err != nil {
		return err
	}
	width, err := c.width()
	var stored []byte
	if err == nil {
		stored, err = c.meta(metaKey)
	}
	if err == nil && (width != w || !bytes.Equal(stored, key[:])) {
		err = ErrUnfit
	}
	if err == nil {
		err = c.checkDormant()
	}
	return errors.Join(err, c.close())
}

// checkDormant returns ErrUnfit if too many of the targets are dormant.
func (c *conn) checkDormant() error {
	stored, err := c.meta(metaInherited)
	if err != nil || stored == nil {
		return err
	}
	of, err := newInheritance(stored)
	if err != nil {
		return err
	}
	known, err := c.number("SELECT max(id) FROM targets")
	if err != nil {
		return err
	}
	entered := int64(0)
	err = c.each("SELECT record FROM changes", func(cur *cursor) error {
		content, err := cur.bytes(0)
		if err != nil || len(content) < checksumSize {
			return err
		}
		return readChanges(content[:len(content)-checksumSize], func(id frontier.ID, _ frontier.Wave, _ frontier.Need) error {
			if of.isStale(id) {
				of.renew(id)
				entered++
			}
			return nil
		})
	})
	if err == nil && (int64(of.last)-entered)*mostDormant > known {
		err = ErrUnfit
	}
	return err
}

func copyFile(from, to string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	f, err := os.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, source)
	return errors.Join(err, f.Close())
}

// source returns what identifies the file of a crawl that is finished.
func (c *conn) source() ([]byte, error) { return c.meta(metaTotals) }

// beginAnew makes the copy of a finished crawl a new crawl, in one transaction.
func (c *conn) beginAnew(values map[string][]byte) error {
	w := newWriter(c)
	source, err := c.source()
	if err != nil {
		return err
	}
	if w.totals, err = parseTotals(source); err != nil {
		return err
	}
	known := w.totals[targetsTable].rows
	return w.transaction(func() error {
		for _, t := range []table{talliesTable, changesTable, deferredTable} {
			if err := w.db.exec("DELETE FROM " + t.String()); err != nil {
				return err
			}
			w.totals[t] = total{}
		}
		if err := w.replaceMeta(values, append(binary.AppendUvarint(nil, known), source...)); err != nil {
			return err
		}
		if err := w.restHosts(); err != nil {
			return err
		}
		width, err := w.db.width()
		if err != nil {
			return err
		}
		return w.db.exec(copiedViewOf(width, known) + fmt.Sprintf("PRAGMA user_version=%d", format))
	})
}

// replaceMeta removes the values of the crawl before and stores those of this one.
func (w *writer) replaceMeta(values map[string][]byte, inherited []byte) error {
	var names []string
	err := w.db.each("SELECT name, value FROM meta", func(cur *cursor) error {
		name, err := cur.text(0)
		if err != nil {
			return err
		}
		switch name {
		case metaKey, metaBits, metaEncoding, metaTotals:
			return nil
		}
		if _, err = cur.record(1, metaTable, nameKey(name)); err != nil {
			return err
		}
		value, err := cur.bytes(1)
		names = append(names, name)
		w.totals[metaTable].remove(storedChecksum(value))
		return err
	})
	if err != nil {
		return err
	}
	for _, name := range names {
		w.db.bind(name)
		if err := w.db.run("DELETE FROM meta WHERE name=?"); err != nil {
			return err
		}
	}
	for name, value := range values {
		if err := w.setMeta(metaValue+name, value); err != nil {
			return err
		}
	}
	return w.setMeta(metaInherited, inherited)
}

// restHosts gives each host the pace that a new crawl begins with.
func (w *writer) restHosts() error {
	var rows []hostRow
	err := w.db.each("SELECT number, name, record FROM hosts ORDER BY number", func(cur *cursor) error {
		number, err := cur.small(0, 1<<32-1)
		name, err1 := cur.text(1)
		if err = errors.Join(err, err1); err != nil {
			return err
		}
		content, err := cur.record(2, hostsTable, hostKey(int(number), name))
		if err != nil {
			return err
		}
		stored, err := cur.bytes(2)
		w.hosts = append(w.hosts, storedChecksum(stored))
		if !bytes.Equal(content, appendPace(nil, 0, 0, 0)) {
			rows = append(rows, hostRow{number: int(number), name: name})
		}
		return err
	})
	for i := range rows {
		if err == nil {
			err = w.writeHost(&rows[i])
		}
	}
	return err
}

// wake adds to a batch that this crawl has entered a target of the crawl before. Its row is replaced
// if this crawl would enter it with another host or job.
func (s *Store) wake(b *batch, id frontier.ID, moved bool, it *frontier.Item) error {
	_, _, lowest, need := s.Ledger.Status(id)
	b.change(id, lowest, need)
	s.reader.mu.Lock()
	job, err := s.reader.known.job(&s.reader, id)
	s.reader.mu.Unlock()
	if err != nil {
		return fmt.Errorf("read target %d of the state %s: %w", id, s.file, explain(err))
	}
	if moved || !bytes.Equal(job, it.Job) {
		b.replaceTarget(id, s.Ledger.HostOf(id), it)
		if s.replaced == nil {
			s.replaced = map[frontier.ID][]byte{}
		}
		s.replaced[id] = bytes.Clone(it.Job)
	}
	if it.Outcome == nil {
		return nil
	}
	s.own = appendOutcome(s.own[:0], flagEntered, 0, it.Outcome)
	same, err := s.reader.hasOutcome(id, s.own)
	if err != nil {
		return fmt.Errorf("read target %d of the state %s: %w", id, s.file, explain(err))
	}
	if !same {
		b.settle(id, true, flagEntered, 0, it.Outcome)
		b.remove(pagesTable, id)
	}
	s.renewRows(b, id)
	return nil
}

// renewRows notes that the rows of a target are those of this crawl, if it is one of the crawl before.
func (s *Store) renewRows(b *batch, id frontier.ID) {
	if s.inherited.isStale(id) {
		b.change(id, settledWave, 0)
		s.inherited.renew(id)
	}
}

// settleAsBefore settles a page of which an earlier crawl has kept the same, and reports whether it
// did: what differs must be written. found are the IDs of its targets.
func (s *Store) settleAsBefore(b *batch, l frontier.Lease, d *frontier.Done, found []byte) bool {
	e := d.Earlier
	if e == nil || e.ID != l.ID || !s.inherited.isStale(l.ID) || !bytes.Equal(e.Crawl, s.inherited.source) ||
		!bytes.Equal(e.Found, found) || !bytes.Equal(e.Page, d.Page) || !bytes.Equal(e.Links, d.Links) {
		return false
	}
	s.own = appendOutcome(s.own[:0], flagPage, l.Need, d.Outcome)
	if !bytes.Equal(e.Record, s.own) {
		b.settle(l.ID, true, flagPage, l.Need, d.Outcome)
	}
	s.renewRows(b, l.ID)
	return true
}

// IsCopyOf reports whether CreateFrom has made the store from the file of these pages.
func (s *Store) IsCopyOf(p *Pages) bool {
	return s.copyOf != "" && bytes.Equal(s.inherited.source, p.crawl)
}

// TakeRest takes over the targets of the crawl before that this crawl has not entered, with their
// outcomes and pages, as they were at its end, and adds to the sums in the same step. The store must be
// one that CreateFrom has made, and the other file as it was then.
func (s *Store) TakeRest(sums []frontier.Tally) error {
	before, err := OpenReadOnly(s.copyOf)
	if err != nil {
		return fmt.Errorf("take over the rest of a crawl: %w", err)
	}
	err = s.takeRest(before.Ledger, sums)
	return errors.Join(err, before.Close())
}

func (s *Store) takeRest(before *frontier.Ledger, sums []frontier.Tally) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	b, err := s.journal.begin()
	if err != nil {
		return err
	}
	for id := frontier.ID(1); s.inherited.has(id); id++ {
		if _, wave, _, _ := s.Ledger.Status(id); wave != frontier.Dormant {
			continue
		}
		k := frontier.Kept{ID: id}
		frontier.Mirror{Ledger: before}.Keep(&k)
		if k.Wave == frontier.Dormant {
			continue
		}
		if !k.Settled {
			s.journal.failed = fmt.Errorf("write the state %s: the crawl before has not settled target %d", s.file, id) // half of the step is in the batch
			return s.journal.failed
		}
		frontier.Mirror{Ledger: s.Ledger}.Wake(&k)
		b.change(id, k.Lowest, k.Need)
		s.renewRows(b, id)
	}
	s.tally(b, sums)
	return s.journal.commit(b.number)
}
