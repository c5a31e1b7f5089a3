package diskstore

import (
	"bytes"
	"errors"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// reader reads from the file. mu guards the other fields.
type reader struct {
	mu   sync.Mutex
	conn *conn
	jobs rowCache
	// known and outcomes are for inherited targets when they are entered, before they are handed out.
	known, outcomes rowCache

	width frontier.Width
}

// fill sets the job and the note of a lease if they are not set yet.
func (r *reader) fill(l *frontier.Lease) (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l.Job == nil {
		if l.Job, err = r.jobs.job(r, l.ID); err != nil {
			return err
		}
	}
	if l.Note != nil {
		return nil
	}
	r.conn.bind(int64(l.ID))
	return r.conn.each(statementsOf[deferredTable].find, func(cur *cursor) error {
		content, err := cur.record(0, deferredTable, uint64(l.ID))
		if err == nil {
			_, _, _, l.Note, err = parseDeferral(content)
		}
		return err
	})
}

const (
	blockBits = 5
	// blockSize is the number of rows in a block. Targets are handed out roughly in the
	// order of their IDs, however many hosts take turns, and reading a row in sequence
	// costs a tenth of looking it up. So rows are read in blocks.
	blockSize = 1 << blockBits
	// maxBlocks is the number of blocks in the cache: about a megabyte.
	maxBlocks = 256
	// singleReads is the number of rows that are looked up one by one after blocks were
	// of little use.
	singleReads = 1 << 14
)

// rowCache reads rows of a table in blocks and keeps those that are not used yet.
type rowCache struct {
	sql     string                 // selects the rows of a range of IDs
	entered bool                   // the outcomes of targets that are entered as settled; otherwise jobs
	blocks  map[frontier.ID]*block // by number
	order   []*block               // the oldest first
	single  int                    // rows still to be looked up one by one
	useless int                    // blocks in a row that were dropped with few rows used
}

// newReader returns a reader that has no file yet.
func newReader() reader {
	jobs := rowCache{sql: "SELECT id, host, record FROM targets WHERE id BETWEEN ? AND ?"}
	outcomes := rowCache{sql: "SELECT id, record FROM outcomes WHERE id BETWEEN ? AND ?", entered: true}
	return reader{jobs: jobs, known: jobs, outcomes: outcomes}
}

// block holds the rows of blockSize consecutive IDs.
type block struct {
	number frontier.ID
	rows   [blockSize][]byte // nil if used or not read
	read   frontier.ID       // number of rows that were read
	used   int
}

// row returns what is kept of the row of a target, nil if there is no such row.
func (a *rowCache) row(r *reader, id frontier.ID) (row []byte, err error) {
	number, at := id>>blockBits, id&(blockSize-1)
	b := a.blocks[number]
	switch {
	case b != nil && b.rows[at] != nil:
	case a.single > 0 || b != nil && at < b.read: // the row was used before
		a.single = max(0, a.single-1)
		err := r.each(a, id, id, func(_ frontier.ID, found []byte) { row = found })
		return row, err
	default:
		if b == nil {
			b = &block{number: number}
			a.add(b)
		}
		first := number << blockBits
		if err := r.each(a, first+b.read, first+blockSize-1, func(id frontier.ID, row []byte) {
			at := id & (blockSize - 1)
			b.rows[at], b.read = row, at+1
		}); err != nil {
			return nil, err
		}
	}
	row, b.rows[at] = b.rows[at], nil
	b.used++
	return row, nil
}

// job returns the row of a target in a cache of jobs.
func (a *rowCache) job(r *reader, id frontier.ID) ([]byte, error) {
	job, err := a.row(r, id)
	if err == nil && job == nil {
		err = errNoJob
	}
	return job, err
}

// add adds a block and drops the oldest if there are too many. If most of the dropped
// blocks were hardly used, so many hosts take turns that rows are looked up one by one
// for a while.
func (a *rowCache) add(b *block) {
	if a.blocks == nil {
		a.blocks = map[frontier.ID]*block{}
	}
	if len(a.order) == maxBlocks {
		oldest := a.order[0]
		a.order = append(a.order[:0], a.order[1:]...)
		delete(a.blocks, oldest.number)
		if a.useless++; oldest.used > blockSize/4 {
			a.useless = 0
		}
		if a.useless == maxBlocks {
			a.single, a.useless = singleReads, 0
		}
	}
	a.blocks[b.number] = b
	a.order = append(a.order, b)
}

// each calls fn with the rows of a range of IDs.
func (r *reader) each(a *rowCache, first, last frontier.ID, fn func(frontier.ID, []byte)) error {
	r.conn.bind(int64(first))
	r.conn.bind(int64(last))
	return r.conn.each(a.sql, func(cur *cursor) error {
		id, row, err := a.parse(cur, r.width)
		if err == nil {
			fn(id, row)
		}
		return err
	})
}

// parse returns the ID of a row, and what is kept of it.
func (a *rowCache) parse(cur *cursor, width frontier.Width) (frontier.ID, []byte, error) {
	if a.entered {
		return cur.entered()
	}
	return cur.job(width)
}

// hasOutcome reports whether the file has a record for the outcome of an inherited target that is
// entered: its row has not changed since the file was opened.
func (r *reader) hasOutcome(id frontier.ID, record []byte) (same bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	stored, err := r.outcomes.row(r, id)
	return bytes.Equal(stored, record), err
}

// entered returns the ID and the record of a row of the columns id and record; nil for the record of a
// target that was visited, which no target has that is entered as settled.
func (c *cursor) entered() (frontier.ID, []byte, error) {
	n, err := c.small(0, 1<<32-1)
	if err != nil {
		return 0, nil, err
	}
	content, err := c.record(1, outcomesTable, uint64(n))
	if err == nil {
		var flags byte
		if flags, _, _, err = parseOutcome(content); flags&flagEntered == 0 {
			content = nil
		}
	}
	return frontier.ID(n), content, err
}

// job returns the ID and the job of a row of the columns id, host and record.
func (c *cursor) job(width frontier.Width) (id frontier.ID, job []byte, err error) {
	n, err := c.small(0, 1<<32-1)
	host, err1 := c.small(1, 1<<32-1)
	if err != nil || err1 != nil {
		return 0, nil, errors.Join(err, err1)
	}
	content, err := c.record(2, targetsTable, targetKey(frontier.ID(n), uint32(host)))
	if err == nil {
		_, _, _, job, err = parseTarget(content, width)
	}
	return frontier.ID(n), job, err
}

var errNoJob = damaged("its row is missing")
