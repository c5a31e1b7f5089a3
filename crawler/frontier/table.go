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
//
// The low half of a fingerprint says where it stands. Where fingerprints are wide
// the high halves stand in a column of their own, 25 to 31 bytes an entry in all,
// and are looked at when the low half is the same: of strangers, next to never.
// The zero value is ready to use, for narrow ones.
type table struct {
	shards [shards]shard
	wide   bool
}

type shard struct {
	keys   []uint64 // low halves; 0 is an empty slot
	values []uint32
	count  int
	highs  []uint64 // nil where fingerprints are narrow
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

// find returns the value of a fingerprint, or 0 and the slot where it belongs.
func (t *table) find(f Fingerprint) (value uint32, slot int) {
	key := stored(f.Low)
	s := t.shard(key)
	if len(s.keys) == 0 {
		return 0, 0
	}
	value, slot = s.find(key, s.place(key))
	if t.wide {
		for value != 0 && s.highs[slot] != f.High {
			value, slot = s.find(key, s.after(slot))
		}
	}
	return value, slot
}

// insert puts value under a fingerprint that find said is absent, at the slot it named.
func (t *table) insert(slot int, f Fingerprint, value uint32) {
	key := stored(f.Low)
	s := t.shard(key)
	if (s.count+1)*5 > len(s.keys)*4 {
		s.grow(t.wide)
		slot = s.free(key)
	}
	s.keys[slot], s.values[slot] = key, value
	if t.wide {
		s.highs[slot] = f.High
	}
	s.count++
}

// place is where the search for a key begins.
func (s *shard) place(key uint64) int {
	high, _ := bits.Mul64(mixed(key)<<shardBits, uint64(len(s.keys)))
	return int(high)
}

func (s *shard) after(slot int) int {
	if slot++; slot == len(s.keys) {
		return 0
	}
	return slot
}

// find looks for a key from a slot on.
func (s *shard) find(key uint64, from int) (value uint32, slot int) {
	for i := from; ; {
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

// free is the slot where a key belongs that is not there.
func (s *shard) free(key uint64) int {
	i := s.place(key)
	for s.keys[i] != 0 {
		i = s.after(i)
	}
	return i
}

func (s *shard) grow(wide bool) {
	old := *s
	n := max(shardStart, len(old.keys)+len(old.keys)/4)
	s.keys, s.values = make([]uint64, n), make([]uint32, n)
	if wide {
		s.highs = make([]uint64, n)
	}
	for i, key := range old.keys {
		if key == 0 {
			continue
		}
		slot := s.free(key)
		s.keys[slot], s.values[slot] = key, old.values[i]
		if wide {
			s.highs[slot] = old.highs[i]
		}
	}
}
