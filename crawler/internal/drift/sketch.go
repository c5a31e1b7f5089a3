package drift

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/orbweaver/orbweaver/crawler/internal/record"
)

const (
	// Version is the version of sketches. Those of another version cannot be compared. It changes
	// with what counts as a word, as a block, or as a sequence.
	Version = 1
	// Threshold is the similarity below which a page drifts by default. Edits of a tenth of all
	// words leave about 0.73.
	Threshold = 0.5

	fewWords   = 20  // a text with fewer words says nothing
	mostHashes = 192 // of a sketch
	sequence   = 3   // words
)

// Sketch is what is kept of a text. The zero value is that of an empty text.
type Sketch struct {
	Words  int      // without numbers
	digest uint64   // of all words
	hashes []uint32 // the least ones of its sequences, ascending, at most mostHashes
}

// Similarity returns how much of the text of s is still in a later one: 1 for the same text, and
// from 0 to 0.99 for another one, rounded to two digits.
func (s *Sketch) Similarity(later *Sketch) float64 {
	if s.digest == later.digest && s.Words == later.Words {
		return 1
	}
	of := s.hashes
	if n := len(later.hashes); n == mostHashes { // it does not tell whether it has a sequence with a greater hash
		end, found := slices.BinarySearch(of, later.hashes[n-1])
		if found {
			end++
		}
		of = of[:end]
	}
	there := 0
	for _, h := range of {
		if _, found := slices.BinarySearch(later.hashes, h); found {
			there++
		}
	}
	if len(of) == 0 {
		return 0
	}
	return min(float64(there*100/len(of))/100, 0.99)
}

// Drifts reports whether a later text has drifted from that of s: its similarity is below a
// threshold, or nothing is left. A text of few words does not drift.
func (s *Sketch) Drifts(later *Sketch, below float64) (similarity float64, drifts bool) {
	similarity = s.Similarity(later)
	return similarity, !s.IsEmpty() && (similarity < below || later.IsEmpty())
}

// IsEmpty reports whether the text has so few words that it says nothing.
func (s *Sketch) IsEmpty() bool { return s.Words < fewWords }

// Append appends the encoded sketch to dst, in at most 800 bytes:
//
//	1 byte   Version
//	         words
//	8 bytes  digest, little-endian
//	4 bytes  for each hash, little-endian, ascending
func (s *Sketch) Append(dst []byte) []byte {
	dst = binary.AppendUvarint(append(dst, Version), uint64(s.Words))
	dst = binary.LittleEndian.AppendUint64(dst, s.digest)
	for _, h := range s.hashes {
		dst = binary.LittleEndian.AppendUint32(dst, h)
	}
	return dst
}

var (
	errVersion = errors.New("read a sketch: it has another version")
	errDamaged = errors.New("read a sketch: it is damaged")
)

// IsOtherVersion reports whether an error says that a sketch is not damaged, but of another
// version.
func IsOtherVersion(err error) bool { return errors.Is(err, errVersion) }

// Parse reads an encoded sketch.
func Parse(data []byte) (s Sketch, err error) {
	r := record.Reader{Rest: data}
	if version := r.Byte(); version != Version && !r.Failed {
		return s, errVersion
	}
	s.Words, s.digest = r.Int(), r.Uint64()
	if r.Failed || len(r.Rest)%4 != 0 || len(r.Rest) > 4*mostHashes {
		return Sketch{}, errDamaged
	}
	for rest := r.Rest; len(rest) > 0; rest = rest[4:] {
		h := binary.LittleEndian.Uint32(rest)
		if n := len(s.hashes); n > 0 && s.hashes[n-1] >= h {
			return Sketch{}, errDamaged
		}
		s.hashes = append(s.hashes, h)
	}
	return s, nil
}
