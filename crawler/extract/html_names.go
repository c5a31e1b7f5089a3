package extract

import "math/bits"

// The names of elements and attributes are looked up a few million times a
// second. What costs is not the looking but a loop whose end the processor cannot
// guess, so a name is read eight bytes at a time, and a table of its own, smaller
// and quicker than a map, finds what it stands for.

// nameKey is the beginning of a name, its first eight bytes in lower case, the
// first one lowest: that is all of most names.
type nameKey uint64

// nameAt reads the name at doc[i:], up to a solidus, a '>', an equals sign, white
// space or a control character: all but the last end a name for the tokenizer
// too, the equals sign that of an attribute.
func nameAt(doc []byte, i int) (key nameKey, end int) {
	if !hasAt(doc, i, 8) {
		end = nameEnd(doc, i)
		return keyOf(doc[i:end]), end
	}
	w := wordAt(doc, i)
	if n := lettersIn(w); n < 8 && afterName[doc[i+n]] {
		return keyOfWord(w, n), i + n
	}
	ends := nameEnds(w)
	if ends == 0 {
		return nameKey(w | 0x20*eachByte), nameEnd(doc, i+8)
	}
	n := bits.TrailingZeros64(ends) / 8
	return keyOfWord(w, n), i + n
}

// nameEnd returns where the name ends that goes on at doc[i:].
func nameEnd(doc []byte, i int) int {
	for ; hasAt(doc, i, 8); i += 8 {
		if ends := nameEnds(wordAt(doc, i)); ends != 0 {
			return i + bits.TrailingZeros64(ends)/8
		}
	}
	for i < len(doc) && !afterName[doc[i]] {
		i++
	}
	return i
}

// nameEnds sets the highest bit of the bytes of w that end a name. As in zeroBytes the
// lowest bit set is right, and no other is asked for.
func nameEnds(w uint64) uint64 {
	return (w-(' '+1)*eachByte)&^w&(0x80*eachByte) | zeroBytes(w^'/'*eachByte) | zeroBytes(w^'>'*eachByte) | zeroBytes(w^'='*eachByte)
}

// lettersIn counts how many letters a word begins with, 8 at most. A few other
// characters, from 0x40 on, count too: what follows a name in ordinary markup does not.
func lettersIn(w uint64) int { return bits.TrailingZeros64(^w&(0x40*eachByte)) / 8 }

// keyOfWord is the key of a name that is the first n bytes of a word, fewer than 8.
func keyOfWord(w uint64, n int) nameKey { return nameKey((w | 0x20*eachByte) & (1<<(8*n) - 1)) }

// afterName are the bytes that end a name for nameAt.
var afterName = func() (ends [256]bool) {
	for c := range ' ' + 1 {
		ends[c] = true
	}
	ends['/'], ends['>'], ends['='] = true, true, true
	return ends
}()

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
	keys    []nameKey // a power of two, three of four of them 0: free
	names   []string  // of the keys
	numbers []int32
	shift   uint
}

// newNameTable numbers names in lower case as they stand in the list.
func newNameTable(names []string) *nameTable {
	x := &nameTable{shift: 64}
	for 1<<(64-x.shift) < 4*len(names) {
		x.shift--
	}
	n := 1 << (64 - x.shift)
	x.keys, x.names, x.numbers = make([]nameKey, n), make([]string, n), make([]int32, n)
	for number, name := range names {
		key := keyOf([]byte(name))
		i := x.first(key)
		for x.keys[i] != 0 {
			i = x.next(i)
		}
		x.keys[i], x.names[i], x.numbers[i] = key, name, int32(number)
	}
	return x
}

func (x *nameTable) first(key nameKey) uint64 {
	const golden = 0x9E3779B97F4A7C15 // 2^64 by the golden ratio: spreads what differs in few bits
	return uint64(key) * golden >> x.shift
}

func (x *nameTable) next(i uint64) uint64 { return (i + 1) & uint64(len(x.keys)-1) }

// find returns the number of a name whose key is known, and -1 where it has none.
func (x *nameTable) find(key nameKey, name []byte) int {
	for i := x.first(key); x.keys[i] != 0; i = x.next(i) {
		if x.keys[i] == key && len(x.names[i]) == len(name) && (len(name) <= 8 || equalFold(name, x.names[i])) {
			return int(x.numbers[i])
		}
	}
	return -1
}
