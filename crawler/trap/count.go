package trap

import "math"

// As long as there are few keys, each is counted by itself: most sites never need the
// sketches' memory. Then the counters are count-min sketches of two rows: a key's
// count is the smaller of its two cells. It may be too high by what other keys add to
// both cells, never too low, so every trap ends; with the budgets of defaultLimits
// and ten million pages a cell's share of strangers is far below the budget. Memory is
// fixed, whatever a site invents, and equal runs count equally.

// maxExactKeys is how many keys are counted by themselves.
const maxExactKeys = 4096

// pageCounts counts toward budgets of thousands and more: 1 MiB.
type pageCounts struct {
	exact map[uint64]uint32 // nil once there are cells
	cells [2][]uint32
}

// add counts one page of a key and returns the count.
func (c *pageCounts) add(key uint64) int {
	if c.cells[0] == nil {
		if n, ok := countExactly(&c.exact, key, math.MaxUint32); ok {
			return int(n)
		}
		const width = 1 << 17
		c.cells = [2][]uint32{make([]uint32, width), make([]uint32, width)}
		for key, n := range c.exact {
			raiseTo(&c.cells, key, n)
		}
		c.exact = nil
	}
	a, b := cellsOf(&c.cells, key)
	n := min(*a, *b) + 1
	raiseTo(&c.cells, key, n)
	return int(n)
}

// countExactly counts a key by itself, up to most; false when there are too many keys.
func countExactly[N uint8 | uint32](few *map[uint64]N, key uint64, most N) (N, bool) {
	n, known := (*few)[key]
	if !known && len(*few) == maxExactKeys {
		return 0, false
	}
	if *few == nil {
		*few = map[uint64]N{}
	}
	if n < most {
		n++
		(*few)[key] = n
	}
	return n, true
}

// cellsOf are a key's cells, one in each row.
func cellsOf[N any](cells *[2][]N, key uint64) (a, b *N) {
	key = mix(key)
	width := uint64(len(cells[0]))
	return &cells[0][key%width], &cells[1][key>>32%width]
}

// raiseTo makes a key's count n at least. Raising only the smaller cell keeps strangers'
// shares low.
func raiseTo[N uint8 | uint32](cells *[2][]N, key uint64, n N) {
	a, b := cellsOf(cells, key)
	*a, *b = max(*a, n), max(*b, n)
}

// maxSpellings is what a spellingCounts can tell apart.
const maxSpellings = 250

// spellingCounts counts toward budgets up to maxSpellings: 2 MiB.
type spellingCounts struct {
	exact map[uint64]uint8 // nil once there are cells
	cells [2][]uint8
}

// add counts one spelling of a key and returns the count, at most maxSpellings+1.
func (c *spellingCounts) add(key uint64) int {
	if c.cells[0] == nil {
		if n, ok := countExactly(&c.exact, key, maxSpellings+1); ok {
			return int(n)
		}
		const width = 1 << 20
		c.cells = [2][]uint8{make([]uint8, width), make([]uint8, width)}
		for key, n := range c.exact {
			raiseTo(&c.cells, key, n)
		}
		c.exact = nil
	}
	a, b := cellsOf(&c.cells, key)
	n := min(min(*a, *b), maxSpellings) + 1
	raiseTo(&c.cells, key, n)
	return int(n)
}

// hashString is FNV-1a in 64 bits.
func hashString(s string) uint64 {
	h := hashSeed
	for i := 0; i < len(s); i++ {
		h = hashByte(h, s[i])
	}
	return mix(h)
}

const hashSeed uint64 = 14695981039346656037

func hashByte(h uint64, c byte) uint64 { return (h ^ uint64(c)) * 1099511628211 }

// mix spreads every bit of a hash over all of it (the finalizer of MurmurHash3).
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xFF51AFD7ED558CCD
	h ^= h >> 33
	h *= 0xC4CEB9FE1A85EC53
	return h ^ h>>33
}
