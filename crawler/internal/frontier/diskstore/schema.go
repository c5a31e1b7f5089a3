package diskstore

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// applicationID marks the file as ours (PRAGMA application_id): "orbw".
const applicationID = 0x6f726277

// format is the latest version of the layout below (PRAGMA user_version). A change of the layout
// needs a new version, and convert must read the old one. A file that did not begin as a copy of
// another one has plainFormat, which earlier versions can read, too.
const (
	format      = 5
	plainFormat = 4
)

const layout = `
CREATE TABLE meta(name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE tallies(name TEXT PRIMARY KEY, record BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE hosts(number INTEGER PRIMARY KEY, name TEXT NOT NULL, record BLOB NOT NULL);
CREATE TABLE targets(id INTEGER PRIMARY KEY, host INTEGER NOT NULL, record BLOB NOT NULL);
CREATE TABLE changes(number INTEGER PRIMARY KEY, record BLOB NOT NULL);
CREATE TABLE outcomes(id INTEGER PRIMARY KEY, record BLOB NOT NULL);
CREATE TABLE pages(id INTEGER PRIMARY KEY, record BLOB NOT NULL, links BLOB);
CREATE TABLE deferred(id INTEGER PRIMARY KEY, record BLOB NOT NULL);
`

// urlsView shows the URLs to people with other tools. The record of a target is its
// fingerprint, two bytes, its job, and the checksum. A job is two bytes, the depth, which is
// one byte below 128 and two above, and the URL. DEPTH is the position of the depth.
const urlsView = `
CREATE VIEW urls AS SELECT t.id, CAST(substr(t.record, f.url, length(t.record) - 3 - f.url) AS TEXT) AS url,
	h.name AS host, o.id IS NOT NULL AS settled FROM targets t
	JOIN (SELECT id, CASE WHEN substr(record, DEPTH, 1) < x'80' THEN DEPTH + 1 ELSE DEPTH + 2 END AS url FROM targets) f ON f.id = t.id
	LEFT JOIN hosts h ON h.number = t.host LEFT JOIN outcomes o ON o.id = t.id;
`

// layoutOf returns the statements that create the tables of a file with fingerprints of a
// width.
func layoutOf(w frontier.Width) string {
	depth := int(w)/8 + 5
	return layout + strings.ReplaceAll(urlsView, "DEPTH", strconv.Itoa(depth))
}

// copiedUrlsView is urlsView for a file that began as a copy of another one, whose targets have the IDs
// up to LAST. Table changes has those that this crawl has entered (wave 254: settled), each as
// the ID, a varint of SIZE bytes, and two bytes.
const copiedUrlsView = `
DROP VIEW urls;
CREATE VIEW urls AS WITH RECURSIVE
	change(number, at, size) AS (
		SELECT number, 1, SIZE(1) FROM changes c
		UNION ALL
		SELECT e.number, e.at + e.size + 2, SIZE(e.at + e.size + 2) FROM change e JOIN changes c ON c.number = e.number
			WHERE e.at + e.size + 2 < length(c.record) - 3),
	entered(id, settled) AS MATERIALIZED (
		SELECT BITS(0) | BITS(1) | BITS(2) | BITS(3) | BITS(4) AS id, max(BYTE(at + size) = 254)
			FROM change e JOIN changes c ON c.number = e.number GROUP BY 1),
	own(id, settled) AS (SELECT id, settled FROM entered WHERE id <= LAST UNION ALL SELECT id, 1 FROM targets WHERE id > LAST)
	SELECT t.id, CAST(substr(t.record, f.url, length(t.record) - 3 - f.url) AS TEXT) AS url, h.name AS host,
		o.id IS NOT NULL AND e.settled AS settled FROM own e CROSS JOIN targets t ON t.id = e.id
	JOIN (SELECT id, CASE WHEN substr(record, DEPTH, 1) < x'80' THEN DEPTH + 1 ELSE DEPTH + 2 END AS url FROM targets) f ON f.id = t.id
	LEFT JOIN hosts h ON h.number = t.host LEFT JOIN outcomes o ON o.id = t.id;
`

// copiedViewOf returns the statements that replace the view of a copy.
func copiedViewOf(w frontier.Width, last uint64) string {
	var all strings.Builder
	for n := range 256 {
		fmt.Fprintf(&all, "%02x", n)
	}
	call := func(text, name string, of func(argument string) string) string {
		return regexp.MustCompile(name+`\(([^()]*)\)`).ReplaceAllStringFunc(text, func(c string) string {
			return of(c[len(name)+1 : len(c)-1])
		})
	}
	text := call(copiedUrlsView, "SIZE", func(at string) string {
		var b strings.Builder
		b.WriteString("CASE ")
		for n := range 4 {
			fmt.Fprintf(&b, "WHEN substr(c.record, %s + %d, 1) < x'80' THEN %d ", at, n, n+1)
		}
		return b.String() + "ELSE 5 END"
	})
	text = call(text, "BITS", func(n string) string {
		return "iif(size > " + n + ", (BYTE(at + " + n + ") & 127) << 7 * " + n + ", 0)"
	})
	text = call(text, "BYTE", func(at string) string {
		return "(instr(x'" + all.String() + "', substr(c.record, " + at + ", 1)) - 1)"
	})
	text = strings.ReplaceAll(text, "LAST", strconv.FormatUint(last, 10))
	return strings.ReplaceAll(text, "DEPTH", strconv.Itoa(int(w)/8+5))
}

// Names in the table meta.
const (
	metaKey      = "fingerprint key"  // 16 bytes
	metaBits     = "fingerprint bits" // frontier.Wide, in digits; missing for narrow fingerprints
	metaEncoding = "encoding"         // frontier.Encoding, in digits
	metaTotals   = "totals"           // see totals
	metaValue    = "kept "            // before the names of SetValue
)

// ErrOtherVersion is the error for a file that another version of Orbweaver wrote in a
// format that this version cannot read.
var ErrOtherVersion = errors.New("another version of Orbweaver wrote it")

// pageSize is the size of the pages of a new file, in bytes. The links of most web pages fill
// several pages of the usual 4 KiB, each of which is read by itself.
const pageSize = 16 << 10

// cacheSize limits the pages in memory. Most rows are read and written in the order of their IDs, so a
// few are enough. SQLite takes the memory for that many at once, and each further page from the system
// by itself, and gives them back one by one.
const cacheSize = "PRAGMA cache_size=20"

// checkpointPages is the number of pages in the write-ahead log from which it is copied
// into the database.
var checkpointPages = 1000

// configure configures a connection that writes.
func (c *conn) configure() error {
	return c.exec(fmt.Sprintf(`PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=%d;
		PRAGMA temp_store=MEMORY; %s; PRAGMA cell_size_check=ON`, checkpointPages, cacheSize))
}

// newWriter returns a writer to a file without rows.
func newWriter(c *conn) *writer { return &writer{db: c, tallies: map[string]storedTally{}} }

// initialize creates the tables of a new file in one transaction, and stores values.
func (w *writer) initialize(width frontier.Width, key [16]byte, values map[string][]byte) error {
	return w.transaction(func() error {
		meta := map[string][]byte{metaKey: key[:]}
		for name, value := range values {
			meta[metaValue+name] = value
		}
		return w.create(width, frontier.Encoding, meta)
	})
}

// create creates the tables for fingerprints of a width and opaque values of an encoding, and
// fills the table meta. It must run in a transaction.
func (w *writer) create(width frontier.Width, encoding int, meta map[string][]byte) error {
	if err := w.db.exec(layoutOf(width) + fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d", applicationID, plainFormat)); err != nil {
		return err
	}
	meta[metaEncoding] = []byte(strconv.Itoa(encoding))
	if width == frontier.Wide {
		meta[metaBits] = []byte(strconv.Itoa(int(width)))
	}
	for name, value := range meta {
		if err := w.setMeta(name, value); err != nil {
			return err
		}
	}
	return nil
}

// rollback undoes an unfinished transaction. Its error is ignored because SQLite has done
// so itself after some errors.
func (c *conn) rollback() { _ = c.exec("ROLLBACK") }

// metaRecord returns the sealed value of a name in the table meta, nil if there is none.
func (c *conn) metaRecord(name string) (record []byte, err error) {
	c.bind(name)
	err = c.each("SELECT value FROM meta WHERE name=?", func(cur *cursor) error {
		record, err = cur.bytes(0)
		if err == nil {
			_, err = metaTable.content(nameKey(name), record)
		}
		return err
	})
	return record, err
}

// meta returns a value of the table meta, nil if there is none.
func (c *conn) meta(name string) ([]byte, error) {
	record, err := c.metaRecord(name)
	if err != nil || record == nil {
		return nil, err
	}
	end := len(record) - checksumSize
	return record[:end:end], nil
}

// upgrade checks the version of the file, and converts it to the latest format.
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
	case version < 1:
		return damaged("its format is %d", version)
	case version < plainFormat:
		if err := c.convert(version); err != nil {
			return fmt.Errorf("convert it from format %d to %d: %w", version, plainFormat, err)
		}
	}
	encoding, err := c.meta(metaEncoding)
	if version > format {
		if err == nil && encoding != nil { // the table meta is that of this format
			return damaged("its header has the format %d instead of %d", version, format)
		}
		return fmt.Errorf("its format is %d, and this version reads up to %d: %w", version, format, ErrOtherVersion)
	}
	if err != nil {
		return err
	}
	if err := checkEncoding(encoding); err != nil || string(encoding) == strconv.Itoa(frontier.Encoding) {
		return err
	}
	w := newWriter(c) // new records will have the present version
	totals, err := c.meta(metaTotals)
	if err == nil {
		w.totals, err = parseTotals(totals)
	}
	if err != nil {
		return err
	}
	return w.transaction(func() error { return w.setMeta(metaEncoding, []byte(strconv.Itoa(frontier.Encoding))) })
}

// checkEncoding returns an error for a version of opaque values that cannot be read.
func checkEncoding(encoding []byte) error {
	n, err := strconv.Atoi(string(encoding))
	if err != nil || n < frontier.FirstEncoding {
		return damaged("its records have the version %q", encoding)
	}
	if n > frontier.Encoding {
		return fmt.Errorf("its records have the version %q, and this version reads up to %d: %w", encoding, frontier.Encoding, ErrOtherVersion)
	}
	return nil
}
