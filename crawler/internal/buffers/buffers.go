// Package buffers keeps the memory of used bodies for later ones.
package buffers

import (
	"bytes"
	"io"
	"slices"
	"sync"
)

// Pool keeps the memory of used bodies for later ones. It takes the smallest buffer
// that fits, so that a small body does not use a large buffer. It is safe for
// concurrent use.
type Pool struct {
	mu        sync.Mutex
	free      [][]byte // sorted by capacity
	Most      int      // number of free buffers to keep
	freeBytes int      // total capacity of free
}

// Sizes of buffers, in bytes.
const (
	initialCapacity      = 32 << 10      // for a body without a declared size
	endMargin            = bytes.MinRead // capacity beyond the size of a body, for the read that finds its end
	maxFreeBytes         = 16 << 20      // limit of Pool.freeBytes
	maxUntrustedCapacity = 1 << 20       // limit of the first buffer if only the server declares the size of a body
)

// take returns a buffer with a capacity of at least room bytes: the smallest free one
// that fits, or a new one.
func (b *Pool) take(room int) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i, body := range b.free {
		if cap(body) >= room {
			b.remove(i)
			return body[:0]
		}
	}
	return make([]byte, 0, room)
}

// takeLargest returns the largest free buffer, for a body of unknown size.
func (b *Pool) takeLargest() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(b.free) - 1
	if n < 0 {
		return make([]byte, 0, initialCapacity)
	}
	body := b.free[n]
	b.remove(n)
	return body[:0]
}

// Give makes a buffer available again. If there are more than Most free buffers, Give
// drops the smallest; if they are too large in total, it drops the largest.
func (b *Pool) Give(body []byte) {
	if cap(body) == 0 || cap(body) > maxFreeBytes {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	at := len(b.free)
	for at > 0 && cap(b.free[at-1]) > cap(body) {
		at--
	}
	b.free = slices.Insert(b.free, at, body)
	b.freeBytes += cap(body)
	if len(b.free) > b.Most {
		b.remove(0)
	}
	for b.freeBytes > maxFreeBytes {
		b.remove(len(b.free) - 1)
	}
}

// remove removes a free buffer.
func (b *Pool) remove(i int) {
	b.freeBytes -= cap(b.free[i])
	b.free = slices.Delete(b.free, i, i+1)
}

// Release drops all free buffers.
func (b *Pool) Release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free, b.freeBytes = nil, 0
}

// Read reads up to most bytes. size is the declared size of the body, or negative if
// it is unknown. Read allocates that size at once if it is trusted or small.
func (b *Pool) Read(from io.Reader, size, most int64, trusted bool) ([]byte, error) {
	want := min(size, most)
	if !trusted {
		want = min(want, maxUntrustedCapacity)
	}
	if want < 0 {
		return b.ReadOn(b.takeLargest(), from, size, most)
	}
	return b.ReadOn(b.take(int(want)+endMargin), from, size, most)
}

// ReadOn continues Read after body, which contains the data read before.
func (b *Pool) ReadOn(body []byte, from io.Reader, size, most int64) ([]byte, error) {
	for int64(len(body)) < most {
		if len(body) == cap(body) {
			body = b.grow(body, nextCapacity(int64(len(body)), min(size, most), most))
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

// GrowTo moves the data of body to a buffer for a body of size bytes.
func (b *Pool) GrowTo(body []byte, size int) []byte { return b.grow(body, size+endMargin) }

// grow moves the data of body to a larger buffer.
func (b *Pool) grow(body []byte, room int) []byte {
	larger := append(b.take(room), body...)
	b.Give(body)
	return larger
}

// nextCapacity returns the next capacity for a body that has filled a buffer of had
// bytes and may have most. The more data has arrived, the more the declared size is trusted. Without a
// declared size, or beyond it, the capacity doubles.
func nextCapacity(had, size, most int64) int {
	want := max(initialCapacity, 2*had)
	if had < size {
		want = min(size+endMargin, 8*had)
	}
	return int(min(want, most+endMargin))
}
