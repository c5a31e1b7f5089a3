package frontier

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
)

// arena keeps many byte strings in a few large chunks, so that the garbage collector
// has nothing to walk. What is put in stays as it is. Beyond its limit the oldest
// chunks move to a temporary file, which nobody else sees and which ends with the
// process; where there can be none, all stays in memory.
type arena struct {
	limit int // bytes that may be resident; 0 is no limit
	size  int // of a chunk, a multiple of unit

	chunks   [][]byte // by place/chunkSize; nil where it moved out, or is part of the one before
	resident int      // bytes of those that are here
	oldest   int      // of those that may move out next
	spare    []byte
	file     *os.File
	stuck    bool // there can be no file
	back     backList
}

// span is where a string begins, in units of unit bytes, plus one so that zero is none.
type span uint32

const (
	chunkSize = 64 << 10 // of an arena that is not a test's
	unit      = 4
)

func newArena(limit, size int) arena { return arena{limit: limit, size: size} }

// put copies the concatenation of parts.
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
		for a.chunks[last] == nil { // it takes the room of several
			last--
		}
	}
	c := a.chunks[last]
	at := int64(last)*int64(a.size/unit) + int64(len(c)/unit)
	if at >= math.MaxUint32 {
		return 0, fmt.Errorf("keep %d bytes in memory: there are %d GiB already", n, int64(math.MaxUint32)*unit>>30)
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

// open begins a chunk with room for n bytes.
func (a *arena) open(n int) {
	size := (n + a.size - 1) / a.size * a.size
	for a.limit > 0 && a.resident+size > a.limit && a.moveOut() {
	}
	c := a.spare
	a.spare = nil
	if cap(c) < size {
		c = make([]byte, 0, size)
	}
	a.chunks = append(a.chunks, c[:0])
	for range size/a.size - 1 {
		a.chunks = append(a.chunks, nil)
	}
	a.resident += size
}

// moveOut writes the oldest chunk to the file; false when nothing could be.
func (a *arena) moveOut() bool {
	for a.oldest < len(a.chunks) && a.chunks[a.oldest] == nil {
		a.oldest++
	}
	if a.stuck || a.oldest >= len(a.chunks) {
		return false
	}
	if a.file == nil {
		if a.file = overflow(); a.file == nil {
			a.stuck = true
			return false
		}
	}
	c := a.chunks[a.oldest]
	if _, err := a.file.WriteAt(c, int64(a.oldest)*int64(a.size)); err != nil {
		a.stuck = true
		return false
	}
	a.chunks[a.oldest] = nil
	a.resident -= cap(c)
	if cap(c) == a.size {
		a.spare = c
	}
	a.oldest++
	return true
}

// overflow makes the temporary file; nil when that fails.
func overflow() *os.File {
	f, err := os.CreateTemp("", "orbweaver-")
	if err != nil {
		return nil
	}
	_ = os.Remove(f.Name()) // where files in use cannot be removed, close does it
	return f
}

// get returns the string itself, not a copy, good until the next put or get; nil
// for the zero span.
func (a *arena) get(s span) ([]byte, error) {
	if s == 0 {
		return nil, nil
	}
	at := int64(s-1) * unit
	number := int(at / int64(a.size))
	c := a.chunks[number]
	if c == nil {
		var err error
		if c, err = a.fetch(number); err != nil {
			return nil, err
		}
	}
	c = c[at%int64(a.size):]
	n, w := binary.Uvarint(c)
	if all := w + int(n); all > len(c) { // a large one, of which only the first chunk is here
		c = make([]byte, all)
		if _, err := a.file.ReadAt(c, at); err != nil {
			return nil, fmt.Errorf("read %d bytes back from the temporary file: %w", all, err)
		}
	}
	return c[w : w+int(n) : w+int(n)], nil
}

// backList holds the chunks that were read back last.
type backList struct {
	numbers []int
	chunks  [][]byte
	next    int
}

// backChunks is how many chunks that moved out are at hand. They are read nearly in
// order, by a few readers.
const backChunks = 32

// fetch reads a chunk back.
func (a *arena) fetch(number int) ([]byte, error) {
	b := &a.back
	if i := slices.Index(b.numbers, number); i >= 0 {
		return b.chunks[i], nil
	}
	if len(b.numbers) < backChunks {
		b.numbers, b.chunks = append(b.numbers, -1), append(b.chunks, make([]byte, a.size))
		b.next = len(b.numbers) - 1
	}
	i := b.next
	b.next = (i + 1) % len(b.numbers)
	n, err := a.file.ReadAt(b.chunks[i][:a.size], int64(number)*int64(a.size))
	if n == 0 {
		b.numbers[i] = -1
		return nil, fmt.Errorf("read chunk %d back from the temporary file: %w", number, err)
	}
	b.numbers[i], b.chunks[i] = number, b.chunks[i][:n]
	return b.chunks[i], nil
}

// close lets go of the file.
func (a *arena) close() error {
	if a.file == nil {
		return nil
	}
	f := a.file
	a.file, a.stuck = nil, true
	err := f.Close()
	_ = os.Remove(f.Name()) // mostly gone already
	return err
}
