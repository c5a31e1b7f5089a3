package check

import (
	"encoding/binary"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/orbweaver/orbweaver/crawler/extract"
)

// Anchors is the set of fragment names a page defines: sorted 64-bit hashes.
//
// Of two different names on one page, one in 2^64 pairs shares a hash. What that
// could do is to call a missing fragment found; it never breaks a link.
type Anchors []uint64

// MaxAnchors is how many fragment names of one page are kept: as many as a page
// of the default --max-body can hold.
const MaxAnchors = 1 << 20

// HashAnchor returns the hash of a fragment name as Anchors keep it: XXH64. Stores
// keep hashes from run to run, so it is fixed for good.
func HashAnchor(name string) uint64 { return xxhash.Sum64String(name) }

// HashAnchorBytes is HashAnchor of a name that is no string yet.
func HashAnchorBytes(name []byte) uint64 { return extract.HashAnchor(name) }

// hashAnchor hashes prefix+name without joining them.
func hashAnchor(prefix, name string) uint64 {
	var d xxhash.Digest
	d.Reset()
	_, _ = d.WriteString(prefix) // never fails
	_, _ = d.WriteString(name)
	return d.Sum64()
}

// NewAnchors makes the set of names, repeated ones once. It keeps the first
// MaxAnchors of them; more is true when that was not all.
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

// anchorsOf is NewAnchors of a document's names, which were hashed as they were read.
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

// EncodedAnchors are Anchors as they lie in an encoded Outcome: 8 bytes each,
// little-endian, sorted. They are looked up where they are, without allocation.
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

// anchorSet is what a fragment is looked up in.
type anchorSet interface {
	Anchors | EncodedAnchors
	Has(hash uint64) bool
}
