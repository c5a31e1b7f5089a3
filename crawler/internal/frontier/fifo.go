package frontier

// fifo is a first-in first-out queue that frees its memory as it empties. IDs in a process have 32 bits.
type fifo struct {
	blocks [][]uint32
	head   int // of the first block
	count  int
}

// fifoBlock is the number of IDs in a block.
const fifoBlock = 1024

func (q *fifo) len() int { return q.count }

func (q *fifo) push(id ID) {
	last := len(q.blocks) - 1
	if last < 0 || len(q.blocks[last]) == fifoBlock {
		q.blocks = append(q.blocks, nil)
		last++
	}
	q.blocks[last] = append(q.blocks[last], uint32(id))
	q.count++
}

func (q *fifo) pop() (ID, bool) {
	if q.count == 0 {
		return 0, false
	}
	first := q.blocks[0]
	id := ID(first[q.head])
	q.head++
	q.count--
	switch {
	case q.count == 0:
		q.blocks[0], q.blocks, q.head = first[:0], q.blocks[:1], 0
	case q.head == len(first):
		q.blocks[0] = nil
		q.blocks, q.head = q.blocks[1:], 0
	}
	return id, true
}
