package diskstore

import (
	"encoding/binary"
	"errors"
	"strconv"
	"time"

	"github.com/orbweaver/orbweaver/crawler/frontier"
)

// restore restores the ledger and the tallies from the file.
func (s *Store) restore(c *conn) error {
	key, err := c.meta(metaKey)
	if err != nil {
		return err
	}
	if len(key) != len(s.key) {
		return damaged("it has no key for fingerprints")
	}
	copy(s.key[:], key)
	w, err := c.width()
	if err != nil {
		return err
	}
	r := restorer{frontier.NewRestorer(w), c, s, w}
	for _, step := range []func() error{r.hosts, r.targets, r.changes, r.outcomes, r.deferred, r.tallies} {
		if err := step(); err != nil {
			return err
		}
	}
	var renewed []frontier.ID
	s.ledger, renewed = r.Done()
	for _, id := range renewed {
		s.renewed[id] = struct{}{}
	}
	return nil
}

// width returns the width of the fingerprints in the file.
func (c *conn) width() (frontier.Width, error) {
	bits, err := c.meta(metaBits)
	switch {
	case err != nil || bits == nil:
		return frontier.Narrow, err
	case string(bits) == strconv.Itoa(int(frontier.Wide)):
		return frontier.Wide, nil
	}
	return 0, damaged("it has fingerprints of %q bits", bits)
}

// restorer reads the tables one after the other.
type restorer struct {
	*frontier.Restorer
	conn  *conn
	store *Store
	width frontier.Width
}

// inOrder returns an error if the number of a row is not *want, and increments *want.
func inOrder(cur *cursor, table string, want *int64) error {
	number, err := cur.int(0)
	if err == nil && number != *want {
		err = damaged("table %s has row %d instead of %d", table, number, *want)
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

func (r *restorer) hosts() error {
	next := int64(0)
	return r.conn.each("SELECT number, name, concurrency, interval, not_before FROM hosts ORDER BY number", func(cur *cursor) error {
		err := inOrder(cur, "hosts", &next)
		name, err1 := cur.text(1)
		concurrency, err2 := cur.small(2, 1<<31-1)
		interval, err3 := cur.int(3)
		notBefore, err4 := cur.int(4)
		if err := errors.Join(err, err1, err2, err3, err4); err != nil {
			return err
		}
		p := frontier.Pace{Concurrency: int(concurrency), Interval: max(0, time.Duration(interval)), NotBefore: fromNanos(notBefore)}
		r.store.paces[int(next-1)] = storedPace{p.Interval, notBefore}
		return asDamage(r.Host(name, p))
	})
}

func (r *restorer) targets() error {
	next := int64(1)
	return r.conn.each("SELECT id, fingerprint, host, wave, need FROM targets ORDER BY id", func(cur *cursor) error {
		err := inOrder(cur, "targets", &next)
		fingerprint, err1 := cur.fingerprint(1, r.width)
		host, err2 := cur.small(2, 1<<32-1)
		wave, err3 := cur.small(3, 255)
		need, err4 := cur.small(4, 255)
		if err != nil || err1 != nil || err2 != nil || err3 != nil || err4 != nil {
			return errors.Join(err, err1, err2, err3, err4)
		}
		return asDamage(r.Target(fingerprint, int(host), frontier.Wave(wave), frontier.Need(need)))
	})
}

func (r *restorer) changes() error {
	return r.conn.each("SELECT changes FROM changes ORDER BY number", func(cur *cursor) error {
		b, err := cur.bytes(0)
		if err != nil {
			return err
		}
		return asDamage(readChanges(b, r.Raise))
	})
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

func (r *restorer) outcomes() error {
	return r.conn.each("SELECT id, need FROM outcomes ORDER BY id", func(cur *cursor) error {
		id, err := cur.small(0, 1<<32-1)
		if err != nil {
			return err
		}
		if cur.null(1) {
			return asDamage(r.Settled(frontier.ID(id), 0, true))
		}
		need, err := cur.small(1, 255)
		if err != nil {
			return err
		}
		return asDamage(r.Settled(frontier.ID(id), frontier.Need(need), false))
	})
}

func (r *restorer) deferred() error {
	return r.conn.each("SELECT id, wave, not_before, tries FROM deferred", func(cur *cursor) error {
		id, err := cur.small(0, 1<<32-1)
		wave, err1 := cur.small(1, 255)
		notBefore, err2 := cur.int(2)
		tries, err3 := cur.small(3, 255)
		if err := errors.Join(err, err1, err2, err3); err != nil {
			return err
		}
		return asDamage(r.Deferred(frontier.ID(id), frontier.Wave(wave), fromNanos(notBefore), int(tries)))
	})
}

func (r *restorer) tallies() error {
	return r.conn.each("SELECT name, value FROM tallies", func(cur *cursor) error {
		name, err := cur.text(0)
		value, err1 := cur.int(1)
		r.store.tallies[name] = value
		return errors.Join(err, err1)
	})
}
