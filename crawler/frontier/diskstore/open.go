package diskstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/orbweaver/orbweaver/crawler/frontier"
)

// Create makes a new state file, readable by its owner alone: URLs may hold
// secrets. Its targets are known by fingerprints of the width. The directory must
// exist, the file must not.
func Create(file string, w frontier.Width) (*Store, error) {
	if w != frontier.Narrow && w != frontier.Wide {
		return nil, fmt.Errorf("create the state %s: there are no fingerprints of %d bits", file, w)
	}
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create the state: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("create the state: %w", err)
	}
	c, err := dial(file)
	if err == nil {
		if err = c.settle(); err == nil {
			err = c.initialize(w)
		}
		err = errors.Join(err, c.close())
	}
	if err != nil {
		for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
			os.Remove(file + suffix) // ours, and of no use
		}
		return nil, fmt.Errorf("create the state %s: %w", file, err)
	}
	return Open(file)
}

// Open goes on with a state file. A file that is damaged is refused with
// ErrDamaged, one that another version wrote in another format with ErrOther;
// neither is changed.
func Open(file string) (*Store, error) { return open(file, (*Store).openToWrite) }

// View reads a state file as it is now, also while another process writes it:
// what Add, Complete, Release, Extend, SetPace, Tally and Keep would change is
// refused. The file is refused as by Open.
func View(file string) (*Store, error) { return open(file, (*Store).openToRead) }

func open(file string, how func(*Store) error) (*Store, error) {
	if _, err := os.Stat(file); err != nil {
		return nil, fmt.Errorf("open the state: %w", err)
	}
	s := &Store{file: file, tallies: map[string]int64{}, renewed: map[frontier.ID]struct{}{}, paced: map[int]kept{}}
	s.journal = journal{mu: &s.mu, file: file, turn: sync.NewCond(&s.mu)}
	err := how(s)
	if err == nil {
		s.journal.start(s.ledger)
		return s, nil
	}
	for _, c := range []*conn{s.reader.conn, s.journal.writer} {
		if c != nil {
			_ = c.close() // what was wrong before says more
		}
	}
	return nil, fmt.Errorf("open the state %s: %w", file, explain(err))
}

func (s *Store) openToWrite() (err error) {
	if s.journal.writer, err = dial(s.file); err != nil {
		return err
	}
	if err := s.journal.writer.upgrade(); err != nil {
		return err
	}
	if err := s.journal.writer.settle(); err != nil {
		return err
	}
	if err := s.restore(s.journal.writer); err != nil {
		return err
	}
	if s.reader.conn, err = dial(s.file); err != nil {
		return err
	}
	return s.reader.conn.exec("PRAGMA query_only=ON; PRAGMA busy_timeout=30000; PRAGMA cache_size=-8000")
}

func (s *Store) openToRead() (err error) {
	if s.reader.conn, err = dial(s.file); err != nil {
		return err
	}
	if err := s.reader.conn.upgrade(); err != nil {
		return err
	}
	// One transaction from beginning to end sees one state of things.
	if err := s.reader.conn.exec("PRAGMA query_only=ON; PRAGMA busy_timeout=30000; PRAGMA cache_size=-8000; BEGIN"); err != nil {
		return err
	}
	s.journal.failed = fmt.Errorf("write the state %s: %w", s.file, errView)
	return s.restore(s.reader.conn)
}

var errView = errors.New("it was opened to be read")

func (c *conn) kept(name string) (value []byte, err error) {
	c.bind(name)
	err = c.each("SELECT value FROM meta WHERE name=?", func(cur *cursor) (err error) {
		value, err = cur.bytes(0)
		return err
	})
	return value, err
}

// restore makes the ledger again from what the file keeps.
func (s *Store) restore(c *conn) error {
	key, err := c.kept(metaKey)
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

// width is the width of the fingerprints in the file.
func (c *conn) width() (frontier.Width, error) {
	bits, err := c.kept(metaBits)
	switch {
	case err != nil || bits == nil:
		return frontier.Narrow, err
	case string(bits) == strconv.Itoa(int(frontier.Wide)):
		return frontier.Wide, nil
	}
	return 0, damaged("it has fingerprints of %q bits", bits)
}

// restorer reads table after table.
type restorer struct {
	*frontier.Restorer
	conn  *conn
	store *Store
	width frontier.Width
}

// inOrder checks that the rows of a table are numbered without a gap.
func inOrder(cur *cursor, table string, want *int64) error {
	number, err := cur.int(0)
	if err == nil && number != *want {
		err = damaged("table %s has row %d in place of %d", table, number, *want)
	}
	*want++
	return err
}

// wrong says that a row cannot be.
func wrong(err error) error {
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
		r.store.paced[int(next-1)] = kept{p.Interval, notBefore}
		return wrong(r.Host(name, p))
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
		return wrong(r.Target(fingerprint, int(host), frontier.Wave(wave), frontier.Need(need)))
	})
}

func (r *restorer) changes() error {
	return r.conn.each("SELECT changes FROM changes ORDER BY number", func(cur *cursor) error {
		b, err := cur.bytes(0)
		if err != nil {
			return err
		}
		return wrong(readChanges(b, r.Raise))
	})
}

// readChanges reads one batch's changes.
func readChanges(b []byte, raise func(frontier.ID, frontier.Wave, frontier.Need) error) error {
	for len(b) > 0 {
		id, n := binary.Uvarint(b)
		if n <= 0 || id > 1<<32-1 || len(b) < n+2 {
			return damaged("a list of changes")
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
			return wrong(r.Settled(frontier.ID(id), 0, true))
		}
		need, err := cur.small(1, 255)
		if err != nil {
			return err
		}
		return wrong(r.Settled(frontier.ID(id), frontier.Need(need), false))
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
		return wrong(r.Deferred(frontier.ID(id), frontier.Wave(wave), fromNanos(notBefore), int(tries)))
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
