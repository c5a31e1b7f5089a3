package diskstore

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/frontier"
)

// Create makes a new state file with fingerprints of a width. Only its owner can read it,
// because URLs may contain secrets. The directory must exist, the file must not.
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
	c, err := connect(file)
	if err == nil {
		if err = c.configure(); err == nil {
			err = c.initialize(w)
		}
		err = errors.Join(err, c.close())
	}
	if err != nil {
		for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
			os.Remove(file + suffix) // made by this call
		}
		return nil, fmt.Errorf("create the state %s: %w", file, err)
	}
	return Open(file)
}

// Open opens a state file to continue its crawl. The error is ErrDamaged for a damaged
// file, and ErrOtherVersion for one in a format of another version. Neither is changed.
func Open(file string) (*Store, error) { return open(file, (*Store).openToWrite) }

// OpenReadOnly opens a state file as it is now, even while another process writes it. Add,
// Complete, Release, SetPace, Tally and SetValue return an error. The other errors are
// those of Open.
func OpenReadOnly(file string) (*Store, error) { return open(file, (*Store).openToRead) }

func open(file string, how func(*Store) error) (*Store, error) {
	if _, err := os.Stat(file); err != nil {
		return nil, fmt.Errorf("open the state: %w", err)
	}
	s := &Store{file: file, tallies: map[string]int64{}, renewed: map[frontier.ID]struct{}{}, paces: map[int]storedPace{}}
	s.journal = journal{mu: &s.mu, file: file, done: sync.NewCond(&s.mu)}
	err := how(s)
	if err == nil {
		s.journal.start(s.ledger)
		return s, nil
	}
	for _, c := range []*conn{s.reader.conn, s.journal.writer} {
		if c != nil {
			_ = c.close() // the first error says more
		}
	}
	return nil, fmt.Errorf("open the state %s: %w", file, explain(err))
}

func (s *Store) openToWrite() (err error) {
	if s.journal.writer, err = connect(s.file); err != nil {
		return err
	}
	if err := s.journal.writer.upgrade(); err != nil {
		return err
	}
	if err := s.journal.writer.configure(); err != nil {
		return err
	}
	if err := s.restore(s.journal.writer); err != nil {
		return err
	}
	if s.reader.conn, err = connect(s.file); err != nil {
		return err
	}
	return s.reader.conn.exec("PRAGMA query_only=ON; PRAGMA busy_timeout=30000; PRAGMA cache_size=-8000")
}

func (s *Store) openToRead() (err error) {
	if s.reader.conn, err = connect(s.file); err != nil {
		return err
	}
	if err := s.reader.conn.upgrade(); err != nil {
		return err
	}
	// One transaction for all reads, so that they see the same state.
	if err := s.reader.conn.exec("PRAGMA query_only=ON; PRAGMA busy_timeout=30000; PRAGMA cache_size=-8000; BEGIN"); err != nil {
		return err
	}
	s.journal.failed = fmt.Errorf("write the state %s: %w", s.file, errReadOnly)
	return s.restore(s.reader.conn)
}

var errReadOnly = errors.New("it is open for reading only")

// meta returns a value of the table meta, nil if there is none.
func (c *conn) meta(name string) (value []byte, err error) {
	c.bind(name)
	err = c.each("SELECT value FROM meta WHERE name=?", func(cur *cursor) (err error) {
		value, err = cur.bytes(0)
		return err
	})
	return value, err
}
