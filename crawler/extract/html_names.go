package extract

import "math/bits"

// Names of elements and attributes are looked up a few million times a second. The main cost
// is a loop whose end the processor cannot predict, so a name is read eight bytes at a time
// and looked up in a table that is smaller and faster than a map.

// nameKey is the first eight bytes of a name in lower case, the first byte lowest. For most
// names, this is the whole name.
type nameKey uint64

// nameAt reads the name at doc[i:], up to a slash, '>', equals sign, white space or control
// character. All of these except control characters end a name for the tokenizer too; the
// equals sign ends only the name of an attribute.
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

// nameEnd returns the end of the name that continues at doc[i:].
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

// nameEnds sets the highest bit of each byte of w that ends a name. As in zeroBytes, only the
// lowest bit set is reliable, and only that one is used.
func nameEnds(w uint64) uint64 {
	return (w-(' '+1)*eachByte)&^w&(0x80*eachByte) | zeroBytes(w^'/'*eachByte) | zeroBytes(w^'>'*eachByte) | zeroBytes(w^'='*eachByte)
}

// lettersIn returns the number of letters at the start of a word, at most 8. Some other
// characters from 0x40 on count too, but none that follow a name in ordinary markup.
func lettersIn(w uint64) int { return bits.TrailingZeros64(^w&(0x40*eachByte)) / 8 }

// keyOfWord returns the key of the name in the first n bytes of a word; n is less than 8.
func keyOfWord(w uint64, n int) nameKey { return nameKey((w | 0x20*eachByte) & (1<<(8*n) - 1)) }

// afterName marks the bytes that end a name for nameAt.
var afterName = func() (ends [256]bool) {
	for c := range ' ' + 1 {
		ends[c] = true
	}
	ends['/'], ends['>'], ends['='] = true, true, true
	return ends
}()

// keyOf returns the key of a name in any letter case.
func keyOf(name []byte) (k nameKey) {
	for i := min(len(name), 8) - 1; i >= 0; i-- {
		c := name[i]
		if c > ' ' {
			c |= 0x20 // also for bytes that are not letters, which no known name contains
		}
		k = k<<8 | nameKey(c)
	}
	return k
}

// nameTable maps names, in any letter case, to their numbers.
type nameTable struct {
	keys    []nameKey // the length is a power of two; three of four are 0, which means free
	names   []string  // of the keys
	numbers []int32
	shift   uint
}

// newNameTable returns a table of names, numbered by their position in the list. The names
// must be in lower case.
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
	const golden = 0x9E3779B97F4A7C15 // 2^64 divided by the golden ratio: spreads keys that differ in few bits
	return uint64(key) * golden >> x.shift
}

func (x *nameTable) next(i uint64) uint64 { return (i + 1) & uint64(len(x.keys)-1) }

// find returns the number of a name whose key is known, or -1 if it has none.
func (x *nameTable) find(key nameKey, name []byte) int {
	for i := x.first(key); x.keys[i] != 0; i = x.next(i) {
		if x.keys[i] == key && len(x.names[i]) == len(name) && (len(name) <= 8 || equalFold(name, x.names[i])) {
			return int(x.numbers[i])
		}
	}
	return -1
}
