package facts

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
)

// Fingerprint is what is kept of a text to find equal and similar ones.
type Fingerprint struct {
	// Hash is the hash of the text, 0 if it is not known.
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
	w := shingles{}
	n := 0
	for n < len(text) {
		n = w.word(text, n) + 1
	}
	return Fingerprint{Hash: Hash(text), Words: w.words, Similar: w.simhash()}
}

// Hash returns the hash of a text, which is never 0.
func Hash(text []byte) uint64 { return max(xxhash.Sum64(text), 1) }

const (
	eachByte = 0x0101010101010101
	prime1   = 0x9E3779B97F4A7C15 // odd numbers without a pattern
	prime2   = 0xD6E8FEB86659FD93
)

// shingles adds up the hashes of the sequences of three words.
type shingles struct {
	words        int
	before, last uint64    // the hashes of the two words before
	lanes        [8]uint64 // eight counters of 8 bits each: one for each bit of a hash
	inLanes      int       // how many hashes are counted in lanes
	total        [64]uint32
	count        uint32
}

// word adds the word that begins at i and returns its end.
func (s *shingles) word(text []byte, i int) int {
	h := uint64(0)
	for start := i; ; i += 8 {
		var w uint64
		if i+8 <= len(text) {
			w = binary.LittleEndian.Uint64(text[i:])
		} else {
			w = ' ' * eachByte
			for k := len(text) - 1; k >= i; k-- {
				w = w<<8 | uint64(text[k])
			}
		}
		blanks := w ^ ' '*eachByte
		blanks = (blanks - eachByte) &^ blanks & (0x80 * eachByte)
		if blanks != 0 {
			n := bits.TrailingZeros64(blanks) / 8
			w &= 1<<(8*n) - 1
			if w&(0x80*eachByte) != 0 {
				return s.wordOfCharacters(text, start)
			}
			if n > 0 || h != 0 {
				s.add(mix(h ^ w))
			}
			return i + n
		}
		if w&(0x80*eachByte) != 0 {
			return s.wordOfCharacters(text, start)
		}
		h = mix(h ^ w)
	}
}

// wordOfCharacters is word for a word that is not ASCII.
func (s *shingles) wordOfCharacters(text []byte, i int) int {
	h := uint64(0)
	for i < len(text) && text[i] != ' ' {
		r, size := utf8.DecodeRune(text[i:])
		i += size
		if isWordByItself(r) {
			if h != 0 {
				s.add(h)
			}
			s.add(mix(uint64(r)))
			h = 0
			continue
		}
		h = mix(h ^ uint64(r))
	}
	if h != 0 {
		s.add(h)
	}
	return i
}

// isWordByItself reports whether a character belongs to a script that is written without
// blanks between words: kana and Chinese characters.
func isWordByItself(r rune) bool {
	return 0x3041 <= r && r <= 0x30FF || 0x3400 <= r && r <= 0x9FFF || 0xF900 <= r && r <= 0xFAFF || 0x20000 <= r && r <= 0x3FFFF
}

func mix(h uint64) uint64 {
	h = (h ^ h>>32) * prime1
	return h ^ h>>29
}

// add counts a word, and the sequence that ends with it.
func (s *shingles) add(word uint64) {
	s.words++
	if s.words >= 3 {
		s.count++
		h := mix(s.before*prime2 ^ bits.RotateLeft64(s.last*prime2, 23) ^ word)
		for i := range s.lanes {
			s.lanes[i] += spread[byte(h>>(8*i))]
		}
		if s.inLanes++; s.inLanes == 255 {
			s.flush()
		}
	}
	s.before, s.last = s.last, word
}

// flush adds the lanes to the totals.
func (s *shingles) flush() {
	for i := range s.total {
		s.total[i] += uint32(byte(s.lanes[i/8] >> (8 * (i % 8))))
	}
	s.lanes, s.inLanes = [8]uint64{}, 0
}

// simhash returns the bits that more than half of the hashes have.
func (s *shingles) simhash() (h uint64) {
	s.flush()
	for i, n := range s.total {
		if 2*n > s.count {
			h |= 1 << i
		}
	}
	return h
}

// spread has for each byte its bits as bytes of 0 or 1.
var spread = func() (spread [256]uint64) {
	for b := range spread {
		for i := range 8 {
			spread[b] |= uint64(b>>i&1) << (8 * i)
		}
	}
	return spread
}()
