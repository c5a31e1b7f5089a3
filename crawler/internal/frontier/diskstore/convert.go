package diskstore

import (
	"encoding/binary"
	"errors"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// convert converts a file of format 1 to 3 to the latest format in one transaction. These
// formats had a column for each value and no checksums, so damage from before is not found.
// Format 1 had no column page, and format 3 was for wide fingerprints.
func (c *conn) convert(version int64) error {
	w := newWriter(c)
	return w.transaction(func() error {
		if version == 1 {
			if err := c.exec("ALTER TABLE pages ADD COLUMN page BLOB; INSERT INTO meta(name, value) VALUES('encoding', CAST('1' AS BLOB))"); err != nil {
				return err
			}
		}
		meta, err := c.oldMeta()
		if err != nil {
			return err
		}
		if err := checkEncoding(meta[metaEncoding]); err != nil {
			return err
		}
		width, err := widthOf(meta[metaBits])
		if err != nil {
			return err
		}
		from := conversion{w, width}
		names := strings.Join(tableNames[:], " ")
		if err := c.exec("DROP VIEW IF EXISTS urls" + forEach(names, "; ALTER TABLE $ RENAME TO old_$")); err != nil {
			return err
		}
		if err := w.create(width, frontier.Encoding, meta); err != nil {
			return err
		}
		for _, step := range []func() error{from.hosts, from.targets, from.changes, from.outcomes, from.pages, from.deferred, from.tallies} {
			if err := step(); err != nil {
				return err
			}
		}
		return c.exec(strings.TrimPrefix(forEach(names, "; DROP TABLE old_$"), "; "))
	})
}

// forEach returns the text once for each of the names, which replace "$".
func forEach(names, text string) string {
	var b strings.Builder
	for name := range strings.FieldsSeq(names) {
		b.WriteString(strings.ReplaceAll(text, "$", name))
	}
	return b.String()
}

// oldMeta returns the values of the table meta without checksums.
func (c *conn) oldMeta() (map[string][]byte, error) {
	meta := map[string][]byte{}
	err := c.each("SELECT name, value FROM meta", func(cur *cursor) error {
		name, err := cur.text(0)
		value, err1 := cur.bytes(1)
		meta[name] = value
		return errors.Join(err, err1)
	})
	return meta, err
}

// conversion copies the rows of the old tables.
type conversion struct {
	*writer
	width frontier.Width
}

func (v *conversion) hosts() error {
	return v.db.each("SELECT number, name, concurrency, interval, not_before FROM old_hosts ORDER BY number", func(cur *cursor) error {
		number, err := cur.small(0, 1<<32-1)
		name, err1 := cur.text(1)
		concurrency, err2 := cur.small(2, 1<<31-1)
		interval, err3 := cur.int(3)
		notBefore, err4 := cur.int(4)
		if err := errors.Join(err, err1, err2, err3, err4); err != nil {
			return err
		}
		record := hostsTable.seal(appendPace(nil, concurrency, interval, notBefore), 0, hostKey(int(number), name))
		v.totals[hostsTable].add(storedChecksum(record))
		v.db.bind(number)
		v.db.bind(name)
		v.db.bind(record)
		return v.db.run("INSERT INTO hosts(number, name, record) VALUES(?,?,?)")
	})
}

func (v *conversion) targets() error {
	return v.db.each("SELECT id, fingerprint, host, wave, need, job FROM old_targets ORDER BY id", func(cur *cursor) error {
		id, err := cur.small(0, 1<<32-1)
		fingerprint, err1 := cur.oldFingerprint(1, v.width)
		host, err2 := cur.small(2, 1<<32-1)
		wave, err3 := cur.small(3, 255)
		need, err4 := cur.small(4, 255)
		job, err5 := cur.bytes(5)
		if err := errors.Join(err, err1, err2, err3, err4, err5); err != nil {
			return err
		}
		record := appendTarget(nil, fingerprint, v.width, frontier.Wave(wave), frontier.Need(need), job)
		record = targetsTable.seal(record, 0, targetKey(frontier.ID(id), uint32(host)))
		v.totals[targetsTable].add(storedChecksum(record))
		v.db.bind(id)
		v.db.bind(host)
		v.db.bind(record)
		return v.db.run(insertTarget)
	})
}

// oldFingerprint returns a column that is a fingerprint: a number, or 16 bytes.
func (c *cursor) oldFingerprint(column int, w frontier.Width) (frontier.Fingerprint, error) {
	if w != frontier.Wide {
		n, err := c.int(column)
		return frontier.Fingerprint{Low: uint64(n)}, err
	}
	b, err := c.bytes(column)
	if err == nil && len(b) != int(w)/8 {
		err = damaged("column %s has %d bytes instead of %d", c.rows.Columns()[column], len(b), int(w)/8)
	}
	if err != nil {
		return frontier.Fingerprint{}, err
	}
	return frontier.Fingerprint{Low: binary.LittleEndian.Uint64(b), High: binary.LittleEndian.Uint64(b[8:])}, nil
}

func (v *conversion) changes() error {
	return v.db.each("SELECT changes FROM old_changes ORDER BY number", func(cur *cursor) error {
		changes, err := cur.bytes(0)
		if err != nil {
			return err
		}
		return v.writeChanges(&batch{changes: changes})
	})
}

func (v *conversion) outcomes() error {
	return v.db.each("SELECT o.id, o.need, o.outcome, p.id FROM old_outcomes o LEFT JOIN old_pages p ON p.id=o.id ORDER BY o.id", func(cur *cursor) error {
		id, err := cur.small(0, 1<<32-1)
		outcome, err1 := cur.bytes(2)
		var flags byte
		var need int64
		var err2 error
		if cur.null(1) {
			flags = flagEntered
		} else {
			need, err2 = cur.small(1, 255)
		}
		if !cur.null(3) {
			flags |= flagPage
		}
		if err := errors.Join(err, err1, err2); err != nil {
			return err
		}
		record := appendOutcome(nil, flags, frontier.Need(need), outcome)
		return v.put(outcomesTable, frontier.ID(id), record, nil)
	})
}

func (v *conversion) pages() error {
	return v.db.each("SELECT id, found, links, page FROM old_pages ORDER BY id", func(cur *cursor) error {
		id, err := cur.small(0, 1<<32-1)
		found, err1 := cur.bytes(1)
		links, err2 := cur.bytes(2)
		page, err3 := cur.bytes(3)
		if err := errors.Join(err, err1, err2, err3); err != nil {
			return err
		}
		record := appendPage(nil, found, page, links)
		return v.put(pagesTable, frontier.ID(id), record, orNil(links))
	})
}

func (v *conversion) deferred() error {
	return v.db.each("SELECT id, wave, not_before, tries, note FROM old_deferred ORDER BY id", func(cur *cursor) error {
		id, err := cur.small(0, 1<<32-1)
		wave, err1 := cur.small(1, 255)
		notBefore, err2 := cur.int(2)
		tries, err3 := cur.small(3, 255)
		note, err4 := cur.bytes(4)
		if err := errors.Join(err, err1, err2, err3, err4); err != nil {
			return err
		}
		record := appendDeferral(nil, frontier.Wave(wave), int(tries), notBefore, note)
		return v.put(deferredTable, frontier.ID(id), record, nil)
	})
}

// put inserts a record, which is not sealed yet.
func (v *conversion) put(t table, id frontier.ID, record, links []byte) error {
	return v.insert(t, id, t.seal(record, 0, uint64(id)), links)
}

func (v *conversion) tallies() error {
	return v.db.each("SELECT name, value FROM old_tallies", func(cur *cursor) error {
		name, err := cur.text(0)
		value, err1 := cur.int(1)
		if err := errors.Join(err, err1); err != nil {
			return err
		}
		return v.writeTally(frontier.Tally{Name: name, By: value})
	})
}
