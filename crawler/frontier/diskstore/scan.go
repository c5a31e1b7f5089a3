package diskstore

import (
	"errors"

	"github.com/orbweaver/orbweaver/crawler/frontier"
)

// scan reads targets in order of their ID: the tables side by side, each from
// beginning to end.
type scan struct {
	parts frontier.Parts
	tables
}

type tables struct{ targets, outcomes, pages, deferred *lane }

// lane is one table on the way.
type lane struct {
	*cursor
	at   frontier.ID // of the row that is read
	over bool
}

// scan begins to read the targets from first to last.
func (c *conn) scan(parts frontier.Parts, first, last frontier.ID) (*scan, error) {
	s := &scan{parts: parts}
	for _, t := range []struct {
		lane  **lane
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
		*t.lane = &lane{cursor: cur}
	}
	return s, nil
}

const pageParts = frontier.PartFound | frontier.PartLinks | frontier.PartPage

// pageColumns leave the links alone, which are large, where nobody asked for them.
func pageColumns(parts frontier.Parts) string {
	if parts&frontier.PartLinks == 0 {
		return "SELECT id, found, NULL, page FROM pages"
	}
	return "SELECT id, found, links, page FROM pages"
}

func (s *scan) close() error {
	var errs []error
	for _, l := range []*lane{s.targets, s.outcomes, s.pages, s.deferred} {
		if l != nil {
			errs = append(errs, l.close())
		}
	}
	return errors.Join(errs...)
}

// find goes to the row of a target; false when the table has none.
func (l *lane) find(id frontier.ID) (bool, error) {
	if l == nil {
		return false, nil
	}
	for !l.over && l.at < id {
		more, err := l.next()
		if err != nil {
			return false, err
		}
		if !more {
			l.over = true
			break
		}
		n, err := l.small(0, 1<<32-1)
		if err != nil {
			return false, err
		}
		l.at = frontier.ID(n)
	}
	return !l.over && l.at == id, nil
}

// read reads the next target.
func (s *scan) read(id frontier.ID, g *frontier.Ledger, r *frontier.Record) error {
	found := r.Found[:0]
	*r = frontier.Record{ID: id}
	r.Settled, r.Wave, _, r.Need = g.Status(id)
	for _, part := range []struct {
		lane *lane
		into *[]byte
		at   int
	}{
		{s.targets, &r.Job, 1},
		{s.outcomes, &r.Outcome, 1},
		{s.deferred, &r.Note, 1},
	} {
		there, err := part.lane.find(id)
		if err == nil && there {
			*part.into, err = part.lane.bytes(part.at)
		}
		if err != nil {
			return err
		}
	}
	if s.parts&frontier.PartJob != 0 && r.Job == nil {
		return damaged("it is not there")
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
