package diskstore

import (
	"errors"
	"hash/crc32"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// scan reads targets in order of their IDs. It reads the tables in parallel, each from
// beginning to end.
type scan struct {
	parts frontier.Parts
	width frontier.Width
	// The tables, nil for those that need not be read.
	targets, outcomes, pages, deferred *tableScan
}

// tableScan reads the rows of a table in order of their IDs.
type tableScan struct {
	*cursor
	table   table
	id      frontier.ID // of the current row, 0 before the first
	content []byte      // of its record
	end     bool
	total   total // of the rows so far
}

// scan starts reading the targets from first to last. settled reports that none of them is
// deferred.
func (r *reader) scan(parts frontier.Parts, first, last frontier.ID, settled bool) (*scan, error) {
	s := &scan{parts: parts, width: r.width}
	for _, t := range []struct {
		scan  **tableScan
		table table
		parts frontier.Parts
		sql   string
	}{
		{&s.targets, targetsTable, frontier.PartJob, "SELECT id, record, host FROM targets"},
		{&s.outcomes, outcomesTable, frontier.PartOutcome, "SELECT id, record FROM outcomes"},
		{&s.deferred, deferredTable, frontier.PartOutcome, "SELECT id, record FROM deferred"},
		{&s.pages, pagesTable, pageParts, pageColumns(parts)},
	} {
		if parts&t.parts == 0 || settled && t.table == deferredTable {
			continue
		}
		r.conn.bind(int64(first))
		r.conn.bind(int64(last))
		cur, err := r.conn.query(t.sql + " WHERE id BETWEEN ? AND ? ORDER BY id")
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		*t.scan = &tableScan{cursor: cur, table: t.table}
	}
	return s, nil
}

const pageParts = frontier.PartFound | frontier.PartLinks | frontier.PartPage

// pageColumns returns a query that reads the links, which are large, only if they are
// asked for.
func pageColumns(parts frontier.Parts) string {
	if parts&frontier.PartLinks == 0 {
		return "SELECT id, record, NULL FROM pages"
	}
	return "SELECT id, record, links FROM pages"
}

func (s *scan) tables() [4]*tableScan {
	return [...]*tableScan{s.targets, s.outcomes, s.pages, s.deferred}
}

func (s *scan) close() error {
	var errs []error
	for _, t := range s.tables() {
		if t != nil {
			errs = append(errs, t.close())
		}
	}
	return errors.Join(errs...)
}

// check returns an error if the tables did not have all their rows. All targets must have
// been read.
func (s *scan) check(want *totals) error {
	for _, t := range s.tables() {
		if t != nil {
			if err := want.check(t.table, t.total); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish reads the rows that no target was read from.
func (s *scan) finish(last frontier.ID) error {
	for _, t := range s.tables() {
		if _, err := t.find(last); err != nil {
			return err
		}
	}
	return nil
}

// find moves to the row of a target, and returns false if the table has none. IDs must be
// given in ascending order.
func (t *tableScan) find(id frontier.ID) (bool, error) {
	if t == nil {
		return false, nil
	}
	for !t.end && t.id < id {
		if err := t.advance(); err != nil {
			return false, err
		}
	}
	return !t.end && t.id == id, nil
}

// advance moves to the next row.
func (t *tableScan) advance() error {
	more, err := t.next()
	if err != nil {
		return err
	}
	if !more {
		t.end = true
		return nil
	}
	n, err := t.small(0, 1<<32-1)
	if err != nil {
		return err
	}
	if frontier.ID(n) <= t.id {
		return damaged("row %d of table %s is after row %d", n, t.table, t.id)
	}
	t.id = frontier.ID(n)
	key := uint64(n)
	if t.table == targetsTable {
		host, err := t.small(2, 1<<32-1)
		if err != nil {
			return err
		}
		key = targetKey(t.id, uint32(host))
	}
	record, err := t.bytes(1)
	if err == nil {
		t.content, err = t.table.content(key, record)
	}
	if err == nil {
		t.total.add(storedChecksum(record))
	}
	return err
}

// read reads the target with the next ID.
func (s *scan) read(id frontier.ID, h *inheritance, g *frontier.Ledger, r *frontier.Record) error {
	found := r.Found[:0]
	*r = frontier.Record{ID: id}
	k := frontier.Kept{ID: id}
	frontier.Mirror{Ledger: g}.Keep(&k)
	r.Settled, r.Entered, r.Wave, r.Need = k.Settled, k.Entered, k.Wave, k.Need
	if there, err := s.targets.find(id); err != nil {
		return err
	} else if there {
		if _, _, _, r.Job, err = parseTarget(s.targets.content, s.width); err != nil {
			return err
		}
	} else if s.targets != nil {
		return errNoJob
	}
	if there, err := s.deferred.find(id); err != nil {
		return err
	} else if there {
		if _, _, _, r.Note, err = parseDeferral(s.deferred.content); err != nil {
			return err
		}
	}
	var flags byte
	if h.isStale(id) {
		return nil
	}
	settled, err := s.outcomes.find(id)
	switch {
	case err != nil:
		return err
	case settled:
		if flags, _, r.Outcome, err = parseOutcome(s.outcomes.content); err != nil {
			return err
		}
	case r.Settled && s.outcomes != nil:
		return damaged("its outcome is missing")
	}
	read, err := s.pages.find(id)
	switch {
	case err != nil:
		return err
	case s.outcomes != nil && s.pages != nil && read != (flags&flagPage != 0):
		return damaged("its row in table pages is missing, or it should have none")
	case !read:
		return nil
	}
	return s.readPage(g, r, found)
}

// readPage reads what was found on the page of the current row. found is used for the list.
func (s *scan) readPage(g *frontier.Ledger, r *frontier.Record, found []frontier.ID) error {
	ids, page, sum, err := parsePage(s.pages.content)
	if err != nil {
		return err
	}
	r.Page = page
	if r.Found, err = appendIDs(found, ids, g.Known()); err != nil || s.parts&frontier.PartLinks == 0 {
		return err
	}
	if r.Links, err = s.pages.bytes(2); err != nil {
		return err
	}
	if crc32.Checksum(r.Links, castagnoli) != sum {
		return damaged("the checksum of its references is wrong")
	}
	return nil
}
