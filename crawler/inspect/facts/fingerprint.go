package facts

import (
	"encoding/binary"
	"math/bits"
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

// FingerprintOf returns the fingerprint of a text, whose words must be separated by single
// blanks.
func FingerprintOf(text []byte) Fingerprint {
	var f Fingerprinter
	f.Add(text)
	return f.Fingerprint()
}

// Hash returns the hash of a text, which is never 0.
func Hash(text []byte) uint64 { return max(xxhash.Sum64(text), 1) }

const (
	eachByte = 0x0101010101010101
	eachHigh = 0x80 * eachByte
	prime1   = 0x9E3779B97F4A7C15 // odd numbers without a pattern
	prime2   = 0xD6E8FEB86659FD93
)

// Fingerprinter takes the fingerprint of a text whose parts come one after the other. Where the
// text is cut does not matter. The zero value has no text.
type Fingerprinter struct {
	hash  uint64 // of all words
	words int
	// before and last are the hashes of the two words before, multiplied.
	before, last uint64
	sequences    majority // the hashes of the sequences of three words

	// The current word, whose end is not known yet: the hash of its first bytes, eight at a
	// time, and the bytes that follow, the first one lowest.
	begun uint64
	tail  uint64
	size  int // of tail in bytes, below 8
}

// Add adds words that are separated by single blanks. The first one continues the current word.
func (f *Fingerprinter) Add(text []byte) {
	for i := f.AddASCII(text, 0, len(text)); i < len(text); i = f.AddASCII(text, i, len(text)) {
		_, size := utf8.DecodeRune(text[i:])
		f.AddCharacter(text[i : i+size])
		i += size
	}
}

// AddASCII adds the words of text[i:end] up to the first character that is neither printable
// ASCII nor white space, and returns its index.
func (f *Fingerprinter) AddASCII(text []byte, i, end int) int {
	begun, tail, size := f.begun, f.tail, f.size
	for i < end {
		w := wordAt(text, i)
		n := min(bits.TrailingZeros64(notPrintable(w))/8, end-i)
		if n < 8 {
			w &= 1<<(8*n) - 1
		}
		tail |= w << (8 * size & 63)
		if size += n; size >= 8 {
			begun = mix(begun ^ tail)
			size -= 8
			tail = w >> (8 * (n - size))
		}
		if i += n; n == 8 || i == end {
			continue
		}
		if !isSpace(text[i]) {
			break
		}
		if begun|tail != 0 {
			f.add(mix(begun ^ tail))
			begun, tail, size = 0, 0, 0
		}
		for i++; i < end && isSpace(text[i]); i++ {
		}
	}
	f.begun, f.tail, f.size = begun, tail, size
	return i
}

// AddCharacter adds one character to the current word. Characters of scripts that are written
// without blanks are words by themselves.
func (f *Fingerprinter) AddCharacter(character []byte) {
	if r, _ := utf8.DecodeRune(character); isWordByItself(r) {
		f.Blank()
		f.add(mix(uint64(r)))
		return
	}
	for _, c := range character {
		f.tail |= uint64(c) << (8 * f.size)
		if f.size++; f.size == 8 {
			f.begun, f.tail, f.size = mix(f.begun^f.tail), 0, 0
		}
	}
}

// Blank ends the current word, if there is one.
func (f *Fingerprinter) Blank() {
	if f.begun|f.tail != 0 {
		f.add(mix(f.begun ^ f.tail))
		f.begun, f.tail, f.size = 0, 0, 0
	}
}

// Fingerprint returns the fingerprint of what was added.
func (f *Fingerprinter) Fingerprint() Fingerprint {
	f.Blank()
	return Fingerprint{Hash: max(f.hash, 1), Words: f.words, Similar: f.sequences.bits()}
}

// add adds a word, and the sequence that ends with it.
func (f *Fingerprinter) add(word uint64) {
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

// wordAt returns the eight bytes of text from i on, the first one lowest. Those behind the end
// of the text are 0.
func wordAt(text []byte, i int) (w uint64) {
	if i <= len(text)-8 {
		return binary.LittleEndian.Uint64(text[i:])
	}
	for k := len(text) - 1; k >= i; k-- {
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
