package facts

import (
	"encoding/binary"
	"math/bits"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
)

// Fingerprint is what is kept of a text to find equal and similar ones.
type Fingerprint struct {
	// Hash is the hash of the words in their order, 0 if it is not known.
	Hash uint64
	// Words is the number of words. Characters of Chinese and Japanese, which are written
	// without blanks, count as a word each.
	Words int
	// Similar is the simhash of all sequences of three words: similar texts have simhashes
	// that differ in few bits (Charikar 2002).
	Similar uint64
}

// FingerprintOf returns the fingerprint of a text in UTF-8. Words are separated by white space
// of any kind and amount; characters without width are left out.
func FingerprintOf(text []byte) Fingerprint {
	var f fingerprinter
	f.add(text)
	return Fingerprint{Hash: max(f.hash, 1), Words: f.words, Similar: f.sequences.bits()}
}

// Hash returns the hash of a text, which is never 0.
func Hash(text []byte) uint64 { return max(xxhash.Sum64(text), 1) }

const (
	eachByte = 0x0101010101010101
	eachHigh = 0x80 * eachByte
	prime1   = 0x9E3779B97F4A7C15 // odd numbers without a pattern
	prime2   = 0xD6E8FEB86659FD93
)

// fingerprinter takes the fingerprint of a text.
type fingerprinter struct {
	hash  uint64 // of all words
	words int
	// before and last are the hashes of the two words before, multiplied.
	before, last uint64
	sequences    majority // the hashes of the sequences of three words
}

// add adds a text. A word is read eight bytes at a time, the first one lowest; the last ones
// are filled up with zeros.
func (f *fingerprinter) add(text []byte) {
	begun := uint64(0) // the hash of the bytes of the current word before i
	for i := 0; i < len(text); {
		w := uint64(0)
		if i <= len(text)-8 {
			w = binary.LittleEndian.Uint64(text[i:])
		} else {
			w = lastBytes(text[i:])
		}
		stop := notPrintable(w)
		if stop == 0 {
			begun = mix(begun ^ w)
			i += 8
			continue
		}
		n := bits.TrailingZeros64(stop) &^ 7
		w &= 1<<n - 1
		i += n / 8
		if i < len(text) && !isSpace(text[i]) {
			i = f.addWord(text, i, word{begun, w, n / 8})
		} else if begun|w != 0 {
			f.addHash(mix(begun ^ w))
		}
		begun = 0
		i++
	}
	if begun != 0 {
		f.addHash(mix(begun))
	}
}

// addWord adds a word that is not all printable ASCII, from the first such character on, which
// is at index i. w is what precedes. It returns the index of the white space that ends it.
func (f *fingerprinter) addWord(text []byte, i int, w word) (end int) {
	for i < len(text) {
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r < utf8.RuneSelf && isSpace(text[i]):
			f.end(&w)
			return i
		case IsZeroWidth(r):
		case unicode.IsSpace(r):
			f.end(&w)
		case isWordByItself(r):
			f.end(&w)
			f.addHash(mix(uint64(r)))
		default:
			for _, c := range text[i : i+size] {
				w.add(c)
			}
		}
		i += size
	}
	f.end(&w)
	return i
}

// IsZeroWidth reports whether a reader sees nothing of a character, within a word or between
// words.
func IsZeroWidth(r rune) bool { return r == '\u00AD' || r == '\u200B' }

// end ends a word, if there is one.
func (f *fingerprinter) end(w *word) {
	if w.begun|w.tail != 0 {
		f.addHash(mix(w.begun ^ w.tail))
	}
	*w = word{}
}

// word is a word whose end is not known yet: the hash of its first bytes, eight at a time, and
// the bytes that follow, the first one lowest.
type word struct {
	begun, tail uint64
	size        int // of tail in bytes, below 8
}

func (w *word) add(c byte) {
	w.tail |= uint64(c) << (8 * w.size)
	if w.size++; w.size == 8 {
		*w = word{begun: mix(w.begun ^ w.tail)}
	}
}

// addHash adds the hash of a word, and the sequence that ends with it.
func (f *fingerprinter) addHash(word uint64) {
	f.words++
	f.hash = bits.RotateLeft64((f.hash^word)*prime1, 29)
	if f.words >= 3 {
		f.sequences.add(mix(f.before ^ bits.RotateLeft64(f.last, 23) ^ word))
	}
	f.before, f.last = f.last, word*prime2
}

func mix(h uint64) uint64 {
	h = (h ^ h>>32) * prime1
	return h ^ h>>29
}

// lastBytes returns fewer than eight bytes as a word, the first one lowest.
func lastBytes(text []byte) (w uint64) {
	for k := len(text) - 1; k >= 0; k-- {
		w = w<<8 | uint64(text[k])
	}
	return w
}

// notPrintable sets the highest bit of each byte of w that is white space, a control character
// or not ASCII.
func notPrintable(w uint64) uint64 {
	return (^(w&^eachHigh + (0x80-'!')*eachByte) | w) & eachHigh
}

func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// isWordByItself reports whether a character belongs to a script that is written without
// blanks between words: kana and Chinese characters.
func isWordByItself(r rune) bool {
	return 0x3041 <= r && r <= 0x30FF || 0x3400 <= r && r <= 0x9FFF || 0xF900 <= r && r <= 0xFAFF || 0x20000 <= r && r <= 0x3FFFF
}

// majority counts for each of 64 bits in how many numbers it is set. The counters are sliced:
// each plane holds one binary digit of all of them, so that one operation works on all.
type majority struct {
	planes [32]uint64
	last   [8]uint64 // numbers that are not in planes yet
	count  uint32    // of all numbers
}

func (m *majority) add(n uint64) {
	m.last[m.count%8] = n
	if m.count++; m.count%8 != 0 {
		return
	}
	l, p := &m.last, &m.planes
	ones, two1 := sum(p[0], l[0], l[1])
	ones, two2 := sum(ones, l[2], l[3])
	ones, two3 := sum(ones, l[4], l[5])
	ones, two4 := sum(ones, l[6], l[7])
	twos, four1 := sum(p[1], two1, two2)
	twos, four2 := sum(twos, two3, two4)
	fours, eight := sum(p[2], four1, four2)
	p[0], p[1], p[2] = ones, twos, fours
	m.carry(eight, 3)
}

// sum adds three binary digits of 64 counters.
func sum(a, b, c uint64) (digit, carry uint64) {
	return a ^ b ^ c, a&b | (a^b)&c
}

// carry adds a binary digit to the planes.
func (m *majority) carry(digit uint64, plane int) {
	for ; digit != 0 && plane < len(m.planes); plane++ {
		m.planes[plane], digit = m.planes[plane]^digit, m.planes[plane]&digit
	}
}

// bits returns the bits that more than half of the numbers have.
func (m majority) bits() (more uint64) {
	for _, n := range m.last[:m.count%8] {
		m.carry(n, 0)
	}
	half, equal := m.count/2, ^uint64(0)
	for plane := len(m.planes) - 1; plane >= 0; plane-- {
		if digits := m.planes[plane]; half>>plane&1 == 0 {
			more |= equal & digits
			equal &^= digits
		} else {
			equal &= digits
		}
	}
	return more
}
