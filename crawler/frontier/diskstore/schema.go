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

// format is the version of the layout below (PRAGMA user_version). Whoever changes
// the layout raises it, and adds the way there to migrations.
const format = 2

// wideFormat is the version of a file with wide fingerprints: the same layout, with
// 16 bytes in place of a number. The files of those who did not ask for them stay
// such as older versions of Orbweaver read. meta tells the width, so that the next
// layout may be one version for both.
const wideFormat = 3

// layoutOf is what a file with fingerprints of a width begins with.
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

// urlsView shows people with other tools what the file is about. The URL stands in a
// job behind two bytes and the depth, which is a byte, or two from 128 on.
const urlsView = `
CREATE VIEW urls AS SELECT t.id, CAST(substr(t.job, CASE WHEN substr(t.job, 3, 1) < x'80' THEN 4 ELSE 5 END) AS TEXT) AS url,
	h.name AS host, o.id IS NOT NULL AS settled FROM targets t LEFT JOIN hosts h ON h.number = t.host LEFT JOIN outcomes o ON o.id = t.id;
`

// migrations lead from each older format to the next: migrations[0] from 1 to 2.
// Each is run in a transaction of its own.
var migrations = []string{"ALTER TABLE pages ADD COLUMN page BLOB; INSERT INTO meta(name, value) VALUES('encoding', CAST('1' AS BLOB));" + urlsView}

// Names of values in the table meta that the store keeps for itself.
const (
	metaKey      = "fingerprint key"  // 16 bytes
	metaBits     = "fingerprint bits" // frontier.Wide, in digits; where there are none, fingerprints are narrow
	metaEncoding = "encoding"         // frontier.Encoding, in digits
)

// ErrOther is what a file is refused with that another version of Orbweaver wrote,
// in a format that this one does not read.
var ErrOther = errors.New("another version of Orbweaver wrote it")

// checkpointPages is from how many pages on the write-ahead log is copied into the
// database.
var checkpointPages = 4000

// settle sets how a connection that writes treats the file.
func (c *conn) settle() error {
	return c.exec(fmt.Sprintf(`PRAGMA busy_timeout=30000; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=%d;
		PRAGMA temp_store=MEMORY; PRAGMA cache_size=-8000`, checkpointPages))
}

// initialize lays a new file out, in one step.
func (c *conn) initialize(w frontier.Width) error {
	key := make([]byte, 16)
	rand.Read(key) // never fails
	sql, version := layoutOf(w)
	if err := c.exec("BEGIN IMMEDIATE;" + sql + fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d;", applicationID, version)); err != nil {
		return errors.Join(err, c.rollback())
	}
	err := c.keep(metaKey, key)
	if err == nil && w == frontier.Wide {
		err = c.keep(metaBits, []byte(strconv.Itoa(int(w))))
	}
	if err == nil {
		err = c.keep(metaEncoding, []byte(strconv.Itoa(frontier.Encoding)))
	}
	if err != nil {
		return errors.Join(err, c.rollback())
	}
	return c.exec("COMMIT")
}

func (c *conn) keep(name string, value []byte) error {
	if value == nil {
		value = []byte{}
	}
	c.bind(name)
	c.bind(value)
	return c.run("INSERT OR REPLACE INTO meta(name, value) VALUES(?, ?)")
}

// rollback takes an unfinished transaction back. After some errors SQLite has done
// so itself.
func (c *conn) rollback() error {
	_ = c.exec("ROLLBACK")
	return nil
}

// upgrade brings the file to today's format, step by step.
func (c *conn) upgrade() error {
	if id, err := c.number("PRAGMA application_id"); err != nil || id != applicationID {
		if err == nil {
			err = damaged("it is no state of Orbweaver")
		}
		return err
	}
	version, err := c.number("PRAGMA user_version")
	switch {
	case err != nil:
		return err
	case version > wideFormat:
		return fmt.Errorf("its format is %d, and the latest known here is %d: %w", version, wideFormat, ErrOther)
	case version < 1:
		return damaged("its format is %d", version)
	}
	for ; version < format; version++ {
		if err := c.exec(fmt.Sprintf("BEGIN IMMEDIATE; %s; PRAGMA user_version=%d; COMMIT", migrations[version-1], version+1)); err != nil {
			return errors.Join(fmt.Errorf("bring it from format %d to %d: %w", version, version+1, err), c.rollback())
		}
	}
	encoding, err := c.kept(metaEncoding)
	switch n, no := strconv.Atoi(string(encoding)); {
	case err != nil:
		return err
	case no != nil || n < frontier.FirstEncoding || n > frontier.Encoding:
		return fmt.Errorf("its records are of version %q, and those known here of %d: %w", encoding, frontier.Encoding, ErrOther)
	case n < frontier.Encoding: // there will be others among them
		return c.keep(metaEncoding, []byte(strconv.Itoa(frontier.Encoding)))
	}
	return nil
}
