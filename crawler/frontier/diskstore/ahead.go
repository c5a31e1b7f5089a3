package diskstore

import "github.com/orbweaver/orbweaver/crawler/frontier"

// Targets are handed out roughly in the order of their numbers, however many hosts
// take turns. So they are read in blocks: a row in passing costs a tenth of one that
// is looked up.
const (
	blockBits = 5
	blockSize = 1 << blockBits
	// mostBlocks bounds the blocks that are kept: about a megabyte.
	mostBlocks = 256
	// lookUps is how many jobs are looked up one by one once blocks were of no use.
	lookUps = 1 << 14
)

// ahead keeps jobs that were read before they were asked for.
type ahead struct {
	blocks map[frontier.ID]*block
	order  []*block // the oldest first
	single int      // jobs still to be looked up one by one
	unused int      // blocks in a row that were dropped with most in them
}

type block struct {
	number frontier.ID
	jobs   [blockSize][]byte
	there  frontier.ID // up to which place the file had jobs when it was read
	used   int
}

// job returns a target's job.
func (a *ahead) job(c *conn, id frontier.ID) ([]byte, error) {
	number, at := id>>blockBits, id&(blockSize-1)
	b := a.blocks[number]
	switch {
	case b != nil && b.jobs[at] != nil:
	case a.single > 0 || b != nil && at < b.there: // it comes for the second time
		a.single = max(0, a.single-1)
		return c.job(id)
	default:
		if b == nil {
			b = &block{number: number}
			a.keep(b)
		}
		if err := c.jobs(b); err != nil {
			return nil, err
		}
	}
	job := b.jobs[at]
	if b.jobs[at] = nil; job == nil {
		return nil, damaged("it is not there")
	}
	b.used++
	return job, nil
}

// keep keeps a block, and gives up on blocks when most are dropped before they
// were asked for: so many hosts take turns.
func (a *ahead) keep(b *block) {
	if a.blocks == nil {
		a.blocks = map[frontier.ID]*block{}
	}
	if len(a.order) == mostBlocks {
		oldest := a.order[0]
		a.order = append(a.order[:0], a.order[1:]...)
		delete(a.blocks, oldest.number)
		if a.unused++; oldest.used > blockSize/4 {
			a.unused = 0
		}
		if a.unused == mostBlocks {
			a.single, a.unused = lookUps, 0
		}
	}
	a.blocks[b.number] = b
	a.order = append(a.order, b)
}

// jobs reads what a block does not have yet.
func (c *conn) jobs(b *block) error {
	first := int64(b.number) << blockBits
	c.bind(first + int64(b.there))
	c.bind(first + blockSize - 1)
	return c.each("SELECT id, job FROM targets WHERE id BETWEEN ? AND ?", func(cur *cursor) error {
		n, err := cur.small(0, 1<<32-1)
		if err != nil {
			return err
		}
		at := frontier.ID(n & (blockSize - 1))
		b.jobs[at], err = cur.bytes(1)
		b.there = at + 1
		return err
	})
}

// job looks up one.
func (c *conn) job(id frontier.ID) (job []byte, err error) {
	c.bind(int64(id))
	err = c.each("SELECT job FROM targets WHERE id=?", func(cur *cursor) (err error) {
		job, err = cur.bytes(0)
		return err
	})
	if err == nil && job == nil {
		err = damaged("it is not there")
	}
	return job, err
}
