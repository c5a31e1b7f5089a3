package store

import (
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/cacheentry"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// OpenCache opens a file, or creates it if it does not exist. The error is one for the user: the
// file belongs to another program, cannot be read, or is locked for too long. A file that
// is damaged or of a newer version is renamed, and Notes says so, unless CacheOptions.Refuse is
// set.
func OpenCache(file string, o CacheOptions) (*Cache, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.patience == 0 {
		o.patience = patience
	}
	if o.maxSize == 0 {
		o.maxSize = maxSize
	}
	c := &Cache{file: file, options: o, dirty: map[cacheentry.Key]change{}}
	err := c.open()
	if why := unusable(err); why != "" {
		if o.Refuse {
			if why == "damaged" && !errors.Is(err, errDamaged) {
				err = fmt.Errorf("%w: %w", errDamaged, err)
			}
			err = fmt.Errorf("%w; a run that uses it renames it and starts without it", err)
		} else if err = c.setAside(why); err == nil {
			err = c.open()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open cache %s: %w", file, err)
	}
	return c, nil
}

var (
	errDamaged = errors.New("it is damaged")
	errNewer   = errors.New("it was written by a newer version")
	errForeign = errors.New("it is a database of another program; name another file")
)

// damageCodes are SQLite's codes for damage. SQLITE_ERROR means that a table or a column is
// missing.
var damageCodes = []int{sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT}

// unusable returns the reason to set a file aside, "" if an error is not such a reason.
func unusable(err error) string {
	switch {
	case errors.Is(err, errNewer):
		return "newer"
	case errors.Is(err, errDamaged) || isCode(err, damageCodes...):
		return "damaged"
	}
	return ""
}

// isCode reports whether an error is SQLite's and has one of the primary codes.
func isCode(err error, codes ...int) bool {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	for _, code := range codes {
		if e.Code()&0xff == code {
			return true
		}
	}
	return false
}

// open opens the file.
func (c *Cache) open() error {
	var err error
	if c.info, err = prepare(c.file); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", dataSource(c.file, c.options.patience))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	c.db = db
	if err := c.load(); err != nil {
		db.Close()
		c.db = nil
		return explain(err)
	}
	return nil
}

// prepare checks the file before SQLite opens it, and creates it if it does not exist.
// Only its owner can read it, because it contains parts of pages.
func prepare(file string) (fs.FileInfo, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return nil, withoutPath(err)
		}
		f, err = os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600)
	}
	if err != nil {
		return nil, withoutPath(err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, withoutPath(err)
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	case info.Size() == 0:
		return info, nil
	}
	head := make([]byte, 16)
	if _, err := io.ReadFull(f, head); err != nil || string(head) != "SQLite format 3\x00" {
		return info, fmt.Errorf("%w or not a database", errDamaged)
	}
	return info, nil
}

// withoutPath returns the cause of an error that names the file.
func withoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// IsCache reports whether a file is a cache of this program, by the application ID in the header
// of the SQLite format.
func IsCache(name string) bool {
	const at = 68
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	var header [at + 4]byte
	if _, err := io.ReadFull(f, header[:]); err != nil {
		return false
	}
	return binary.BigEndian.Uint32(header[at:]) == applicationID
}

// dataSource returns SQLite's URI for a file.
func dataSource(file string, patience time.Duration) string {
	if abs, err := filepath.Abs(file); err == nil {
		file = abs
	}
	file = filepath.ToSlash(file)
	if !strings.HasPrefix(file, "/") {
		file = "/" + file // the path begins with a drive letter
	}
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", patience.Milliseconds()), "journal_mode(DELETE)", "synchronous(FULL)", "cell_size_check(ON)", "trusted_schema(OFF)"}}
	return (&url.URL{Scheme: "file", Path: file, RawQuery: q.Encode()}).String()
}

// explain returns an error in words for one with an SQLite code.
func explain(err error) error {
	switch {
	case isCode(err, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
		return errors.New("another process has locked it; wait until it is done, or name another file")
	case isCode(err, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
		return fmt.Errorf("it cannot be written: %w", err)
	case isCode(err, sqlite3.SQLITE_FULL):
		return errors.New("the disk is full")
	case isCode(err, sqlite3.SQLITE_IOERR):
		return fmt.Errorf("it cannot be read or written; the disk may be full: %w", err)
	}
	return err
}

// load converts the database to the latest format and reads the salt.
func (c *Cache) load() error {
	var id, version, tables int
	row := c.db.QueryRow("SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema)")
	if err := row.Scan(&id, &version, &tables); err != nil {
		return err
	}
	switch {
	case id == 0 && version == 0 && tables == 0:
		if _, err := c.db.Exec("PRAGMA auto_vacuum = INCREMENTAL"); err != nil {
			return err
		}
	case id != applicationID:
		return errForeign
	case version > formatVersion:
		return errNewer
	case version < 1:
		return errDamaged
	}
	if err := c.check(); err != nil {
		return err
	}
	if version < formatVersion {
		if err := c.migrate(); err != nil {
			return err
		}
	}
	if err := c.db.QueryRow("SELECT value FROM meta WHERE name = 'salt'").Scan(&c.salt); err != nil || len(c.salt) < 16 {
		return asDamage(err)
	}
	if _, _, err := c.histories(); err != nil {
		return err
	}
	get, err := c.db.Prepare("SELECT checked, seen, run, before, ifnull(sum, -1), record FROM entry WHERE key = ?")
	if err != nil {
		return asDamage(err)
	}
	c.get = get
	return nil
}

// asDamage returns the error for a missing table or row. It wraps errDamaged unless the
// cause may be temporary.
func asDamage(err error) error {
	if isCode(err, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_FULL) {
		return err
	}
	return fmt.Errorf("%w: %w", errDamaged, err)
}

// check looks for damage if the file is small enough for that to be fast.
func (c *Cache) check() error {
	if info, err := os.Stat(c.file); err != nil || info.Size() > checkBelow {
		return err
	}
	var verdict string
	if err := c.db.QueryRow("PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return errDamaged
	}
	return nil
}

// migrate converts the database to the latest version in one transaction.
func (c *Cache) migrate() error {
	return c.transaction(func(tx *sql.Tx) error {
		var version int // another process may have converted it
		if err := tx.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		for ; version < formatVersion; version++ {
			if _, err := tx.Exec(migrations[version]); err != nil {
				return asDamage(err)
			}
			if version+1 == 4 {
				if err := sealHistory(tx); err != nil {
					return err
				}
			}
		}
		_, err := tx.Exec(fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, formatVersion))
		return err
	})
}
