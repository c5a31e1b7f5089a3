package references

import (
	"sync"
	"sync/atomic"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
)

// idSet is a set of targets. It is safe for concurrent use; lookups take no lock. The zero
// value is an empty set. It uses one bit for each ID up to the greatest one added.
type idSet struct {
	mu     sync.Mutex
	blocks atomic.Pointer[[]*idBlock]
}

type idBlock [1 << 10]atomic.Uint64

const blockIDs = 64 * frontier.ID(len(idBlock{}))

// has reports whether a target was added.
func (s *idSet) has(id frontier.ID) bool {
	blocks := s.blocks.Load()
	if blocks == nil || int(id/blockIDs) >= len(*blocks) {
		return false
	}
	b := (*blocks)[int(id/blockIDs)]
	return b != nil && b[id%blockIDs/64].Load()>>(id%64)&1 != 0
}

// add adds a target.
func (s *idSet) add(id frontier.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var blocks []*idBlock
	if at := s.blocks.Load(); at != nil {
		blocks = *at
	}
	at := int(id / blockIDs)
	if at >= len(blocks) || blocks[at] == nil {
		grown := make([]*idBlock, max(len(blocks), at+1))
		copy(grown, blocks)
		grown[at] = new(idBlock)
		s.blocks.Store(&grown)
		blocks = grown
	}
	blocks[at][id%blockIDs/64].Or(1 << (id % 64))
}
