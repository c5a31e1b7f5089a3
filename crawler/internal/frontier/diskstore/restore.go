package diskstore

import (
	"encoding/binary"
	"errors"
	"strconv"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/record"
)

// restore restores the ledger and the tallies from the file, and compares the totals of the
// tables with what they should be. The table pages is compared when it is read.
func (s *Store) restore(c *conn) (*restorer, error) {
	key, err := c.meta(metaKey)
	if err != nil {
		return nil, err
	}
	if len(key) != len(s.key) {
		return nil, damaged("it has no key for fingerprints")
	}
	copy(s.key[:], key)
	w, err := c.width()
	if err != nil {
		return nil, err
	}
	r := &restorer{Restorer: frontier.NewRestorer(w), conn: c, store: s, width: w, sums: map[string]storedTally{}}
	inherited, err := c.meta(metaInherited)
	if err != nil {
		return nil, err
	}
	if s.inherited, err = newInheritance(inherited); err != nil {
		return nil, err
	}
	for _, step := range []func() error{r.meta, r.readHosts, r.targets, r.changes, r.outcomes, r.deferred, r.tallies} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	for t := range tables {
		if t == pagesTable {
			continue
		}
		if err := r.stored.check(t, r.found[t]); err != nil {
			return nil, err
		}
	}
	var renewed []frontier.ID
	s.Ledger, renewed = r.Done()
	for _, id := range renewed {
		s.renewed[id] = struct{}{}
	}
	s.reader.width = w
	return r, nil
}

// width returns the width of the fingerprints in the file.
func (c *conn) width() (frontier.Width, error) {
	bits, err := c.meta(metaBits)
	if err != nil {
		return 0, err
	}
	return widthOf(bits)
}

// widthOf returns the width of fingerprints from the value of metaBits.
func widthOf(bits []byte) (frontier.Width, error) {
	switch string(bits) {
	case "":
		return frontier.Narrow, nil
	case strconv.Itoa(int(frontier.Wide)):
		return frontier.Wide, nil
	}
	return 0, damaged("it has fingerprints of %q bits", bits)
}

// restorer reads the tables one after the other.
type restorer struct {
	*frontier.Restorer
	conn   *conn
	store  *Store
	width  frontier.Width
	stored totals // as they should be
	found  totals // of the rows that were read
	hosts  []uint32
	sums   map[string]storedTally
}

// row returns the content and the checksum of a record, and adds it to the totals.
func (r *restorer) row(cur *cursor, column int, t table, key uint64) (content []byte, checksum uint32, err error) {
	record, err := cur.bytes(column)
	if err != nil {
		return nil, 0, err
	}
	if content, err = t.content(key, record); err != nil {
		return nil, 0, err
	}
	checksum = storedChecksum(record)
	r.found[t].add(checksum)
	return content, checksum, nil
}

// inOrder returns an error if the number of a row is not *want, and increments *want.
func inOrder(cur *cursor, t table, want *int64) error {
	number, err := cur.int(0)
	if err == nil && number != *want {
		err = damaged("table %s has row %d instead of %d", t, number, *want)
	}
	*want++
	return err
}

// asDamage wraps an error of the Restorer in ErrDamaged.
func asDamage(err error) error {
	if err == nil || errors.Is(err, ErrDamaged) {
		return err
	}
	return damaged("%v", err)
}

func (r *restorer) meta() error {
	totals, err := r.conn.meta(metaTotals)
	if err != nil {
		return err
	}
	if r.stored, err = parseTotals(totals); err != nil {
		return err
	}
	return r.conn.each("SELECT name, value FROM meta", func(cur *cursor) error {
		name, err := cur.text(0)
		if err == nil && name != metaTotals {
			_, _, err = r.row(cur, 1, metaTable, nameKey(name))
		}
		return err
	})
}

func (r *restorer) readHosts() error {
	next := int64(0)
	return r.conn.each("SELECT number, name, record FROM hosts ORDER BY number", func(cur *cursor) error {
		err := inOrder(cur, hostsTable, &next)
		name, err1 := cur.text(1)
		if err != nil || err1 != nil {
			return errors.Join(err, err1)
		}
		content, checksum, err := r.row(cur, 2, hostsTable, hostKey(int(next-1), name))
		if err != nil {
			return err
		}
		r.hosts = append(r.hosts, checksum)
		concurrency, interval, notBefore, err := parsePace(content)
		if err != nil {
			return err
		}
		p := frontier.Pace{Concurrency: int(max(0, concurrency)), Interval: max(0, time.Duration(interval)), NotBefore: fromNanos(notBefore)}
		r.store.paces[int(next-1)] = storedPace{p.Interval, notBefore}
		return asDamage(r.Host(name, p))
	})
}

func (r *restorer) targets() error {
	next := int64(1)
	err := r.conn.each("SELECT id, host, record FROM targets ORDER BY id", func(cur *cursor) error {
		err := inOrder(cur, targetsTable, &next)
		host, err1 := cur.small(1, 1<<32-1)
		if err != nil || err1 != nil {
			return errors.Join(err, err1)
		}
		content, _, err := r.row(cur, 2, targetsTable, targetKey(frontier.ID(next-1), uint32(host)))
		if err != nil {
			return err
		}
		fingerprint, wave, need, _, err := parseTarget(content, r.width)
		if err != nil {
			return err
		}
		if err := r.Target(fingerprint, int(host), wave, need); err != nil {
			return asDamage(err)
		}
		if r.store.inherited.last == frontier.ID(next-1) {
			r.Sleep()
		}
		return nil
	})
	if err == nil && int64(r.store.inherited.last) >= next {
		err = damaged("it has fewer targets than the crawl before had")
	}
	return err
}

func (r *restorer) changes() error {
	next := int64(1)
	return r.conn.each("SELECT number, record FROM changes ORDER BY number", func(cur *cursor) error {
		if err := inOrder(cur, changesTable, &next); err != nil {
			return err
		}
		content, _, err := r.row(cur, 1, changesTable, uint64(next-1))
		if err != nil {
			return err
		}
		return asDamage(readChanges(content, r.change))
	})
}

// change restores a change of a target.
func (r *restorer) change(id frontier.ID, w frontier.Wave, n frontier.Need) error {
	if w != settledWave {
		return r.Raise(id, w, n)
	}
	if !r.store.inherited.has(id) {
		return damaged("target %d is not of the crawl before", id)
	}
	r.store.inherited.renew(id)
	return nil
}

// readChanges calls raise with each change in a row of the table changes.
func readChanges(b []byte, raise func(frontier.ID, frontier.Wave, frontier.Need) error) error {
	for len(b) > 0 {
		id, n := binary.Uvarint(b)
		if n <= 0 || id > 1<<32-1 || len(b) < n+2 {
			return damaged("a row of table changes is malformed")
		}
		if err := raise(frontier.ID(id), frontier.Wave(b[n]), frontier.Need(b[n+1])); err != nil {
			return err
		}
		b = b[n+2:]
	}
	return nil
}

// each calls fn for every row of a table that has a row for some targets.
func (r *restorer) each(t table, fn func(id frontier.ID, content []byte) error) error {
	return r.conn.each("SELECT id, record FROM "+t.String()+" ORDER BY id", func(cur *cursor) error {
		id, err := cur.small(0, 1<<32-1)
		if err != nil {
			return err
		}
		content, _, err := r.row(cur, 1, t, uint64(id))
		if err != nil {
			return err
		}
		return fn(frontier.ID(id), content)
	})
}

func (r *restorer) outcomes() error {
	return r.each(outcomesTable, func(id frontier.ID, content []byte) error {
		flags, met, _, err := parseOutcome(content)
		if err != nil || r.store.inherited.isStale(id) {
			return err
		}
		return asDamage(r.Settled(id, met, flags&flagEntered != 0))
	})
}

func (r *restorer) deferred() error {
	return r.each(deferredTable, func(id frontier.ID, content []byte) error {
		wave, tries, notBefore, _, err := parseDeferral(content)
		if err != nil {
			return err
		}
		return asDamage(r.Deferred(id, wave, fromNanos(notBefore), tries))
	})
}

func (r *restorer) tallies() error {
	return r.conn.each("SELECT name, record FROM tallies", func(cur *cursor) error {
		name, err := cur.text(0)
		if err != nil {
			return err
		}
		content, checksum, err := r.row(cur, 1, talliesTable, nameKey(name))
		if err != nil {
			return err
		}
		f := record.Reader{Rest: content}
		value := f.Varint()
		if !f.Done() {
			return damaged("the value of the tally %q is malformed", name)
		}
		r.store.Sums[name] = value
		r.sums[name] = storedTally{value, checksum}
		return nil
	})
}
