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
	f.count()
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
	hash      uint64 // of the words up to the recent ones
	words     int    // up to the recent ones
	sequences majority
	// recent are the hashes of the last words. The first two of them are in hash already, if
	// there were so many before: they begin sequences of three.
	recent [2 + 64]uint64
	filled int // of recent
}

// add adds a text. Words of ASCII are read eight bytes at a time, the first one lowest; the last
// ones are filled up with zeros.
func (f *fingerprinter) add(text []byte) {
	for i := 0; i < len(text); i++ {
		if text[i] <= ' ' {
			continue
		}
		start, begun := i, uint64(0) // begun is the hash of what precedes the next eight bytes
		for {
			if i > len(text)-8 {
				i = f.addWord(text, start)
				break
			}
			w := binary.LittleEndian.Uint64(text[i:])
			end := notPrintable(w)
			if end == 0 {
				begun = mix(begun ^ w)
				i += 8
				continue
			}
			n := bits.TrailingZeros64(end) &^ 7
			i += n / 8
			if text[i] > ' ' { // not ASCII
				i = f.addWord(text, start)
			} else {
				f.addHash(mix(begun ^ w&(1<<n-1)))
			}
			break
		}
	}
}

// addWord adds the word at i, of any characters and length, and returns the index of the white
// space that ends it.
func (f *fingerprinter) addWord(text []byte, i int) (end int) {
	var w word
	for i < len(text) && text[i] > ' ' {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		switch {
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

// addHash adds the hash of a word.
func (f *fingerprinter) addHash(word uint64) {
	f.recent[f.filled] = word
	if f.filled++; f.filled == len(f.recent) {
		f.count()
	}
}

// count counts the recent words and the sequences that end with them.
func (f *fingerprinter) count() {
	words := f.recent[:f.filled]
	known := min(f.words, 2)
	for _, w := range words[known:] {
		f.hash = bits.RotateLeft64((f.hash^w)*prime1, 29)
	}
	f.words += len(words) - known
	if len(words) < 3 {
		return
	}
	last := [2]uint64(words[len(words)-2:])
	one, two := words[0]*prime2, words[1]*prime2
	for k, three := range words[2:] {
		words[k] = mix(one ^ bits.RotateLeft64(two, 23) ^ three)
		one, two = two, three*prime2
	}
	f.sequences.add(words[:len(words)-2])
	f.filled = copy(f.recent[:], last[:])
}

func mix(h uint64) uint64 {
	h = (h ^ h>>32) * prime1
	return h ^ h>>29
}

// notPrintable sets the highest bit of each byte of w that is white space, a control character
// or not ASCII.
func notPrintable(w uint64) uint64 {
	return (^(w&^eachHigh + (0x80-'!')*eachByte) | w) & eachHigh
}

// isWordByItself reports whether a character belongs to a script that is written without
// blanks between words: kana and Chinese characters.
func isWordByItself(r rune) bool {
	return 0x3041 <= r && r <= 0x30FF || 0x3400 <= r && r <= 0x9FFF || 0xF900 <= r && r <= 0xFAFF || 0x20000 <= r && r <= 0x3FFFF
}

// majority counts for each of 64 bits in how many numbers it is set. The counters are sliced:
// each plane holds one binary digit of all of them, so that one operation works on all.
type majority struct {
	planes [32]uint64
	count  uint32 // of all numbers
}

// add adds numbers, eight at a time.
func (m *majority) add(numbers []uint64) {
	m.count += uint32(len(numbers))
	p := &m.planes
	for ; len(numbers) >= 8; numbers = numbers[8:] {
		l := (*[8]uint64)(numbers)
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
	for _, n := range numbers {
		m.carry(n, 0)
	}
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
func (m *majority) bits() (more uint64) {
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
