package frontier

// column is a long slice in chunks. It grows without being copied, so there are never two
// copies of it. The zero value is empty.
type column[T any] struct {
	chunks [][]T
	n      int
}

// columnBits is the binary logarithm of the length of a chunk.
const columnBits = 14

func (c *column[T]) len() int { return c.n }

func (c *column[T]) at(i int) *T { return &c.chunks[i>>columnBits][i&(1<<columnBits-1)] }

func (c *column[T]) append(v T) {
	last := c.n >> columnBits
	if last == len(c.chunks) {
		var chunk []T
		if last > 0 { // the first chunk grows as needed, for small stores
			chunk = make([]T, 0, 1<<columnBits)
		}
		c.chunks = append(c.chunks, chunk)
	}
	c.chunks[last] = append(c.chunks[last], v)
	c.n++
}
