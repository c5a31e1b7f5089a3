package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/orbweaver/orbweaver/crawler/internal/cacheentry"
	sqlite3 "modernc.org/sqlite/lib"
)

// Limits of a file.
const (
	// keep is how long an unused entry is kept, and keepSketch how long the text of a page is
	// remembered: a comparison must survive that links are checked once a quarter.
	keep       = 30 * 24 * time.Hour
	keepSketch = 400 * 24 * time.Hour
	// maxSize is the most bytes of a file. Beyond it, the entries are removed that no run
	// has used for the longest time.
	maxSize = 1 << 30
	// patience is how long to wait for another process that is writing.
	patience = 20 * time.Second

	// Changes are written together, when there are enough of them or the first is old
	// enough. No more than these are lost when the process is killed. A transaction waits for
	// the disk four times.
	flushBytes = 4 << 20
	flushRows  = 2000
	flushAfter = 5 * time.Second

	seenEvery    = 12 * time.Hour // precision of the time at which an entry was last used
	checkBelow   = 32 << 20       // bytes of a file below which it is checked when opened
	maxPrinted   = 2000           // bytes of a URL for people
	reclaimAbove = 4              // free pages are removed when more than one page in 4 is free
)

// CacheOptions say how a file is opened. The zero value has the defaults.
type CacheOptions struct {
	Now      func() time.Time // nil is time.Now
	patience time.Duration    // 0 is 20 seconds
	maxSize  int64            // 0 is 1 GiB
	Refuse   bool             // a damaged or newer file is an error and is not renamed
}

// Cache is an open file. Several processes may have the same file open. Its methods may be
// called from several goroutines at the same time.
type Cache struct {
	file    string
	options CacheOptions
	salt    []byte
	secrets secrets

	mu     sync.Mutex
	db     *sql.DB
	get    *sql.Stmt
	dirty  map[cacheentry.Key]change // changes that are not written yet
	bytes  int                       // bytes of the records in dirty
	oldest time.Time                 // time of the first change in dirty
	wait   time.Time                 // no write before, because another process was writing
	failed error                     // the error after which the file is not used any more
	notes  []string
	info   fs.FileInfo // of the file that was opened
	past   past
}

// change is a change of a record.
type change struct {
	record  *cacheentry.Record // the new one, without data if it was observed again now, nil if it has not changed
	deleted bool
	used    bool // seen is now
}

// isNew reports whether the change has a whole record.
func (ch *change) isNew() bool { return ch.record != nil && len(ch.record.Data) > 0 }

// Notes returns remarks for the user: that a file was set aside. They are complete after
// Close.
func (c *Cache) Notes() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.notes
}

// transaction runs do in a transaction.
func (c *Cache) transaction(do func(*sql.Tx) error) error {
	tx, err := c.db.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		_ = tx.Rollback() // after some errors SQLite has already done so
		return err
	}
	return tx.Commit()
}

// Get returns the record of a request, false if there is none.
func (c *Cache) Get(key cacheentry.Key) (cacheentry.Record, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch known := c.dirty[key]; {
	case known.deleted:
		return cacheentry.Record{}, false
	case known.isNew():
		return *known.record, true
	}
	if c.failed != nil {
		return cacheentry.Record{}, false
	}
	r, seen, err := c.read(key)
	if err != nil {
		c.fail(err)
	}
	if r == nil || err != nil {
		return cacheentry.Record{}, false
	}
	if c.options.Now().Sub(time.Unix(seen, 0)) > seenEvery {
		c.change(key, func(ch *change) { ch.used = true })
	}
	return *r, true
}

// LastSeen returns when targets, by their printed URLs without fragment, last had a status from 200 up to another
// one, to the second: up to 299 they were in order themselves, and up to 399 also redirects count. Those that never
// had one are left out.
func (c *Cache) LastSeen(urls []string, upTo int) (map[string]time.Time, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := map[string]time.Time{}
	if c.failed != nil {
		return seen, nil
	}
	get, err := c.db.Prepare("SELECT max(checked) FROM entry WHERE url = ? AND status BETWEEN 200 AND ?")
	if err != nil {
		return nil, err
	}
	defer get.Close()
	for _, url := range urls {
		var checked sql.NullInt64
		if err := get.QueryRow(url, upTo).Scan(&checked); err != nil {
			return nil, fmt.Errorf("read when %s was last seen: %w", url, err)
		}
		if checked.Valid {
			seen[url] = fromUnix(checked.Int64)
		}
	}
	return seen, nil
}

// read reads a record from the file, and when it was last used. It returns nil if there is
// none.
func (c *Cache) read(key cacheentry.Key) (r *cacheentry.Record, seen int64, err error) {
	rows, err := c.get.Query(key[:])
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	if !rows.Next() {
		return nil, 0, rows.Err()
	}
	var checked, before, sum int64
	r = &cacheentry.Record{}
	if err := rows.Scan(&checked, &seen, &r.Run, &before, &sum, &r.Data); err != nil {
		return nil, 0, err
	}
	if sum != noSum && sum != entrySum(key, checked, r.Run, before) {
		return nil, 0, errRecord
	}
	if r.Data, err = opened(key, r.Data); err != nil {
		return nil, 0, err
	}
	r.Checked, r.Before = time.Unix(checked, 0).UTC(), fromUnix(before)
	return r, seen, rows.Close()
}

// Put stores the record of a request. A record without data is deleted instead.
func (c *Cache) Put(key cacheentry.Key, r cacheentry.Record) {
	if len(r.Data) == 0 {
		c.Delete(key)
		return
	}
	if len(r.URL) > maxPrinted {
		r.URL = strings.ToValidUTF8(r.URL[:maxPrinted], "")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.change(key, func(ch *change) { *ch = change{record: &r} })
}

// Confirm updates a record that was observed again now. run and before are as in Record.
func (c *Cache) Confirm(key cacheentry.Key, run int64, before time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.change(key, func(ch *change) {
		if !ch.isNew() {
			ch.record = &cacheentry.Record{Run: run, Before: before}
		}
	})
}

// Older reports whether the file has a record of a run other than the given one.
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

// Delete deletes the record of a request.
func (c *Cache) Delete(key cacheentry.Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.change(key, func(ch *change) { *ch = change{deleted: true} })
}

// change changes the record of a key in dirty, and writes dirty if that is due. Callers
// hold mu.
func (c *Cache) change(key cacheentry.Key, do func(*change)) {
	if c.failed != nil {
		return
	}
	now := c.options.Now()
	if len(c.dirty) == 0 {
		c.oldest = now
	}
	ch := c.dirty[key]
	if ch.record != nil {
		c.bytes -= len(ch.record.Data)
	}
	do(&ch)
	c.dirty[key] = ch
	if ch.record != nil {
		c.bytes += len(ch.record.Data)
	}
	if (c.bytes >= flushBytes || len(c.dirty) >= flushRows || now.Sub(c.oldest) >= flushAfter) && time.Now().After(c.wait) {
		c.flush()
	}
}

// flush writes dirty. If another process keeps the file locked for too long, dirty waits
// for a later flush. Callers hold mu.
func (c *Cache) flush() {
	if len(c.dirty) == 0 || c.failed != nil {
		return
	}
	if err := c.transaction(c.write); err != nil {
		if isCode(err, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) && c.bytes < 8*flushBytes {
			c.wait = time.Now().Add(c.options.patience)
			return
		}
		c.fail(err)
		return
	}
	clear(c.dirty)
	c.bytes = 0
}

// write writes dirty in a transaction, in the order of the index of keys.
func (c *Cache) write(tx *sql.Tx) error {
	now := c.options.Now().Unix()
	put, err := tx.Prepare(`INSERT INTO entry (key, url, kind, status, checked, seen, run, before, sum, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (key) DO UPDATE SET url = excluded.url, kind = excluded.kind, status = excluded.status,
		checked = excluded.checked, seen = excluded.seen, run = excluded.run, before = excluded.before, sum = excluded.sum, record = excluded.record`)
	if err != nil {
		return err
	}
	defer put.Close()
	confirm, err := tx.Prepare("UPDATE entry SET checked = ?, seen = ?, run = ?, before = ?, sum = ? WHERE key = ?")
	if err != nil {
		return err
	}
	defer confirm.Close()
	for _, key := range slices.SortedFunc(maps.Keys(c.dirty), func(a, b cacheentry.Key) int { return bytes.Compare(a[:], b[:]) }) {
		switch ch := c.dirty[key]; {
		case ch.deleted:
			_, err = tx.Exec("DELETE FROM entry WHERE key = ?", key[:])
		case ch.isNew():
			r, checked := ch.record, ch.record.Checked.Unix()
			_, err = put.Exec(key[:], r.URL, r.Kind, r.Status, checked, now, r.Run, toUnix(r.Before), entrySum(key, checked, r.Run, toUnix(r.Before)), sealed(key, r.Data))
		case ch.record != nil:
			before := toUnix(ch.record.Before)
			_, err = confirm.Exec(now, now, ch.record.Run, before, entrySum(key, now, ch.record.Run, before), key[:])
		case ch.used:
			_, err = tx.Exec("UPDATE entry SET seen = ? WHERE key = ?", now, key[:])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var errRecord = errors.New("a record is damaged")

// sealed returns the data of a record with its checksum.
func sealed(key cacheentry.Key, data []byte) []byte {
	return binary.LittleEndian.AppendUint64(data, checksum(key, data))
}

// opened returns the data of a record without its checksum, which must be right.
func opened(key cacheentry.Key, sealed []byte) ([]byte, error) {
	n := len(sealed) - cacheentry.SealBytes
	if n < 0 || binary.LittleEndian.Uint64(sealed[n:]) != checksum(key, sealed[:n]) {
		return nil, errRecord
	}
	return sealed[:n:n], nil
}

// checksum returns the XXH64 of a key and the data of its record.
func checksum(key cacheentry.Key, data []byte) uint64 {
	var d xxhash.Digest
	d.Reset()
	_, _ = d.Write(key[:]) // never fails
	_, _ = d.Write(data)
	return d.Sum64()
}

// noSum stands for the checksum in a row that has none.
const noSum = -1

// entrySum returns the checksum of the columns of an entry that are not in its record.
func entrySum(key cacheentry.Key, checked, run, before int64) int64 {
	b := make([]byte, 0, len(key)+3*8)
	b = append(b, key[:]...)
	for _, n := range [...]int64{checked, run, before} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return sum32(b)
}

// sum32 returns the lower 32 bits of XXH64.
func sum32(b []byte) int64 { return int64(uint32(xxhash.Sum64(b))) }

// fail stops the use of the file after an error. Callers hold mu.
func (c *Cache) fail(err error) {
	if c.failed == nil {
		c.failed = err
		clear(c.dirty)
	}
}

// Close writes the pending changes, removes old entries, and closes the file. It leaves no
// other files next to it. A file that was found to be damaged is set aside. The error is for
// the user: the file is closed, but does not contain all observations, because it could not
// be written, or another process has locked it.
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
		// A process was killed before it changed the file. The next change removes its
		// journal.
		_, _ = c.db.Exec("INSERT OR REPLACE INTO meta VALUES ('cleared', randomblob(8))")
	}
	c.get.Close()
	err := c.db.Close()
	c.db = nil
	switch failed := c.failed; {
	case failed == nil:
	case (errors.Is(failed, errRecord) || unusable(failed) != "") && !c.options.Refuse:
		err = errors.Join(err, c.setAside("damaged"))
	default:
		return fmt.Errorf("%s: the observations of this run are not all stored: %w", c.file, explain(failed))
	}
	if err != nil {
		return fmt.Errorf("close cache %s: %w", c.file, err)
	}
	return nil
}

// prune removes entries that no run has used for long, and shrinks the file.
func (c *Cache) prune() error {
	now := c.options.Now()
	if _, err := c.db.Exec("DELETE FROM entry WHERE seen < ? AND (kind <> ? OR seen < ?)", now.Add(-keep).Unix(), cacheentry.KindSketch, now.Add(-keepSketch).Unix()); err != nil {
		return err
	}
	var size, pages, free int64
	if err := c.db.QueryRow("SELECT page_size, page_count, freelist_count FROM pragma_page_size, pragma_page_count, pragma_freelist_count").Scan(&size, &pages, &free); err != nil {
		return err
	}
	for over := (pages-free)*size - c.options.maxSize; over > 0; {
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
		over = (pages-free)*size - c.options.maxSize
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
