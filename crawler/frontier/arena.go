package frontier

import "encoding/binary"

// arena keeps many small byte strings in a few large chunks, so that the garbage
// collector has nothing to walk. What is put in stays.
type arena struct {
	chunks [][]byte
}

const arenaChunk = 256 << 10

// span names a string in an arena: chunk and offset, plus one so that zero is none.
type span uint64

// put copies the concatenation of parts.
func (a *arena) put(parts ...[]byte) span {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	last := len(a.chunks) - 1
	if last < 0 || cap(a.chunks[last])-len(a.chunks[last]) < n+binary.MaxVarintLen64 {
		a.chunks = append(a.chunks, make([]byte, 0, max(arenaChunk, n+binary.MaxVarintLen64)))
		last++
	}
	c := a.chunks[last]
	at := len(c)
	c = binary.AppendUvarint(c, uint64(n))
	for _, p := range parts {
		c = append(c, p...)
	}
	a.chunks[last] = c
	return span(uint64(last)<<32|uint64(at)) + 1
}

// get returns the string itself, not a copy; nil for the zero span.
func (a *arena) get(s span) []byte {
	if s == 0 {
		return nil
	}
	s--
	c := a.chunks[s>>32][uint32(s):]
	n, w := binary.Uvarint(c)
	return c[w : w+int(n) : w+int(n)]
}
