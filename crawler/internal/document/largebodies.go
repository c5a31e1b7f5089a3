package document

import (
	"time"

	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// largeBodies limits the memory of the bodies that are read from the network and of the
// documents in them. Each worker may hold a small body. A body that turns out to be
// larger waits until another one is released, and once more if it turns out to be a huge
// one. Meanwhile its data stays in the network.
//
// No deadlock is possible: a worker with a huge body waits only for its server, whose time is
// limited, for the document that is read before its own, and for a slot; one with a large body
// waits for a worker with a huge one as well; and a worker with a slot does not wait for any of
// them. With --max-pages, where pages are settled in order, a document ends before it waits
// for its turn.
type largeBodies struct {
	rooms   [len(roomSizes)]chan struct{} // one element for each body
	reading chan struct{}                 // one element while the document of a large body is read for links
}

// smallBody is the size up to which bodies are read at once, in bytes. Most pages are
// smaller, and 64 of them fit in 32 MiB.
const smallBody = 512 << 10

// roomSizes are the sizes in bytes beyond which a body needs room among the large ones, and among
// the huge ones. There are none of the latter unless --max-body is larger than its default.
var roomSizes = [...]int64{smallBody, 16 << 20}

// roomCounts are how many large and huge bodies are in memory at the same time. A body takes up to
// twice its size while it is read, and its links may take more.
var roomCounts = [...]int{3, 1}

func newLargeBodies() largeBodies {
	l := largeBodies{reading: make(chan struct{}, 1)}
	for i, count := range roomCounts {
		l.rooms[i] = make(chan struct{}, count)
	}
	return l
}

// await waits for a room for a body. The wait does not count as a delay of the server.
func (l *largeBodies) await(room int, of *fetch.Response) {
	began := time.Now()
	l.rooms[room] <- struct{}{}
	of.ExtendTime(time.Since(began))
}

// release gives the first rooms back.
func (l *largeBodies) release(rooms int) {
	for _, room := range l.rooms[:rooms] {
		<-room
	}
}

// BeginLarge waits until no other large document is read for links, and EndLarge ends that, when
// its links are stored: they may take twenty times as much memory as the body.
func (r *Reader) BeginLarge() { r.large.reading <- struct{}{} }

// EndLarge lets the next large document be read for links.
func (r *Reader) EndLarge() { <-r.large.reading }
