package store

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/rows"
)

// FileName is the name of the file in the data directory.
const FileName = "serve.db"

// Errors of Open for a file that cannot be used. Such a file is left as it is.
var (
	ErrDamaged = errors.New("the file is damaged")
	ErrNewer   = errors.New("the file was written by a newer version of orbweaver")
)

// Store is an open serve.db.
type Store struct {
	// Copied is the file to which Open copied the database of an earlier version, "" for none.
	Copied string
	// Held are the ends of runs that are still to be written.
	Held Held
	// Recount counts the issues and the known findings of a run that is over.
	Recount func(context.Context, *Run) (*Counts, error)

	db *sql.DB
}

// DB returns the database, for packages with statements of their own.
func (s *Store) DB() *sql.DB { return s.db }

// Open opens the file in a data directory, and creates it if there is none.
func Open(dir string) (*Store, error) {
	file, err := filepath.Abs(filepath.Join(dir, FileName))
	if err != nil {
		return nil, err
	}
	if err := inspect(file); err != nil {
		return nil, fmt.Errorf("open %s: %w", file, err)
	}
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", file, withoutPath(err))
	}
	err = errors.Join(f.Chmod(0o600), f.Close())
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", file, withoutPath(err))
	}
	db, err := rows.Open(file, 4, "_pragma=busy_timeout(10000)", "_pragma=journal_mode(wal)", "_pragma=synchronous(normal)", "_pragma=foreign_keys(1)", "_pragma=secure_delete(1)", "_txlock=immediate")
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", file, err)
	}
	s := &Store{db: db}
	if err := s.migrate(file); err != nil {
		db.Close()
		return nil, fmt.Errorf("open %s: %w", file, err)
	}
	return s, nil
}

// Close closes the file.
func (s *Store) Close() error { return s.db.Close() }

// Places in SQLite's header.
const (
	headerSize    = 100
	versionOffset = 60
	idOffset      = 68
)

// inspect returns an error for a file that is not ours or damaged, without writing to it.
func inspect(file string) error {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return withoutPath(err)
	}
	defer f.Close()
	head := make([]byte, headerSize)
	n, err := io.ReadFull(f, head)
	switch {
	case n == 0 && errors.Is(err, io.EOF):
		return nil // created, and the process ended before anything was written
	case err != nil || !bytes.HasPrefix(head, []byte("SQLite format 3\x00")):
		return fmt.Errorf("%w: it is not a database", ErrDamaged)
	}
	if id := binary.BigEndian.Uint32(head[idOffset:]); id != applicationID && id != 0 {
		return fmt.Errorf("%w: it is the database of another program", ErrDamaged)
	}
	if v := binary.BigEndian.Uint32(head[versionOffset:]); v > uint32(len(migrations)) {
		return fmt.Errorf("%w: its version is %d, and this one knows %d; use that version", ErrNewer, v, len(migrations))
	}
	db, err := rows.Open(file, 4, "mode=ro", "_pragma=busy_timeout(10000)")
	if err != nil {
		return err
	}
	defer db.Close()
	var verdict string
	if err := db.QueryRow("PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if verdict != "ok" {
		return fmt.Errorf("%w: %s", ErrDamaged, verdict)
	}
	return nil
}

// migrate brings the tables up to date, each step in a transaction of its own. What an earlier
// version wrote is copied to a file before.
func (s *Store) migrate(file string) error {
	var before int
	if err := s.db.QueryRow("PRAGMA user_version").Scan(&before); err != nil {
		return err
	}
	if before > len(migrations) {
		return ErrNewer
	}
	if before == len(migrations) {
		return nil
	}
	if before > 0 && slices.ContainsFunc(migrations[before:], func(m migration) bool { return !m.vacuum }) {
		copied := fmt.Sprintf("%s.before-%d", file, before)
		made, err := s.copyTo(copied)
		if err != nil {
			return fmt.Errorf("copy it to %s: %w", copied, withoutPath(err))
		}
		if made {
			s.Copied = copied
		}
	}
	for v := range migrations {
		if err := s.step(v, before > 0); err != nil {
			return fmt.Errorf("bring its tables to version %d: %w", v+1, err)
		}
	}
	if err := s.truncateLog(); err != nil && before > 0 { // the header of the file tells the version to inspect
		return err
	}
	return nil
}

// step brings the tables from a version to the next, unless they have it.
func (s *Store) step(version int, used bool) error {
	m := migrations[version]
	if m.vacuum && used {
		if _, err := s.db.Exec("VACUUM"); err != nil {
			return err
		}
		if err := s.truncateLog(); err != nil {
			return err
		}
	}
	return s.Update(context.Background(), func(tx *sql.Tx) error {
		var now int
		if err := tx.QueryRow("PRAGMA user_version").Scan(&now); err != nil {
			return err
		}
		if now > version { // another process was faster
			return nil
		}
		if _, err := tx.Exec(m.statements); err != nil {
			return err
		}
		if m.change != nil {
			if err := m.change(tx); err != nil {
				return err
			}
		}
		_, err := tx.Exec(fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", version+1, applicationID))
		return err
	})
}

// truncateLog writes the log into the file, and empties it.
func (s *Store) truncateLog() error {
	var busy, size, written int
	if err := s.db.QueryRow("PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &size, &written); err != nil {
		return err
	}
	if busy != 0 {
		return errors.New("another process uses it: end that, and start again")
	}
	return nil
}

// copyTo copies the database to a file in one step, unless the file exists.
func (s *Store) copyTo(file string) (made bool, err error) {
	if _, err := os.Lstat(file); err == nil {
		return false, nil // a migration was killed after it had made the copy
	}
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+"-*") // with mode 0600
	if err != nil {
		return false, err
	}
	defer os.Remove(f.Name())
	if err := f.Close(); err != nil {
		return false, err
	}
	if _, err := s.db.Exec("VACUUM INTO ?", f.Name()); err != nil {
		return false, err
	}
	if f, err = os.OpenFile(f.Name(), os.O_RDWR, 0); err != nil {
		return false, err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return false, err
	}
	return true, os.Rename(f.Name(), file)
}

// Update runs fn in a transaction that writes. It is committed unless fn returns an error.
func (s *Store) Update(ctx context.Context, fn func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		_ = tx.Rollback() // the first error tells more
		return err
	}
	return tx.Commit()
}

// Writable returns an error if the database cannot be written now.
func (s *Store) Writable(ctx context.Context) error {
	return s.Update(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID))
		return err
	})
}

// NewID returns a random identifier of lower-case letters and digits, which is also a file
// name.
func NewID() string {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

func millis(t time.Time) int64 { return t.UnixMilli() }

func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

func optionalMillis(t *time.Time) any {
	if t == nil {
		return nil
	}
	return millis(*t)
}

func optionalTime(ms sql.NullInt64) *time.Time {
	if !ms.Valid {
		return nil
	}
	t := fromMillis(ms.Int64)
	return &t
}

func withoutPath(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}
