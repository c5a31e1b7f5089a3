package frontier

import "math/bits"

// fingerprintTable maps fingerprints to IDs. It is a hash table with open addressing and
// linear probing, in slices without pointers, which cost the garbage collector nothing.
//
//	fingerprint ─× odd number─► 6 bits: shard │ 58 bits: position in the shard
//
// The 58 bits are a fraction of the shard's length, so that a shard may have any length.
// It grows by a quarter when it is four fifths full: 15 to 19 bytes an entry. Shards grow
// one at a time, so there are never two copies of the whole table. Positions in a shard
// ascend with the mixed fingerprint, so growing reads and writes a shard in order.
//
// The low half of a fingerprint decides its position. The high halves of wide
// fingerprints are in a slice of their own, 25 to 31 bytes an entry in all, and are
// compared if the low halves are equal, which is rare for different fingerprints.
//
// The zero value is an empty table for narrow fingerprints.
type fingerprintTable struct {
	shards [shardCount]shard
	wide   bool
}

type shard struct {
	keys   []uint64 // low halves; 0 is an empty slot
	values []uint32
	count  int
	highs  []uint64 // nil where fingerprints are narrow
}

const (
	shardCount = 64
	shardBits  = 6
	shardStart = 64 // slots of a new shard
)

// mixed spreads the bits of a key. Fingerprints are spread already, except in tests.
func mixed(key uint64) uint64 { return key * 0x9E3779B97F4A7C15 }

// stored returns a key as it is in a slot, where 0 is an empty slot.
func stored(key uint64) uint64 {
	if key == 0 {
		return 1 << 63 // equal to another key with the probability of any collision
	}
	return key
}

func (t *fingerprintTable) shard(key uint64) *shard { return &t.shards[mixed(key)>>(64-shardBits)] }

// find returns the value of a fingerprint, or 0 and the slot for it.
func (t *fingerprintTable) find(f Fingerprint) (value uint32, slot int) {
	key := stored(f.Low)
	s := t.shard(key)
	if len(s.keys) == 0 {
		return 0, 0
	}
	value, slot = s.find(key, s.position(key))
	if t.wide {
		for value != 0 && s.highs[slot] != f.High {
			value, slot = s.find(key, s.after(slot))
		}
	}
	return value, slot
}

// each calls fn with all fingerprints and their values.
func (t *fingerprintTable) each(fn func(Fingerprint, uint32)) {
	for i := range t.shards {
		s := &t.shards[i]
		for slot, key := range s.keys {
			f := Fingerprint{Low: key}
			if key == 0 {
				continue
			}
			if t.wide {
				f.High = s.highs[slot]
			}
			fn(f, s.values[slot])
		}
	}
}

// insert adds a fingerprint that find did not find, at the slot that find returned.
func (t *fingerprintTable) insert(slot int, f Fingerprint, value uint32) {
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

// position returns the slot where the search for a key begins.
func (s *shard) position(key uint64) int {
	high, _ := bits.Mul64(mixed(key)<<shardBits, uint64(len(s.keys)))
	return int(high)
}

// after returns the slot after another.
func (s *shard) after(slot int) int {
	if slot++; slot == len(s.keys) {
		return 0
	}
	return slot
}

// find returns the value of a key, searching from a slot on, or 0 and the first empty
// slot.
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

// free returns the slot for a key that is not in the shard.
func (s *shard) free(key uint64) int {
	i := s.position(key)
	for s.keys[i] != 0 {
		i = s.after(i)
	}
	return i
}

// grow enlarges the shard by a quarter.
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
