package diskstore

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// Create makes a new state file with fingerprints of a width, and with values as SetValue
// stores them. Only its owner can read it, because URLs may contain secrets. The directory
// must exist, the file must not. The file appears when it is complete: a process that is
// killed leaves at most a file with another name, which the next Create removes.
func Create(file string, w frontier.Width, values map[string][]byte) (*Store, error) {
	var key [16]byte
	rand.Read(key[:]) // never fails
	return CreateWithKey(file, w, key, values)
}

// CreateWithKey is Create with a given key of the fingerprints (frontier.Keyed), which must be
// secret.
func CreateWithKey(file string, w frontier.Width, key [16]byte, values map[string][]byte) (*Store, error) {
	if w != frontier.Narrow && w != frontier.Wide {
		return nil, fmt.Errorf("create the state %s: there are no fingerprints of %d bits", file, w)
	}
	if exists(file) {
		return nil, fmt.Errorf("create the state: %w", &fs.PathError{Op: "create", Path: file, Err: fs.ErrExist})
	}
	unfinished := file + ".new"
	err := errors.Join(removeAll(unfinished), removeAll(file)) // of a process that was killed
	if err == nil {
		err = createAs(unfinished, w, key, values)
	}
	if err == nil {
		err = os.Rename(unfinished, file)
	}
	if err != nil {
		_ = removeAll(unfinished) // the first error says more
		return nil, fmt.Errorf("create the state %s: %w", file, err)
	}
	return Open(file)
}

// createAs makes a file, and closes it.
func createAs(file string, w frontier.Width, key [16]byte, values map[string][]byte) error {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	c, err := connect(file)
	if err != nil {
		return err
	}
	if err = c.exec(fmt.Sprintf("PRAGMA page_size=%d", pageSize)); err == nil {
		err = c.configure()
	}
	if err == nil {
		err = newWriter(c).initialize(w, key, values)
	}
	if err == nil { // close would ignore the error
		var busy int64
		if busy, err = c.number("PRAGMA wal_checkpoint(TRUNCATE)"); err == nil && busy != 0 {
			err = errors.New("another process is reading it")
		}
	}
	return errors.Join(err, c.close())
}

// Remove removes a state file. No process may use it.
func Remove(file string) error {
	if err := removeAll(file); err != nil {
		return fmt.Errorf("remove the state %s: %w", file, err)
	}
	return nil
}

// removeAll removes a file and those that SQLite keeps next to it.
func removeAll(file string) error {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(file + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Open opens a state file to continue its crawl. The error is ErrDamaged for a damaged
// file, and ErrOtherVersion for one in a format of another version. Neither is changed.
func Open(file string) (*Store, error) { return open(file, (*Store).openToWrite) }

// OpenReadOnly opens a state file as it is now, even while another process writes it. Add,
// Complete, Release, SetPace, Tally and SetValue return an error. The other errors are
// those of Open. The file and its directory need not be writable, unless a process that
// wrote the file was killed or is still writing it, or the file has an older format.
func OpenReadOnly(file string) (*Store, error) {
	s, err := open(file, func(s *Store) error { return s.openToRead(connect) })
	if errors.Is(err, errNotWritable) && !exists(file+"-wal") {
		return open(file, func(s *Store) error { return s.openToRead(connectUnchanging) })
	}
	return s, err
}

// ReadTallies reads the sums in a state file of the latest format, and nothing else of it. The
// other errors are those of Open.
func ReadTallies(file string) (sums map[string]int64, err error) {
	s := &Store{Book: frontier.Book{Sums: map[string]int64{}}}
	err = readLatest(file, func(c *conn) error { return (&restorer{conn: c, store: s, sums: map[string]storedTally{}}).tallies() })
	return s.Sums, err
}

// ReadValue reads a value in a state file of the latest format, nil if there is none, as ReadTallies does.
func ReadValue(file, name string) (value []byte, err error) {
	err = readLatest(file, func(c *conn) error {
		value, err = c.meta(metaValue + name)
		return err
	})
	return value, err
}

// readLatest reads something from a state file of the latest format.
func readLatest(file string, read func(*conn) error) error {
	c, err := connectLatest(file)
	if err == nil {
		err = errors.Join(read(c), c.close())
	}
	if err != nil {
		return fmt.Errorf("open the state %s: %w", file, explain(err))
	}
	return nil
}

func open(file string, how func(*Store) error) (*Store, error) {
	if err := checkHeader(file); err != nil {
		return nil, fmt.Errorf("open the state %s: %w", file, err)
	}
	s := &Store{file: file, Book: frontier.Book{Sums: map[string]int64{}}, reader: newReader(), renewed: map[frontier.ID]struct{}{}, paces: map[int]storedPace{}}
	s.journal = journal{mu: &s.Mu, file: file, done: sync.NewCond(&s.Mu)}
	err := how(s)
	if err == nil {
		s.journal.start(s.Ledger)
		return s, nil
	}
	if s.reader.conn != nil {
		_ = s.reader.conn.close() // the first error says more
	}
	if s.journal.writer != nil {
		_ = s.journal.writer.db.close()
	}
	return nil, fmt.Errorf("open the state %s: %w", file, explain(err))
}

// checkHeader checks the part of the header by which SQLite decides whether it may write the
// file, and whether there is a write-ahead log.
func checkHeader(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	const walVersion = 2
	versions := make([]byte, 2) // of the file format, for writing and for reading
	if _, err := f.ReadAt(versions, 18); err != nil && err != io.EOF {
		return err
	}
	if versions[0] != walVersion || versions[1] != walVersion {
		return damaged("it is not a state of Orbweaver")
	}
	return nil
}

func (s *Store) openToWrite() error {
	c, err := connect(s.file)
	if err != nil {
		return err
	}
	w := newWriter(c)
	s.journal.writer = w
	if err := c.upgrade(); err != nil {
		return err
	}
	if err := c.configure(); err != nil {
		return err
	}
	r, err := s.restore(c)
	if err != nil {
		return err
	}
	w.totals, w.hosts, w.tallies = r.stored, r.hosts, r.sums
	s.totals = &w.totals
	if s.reader.conn, err = connect(s.file); err != nil {
		return err
	}
	return s.reader.conn.exec(readPragmas)
}

func (s *Store) openToRead(connect func(file string) (*conn, error)) (err error) {
	if s.reader.conn, err = connect(s.file); err != nil {
		return err
	}
	if err := s.reader.conn.upgrade(); err != nil {
		return err
	}
	// One transaction for all reads, so that they see the same state.
	if err := s.reader.conn.exec(readPragmas + "; BEGIN"); err != nil {
		return err
	}
	s.journal.failed = fmt.Errorf("write the state %s: %w", s.file, errReadOnly)
	r, err := s.restore(s.reader.conn)
	if err == nil {
		s.totals = &r.stored
	}
	return err
}

// readPragmas configure a connection that only reads.
const readPragmas = "PRAGMA query_only=ON; " + cacheSize + "; PRAGMA cell_size_check=ON"

var errReadOnly = errors.New("it is open for reading only")
