package document

import (
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// largeBodies limits the memory of the bodies that are read from the network and of the
// documents in them. Each worker may hold a small body. A body that turns out to be
// larger waits until another one is released. Meanwhile its data stays in the network.
//
// No deadlock is possible: a worker with room for a large body waits only for its
// server, whose time is limited, for the document that is read before its own, and for a
// slot, and a worker with a slot does not wait for any of them. With --max-pages, where
// pages are settled in order, a document ends before it waits for its turn.
type largeBodies struct {
	room    chan struct{} // one element for each body
	reading chan struct{} // one element while the document of a large body is read for links
}

const (
	// smallBody is the size up to which bodies are read at once, in bytes. Most pages are
	// smaller, and 64 of them fit in 32 MiB.
	smallBody = 512 << 10
	// maxLargeBodies is how many larger bodies are in memory at the same time. A body
	// takes up to twice its size while it is read, and its links may take more.
	maxLargeBodies = 3
)

func newLargeBodies() largeBodies {
	return largeBodies{make(chan struct{}, maxLargeBodies), make(chan struct{}, 1)}
}

// await waits for room for a large body. The wait does not count as a delay of the
// server.
func (l largeBodies) await(body any) {
	began := time.Now()
	l.room <- struct{}{}
	if b, ok := body.(fetch.TimeLimiter); ok {
		b.ExtendTime(time.Since(began))
	}
}

// release makes room for another large body.
func (l largeBodies) release() { <-l.room }

// BeginLarge waits until no other large document is read for links, and EndLarge ends that, when
// its links are stored: they may take twenty times as much memory as the body.
func (r *Reader) BeginLarge() { r.large.reading <- struct{}{} }

// EndLarge lets the next large document be read for links.
func (r *Reader) EndLarge() { <-r.large.reading }
