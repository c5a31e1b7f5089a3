package siterules

import (
	"cmp"
	"math/bits"
	"slices"
)

// maxDistance is the number of bits in which the simhashes of similar texts may differ.
const maxDistance = 3

// similar is what is known of the pages with one simhash, if there are similar texts.
type similar struct {
	first     string // the smallest address
	firstText uint64 // the hash of its text
	other     string // the smallest address with another text, "" if there is none
	// nearest is the nearest other simhash; of several the smallest.
	nearest    uint64
	hasNearest bool
}

func (s *similar) add(url string, text uint64) {
	switch {
	case s.first == "":
		s.first, s.firstText = url, text
	case text == s.firstText:
		s.first = min(s.first, url)
	case url < s.first:
		s.other, s.first, s.firstText = s.first, url, text
	case s.other == "" || url < s.other:
		s.other = url
	}
}

// similarTexts returns the simhashes for which there may be similar texts.
func (j *judge) similarTexts() map[uint64]*similar {
	var hashes []uint64
	for i := range j.known {
		if k := &j.known[i]; k.comparable {
			hashes = append(hashes, k.similar)
		}
	}
	slices.Sort(hashes)
	groups := map[uint64]*similar{}
	for i := 1; i < len(hashes); i++ {
		if hashes[i] == hashes[i-1] && groups[hashes[i]] == nil {
			groups[hashes[i]] = &similar{}
		}
	}
	hashes = slices.Compact(hashes)
	for i, n := range nearest(hashes) {
		if n < 0 {
			continue
		}
		for _, h := range [...]uint64{hashes[i], hashes[n]} {
			if groups[h] == nil {
				groups[h] = &similar{}
			}
		}
		groups[hashes[i]].nearest, groups[hashes[i]].hasNearest = hashes[n], true
	}
	return groups
}

// nearest returns for each of the hashes, which must be in ascending order and different, the
// index of the nearest other one, -1 if none differs in at most maxDistance bits. Of several
// the smallest counts.
//
// Two hashes that differ in three bits are equal in one of four parts into which their bits
// are divided. So only hashes that are equal in a part are compared, and before that the other
// bits of these are divided in turn, until few hashes are left. Where hashes are dense, most
// have a neighbor that differs in one bit. These are found first, and need no further search.
func nearest(hashes []uint64) []int32 {
	s := search{hashes: hashes, nearest: make([]int32, len(hashes)), distance: make([]uint8, len(hashes))}
	set := make([]int32, len(hashes))
	for i := range set {
		set[i] = int32(i)
		s.nearest[i], s.distance[i] = -1, maxDistance+1
	}
	s.neighbors()
	s.within(set)
	return s.nearest
}

type search struct {
	hashes   []uint64
	nearest  []int32
	distance []uint8
}

const (
	parts = maxDistance + 1
	// fewHashes is the number of hashes that are all compared with each other, and fewBits
	// the number of bits in which that many differ at most.
	fewHashes = 32
	fewBits   = 6
)

// neighbors finds the hashes that differ in one bit.
func (s *search) neighbors() {
	index := make(map[uint64]int32, len(s.hashes))
	all, any := ^uint64(0), uint64(0)
	for i, h := range s.hashes {
		index[h] = int32(i)
		all, any = all&h, any|h
	}
	for i, h := range s.hashes {
		for differing := any &^ all; differing != 0; differing &= differing - 1 {
			if n, found := index[h^differing&-differing]; found {
				s.offer(int32(i), n, 1)
			}
		}
	}
}

// within finds similar hashes of a set. It changes the order of the set.
func (s *search) within(set []int32) {
	if !slices.ContainsFunc(set, func(i int32) bool { return s.distance[i] > 1 }) {
		return
	}
	if len(set) <= fewHashes {
		s.compareAll(set)
		return
	}
	var ones [64]int32
	for _, i := range set {
		for h := s.hashes[i]; h != 0; h &= h - 1 {
			ones[bits.TrailingZeros64(h)]++
		}
	}
	// Bits that differ most are divided evenly among the parts, so that each part tells the
	// hashes apart equally well.
	var differing []int
	balance := func(bit int) int32 { return min(ones[bit], int32(len(set))-ones[bit]) }
	for bit := range 64 {
		if balance(bit) > 0 {
			differing = append(differing, bit)
		}
	}
	if len(differing) <= fewBits {
		s.compareAll(set)
		return
	}
	slices.SortFunc(differing, func(a, b int) int { return cmp.Or(cmp.Compare(balance(b), balance(a)), a-b) })
	var masks [parts]uint64
	for n, bit := range differing {
		masks[n%parts] |= 1 << bit
	}
	set = slices.Clone(set)
	for _, mask := range masks {
		slices.SortFunc(set, func(a, b int32) int { return cmp.Compare(s.hashes[a]&mask, s.hashes[b]&mask) })
		for start := 0; start < len(set); {
			end := start + 1
			for end < len(set) && s.hashes[set[end]]&mask == s.hashes[set[start]]&mask {
				end++
			}
			if end-start > 1 {
				s.within(set[start:end])
			}
			start = end
		}
	}
}

// compareAll compares each hash of a set that needs a search with all others.
func (s *search) compareAll(set []int32) {
	for _, a := range set {
		if s.distance[a] == 1 {
			continue
		}
		for _, b := range set {
			if d := bits.OnesCount64(s.hashes[a] ^ s.hashes[b]); d <= maxDistance && a != b {
				s.offer(a, b, uint8(d))
			}
		}
	}
}

// offer notes that two hashes are similar.
func (s *search) offer(of, other int32, distance uint8) {
	if distance < s.distance[of] || distance == s.distance[of] && other < s.nearest[of] {
		s.nearest[of], s.distance[of] = other, distance
	}
}
