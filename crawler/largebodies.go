package crawler

import (
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// largeBodies limits the memory of the bodies that are read from the network and of the
// documents in them. Each worker may hold a small body. A body that turns out to be
// larger waits until another one is released. Meanwhile its data stays in the network.
//
// No deadlock is possible: a worker with room for a large body waits only for its
// server, whose time is limited, and for a slot, and a worker with a slot does not wait
// for room.
type largeBodies chan struct{}

const (
	// smallBody is the size up to which bodies are read at once, in bytes. Most pages are
	// smaller, and 64 of them fit in 32 MiB.
	smallBody = 512 << 10
	// maxLargeBodies is how many larger bodies are in memory at the same time. A body
	// takes up to twice its size while it is read, and its links may take more.
	maxLargeBodies = 4
)

func newLargeBodies() largeBodies { return make(largeBodies, maxLargeBodies) }

// await waits for room for a large body. The wait does not count as a delay of the
// server.
func (l largeBodies) await(body any) {
	began := time.Now()
	l <- struct{}{}
	if b, ok := body.(fetch.TimeLimiter); ok {
		b.ExtendTime(time.Since(began))
	}
}

// release makes room for another large body.
func (l largeBodies) release() { <-l }
