package cache

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Limits of a file.
const (
	// Keep is how long an entry that no run wanted is kept.
	Keep = 30 * 24 * time.Hour
	// MaxSize is how large a file may grow, in bytes; beyond it those go that no run
	// has wanted for longest.
	MaxSize = 1 << 30
	// Patience is how long another process is waited for that writes.
	Patience = 20 * time.Second

	flushBytes   = 2 << 20         // of what waits to be written, until it is
	flushRows    = 1000            // likewise
	flushAfter   = 5 * time.Second // how long it waits: no more is lost by a kill
	seenEvery    = 12 * time.Hour  // how exactly it is known when an entry was last wanted
	checkBelow   = 32 << 20        // a file smaller than this is checked when it is opened
	maxPrinted   = 2000            // bytes of a URL for people
	reclaimAbove = 4               // free pages are given back when they are more than one in so many
)

// Options say how a file is opened. The zero value is the usual.
type Options struct {
	Now      func() time.Time // nil is time.Now
	Patience time.Duration    // 0 is Patience
	MaxSize  int64            // 0 is MaxSize
	Refuse   bool             // a file that cannot be used is left where it is, and an error
}

// Cache is an open file. Several processes may have the same one open; its methods
// may be called from many goroutines.
type Cache struct {
	file    string
	options Options
	salt    []byte
	secrets secrets

	mu     sync.Mutex
	db     *sql.DB
	get    *sql.Stmt
	dirty  map[Key]change
	weight int       // bytes that dirty holds
	oldest time.Time // when the first of dirty was noted
	later  time.Time // no use in writing before: another process is at it
	failed error     // why nothing more is read or written
	notes  []string
	found  fs.FileInfo // the file that was opened
}

// change is what is to be written of an entry.
type change struct {
	row    *row // nil: only the times
	gone   bool
	times  bool // it was confirmed: checked is now, by origin
	wanted bool // seen is now
	origin
}

type row struct {
	url, kind string
	status    int
	checked   time.Time
	record    []byte
	origin
}

// origin says whose observation an entry is.
type origin struct {
	run    int64
	before int64 // seconds since 1970
}

func originOf(run int64, before time.Time) origin {
	if before.IsZero() {
		return origin{run: run}
	}
	return origin{run, before.Unix()}
}

// Open opens a file, or makes it. Its error is one that the user has to hear: the
// file belongs to another program, cannot be reached, or is locked for too long. A
// file that is damaged, or of a version this one does not know, is set aside, which
// Notes tell, unless it is to be refused.
func Open(file string, o Options) (*Cache, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Patience == 0 {
		o.Patience = Patience
	}
	if o.MaxSize == 0 {
		o.MaxSize = MaxSize
	}
	c := &Cache{file: file, options: o, dirty: map[Key]change{}}
	err := c.open()
	if why := unusable(err); why != "" && !o.Refuse {
		if err = c.setAside(why); err == nil {
			err = c.open()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open cache %s: %w", file, err)
	}
	return c, nil
}

// Notes are remarks for the user: that a file was set aside, or could not be
// written. They are complete when the file was closed.
func (c *Cache) Notes() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.notes
}

var (
	errDamaged = errors.New("it is damaged")
	errNewer   = errors.New("it was written by a newer version")
	errForeign = errors.New("it is a database of another program; name another file")
)

// unusable says why a file must be set aside; "" when that would not help.
func unusable(err error) string {
	switch {
	case errors.Is(err, errNewer):
		return "newer"
	case errors.Is(err, errDamaged) || isCode(err, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT):
		return "damaged"
	}
	return ""
}

// isCode reports whether an error is SQLite's, with one of the primary codes.
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

// open opens the file as it is.
func (c *Cache) open() error {
	var err error
	if c.found, err = prepare(c.file); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", dataSource(c.file, c.options.Patience))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	c.db = db
	if err := c.ready(); err != nil {
		db.Close()
		c.db = nil
		return clearly(err)
	}
	return nil
}

// prepare looks at the file before SQLite does, and makes it when there is none:
// readable to nobody else, as it tells what pages say.
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
		return nil, errors.New("it is no regular file")
	case info.Size() == 0:
		return info, nil
	}
	head := make([]byte, 16)
	if _, err := io.ReadFull(f, head); err != nil || string(head) != "SQLite format 3\x00" {
		return info, fmt.Errorf("%w, or no database", errDamaged)
	}
	return info, nil
}

func withoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

func dataSource(file string, patience time.Duration) string {
	if abs, err := filepath.Abs(file); err == nil {
		file = abs
	}
	file = filepath.ToSlash(file)
	if !strings.HasPrefix(file, "/") {
		file = "/" + file // a drive letter
	}
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", patience.Milliseconds()), "journal_mode(DELETE)", "synchronous(FULL)", "cell_size_check(ON)", "trusted_schema(OFF)"}}
	return (&url.URL{Scheme: "file", Path: file, RawQuery: q.Encode()}).String()
}

// clearly says in words what SQLite says in codes.
func clearly(err error) error {
	switch {
	case isCode(err, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
		return errors.New("another process has locked it; wait until it is done, or name another file")
	case isCode(err, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
		return fmt.Errorf("it cannot be written: %w", err)
	case isCode(err, sqlite3.SQLITE_FULL):
		return errors.New("the disk is full")
	}
	return err
}

// ready brings a database to today's format and reads what every run needs.
func (c *Cache) ready() error {
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
		return damagedUnless(err)
	}
	get, err := c.db.Prepare("SELECT checked, seen, run, before, record FROM entry WHERE key = ?")
	if err != nil {
		return damagedUnless(err)
	}
	c.get = get
	return nil
}

// damagedUnless takes an error for damage, unless it is one that may pass: a table
// or a row that must be there is not.
func damagedUnless(err error) error {
	if isCode(err, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_FULL) {
		return err
	}
	return fmt.Errorf("%w: %w", errDamaged, err)
}

// check looks for damage, where that takes no longer than a moment.
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

// migrate leads the database from its version to today's, in one step.
func (c *Cache) migrate() error {
	return c.transaction(func(tx *sql.Tx) error {
		var version int // another process may have been faster
		if err := tx.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		for ; version < formatVersion; version++ {
			if _, err := tx.Exec(migrations[version]); err != nil {
				return damagedUnless(err)
			}
		}
		_, err := tx.Exec(fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, formatVersion))
		return err
	})
}

func (c *Cache) transaction(do func(*sql.Tx) error) error {
	tx, err := c.db.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		_ = tx.Rollback() // after some errors SQLite has done so itself
		return err
	}
	return tx.Commit()
}

// Get returns what is known of a request; nil for nothing.
func (c *Cache) Get(key Key) *Entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch known := c.dirty[key]; {
	case known.gone:
		return nil
	case known.row != nil:
		e, err := decode(key, known.row.record)
		if err != nil {
			return nil
		}
		e.Checked, e.Run, e.Before = known.row.checked, known.row.run, fromUnix(known.row.before)
		return e
	}
	if c.failed != nil {
		return nil
	}
	var checked, seen int64
	var from origin
	var record []byte
	err := c.get.QueryRow(key[:]).Scan(&checked, &seen, &from.run, &from.before, &record)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	var e *Entry
	if err == nil {
		e, err = decode(key, record)
	}
	if err != nil {
		c.fail(err)
		return nil
	}
	e.Checked, e.Run, e.Before = time.Unix(checked, 0).UTC(), from.run, fromUnix(from.before)
	if now := c.options.Now(); now.Sub(time.Unix(seen, 0)) > seenEvery {
		c.change(key, func(ch *change) { ch.wanted = true })
	}
	return e
}

// Put keeps what was observed of a request; url is for people. What is too large
// is not kept.
func (c *Cache) Put(key Key, url string, e *Entry) {
	record := encode(key, e)
	if record == nil {
		c.Delete(key)
		return
	}
	if len(url) > maxPrinted {
		url = strings.ToValidUTF8(url[:maxPrinted], "")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.change(key, func(ch *change) {
		*ch = change{row: &row{url: url, kind: e.kind(), status: e.Outcome.Status, checked: e.Checked, record: record,
			origin: originOf(e.Run, e.Before)}}
	})
}

// Confirm notes that a target answers as it did: run and before are those of an Entry.
func (c *Cache) Confirm(key Key, run int64, before time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.change(key, func(ch *change) { ch.times, ch.origin = true, originOf(run, before) })
}

// Older reports whether the file holds anything that another run than this one
// observed.
func (c *Cache) Older(run int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed != nil {
		return false
	}
	var older bool
	if err := c.db.QueryRow("SELECT EXISTS(SELECT 1 FROM entry WHERE run <> ? OR before <> 0)", run).Scan(&older); err != nil {
		c.fail(err)
		return false
	}
	return older
}

// Delete forgets a request.
func (c *Cache) Delete(key Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.change(key, func(ch *change) { *ch = change{gone: true} })
}

// change notes what is to be written, and writes when that is enough. Callers hold mu.
func (c *Cache) change(key Key, do func(*change)) {
	if c.failed != nil {
		return
	}
	now := c.options.Now()
	if len(c.dirty) == 0 {
		c.oldest = now
	}
	ch := c.dirty[key]
	if ch.row != nil {
		c.weight -= len(ch.row.record)
	}
	do(&ch)
	c.dirty[key] = ch
	if ch.row != nil {
		c.weight += len(ch.row.record)
	}
	if (c.weight >= flushBytes || len(c.dirty) >= flushRows || now.Sub(c.oldest) >= flushAfter) && time.Now().After(c.later) {
		c.flush()
	}
}

// flush writes what waits. When another process is in the way for too long, what
// is here waits on. Callers hold mu.
func (c *Cache) flush() {
	if len(c.dirty) == 0 || c.failed != nil {
		return
	}
	if err := c.transaction(c.write); err != nil {
		if isCode(err, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) && c.weight < 16*flushBytes {
			c.later = time.Now().Add(c.options.Patience)
			return
		}
		c.fail(err)
		return
	}
	clear(c.dirty)
	c.weight = 0
}

func (c *Cache) write(tx *sql.Tx) error {
	now := c.options.Now().Unix()
	put, err := tx.Prepare(`INSERT INTO entry (key, url, kind, status, checked, seen, run, before, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (key) DO UPDATE SET url = excluded.url, kind = excluded.kind, status = excluded.status,
		checked = excluded.checked, seen = excluded.seen, run = excluded.run, before = excluded.before, record = excluded.record`)
	if err != nil {
		return err
	}
	defer put.Close()
	for key, ch := range c.dirty {
		switch {
		case ch.gone:
			_, err = tx.Exec("DELETE FROM entry WHERE key = ?", key[:])
		case ch.row != nil:
			_, err = put.Exec(key[:], ch.row.url, ch.row.kind, ch.row.status, ch.row.checked.Unix(), now, ch.row.run, ch.row.before, ch.row.record)
		case ch.times:
			_, err = tx.Exec("UPDATE entry SET checked = ?, seen = ?, run = ?, before = ? WHERE key = ?", now, now, ch.run, ch.before, key[:])
		case ch.wanted:
			_, err = tx.Exec("UPDATE entry SET seen = ? WHERE key = ?", now, key[:])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fail gives the file up for this run. Callers hold mu.
func (c *Cache) fail(err error) {
	if c.failed == nil {
		c.failed = err
		clear(c.dirty)
	}
}

// Close writes what is left, drops what no run wants, and closes the file. It
// leaves nothing beside it. A file that turned out to be damaged is set aside.
func (c *Cache) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.db == nil {
		return nil
	}
	c.flush()
	if c.failed == nil {
		if len(c.dirty) > 0 {
			c.failed = errors.New("another process has locked it")
		} else if err := c.prune(); err != nil && !isCode(err, sqlite3.SQLITE_BUSY) {
			c.failed = err
		}
	}
	if _, err := os.Lstat(c.file + "-journal"); err == nil && c.failed == nil {
		// Of a process that was killed before it changed anything: the next that
		// changes something takes it away.
		_, _ = c.db.Exec("INSERT OR REPLACE INTO meta VALUES ('cleared', randomblob(8))")
	}
	c.get.Close()
	err := c.db.Close()
	c.db = nil
	switch failed := c.failed; {
	case failed == nil:
	case (errors.Is(failed, errEntry) || unusable(failed) != "") && !c.options.Refuse:
		err = errors.Join(err, c.setAside("damaged"))
	default:
		c.notes = append(c.notes, fmt.Sprintf("%s: what this run has learnt is not kept: %v", c.file, clearly(failed)))
	}
	if err != nil {
		return fmt.Errorf("close cache %s: %w", c.file, err)
	}
	return nil
}

// prune drops what no run has wanted for long, and gives the room back.
func (c *Cache) prune() error {
	now := c.options.Now()
	if _, err := c.db.Exec("DELETE FROM entry WHERE seen < ?", now.Add(-Keep).Unix()); err != nil {
		return err
	}
	var size, pages, free int64
	if err := c.db.QueryRow("SELECT page_size, page_count, freelist_count FROM pragma_page_size, pragma_page_count, pragma_freelist_count").Scan(&size, &pages, &free); err != nil {
		return err
	}
	for over := (pages-free)*size - c.options.MaxSize; over > 0; {
		var n int64
		res, err := c.db.Exec(`DELETE FROM entry WHERE rowid IN (SELECT rowid FROM entry ORDER BY seen, checked, rowid LIMIT 1 + (SELECT count(*) / 10 FROM entry))`)
		if err == nil {
			n, err = res.RowsAffected()
		}
		if err == nil {
			err = c.db.QueryRow("SELECT page_count, freelist_count FROM pragma_page_count, pragma_freelist_count").Scan(&pages, &free)
		}
		if err != nil || n == 0 {
			return err
		}
		over = (pages-free)*size - c.options.MaxSize
	}
	if free*reclaimAbove < pages {
		return nil
	}
	rows, err := c.db.Query("PRAGMA incremental_vacuum")
	if err != nil {
		return err
	}
	for rows.Next() {
	}
	return errors.Join(rows.Err(), rows.Close())
}
