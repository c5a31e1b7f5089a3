package extract

import "strings"

// The names of elements and attributes are looked up a few hundred thousand times
// a second, so the scanner makes a number of them while it reads them, and a table of its
// own, smaller and quicker than a map, finds what they stand for.

// nameBytes has, for each byte that may stand in the name of an element or an
// attribute in ordinary markup, the byte in lower case, and 0 for any other.
var nameBytes = func() (x [256]byte) {
	for c := range x {
		if b := byte(c); isAlphanumeric(b) || strings.IndexByte("-_:.@#$*()[]", b) >= 0 {
			x[c] = lowerByte(b)
		}
	}
	return x
}()

// nameKey is a name while it is read, begun with 0: its last eight bytes in lower
// case. Those are all of most names.
type nameKey uint64

func (k nameKey) step(lower byte) nameKey { return k<<8 | nameKey(lower) }

// keyOf is the key of a name in any letter case.
func keyOf(name []byte) (k nameKey) {
	for _, c := range name {
		k = k.step(lowerByte(c))
	}
	return k
}

// nameTable numbers names: each finds its number, in any letter case.
type nameTable struct {
	slots []nameSlot // a power of two, three of four of them free
	shift uint
}

type nameSlot struct {
	key    nameKey // 0: the slot is free
	name   string
	number int32
}

// newNameTable numbers names in lower case as they stand in the list.
func newNameTable(names []string) *nameTable {
	x := &nameTable{shift: 64}
	for 1<<(64-x.shift) < 4*len(names) {
		x.shift--
	}
	x.slots = make([]nameSlot, 1<<(64-x.shift))
	for number, name := range names {
		key := keyOf([]byte(name))
		i := x.first(key)
		for x.slots[i].key != 0 {
			i = x.next(i)
		}
		x.slots[i] = nameSlot{key, name, int32(number)}
	}
	return x
}

func (x *nameTable) first(key nameKey) uint64 {
	const golden = 0x9E3779B97F4A7C15 // 2^64 by the golden ratio: spreads what differs in few bits
	return uint64(key) * golden >> x.shift
}

func (x *nameTable) next(i uint64) uint64 { return (i + 1) & uint64(len(x.slots)-1) }

// find returns the number of a name whose key is known, and -1 where it has none.
func (x *nameTable) find(key nameKey, name []byte) int {
	for i := x.first(key); ; i = x.next(i) {
		s := &x.slots[i]
		if s.key == 0 {
			return -1
		}
		if s.key == key && len(s.name) == len(name) && (len(name) <= 8 || equalFold(name, s.name)) {
			return int(s.number)
		}
	}
}
