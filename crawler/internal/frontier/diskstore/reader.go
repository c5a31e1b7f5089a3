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
	jobs jobCache
	// known is for the jobs of inherited targets when they are entered, before they are handed out.
	known jobCache

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
	// blockSize is the number of jobs in a block. Targets are handed out roughly in the
	// order of their IDs, however many hosts take turns, and reading a row in sequence
	// costs a tenth of looking it up. So jobs are read in blocks.
	blockSize = 1 << blockBits
	// maxBlocks is the number of blocks in the cache: about a megabyte.
	maxBlocks = 256
	// singleReads is the number of jobs that are looked up one by one after blocks were
	// of little use.
	singleReads = 1 << 14
)

// jobCache reads jobs in blocks and keeps those that are not used yet.
type jobCache struct {
	blocks  map[frontier.ID]*jobBlock // by number
	order   []*jobBlock               // the oldest first
	single  int                       // jobs still to be looked up one by one
	useless int                       // blocks in a row that were dropped with few jobs used
}

// jobBlock holds the jobs of blockSize consecutive IDs.
type jobBlock struct {
	number frontier.ID
	jobs   [blockSize][]byte // nil if used or not read
	read   frontier.ID       // number of jobs that were read
	used   int
}

// job returns the job of a target.
func (a *jobCache) job(r *reader, id frontier.ID) ([]byte, error) {
	number, at := id>>blockBits, id&(blockSize-1)
	b := a.blocks[number]
	switch {
	case b != nil && b.jobs[at] != nil:
	case a.single > 0 || b != nil && at < b.read: // the job was used before
		a.single = max(0, a.single-1)
		return r.job(id)
	default:
		if b == nil {
			b = &jobBlock{number: number}
			a.add(b)
		}
		if err := r.readJobs(b); err != nil {
			return nil, err
		}
	}
	job := b.jobs[at]
	if b.jobs[at] = nil; job == nil {
		return nil, errNoJob
	}
	b.used++
	return job, nil
}

// add adds a block and drops the oldest if there are too many. If most of the dropped
// blocks were hardly used, so many hosts take turns that jobs are looked up one by one
// for a while.
func (a *jobCache) add(b *jobBlock) {
	if a.blocks == nil {
		a.blocks = map[frontier.ID]*jobBlock{}
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

// readJobs reads the jobs of a block that were not read yet.
func (r *reader) readJobs(b *jobBlock) error {
	first := int64(b.number) << blockBits
	r.conn.bind(first + int64(b.read))
	r.conn.bind(first + blockSize - 1)
	return r.conn.each("SELECT id, host, record FROM targets WHERE id BETWEEN ? AND ?", func(cur *cursor) error {
		id, job, err := cur.job(r.width)
		at := id & (blockSize - 1)
		b.jobs[at], b.read = job, at+1
		return err
	})
}

// job looks up the job of one target.
func (r *reader) job(id frontier.ID) (job []byte, err error) {
	r.conn.bind(int64(id))
	err = r.conn.each("SELECT id, host, record FROM targets WHERE id=?", func(cur *cursor) (err error) {
		_, job, err = cur.job(r.width)
		return err
	})
	if err == nil && job == nil {
		err = errNoJob
	}
	return job, err
}

// hasOutcome reports whether the file has a record for the outcome of a target.
func (r *reader) hasOutcome(id frontier.ID, record []byte) (same bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.conn.bind(int64(id))
	err = r.conn.each(statementsOf[outcomesTable].find, func(cur *cursor) error {
		content, err := cur.record(0, outcomesTable, uint64(id))
		same = bytes.Equal(content, record)
		return err
	})
	return same, err
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
