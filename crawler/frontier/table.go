package frontier

import "math/bits"

// table maps fingerprints to IDs: open addressing with linear probing in slices
// without pointers, so that the garbage collector has nothing to walk.
//
//	fingerprint ─× odd number─► 6 bits: shard │ 58 bits: place in the shard
//
// A place is a share of the shard's length, whatever that is, so a shard grows by a
// quarter when it is four fifths full: 15 to 19 bytes an entry. Shards grow one by
// one, so there is never an old and a new copy of all. In a shard places ascend
// with the mixed fingerprint, which makes growing one walk over both copies.
// The zero value is ready to use.
type table struct {
	shards [shards]shard
}

type shard struct {
	keys   []uint64 // 0 is an empty slot
	values []uint32
	count  int
}

const (
	shards     = 64
	shardBits  = 6
	shardStart = 64 // slots of a shard's first copy
)

// mixed spreads a key's bits; fingerprints are spread already, but for tests.
func mixed(key uint64) uint64 { return key * 0x9E3779B97F4A7C15 }

// stored is a key as it stands in a slot, where 0 means none.
func stored(key uint64) uint64 {
	if key == 0 {
		return 1 << 63 // as good as any: the odds that it is taken are those of any collision
	}
	return key
}

func (t *table) shard(key uint64) *shard { return &t.shards[mixed(key)>>(64-shardBits)] }

// find returns the value of key, or 0 and the slot where it belongs.
func (t *table) find(key uint64) (value uint32, slot int) {
	key = stored(key)
	return t.shard(key).find(key)
}

// insert puts value under a key that find said is absent, at the slot it named.
func (t *table) insert(slot int, key uint64, value uint32) {
	key = stored(key)
	s := t.shard(key)
	if (s.count+1)*5 > len(s.keys)*4 {
		s.grow()
		_, slot = s.find(key)
	}
	s.keys[slot], s.values[slot] = key, value
	s.count++
}

// place is where the search for a key begins.
func (s *shard) place(key uint64) int {
	high, _ := bits.Mul64(mixed(key)<<shardBits, uint64(len(s.keys)))
	return int(high)
}

func (s *shard) find(key uint64) (value uint32, slot int) {
	if len(s.keys) == 0 {
		return 0, 0
	}
	for i := s.place(key); ; {
		switch s.keys[i] {
		case key:
			return s.values[i], i
		case 0:
			return 0, i
		}
		if i++; i == len(s.keys) {
			i = 0
		}
	}
}

func (s *shard) grow() {
	old := *s
	n := max(shardStart, len(old.keys)+len(old.keys)/4)
	s.keys, s.values = make([]uint64, n), make([]uint32, n)
	for i, key := range old.keys {
		if key != 0 {
			_, slot := s.find(key)
			s.keys[slot], s.values[slot] = key, old.values[i]
		}
	}
}
