package diskstore

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/frontier"
)

// applicationID marks the file as ours (PRAGMA application_id): "orbw".
const applicationID = 0x6f726277

// format is the version of the layout below (PRAGMA user_version). A change of the layout
// needs a new version and a migration.
const format = 2

// wideFormat is the version of a file with wide fingerprints: the same layout, with 16 bytes
// instead of a number. So older versions of Orbweaver can still read files with narrow
// fingerprints. The width is also in meta, so that the next layout may use one version for
// both.
const wideFormat = 3

// layoutOf returns the statements that create a file with fingerprints of a width.
func layoutOf(w frontier.Width) (sql string, version int) {
	if w == frontier.Wide {
		return strings.Replace(layout, "fingerprint INTEGER", "fingerprint BLOB", 1), wideFormat
	}
	return layout, format
}

const layout = `
CREATE TABLE meta(name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE tallies(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE hosts(number INTEGER PRIMARY KEY, name TEXT NOT NULL, concurrency INTEGER NOT NULL, interval INTEGER NOT NULL, not_before INTEGER NOT NULL);
CREATE TABLE targets(id INTEGER PRIMARY KEY, fingerprint INTEGER NOT NULL, host INTEGER NOT NULL, wave INTEGER NOT NULL, need INTEGER NOT NULL, job BLOB NOT NULL);
CREATE TABLE changes(number INTEGER PRIMARY KEY, changes BLOB NOT NULL);
CREATE TABLE outcomes(id INTEGER PRIMARY KEY, need INTEGER, outcome BLOB NOT NULL);
CREATE TABLE pages(id INTEGER PRIMARY KEY, found BLOB NOT NULL, links BLOB, page BLOB);
CREATE TABLE deferred(id INTEGER PRIMARY KEY, wave INTEGER NOT NULL, not_before INTEGER NOT NULL, tries INTEGER NOT NULL, note BLOB);
` + urlsView

// urlsView shows the URLs to people with other tools. A job is two bytes, the depth, which
// is one byte below 128 and two above, and the URL.
const urlsView = `
CREATE VIEW urls AS SELECT t.id, CAST(substr(t.job, CASE WHEN substr(t.job, 3, 1) < x'80' THEN 4 ELSE 5 END) AS TEXT) AS url,
	h.name AS host, o.id IS NOT NULL AS settled FROM targets t LEFT JOIN hosts h ON h.number = t.host LEFT JOIN outcomes o ON o.id = t.id;
`

// migrations convert a file from each older format to the next: migrations[0] from 1 to 2.
// Each runs in a transaction of its own.
var migrations = []string{"ALTER TABLE pages ADD COLUMN page BLOB; INSERT INTO meta(name, value) VALUES('encoding', CAST('1' AS BLOB));" + urlsView}

// Names in the table meta.
const (
	metaKey      = "fingerprint key"  // 16 bytes
	metaBits     = "fingerprint bits" // frontier.Wide, in digits; missing for narrow fingerprints
	metaEncoding = "encoding"         // frontier.Encoding, in digits
	metaValue    = "kept "            // before the names of SetValue
)

// ErrOtherVersion is the error for a file that another version of Orbweaver wrote in a
// format that this version cannot read.
var ErrOtherVersion = errors.New("another version of Orbweaver wrote it")

// checkpointPages is the number of pages in the write-ahead log from which it is copied
// into the database.
var checkpointPages = 4000

// configure configures a connection that writes.
func (c *conn) configure() error {
	return c.exec(fmt.Sprintf(`PRAGMA busy_timeout=30000; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=%d;
		PRAGMA temp_store=MEMORY; PRAGMA cache_size=-8000`, checkpointPages))
}

// initialize creates the tables of a new file in one transaction.
func (c *conn) initialize(w frontier.Width) error {
	key := make([]byte, 16)
	rand.Read(key) // never fails
	sql, version := layoutOf(w)
	if err := c.exec("BEGIN IMMEDIATE;" + sql + fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d;", applicationID, version)); err != nil {
		c.rollback()
		return err
	}
	err := c.setMeta(metaKey, key)
	if err == nil && w == frontier.Wide {
		err = c.setMeta(metaBits, []byte(strconv.Itoa(int(w))))
	}
	if err == nil {
		err = c.setMeta(metaEncoding, []byte(strconv.Itoa(frontier.Encoding)))
	}
	if err != nil {
		c.rollback()
		return err
	}
	return c.exec("COMMIT")
}

// setMeta stores a value in the table meta.
func (c *conn) setMeta(name string, value []byte) error {
	if value == nil {
		value = []byte{}
	}
	c.bind(name)
	c.bind(value)
	return c.run("INSERT OR REPLACE INTO meta(name, value) VALUES(?, ?)")
}

// rollback undoes an unfinished transaction. Its error is ignored because SQLite has done
// so itself after some errors.
func (c *conn) rollback() { _ = c.exec("ROLLBACK") }

// upgrade converts the file to the latest format, one version at a time.
func (c *conn) upgrade() error {
	if id, err := c.number("PRAGMA application_id"); err != nil || id != applicationID {
		if err == nil {
			err = damaged("it is not a state of Orbweaver")
		}
		return err
	}
	version, err := c.number("PRAGMA user_version")
	switch {
	case err != nil:
		return err
	case version > wideFormat:
		return fmt.Errorf("its format is %d, and this version reads up to %d: %w", version, wideFormat, ErrOtherVersion)
	case version < 1:
		return damaged("its format is %d", version)
	}
	for ; version < format; version++ {
		if err := c.exec(fmt.Sprintf("BEGIN IMMEDIATE; %s; PRAGMA user_version=%d; COMMIT", migrations[version-1], version+1)); err != nil {
			c.rollback()
			return fmt.Errorf("convert it from format %d to %d: %w", version, version+1, err)
		}
	}
	encoding, err := c.meta(metaEncoding)
	switch n, no := strconv.Atoi(string(encoding)); {
	case err != nil:
		return err
	case no != nil || n < frontier.FirstEncoding || n > frontier.Encoding:
		return fmt.Errorf("its records have the version %q, and this version reads up to %d: %w", encoding, frontier.Encoding, ErrOtherVersion)
	case n < frontier.Encoding: // new records will have the present version
		return c.setMeta(metaEncoding, []byte(strconv.Itoa(frontier.Encoding)))
	}
	return nil
}
