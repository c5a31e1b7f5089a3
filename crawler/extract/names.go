package extract

import (
	"encoding/binary"
	"math/bits"
)

// The names of elements and attributes are looked up a few million times a
// second. What costs is not the looking but a loop whose end the processor cannot
// guess, so a name is read eight bytes at a time, and a table of its own, smaller
// and quicker than a map, finds what it stands for.

// nameKey is the beginning of a name, its first eight bytes in lower case, the
// first one lowest: that is all of most names.
type nameKey uint64

// eachByte has a one in each byte of a word.
const eachByte = 0x0101010101010101

// nameAt reads the name at doc[i:], up to a solidus, a '>', an equals sign, white
// space or a control character: all but the last end a name for the tokenizer
// too, the equals sign that of an attribute.
func nameAt(doc []byte, i int) (key nameKey, end int) {
	if i+8 > len(doc) {
		return longNameAt(doc, i)
	}
	w := binary.LittleEndian.Uint64(doc[i:])
	// As in zeroBytes the lowest bit set is right, and no other is asked for.
	ends := (w-(' '+1)*eachByte)&^w&(0x80*eachByte) | zeroBytes(w^'/'*eachByte) | zeroBytes(w^'>'*eachByte) | zeroBytes(w^'='*eachByte)
	if ends == 0 {
		return longNameAt(doc, i)
	}
	n := bits.TrailingZeros64(ends) &^ 7
	return nameKey((w | 0x20*eachByte) & (1<<n - 1)), i + n>>3
}

func longNameAt(doc []byte, i int) (key nameKey, end int) {
	for end = i; end < len(doc); end++ {
		if c := doc[end]; c <= ' ' || c == '/' || c == '>' || c == '=' {
			break
		}
	}
	return keyOf(doc[i:end]), end
}

// keyOf is the key of a name in any letter case.
func keyOf(name []byte) (k nameKey) {
	for i := min(len(name), 8) - 1; i >= 0; i-- {
		c := name[i]
		if c > ' ' {
			c |= 0x20 // also for what is no letter: no known name has such a byte
		}
		k = k<<8 | nameKey(c)
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
