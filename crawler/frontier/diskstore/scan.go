package diskstore

import (
	"errors"

	"github.com/orbweaver/orbweaver/crawler/frontier"
)

// scan reads targets in order of their IDs. It reads the tables in parallel, each from
// beginning to end.
type scan struct {
	parts frontier.Parts
	// The tables, nil for those that need not be read.
	targets, outcomes, pages, deferred *tableScan
}

// tableScan reads the rows of a table in order of their IDs.
type tableScan struct {
	*cursor
	id  frontier.ID // of the current row, 0 before the first
	end bool
}

// scan starts reading the targets from first to last.
func (c *conn) scan(parts frontier.Parts, first, last frontier.ID) (*scan, error) {
	s := &scan{parts: parts}
	for _, t := range []struct {
		table **tableScan
		parts frontier.Parts
		sql   string
	}{
		{&s.targets, frontier.PartJob, "SELECT id, job FROM targets"},
		{&s.outcomes, frontier.PartOutcome, "SELECT id, outcome FROM outcomes"},
		{&s.deferred, frontier.PartOutcome, "SELECT id, note FROM deferred"},
		{&s.pages, pageParts, pageColumns(parts)},
	} {
		if parts&t.parts == 0 {
			continue
		}
		c.bind(int64(first))
		c.bind(int64(last))
		cur, err := c.query(t.sql + " WHERE id BETWEEN ? AND ? ORDER BY id")
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		*t.table = &tableScan{cursor: cur}
	}
	return s, nil
}

const pageParts = frontier.PartFound | frontier.PartLinks | frontier.PartPage

// pageColumns returns a query that reads the links, which are large, only if they are
// asked for.
func pageColumns(parts frontier.Parts) string {
	if parts&frontier.PartLinks == 0 {
		return "SELECT id, found, NULL, page FROM pages"
	}
	return "SELECT id, found, links, page FROM pages"
}

func (s *scan) close() error {
	var errs []error
	for _, t := range []*tableScan{s.targets, s.outcomes, s.pages, s.deferred} {
		if t != nil {
			errs = append(errs, t.close())
		}
	}
	return errors.Join(errs...)
}

// find moves to the row of a target, and returns false if the table has none.
func (t *tableScan) find(id frontier.ID) (bool, error) {
	if t == nil {
		return false, nil
	}
	for !t.end && t.id < id {
		more, err := t.next()
		if err != nil {
			return false, err
		}
		if !more {
			t.end = true
			break
		}
		n, err := t.small(0, 1<<32-1)
		if err != nil {
			return false, err
		}
		t.id = frontier.ID(n)
	}
	return !t.end && t.id == id, nil
}

// read reads the target with the next ID.
func (s *scan) read(id frontier.ID, g *frontier.Ledger, r *frontier.Record) error {
	found := r.Found[:0]
	*r = frontier.Record{ID: id}
	r.Settled, r.Wave, _, r.Need = g.Status(id)
	for _, part := range []struct {
		table  *tableScan
		into   *[]byte
		column int
	}{
		{s.targets, &r.Job, 1},
		{s.outcomes, &r.Outcome, 1},
		{s.deferred, &r.Note, 1},
	} {
		there, err := part.table.find(id)
		if err == nil && there {
			*part.into, err = part.table.bytes(part.column)
		}
		if err != nil {
			return err
		}
	}
	if s.parts&frontier.PartJob != 0 && r.Job == nil {
		return errNoJob
	}
	there, err := s.pages.find(id)
	if err != nil || !there {
		return err
	}
	ids, err := s.pages.bytes(1)
	if err == nil {
		r.Found, err = appendIDs(found, ids, g.Known())
	}
	if err == nil {
		r.Links, err = s.pages.bytes(2)
	}
	if err == nil {
		r.Page, err = s.pages.bytes(3)
	}
	return err
}
