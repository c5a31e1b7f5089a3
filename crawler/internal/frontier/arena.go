package frontier

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
)

// arena keeps many byte strings in a few large chunks, which cost the garbage collector
// nothing. The strings never change. Beyond the limit the oldest chunks move to a
// temporary file, which is removed at once or when the arena is closed. If there is no
// temporary file, all chunks stay in memory.
type arena struct {
	limit int // bytes of chunks in memory; 0 is no limit
	size  int // bytes of a chunk, a multiple of unit

	chunks   [][]byte // nil for a chunk that moved to the file or is a part of the one before
	resident int      // bytes of chunks in memory
	oldest   int      // index of the oldest chunk that may be in memory
	free     []byte   // memory of a chunk that moved
	file     *os.File
	noFile   bool // the file cannot be made or written
	cache    chunkCache
}

// span is the position of a string in units of unit bytes, plus one: 0 is no string.
type span uint32

const (
	chunkSize = 64 << 10 // bytes, except in tests
	unit      = 4
)

func newArena(limit, size int) arena { return arena{limit: limit, size: size} }

// put keeps a copy of the concatenation of parts.
func (a *arena) put(parts ...[]byte) (span, error) {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	var header [binary.MaxVarintLen64]byte
	head := binary.PutUvarint(header[:], uint64(n))
	last := len(a.chunks) - 1
	if last < 0 || a.chunks[last] == nil || cap(a.chunks[last])-len(a.chunks[last]) < head+n {
		a.open(head + n)
		last = len(a.chunks) - 1
		for a.chunks[last] == nil { // the new chunk takes the place of several
			last--
		}
	}
	c := a.chunks[last]
	at := int64(last)*int64(a.size/unit) + int64(len(c)/unit)
	if at >= math.MaxUint32 {
		return 0, fmt.Errorf("keep %d bytes in memory: the limit of %d GiB is reached", n, int64(math.MaxUint32)*unit>>30)
	}
	c = append(c, header[:head]...)
	for _, p := range parts {
		c = append(c, p...)
	}
	for len(c)%unit != 0 && len(c) < cap(c) {
		c = append(c, 0)
	}
	a.chunks[last] = c
	return span(at + 1), nil
}

// open adds a chunk with room for n bytes.
func (a *arena) open(n int) {
	size := (n + a.size - 1) / a.size * a.size
	for a.limit > 0 && a.resident+size > a.limit && a.moveOut() {
	}
	c := a.free
	a.free = nil
	if cap(c) < size {
		c = make([]byte, 0, size)
	}
	a.chunks = append(a.chunks, c[:0])
	for range size/a.size - 1 {
		a.chunks = append(a.chunks, nil)
	}
	a.resident += size
}

// moveOut moves the oldest chunk to the file. It returns false if that is impossible.
func (a *arena) moveOut() bool {
	for a.oldest < len(a.chunks) && a.chunks[a.oldest] == nil {
		a.oldest++
	}
	if a.noFile || a.oldest >= len(a.chunks) {
		return false
	}
	if a.file == nil {
		if a.file = createTemp(); a.file == nil {
			a.noFile = true
			return false
		}
	}
	c := a.chunks[a.oldest]
	if _, err := a.file.WriteAt(c, int64(a.oldest)*int64(a.size)); err != nil {
		a.noFile = true
		return false
	}
	a.chunks[a.oldest] = nil
	a.resident -= cap(c)
	if cap(c) == a.size {
		a.free = c
	}
	a.oldest++
	return true
}

// createTemp makes the temporary file, and returns nil if that fails.
func createTemp() *os.File {
	f, err := os.CreateTemp("", "orbweaver-")
	if err != nil {
		return nil
	}
	_ = os.Remove(f.Name()) // where an open file cannot be removed, close does it
	return f
}

// get returns a string, not a copy, valid until the next put or get. It is nil for the
// span 0.
func (a *arena) get(s span) ([]byte, error) {
	if s == 0 {
		return nil, nil
	}
	at := int64(s-1) * unit
	number := int(at / int64(a.size))
	c := a.chunks[number]
	if c == nil {
		var err error
		if c, err = a.readBack(number); err != nil {
			return nil, err
		}
	}
	c = c[at%int64(a.size):]
	n, w := binary.Uvarint(c)
	if all := w + int(n); all > len(c) { // a string of several chunks, of which only the first was read
		c = make([]byte, all)
		if _, err := a.file.ReadAt(c, at); err != nil {
			return nil, fmt.Errorf("read %d bytes back from the temporary file: %w", all, err)
		}
	}
	return c[w : w+int(n) : w+int(n)], nil
}

// chunkCache holds the chunks that were last read back from the file.
type chunkCache struct {
	numbers []int
	chunks  [][]byte
	next    int // index of the chunk to be replaced next
}

// maxCached is the number of chunks in the cache. A few readers read the chunks nearly in
// order.
const maxCached = 32

// readBack returns a chunk that moved to the file.
func (a *arena) readBack(number int) ([]byte, error) {
	c := &a.cache
	if i := slices.Index(c.numbers, number); i >= 0 {
		return c.chunks[i], nil
	}
	if len(c.numbers) < maxCached {
		c.numbers, c.chunks = append(c.numbers, -1), append(c.chunks, make([]byte, a.size))
		c.next = len(c.numbers) - 1
	}
	i := c.next
	c.next = (i + 1) % len(c.numbers)
	n, err := a.file.ReadAt(c.chunks[i][:a.size], int64(number)*int64(a.size))
	if n == 0 {
		c.numbers[i] = -1
		return nil, fmt.Errorf("read chunk %d back from the temporary file: %w", number, err)
	}
	c.numbers[i], c.chunks[i] = number, c.chunks[i][:n]
	return c.chunks[i], nil
}

// close closes and removes the file.
func (a *arena) close() error {
	if a.file == nil {
		return nil
	}
	f := a.file
	a.file, a.noFile = nil, true
	err := f.Close()
	_ = os.Remove(f.Name()) // usually removed already
	return err
}
