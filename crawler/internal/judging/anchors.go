package judging

import (
	"encoding/binary"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/orbweaver/orbweaver/crawler/extract"
)

// Anchors is the set of fragment names a page defines: sorted 64-bit hashes.
//
// Two different names share a hash with a probability of 1 in 2^64. A missing
// fragment may then count as found; a link never counts as broken for it.
type Anchors []uint64

// MaxAnchors is the number of fragment names kept of one page: as many as a page
// of the default --max-body can have.
const MaxAnchors = 1 << 20

// HashAnchor returns the hash of a fragment name as Anchors keep it: XXH64. Stores
// keep hashes from run to run, so it never changes.
func HashAnchor(name string) uint64 { return xxhash.Sum64String(name) }

// HashAnchorBytes is HashAnchor of a name in bytes.
func HashAnchorBytes(name []byte) uint64 { return extract.HashAnchor(name) }

// hashAnchor hashes prefix+name without joining them.
func hashAnchor(prefix, name string) uint64 {
	var d xxhash.Digest
	d.Reset()
	_, _ = d.WriteString(prefix) // never fails
	_, _ = d.WriteString(name)
	return d.Sum64()
}

// NewAnchors returns the set of names. It keeps the first MaxAnchors of them; more is
// true if there are others.
func NewAnchors(names []string) (set Anchors, more bool) {
	if len(names) > MaxAnchors {
		names, more = names[:MaxAnchors], true
	}
	if len(names) == 0 {
		return nil, more
	}
	set = make(Anchors, len(names))
	for i, name := range names {
		set[i] = HashAnchor(name)
	}
	slices.Sort(set)
	return slices.Clip(slices.Compact(set)), more
}

// anchorsOf is NewAnchors of a document's names, most of which have been hashed while
// they were read.
func anchorsOf(d *extract.Document) (set Anchors, more bool) {
	if len(d.AnchorHashes) == 0 || len(d.Anchors) > MaxAnchors {
		return NewAnchors(d.Anchors)
	}
	return slices.Clone(d.AnchorHashes), false
}

// Has reports whether the set holds a hash made by HashAnchor.
func (a Anchors) Has(hash uint64) bool {
	_, found := slices.BinarySearch(a, hash)
	return found
}

// EncodedAnchors are Anchors in the form of an encoded Outcome: 8 bytes each,
// little-endian, sorted. They are looked up in place, without allocation.
type EncodedAnchors []byte

// Len returns the number of anchors.
func (a EncodedAnchors) Len() int { return len(a) / 8 }

// At returns the i-th smallest hash.
func (a EncodedAnchors) At(i int) uint64 { return binary.LittleEndian.Uint64(a[8*i:]) }

// Has reports whether the set holds a hash made by HashAnchor.
func (a EncodedAnchors) Has(hash uint64) bool {
	low, high := 0, a.Len()
	for low < high {
		middle := int(uint(low+high) >> 1)
		if a.At(middle) < hash {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low < a.Len() && a.At(low) == hash
}

// Decode copies the anchors out of the encoded Outcome.
func (a EncodedAnchors) Decode() Anchors {
	if a.Len() == 0 {
		return nil
	}
	set := make(Anchors, a.Len())
	for i := range set {
		set[i] = a.At(i)
	}
	return set
}

// anchorSet is a set of anchors in either form.
type anchorSet interface {
	Anchors | EncodedAnchors
	Has(hash uint64) bool
}
