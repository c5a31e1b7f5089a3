package trap

import "math"

// While there are few keys, each has an exact count: most sites never need the memory
// of the sketches. With more keys the counters are count-min sketches of two rows, and
// a key's count is the smaller of its two cells. The count may be too high, by what
// other keys add to both cells, but never too low, so every trap ends. With the budgets
// of defaultLimits and ten million pages, other keys add far less to a cell than a
// budget. Memory use is fixed whatever a site generates, and equal runs yield equal
// counts.

// maxExactKeys is the number of keys with exact counts.
const maxExactKeys = 4096

// pageCounts counts pages for budgets of thousands and more, in 1 MiB.
type pageCounts struct {
	exact map[uint64]uint32 // nil once there are cells
	cells [2][]uint32
}

// add counts one page of a key and returns the new count.
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

// countExactly increments the exact count of a key, up to most. ok is false if there
// are too many keys.
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

// cellsOf returns a key's cells, one in each row.
func cellsOf[N any](cells *[2][]N, key uint64) (a, b *N) {
	key = mix(key)
	width := uint64(len(cells[0]))
	return &cells[0][key%width], &cells[1][key>>32%width]
}

// raiseTo makes a key's count at least n. It raises only the cells below n, so that
// keys that share a cell add little to each other.
func raiseTo[N uint8 | uint32](cells *[2][]N, key uint64, n N) {
	a, b := cellsOf(cells, key)
	*a, *b = max(*a, n), max(*b, n)
}

// maxSpellings is the highest count of spellingCounts.
const maxSpellings = 250

// spellingCounts counts URLs for budgets up to maxSpellings, in 2 MiB.
type spellingCounts struct {
	exact map[uint64]uint8 // nil once there are cells
	cells [2][]uint8
}

// add counts one URL of a key and returns the new count, at most maxSpellings+1.
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

// hashString returns the 64-bit FNV-1a hash of s, spread by mix.
func hashString(s string) uint64 {
	h := hashSeed
	for i := 0; i < len(s); i++ {
		h = hashByte(h, s[i])
	}
	return mix(h)
}

const hashSeed uint64 = 14695981039346656037

func hashByte(h uint64, c byte) uint64 { return (h ^ uint64(c)) * 1099511628211 }

// mix spreads every bit of a hash over all its bits (the finalizer of MurmurHash3).
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xFF51AFD7ED558CCD
	h ^= h >> 33
	h *= 0xC4CEB9FE1A85EC53
	return h ^ h>>33
}
