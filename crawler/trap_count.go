package crawler

// The counters are count-min sketches of two rows: a key's count is the smaller of
// its two cells. It may be too high by what other keys add to both cells, never too
// low, so every trap ends; with the budgets of defaultTrapLimits and ten million
// pages a cell's share of strangers is far below the budget. Memory is fixed,
// whatever a site invents, and equal runs count equally.

// pageCounts counts toward budgets of thousands and more: 1 MiB.
type pageCounts struct {
	cells [2][]uint32
}

// add counts one page of a key and returns the count.
func (c *pageCounts) add(key uint64) int {
	const width = 1 << 17
	if c.cells[0] == nil {
		c.cells = [2][]uint32{make([]uint32, width), make([]uint32, width)}
	}
	key = mix(key)
	a, b := &c.cells[0][key%width], &c.cells[1][key>>32%width]
	// Raising only the smaller cell keeps strangers' shares low.
	n := min(*a, *b) + 1
	*a, *b = max(*a, n), max(*b, n)
	return int(n)
}

// maxSpellings is what a spellingCounts can tell apart.
const maxSpellings = 250

// spellingCounts counts toward budgets up to maxSpellings: 2 MiB.
type spellingCounts struct {
	cells [2][]uint8
}

// add counts one spelling of a key and returns the count, at most maxSpellings+1.
func (c *spellingCounts) add(key uint64) int {
	const width = 1 << 20
	if c.cells[0] == nil {
		c.cells = [2][]uint8{make([]uint8, width), make([]uint8, width)}
	}
	key = mix(key)
	a, b := &c.cells[0][key%width], &c.cells[1][key>>32%width]
	n := min(*a, *b)
	if n <= maxSpellings {
		n++
	}
	*a, *b = max(*a, n), max(*b, n)
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
