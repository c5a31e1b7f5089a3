package fetch

import (
	"bytes"
	"io"
	"slices"
	"sync"
)

// Buffers keep memory for bodies that was used, for the next one. Bodies differ in size,
// so a small one does not take what fits a large one. They are safe for concurrent use.
type Buffers struct {
	mu   sync.Mutex
	free [][]byte // the smallest first
	Most int      // buffers that are kept
	kept int      // bytes of them
}

// Sizes of memory for bodies, in bytes.
const (
	firstRoom     = 32 << 10      // for a body that does not say how long it is
	endRoom       = bytes.MinRead // more than a body needs, to meet its end in
	mostKept      = 16 << 20      // in all
	untrustedRoom = 1 << 20       // taken at once where only the other side says how long a body is
)

// take returns memory with room for so many bytes: the smallest that has it, or new
// memory.
func (b *Buffers) take(room int) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, body := range b.free {
		if cap(body) >= room {
			b.letGo(i)
			return body[:0]
		}
	}
	return make([]byte, 0, room)
}

// takeLargest returns the largest memory there is, for a body of unknown size.
func (b *Buffers) takeLargest() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(b.free) - 1
	if n < 0 {
		return make([]byte, 0, firstRoom)
	}
	body := b.free[n]
	b.letGo(n)
	return body[:0]
}

// Give keeps memory that is not in use any more. When there are too many, the smallest is
// let go, and when they take too much, the largest.
func (b *Buffers) Give(body []byte) {
	if cap(body) == 0 || cap(body) > mostKept {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	at := len(b.free)
	for at > 0 && cap(b.free[at-1]) > cap(body) {
		at--
	}
	b.free = slices.Insert(b.free, at, body)
	b.kept += cap(body)
	if len(b.free) > b.Most {
		b.letGo(0)
	}
	for b.kept > mostKept {
		b.letGo(len(b.free) - 1)
	}
}

// letGo takes one of them out.
func (b *Buffers) letGo(i int) {
	b.kept -= cap(b.free[i])
	b.free = slices.Delete(b.free, i, i+1)
}

// Release releases all memory that is kept.
func (b *Buffers) Release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free, b.kept = nil, 0
}

// Read reads at most so many bytes. size is how long the body is said to be, negative
// when nothing is said; that much memory is taken at once when it is trusted, or when
// it is little.
func (b *Buffers) Read(from io.Reader, size, most int64, trusted bool) ([]byte, error) {
	want := min(size, most)
	if !trusted {
		want = min(want, untrustedRoom)
	}
	if want < 0 {
		return b.ReadOn(b.takeLargest(), from, size, most)
	}
	return b.ReadOn(b.take(int(want)+endRoom), from, size, most)
}

// ReadOn is Read after what was read before.
func (b *Buffers) ReadOn(body []byte, from io.Reader, size, most int64) ([]byte, error) {
	for int64(len(body)) < most {
		if len(body) == cap(body) {
			body = b.grow(body, moreRoom(int64(len(body)), min(size, most)))
		}
		room := body[len(body):cap(body)]
		if rest := most - int64(len(body)); int64(len(room)) > rest {
			room = room[:rest]
		}
		n, err := from.Read(room)
		body = body[:len(body)+n]
		if err == io.EOF {
			return body, nil
		}
		if err != nil {
			return body, err
		}
	}
	return body, nil
}

// GrowTo moves what was read to where a body of so many bytes fits.
func (b *Buffers) GrowTo(body []byte, size int) []byte { return b.grow(body, size+endRoom) }

// grow moves what was read to where there is more room.
func (b *Buffers) grow(body []byte, room int) []byte {
	larger := append(b.take(room), body...)
	b.Give(body)
	return larger
}

// moreRoom is how much room a body gets next that has filled what it had. The more
// has come, the more is believed of what was said of its size; without that, or beyond
// it, the room doubles.
func moreRoom(had, size int64) int {
	if had < size {
		return int(min(size+endRoom, 8*had))
	}
	return int(max(firstRoom, 2*had))
}
